"""modelfleet check"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from .. import codes, pipeline
from ..diagnostics import Diagnostic, Location, Report, Severity
from ..report.words import difference
from ..resolve.fleet import Fleet
from .context import SHOWN, Context, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place.plan import Plan


FORMATS = ["text", "github", "json", "sarif"]


@click.command("check", help="Report every mistake in the repository.")
@click.option("--all", "show_all", is_flag=True, help=f"Show all diagnostics, not the first {SHOWN}.")
@click.option("--base", metavar="REF", help="Also compare with where the work tree left REF: removals, and what never changes.")
@click.option("--strict", is_flag=True, help="Warnings refuse too.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="For machines: all of it, on stdout. Default: text.")
@click.pass_obj
def command(context: Context, show_all: bool, base: str | None, strict: bool, form: str) -> None:
    """Loads, validates, resolves, and compares the recorded placements with what would be decided now."""
    report = Report()
    quiet, context = context.quiet, replace(context, quiet=context.quiet and not strict)  # what refuses is said
    repository = context.read(pipeline.Slice(), report)
    if not report.errors:
        pipeline.check(repository, report)
        _check_pods(repository, report)
    if base is not None and not report.errors:
        _compare_base(context, repository, base, report)
    fleet = repository.fleet
    if fleet and not report.errors:
        planned = pipeline.plan(fleet)
        _compare(fleet, planned, report)
        pipeline.say_plan(repository, planned, report)
    found = report.sorted()
    if form == "text":
        context.say(found, None if show_all else SHOWN)
    else:
        click.echo(_formatted(context, form, found, repository.root), nl=False)
    if report.errors or (strict and any(d.severity is Severity.WARNING for d in found)):
        raise Refused
    if fleet and not quiet and form == "text":
        click.echo(f"{len(fleet.clusters)} clusters, {len(fleet.deployments)} deployments: no errors")


def _compare_base(context: Context, repository: pipeline.Repository, ref: str, report: Report) -> None:
    """The change against its base; exit 4 when the base cannot be read."""
    from ..git import BaseError

    try:
        pipeline.check_base(repository, ref, report)
        _new_excesses(repository, ref, report)
    except BaseError as error:
        context.refuse([Diagnostic(codes.BASE, error.message, Location("command line"), error.hint)], 4)


def _new_excesses(repository: pipeline.Repository, ref: str, report: Report) -> None:
    """Pools that hold too much by a record that this change made, and did not before."""
    from ..place.place import Placing

    fleet = repository.fleet
    assert fleet is not None
    before = pipeline.records_at(repository, ref)
    changed = {key for key in fleet.placements if fleet.placements[key] != before.get(key)}
    if not changed:
        return
    had = {(e.cluster, e.pool) for e in Placing.begin(fleet, before).excesses()}
    for excess in Placing.begin(fleet, fleet.placements).excesses():
        holders = sorted(
            "/".join(key) for key in changed if any(entry.cluster == excess.cluster for entry in fleet.placements[key].replicas)
        )
        if (excess.cluster, excess.pool) not in had and holders:
            message = f"pool `{excess.pool}` of cluster `{excess.cluster}` would hold too much: {excess.text}"
            where = repository.resources.of("Placement")[holders[0]].at("spec", "replicas")
            report.add(codes.NEWLY_OVERCOMMITTED, message, where, f"git checkout {ref} -- placements; modelfleet place {' '.join(holders)}")


def _check_pods(repository: pipeline.Repository, report: Report) -> None:
    """Pod templates against Kubernetes' models; only here, for what they cost to import."""
    from ..advice import check_advice
    from ..pods import check_pods

    assert repository.fleet is not None
    check_pods(repository.resources, repository.fleet, report)
    check_advice(repository.resources, repository.fleet, report)


def _formatted(context: Context, form: str, found: Sequence[Diagnostic], root: Path) -> str:
    """For machines. Paths in annotations and SARIF begin where the command runs, if the repository lies below."""
    from ..formats import as_json, github, sarif

    here = Path.cwd().resolve()
    prefix = f"{root.relative_to(here).as_posix()}/" if root != here and root.is_relative_to(here) else ""
    match form:
        case "github":
            return github(context.told(found), prefix)
        case "json":
            return as_json(found)
    return sarif(found, prefix)


def _compare(fleet: Fleet, planned: Plan, report: Report) -> None:
    """PlacementMissing and PlacementOutdated."""
    for key, spec in planned.placements.items():
        recorded, deployment = fleet.placements.get(key), fleet.deployments.get(key)
        if deployment is None or recorded == spec:
            continue
        hint = f"modelfleet place {deployment.ref}"
        if recorded is not None:
            message = f"the recorded placement of `{deployment.ref}` is not what is declared now"
            details = [f"modelfleet place would give: {difference(recorded, spec)}"]
            report.add(codes.PLACEMENT_OUTDATED, message, deployment.location, hint, details)
        elif fleet.settings.spec.placement.recorded == "Required":
            report.add(codes.PLACEMENT_MISSING, f"`{deployment.ref}` has no recorded placement", deployment.location, hint)
        else:
            report.add(codes.PLACEMENT_UNRECORDED, f"`{deployment.ref}` is placed with each commit anew", deployment.location, hint)
