"""modelfleet capacity"""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from ..diagnostics import Report
from ..report.table import table
from ..resolve.fleet import Fleet
from .context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place.capacity import Row

HEAD = ("CLUSTER", "POOL", "CLASS", "GROUP", "NODES", "DEVICES", "USED", "FREE", "USABLE", "STRANDED", "HEADROOM", "COST/H", "NOTES")


@click.command("capacity", help="Show what every pool has, what is used, free, stranded, and what it costs.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Default: text.")
@click.pass_obj
def command(context: Context, form: str) -> None:
    """From the records; what is not recorded uses nothing."""
    from ..place.capacity import rows

    _, fleet = context.readable(Report())
    found = rows(fleet, fleet.placements)
    if form == "json":
        click.echo(json.dumps([asdict(row) | {"free": row.free} for row in found], indent=2))
        return
    click.echo(_text(fleet, found))


def _text(fleet: Fleet, found: list[Row]) -> str:
    from ..place.limits import money

    lines = []
    for row in found:
        notes = [f"{row.broken} out of service"] if row.broken else []
        notes += [f"needs +{row.needs_nodes} nodes"] if row.needs_nodes else []
        notes += ["over-committed"] if row.free + row.headroom < 0 else []
        notes += [f"held by {row.holders}"] if row.holders else []
        numbers = (row.nodes, row.devices, row.used, row.free, row.usable, row.stranded, row.headroom)
        cost = "?" if row.cost is None else money(row.cost)
        lines.append((row.cluster, row.pool, row.class_name, row.group, *map(str, numbers), cost, "; ".join(notes)))
    total = sum(row.cost or 0 for row in found)
    unpriced = sorted({row.class_name for row in found if row.cost is None and row.used})
    said = f"{money(total)} {fleet.settings.spec.currency} an hour"
    if unpriced:
        said += f", without {', '.join(unpriced)}, whose price is not declared"
    return f"{table(HEAD, lines, right=range(4, 12))}\n\n{said}"
