"""modelfleet plan"""

from __future__ import annotations

from dataclasses import replace

import click

from .. import codes, pipeline
from ..api.base import Taint
from ..diagnostics import Location, Report, nearest
from ..place.tolerate import DRAIN
from ..resolve.fleet import Fleet
from .context import Context
from .words import difference


@click.command("plan", help="Show what a change of clusters would do to placements, without making it.")
@click.option("--without", multiple=True, metavar="CLUSTER", help="As if this cluster were lost.")
@click.option("--drain", multiple=True, metavar="CLUSTER", help="As if this cluster were drained.")
@click.pass_obj
def command(context: Context, without: tuple[str, ...], drain: tuple[str, ...]) -> None:
    """The records that would change, and what would be short."""
    report = Report()
    _, fleet = context.whole(report)
    for name in (*without, *drain):
        if name not in fleet.clusters:
            report.add(codes.NO_SUCH, f"no cluster is named `{name}`", Location("command line"), nearest(name, fleet.clusters))
    context.refuse_errors(report)
    imagined = _imagined(fleet, without, drain)
    planned = pipeline.plan(imagined)
    for key, spec in planned.placements.items():
        if fleet.placements.get(key) != spec:
            click.echo(f"{'/'.join(key)}: {difference(fleet.placements.get(key), spec)}")
            if spec.shortfall:
                click.echo(f"  {spec.shortfall.summary}")
    if planned.placements == fleet.placements:
        click.echo("nothing would move")


def _imagined(fleet: Fleet, without: tuple[str, ...], drain: tuple[str, ...]) -> Fleet:
    """The fleet with clusters lost, or with the taint of a drain."""
    clusters = dict(fleet.clusters)
    for name in without:
        clusters[name] = replace(clusters[name], spec=clusters[name].spec.model_copy(update={"state": "Lost"}))
    taint = Taint(key=DRAIN, effect="NoExecute")
    for name in drain:
        spec = clusters[name].spec
        clusters[name] = replace(clusters[name], spec=spec.model_copy(update={"taints": (*spec.taints, taint)}))
    return replace(fleet, clusters=clusters)
