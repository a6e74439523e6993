"""modelfleet cmp: what Argo CD's plugin runs. Reads its environment, prints JSON documents or nothing.

On failure the first line of stderr is the verdict and each problem is one line: Argo CD shows them as they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import click

from .. import pipeline
from ..diagnostics import Diagnostic, Report
from ..render.unit import Unit, UnitId
from ..resolve.fleet import Fleet
from .context import SHOWN, Context, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place.plan import Plan


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
        raise click.UsageError("the plugin parameters cluster and unit belong together; set neither for the root")
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


def root(context: Context) -> list[Unit]:
    """The root's objects from fleet/ and placements/ alone.

    Under `removal: Retire` a namespace whose records cannot be read is left out and said: its Applications stay as they
    are, because the sets never delete.
    """
    report = Report()
    fleet = context.read(pipeline.Slice(models=()), report).fleet
    errors = sorted(report.errors, key=lambda d: d.order)
    fatal = [d for d in errors if d.location.path.startswith("fleet/")]
    if fleet is None or fatal:
        _refuse("the root", fatal or errors)
    if fleet.settings.spec.placement.recorded == "Optional":
        return pipeline.root(*_placed(context))
    if errors and fleet.settings.spec.argocd.removal == "Prune":
        _refuse("the root", errors)
    _say("the root leaves out the namespaces of these records; what runs there is kept", errors)
    broken = {d.location.path.split("/")[1] for d in errors}
    return pipeline.root(fleet, pipeline.recorded(pipeline.without(fleet, broken)))


def one_unit(context: Context, unit: UnitId) -> list[Unit]:
    """One unit from its own folders; with `recorded: Optional` from the whole repository."""
    report = Report()
    repository = context.read(pipeline.unit_slice(unit), report)
    fleet, errors = repository.fleet, pipeline.unit_errors(repository, unit, report)
    if errors or fleet is None:
        _refuse(f"unit {unit.name} of {unit.cluster}", errors or report.errors)
    planned = pipeline.recorded(fleet)
    if fleet.settings.spec.placement.recorded == "Optional":
        fleet, planned = _placed(context)
    else:
        problems = Report()
        pipeline.check_unit(repository, unit, problems)
        if problems.errors:
            _refuse(f"unit {unit.name} of {unit.cluster}", problems.errors)
    return pipeline.units(fleet, planned, [unit])


def _placed(context: Context) -> tuple[Fleet, Plan]:
    """The whole fleet, and the recorded placements with the missing ones decided now."""
    report = Report()
    repository = context.read(pipeline.Slice(), report)
    if not report.errors:
        pipeline.check(repository, report)
    fleet = repository.fleet
    if report.errors or fleet is None:
        _refuse("a fleet with `recorded: Optional`", report.errors)
    missing = [key for key in fleet.deployments if key not in fleet.placements]
    return fleet, pipeline.plan(fleet, missing) if missing else pipeline.recorded(fleet)


def _refuse(what: str, errors: Sequence[Diagnostic]) -> NoReturn:
    _say(f"{what} cannot be rendered: {len(errors)} error{'s' if len(errors) > 1 else ''}; what runs is kept", errors)
    raise Refused


def _say(verdict: str, errors: Sequence[Diagnostic]) -> None:
    """The verdict and a line for each problem, at most as many as Argo CD's message should hold."""
    if errors:
        ordered = sorted(errors, key=lambda d: d.order)
        click.echo("\n".join([verdict, *(d.line() for d in ordered[: SHOWN - 1])]), err=True)
