"""modelfleet explain"""

from __future__ import annotations

import click

from .. import codes
from ..diagnostics import Code, Location, Report, nearest
from ..resolve.fleet import Fleet
from .context import Context


@click.command(
    "explain", help="Say why a deployment runs where it runs and why not elsewhere (NS/NAME), or what a diagnostic's code means."
)
@click.argument("subject", metavar="NS/NAME | CODE")
@click.pass_obj
def command(context: Context, subject: str) -> None:
    """A table with a line for each cluster, or the text of a code."""
    if "/" not in subject:
        click.echo(_code(context, subject))
        return
    report = Report()
    _, fleet = context.whole(report)
    key = next((key for key, d in fleet.deployments.items() if d.ref == subject), None)
    if key is None:
        report.add(
            codes.NO_SUCH,
            f"no deployment is named `{subject}`",
            Location("command line"),
            nearest(subject, {d.ref for d in fleet.deployments.values()}),
        )
        context.refuse_errors(report)
    assert key is not None
    click.echo(_table(fleet, key))


def _code(context: Context, name: str) -> str:
    code: Code | None = codes.ALL.get(name)
    if code is None:
        report = Report()
        report.add(codes.NO_SUCH, f"no code is named `{name}`", Location("command line"), nearest(name, codes.ALL))
        context.refuse_errors(report)
    assert code is not None
    lines = [f"{code.name} ({code.severity.word})", "", code.what, f"Why: {code.why}", f"Fix: {code.fix}"]
    if code.example:
        lines += ["Example:", *(f"    {line}" for line in code.example.splitlines())]
    return "\n".join(lines)


def _table(fleet: Fleet, key: tuple[str, str]) -> str:
    """One line for each cluster: what runs there, and whether it takes another."""
    from ..place.explain import verdicts

    deployment, recorded = fleet.deployments[key], fleet.placements.get(key)
    rows, summary = verdicts(fleet, key)
    placed = sum(e.count for e in recorded.replicas if not e.retiring) if recorded else 0
    state = (
        f"{placed} of {deployment.wanted} replicas recorded"
        if recorded
        else f"0 of {deployment.wanted} replicas recorded: run modelfleet place {deployment.ref}"
    )
    lines = [f"{deployment.ref}: {state}", summary, ""]
    wide = [max(len(row[i]) for row in [("CLUSTER", "REPLICAS", "ANOTHER"), *rows]) for i in range(3)]
    for row in [("CLUSTER", "REPLICAS", "ANOTHER", "WHY"), *rows]:
        lines.append("  ".join([*(cell.ljust(width) for cell, width in zip(row[:3], wide, strict=True)), row[3]]).rstrip())
    return "\n".join(lines)
