"""modelfleet generate"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import click

from .. import codes, pipeline
from ..diagnostics import Code, Diagnostic, Location, Report, nearest
from ..render.unit import Unit, UnitId
from ..resolve.fleet import Fleet
from ..tree import compare, files_of, left, links, refusal, touched, write
from .context import Context, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place.plan import Plan


@click.command("generate", help="Print what Argo CD will apply: the root and every unit of every cluster, or what the flags select.")
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), help="Write a tree of files instead of stdout.")
@click.option("--recorded", is_flag=True, help="Only what is recorded, as the plugin does.")
@click.option("--root", "root_only", is_flag=True, help="Only the root: AppProjects and ApplicationSets.")
@click.option("--cluster", help="Only this cluster.")
@click.option("--unit", help="Only this unit, such as base or model/NS/NAME.")
@click.option("--deployment", metavar="NS/NAME", help="Only this deployment, on every cluster.")
@click.option("--check", "check_only", is_flag=True, help="Compare with the tree of -o; exit 3 if it differs.")
@click.pass_obj
def command(
    context: Context,
    output: Path | None,
    recorded: bool,
    root_only: bool,
    cluster: str | None,
    unit: str | None,
    deployment: str | None,
    check_only: bool,
) -> None:
    """Validates, places what has no record (in memory, with a warning), renders. All or nothing on stdout."""
    if check_only and output is None:
        raise click.UsageError("--check compares with a tree: name it with -o DIR")
    if output is not None and (why := refusal(context.root(), output)):
        _refuse(context, codes.OUTPUT_FOLDER, why, "-o rendered")
    if root_only and (cluster or unit or deployment):
        raise click.UsageError("--root stands alone")
    report = Report()
    repository, fleet, planned = _planned(context, recorded, output is not None, report)
    pipeline.say_plan(repository, planned, report)
    wanted = _wanted(context, fleet, planned, (root_only, cluster, unit, deployment))
    rendered = pipeline.units(fleet, planned, wanted) if not root_only else pipeline.root(fleet, planned)
    if output is not None and wanted is None and not root_only and fleet.settings.spec.argocd.delivery == "Rendered":
        rendered += pipeline.units(fleet, planned, _left(fleet, planned, output))
    context.say(report.sorted())
    if output is None:
        _print(rendered)
    else:
        _write(context, rendered, output, check_only, partial=wanted is not None or root_only)


def _left(fleet: Fleet, planned: Plan, output: Path) -> list[UnitId]:
    """Units that nothing lists any more, and whose Applications must still find their report: it is what prunes their last objects.

    A model's as long as it has a record, the others' as long as their namespace has one.
    """
    from ..render import unit_ids

    spaces = {namespace for namespace, _ in planned.placements}
    units = left(output, unit_ids(fleet, planned))
    there = [u for u in units if u.cluster in fleet.clusters and u.namespace in spaces]
    return sorted((u for u in there if not u.deployment or (u.namespace, u.deployment) in planned.placements), key=str)


def _planned(context: Context, recorded: bool, tree: bool, report: Report) -> tuple[pipeline.Repository, Fleet, Plan]:
    """The records, and unless `recorded` a place for what has none. Only placing looks at selectors.

    A tree of a fleet whose Applications read it (`delivery: Rendered`) holds what is recorded alone.
    """
    repository = context.read(pipeline.Slice(), report)
    context.refuse_errors(report)
    fleet = repository.fleet
    assert fleet is not None
    recorded = recorded or (tree and fleet.settings.spec.argocd.delivery == "Rendered")
    missing = [] if recorded else [key for key in fleet.deployments if key not in fleet.placements]
    if missing:
        pipeline.check(repository, report)
    else:
        pipeline.check_recorded(repository, report)
        pipeline.check_secrets(repository, report)
    context.refuse_errors(report)
    return repository, fleet, _plan(fleet, missing, report) if missing else pipeline.recorded(fleet)


def _plan(fleet: Fleet, missing: list[tuple[str, str]], report: Report) -> Plan:
    """The records and, in memory alone, a place for what is missing."""
    for key in missing:
        deployment = fleet.deployments[key]
        message = f"`{deployment.ref}` has no recorded placement; it is placed for this output alone"
        report.add(codes.PLACEMENT_UNRECORDED, message, deployment.location, f"modelfleet place {deployment.ref}")
    return pipeline.plan(fleet, missing)


def _wanted(context: Context, fleet: Fleet, planned: Plan, flags: tuple[bool, str | None, str | None, str | None]) -> list[UnitId] | None:
    """The units that the flags select; None for all."""
    from ..render import unit_ids

    root_only, cluster, unit, deployment = flags
    if root_only or not (cluster or unit or deployment):
        return None
    if cluster and cluster not in fleet.clusters:
        _no_such(context, "cluster", cluster, fleet.clusters)
    listed = unit_ids(fleet, planned)
    if unit and not any(u.name == unit for u in listed):
        _no_such(context, "unit", unit, {u.name for u in listed})
    if deployment and deployment not in {d.ref for d in fleet.deployments.values()}:
        _no_such(context, "deployment", deployment, {d.ref for d in fleet.deployments.values()})
    wanted = [
        u for u in listed
        if (not cluster or u.cluster == cluster) and (not unit or u.name == unit) and (not deployment or u.name == f"model/{deployment}")
    ]  # fmt: skip
    if not wanted:
        given = {"cluster": cluster, "unit": unit, "deployment": deployment}
        shown = " ".join(f"--{flag} {value}" for flag, value in given.items() if value)
        _nothing(context, f"no unit answers to {shown}", f"modelfleet explain {deployment}" if deployment else "leave one of the flags out")
    return wanted


def _no_such(context: Context, what: str, name: str, known: Collection[str]) -> None:
    _nothing(context, f"no {what} is named `{name}`", nearest(name, known))


def _nothing(context: Context, message: str, hint: str) -> None:
    """Refuses flags that select nothing: an empty output would read as a fleet without manifests."""
    _refuse(context, codes.NO_SUCH, message, hint)


def _refuse(context: Context, code: Code, message: str, hint: str) -> None:
    context.refuse([Diagnostic(code, message, Location("command line"), hint)])


def _print(units: list[Unit]) -> None:
    from ..emit import to_yaml

    parts = [f"# cluster: {unit.id.cluster}\n# unit: {unit.id.name}\n{to_yaml(unit)}" for unit in units]
    click.echo("".join(parts), nl=False)


def _write(context: Context, units: list[Unit], output: Path, check_only: bool, partial: bool) -> None:
    wanted = files_of(units)
    if check_only:
        changed = compare(output, wanted, partial)
        for line in changed:
            click.echo(line)
        if changed:
            raise Refused(3)
        return
    if found := links(output, touched(output, wanted)):
        link = output / found[0]
        _refuse(context, codes.OUTPUT_FOLDER, f"{link} is a symbolic link, and writing would follow it", f"rm {link}")
    count = write(output, wanted, partial)
    if not context.quiet:
        click.echo(f"{len(wanted)} files in {output}, {count} changed")
