"""modelfleet cmp: what Argo CD's plugin runs. Reads its environment, prints JSON documents or nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import click

from .. import codes, pipeline
from ..diagnostics import Location, Report
from ..render.unit import UnitId
from .context import Context


@click.group("cmp", help="What the Argo CD plugin runs.")
def command() -> None:
    """Config-management plugin."""


@command.command("generate", help="Print the manifests of the root, or of the unit that the parameters name.")
@click.pass_obj
def generate(context: Context) -> None:
    """With parameters `cluster` and `unit`: that unit. Without: the root."""
    from ..emit import to_json

    parameters = read_parameters(os.environ)
    cluster, unit = parameters.get("cluster", ""), parameters.get("unit", "")
    if bool(cluster) != bool(unit):
        context.refuse([_usage("the parameters cluster and unit belong together")])
    units = one_unit(context, UnitId(cluster, unit)) if unit else root(context)
    click.echo(to_json(units), nl=False)


@command.command("parameters", help="Print the parameters that the plugin announces.")
def parameters() -> None:
    """A JSON array, as Argo CD demands."""
    announced = [
        {"name": "cluster", "title": "Cluster", "tooltip": "Cluster of the fleet; empty for the root"},
        {"name": "unit", "title": "Unit", "tooltip": "base, tenant/NS, model/NS/NAME or routes/NS; empty for the root"},
    ]
    click.echo(json.dumps(announced))


def read_parameters(environment: Mapping[str, str]) -> dict[str, str]:
    """The string parameters of ARGOCD_APP_PARAMETERS, which may be unset, empty, `null` or a list; else a usage error."""
    raw = environment.get("ARGOCD_APP_PARAMETERS", "")
    try:
        announced: Any = json.loads(raw) if raw.strip() else None
    except ValueError as error:
        raise click.UsageError(f"ARGOCD_APP_PARAMETERS is not JSON: {error}") from error
    if announced is None:
        return {}
    if not isinstance(announced, list) or not all(isinstance(p, dict) and isinstance(p.get("name"), str) for p in announced):
        raise click.UsageError("ARGOCD_APP_PARAMETERS is not a list of parameters")
    unknown = sorted({p["name"] for p in announced} - {"cluster", "unit"})
    if unknown:
        raise click.UsageError(f"unknown plugin parameter `{unknown[0]}`; known: cluster, unit")
    return {p["name"]: p["string"] for p in announced if isinstance(p.get("string"), str)}


def root(context: Context) -> list[pipeline.Unit]:
    """The root's objects from fleet/ and placements/ alone.

    Under `removal: Retire` a namespace whose records cannot be read is left out and said: its Applications stay as they
    are, because the sets never delete.
    """
    from ..render import render_root

    report = Report()
    repository = context.read(pipeline.Slice(models=()), report)
    fleet = repository.fleet
    fatal = [d for d in report.sorted() if d in report.errors and d.location.path.startswith("fleet/")]
    if fleet is None or fatal:
        context.refuse(fatal or report.sorted())
    assert fleet is not None
    if fleet.settings.spec.placement.recorded == "Optional":
        return [render_root(*_placed(context))]
    if report.errors and fleet.settings.spec.argocd.removal == "Prune":
        context.refuse(report.sorted())
    broken = {d.location.path.split("/")[1] for d in report.errors}
    context.say(report.sorted())
    return [render_root(fleet, pipeline.recorded(pipeline.without(fleet, broken)))]


def one_unit(context: Context, unit: UnitId) -> list[pipeline.Unit]:
    """One unit from its own folders; with `recorded: Optional` from the whole repository."""
    report = Report()
    repository = context.read(pipeline.unit_slice(unit), report)
    errors = pipeline.unit_errors(repository, unit, report)
    if errors or repository.fleet is None:
        context.refuse(sorted(errors or report.errors, key=lambda d: d.order))
    fleet = repository.fleet
    assert fleet is not None
    if fleet.settings.spec.placement.recorded == "Optional":
        return pipeline.units(*_placed(context), [unit])
    problems = Report()
    pipeline.check_unit(repository, unit, problems)
    context.refuse_errors(problems)
    return pipeline.units(fleet, pipeline.recorded(fleet), [unit])


def _placed(context: Context) -> tuple[pipeline.Fleet, pipeline.Plan]:
    """The whole fleet, and the recorded placements with the missing ones decided now."""
    _, fleet = context.whole(Report())
    missing = [key for key in fleet.deployments if key not in fleet.placements]
    return fleet, pipeline.plan(fleet, missing) if missing else pipeline.recorded(fleet)


def _usage(message: str) -> Any:
    from ..diagnostics import Diagnostic

    return Diagnostic(codes.PLUGIN_PARAMETERS, message, Location("ARGOCD_APP_PARAMETERS"), "set both, or neither for the root")



