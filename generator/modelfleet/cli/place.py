"""modelfleet place"""

from __future__ import annotations

from dataclasses import replace

import click

from .. import codes, names, pipeline
from ..api.placement import PlacementSpec
from ..diagnostics import Diagnostic, Location, Report, nearest
from ..records import changed_files
from ..resolve.fleet import Fleet
from .context import Context, Refused
from .words import difference

Key = tuple[str, str]
Changes = dict[Key, PlacementSpec]


@click.command("place", help="Decide where replicas run and record it under placements/. Without names: what is missing or stale.")
@click.argument("named", nargs=-1, metavar="[NS/NAME]...")
@click.option("--all", "everything", is_flag=True, help="Every deployment: also what now fits and did not when it was recorded.")
@click.option("--check", "check_only", is_flag=True, help="Write nothing; exit 3 if a record would change.")
@click.option("--base", metavar="REF", help="With --check: decide from the records where the work tree left REF; exit 3 if these differ.")
@click.option("--give-up", multiple=True, metavar="NS/NAME", help="Retire this deployment's entries on pools that hold too much.")
@click.option("--finish", is_flag=True, help="Drop the entries that have retired.")
@click.option("--accept-loss", multiple=True, metavar="NS/NAME", help="With --finish: although fewer replicas than wanted stay.")
@click.option("--allow-removals", is_flag=True, help="Approve taking away more replicas than placement.maxRemovals.")
@click.pass_obj
def command(
    context: Context, named: tuple[str, ...], everything: bool, check_only: bool, base: str | None,
    give_up: tuple[str, ...], finish: bool, accept_loss: tuple[str, ...], allow_removals: bool,
) -> None:  # fmt: skip
    """Retains every recorded place that may stay; fills and scales the targets only."""
    _usage(named, everything, check_only, base, finish, accept_loss)
    report = Report()
    repository, fleet = context.whole(report, devices=False)
    targets = list(fleet.deployments) if everything else _keys(context, fleet, named) if named else None
    if base is not None:
        _check_edited(context, repository, fleet, base, report)
        return
    if finish:
        changes = _finish(context, repository, targets, _keys(context, fleet, accept_loss), report)
    else:
        changes = _decide(repository, targets, _keys(context, fleet, give_up), report)
    for key, spec in changes.items():
        click.echo(f"{'/'.join(key)}: {difference(fleet.placements.get(key), spec)}")
    if not allow_removals and not finish:
        _guard(context, fleet, changes, report)
    if not check_only:
        _write(repository, changes, approved=allow_removals)
    context.say(report.sorted())
    if not changes and not context.quiet:
        click.echo("every record is up to date")
    if changes and check_only:
        raise Refused(3)


def _usage(
    named: tuple[str, ...], everything: bool, check_only: bool, base: str | None, finish: bool, accept_loss: tuple[str, ...]
) -> None:
    if named and everything:
        raise click.UsageError("--all and names exclude each other")
    if base is not None and not check_only:
        raise click.UsageError("--base is for --check")
    if accept_loss and not finish:
        raise click.UsageError("--accept-loss is for --finish")


def _keys(context: Context, fleet: Fleet, wanted: tuple[str, ...]) -> list[Key]:
    known = {"/".join(key): key for key in (*fleet.deployments, *fleet.placements)}
    report = Report()
    for name in wanted:
        if name not in known:
            report.add(codes.NO_SUCH, f"no deployment is named `{name}`", Location("command line"), nearest(name, known))
    context.refuse_errors(report)
    return [known[name] for name in wanted]


def _decide(repository: pipeline.Repository, targets: list[Key] | None, give_up: list[Key], report: Report) -> Changes:
    """The records that placing changes; shortfalls and excesses are said."""
    fleet = repository.fleet
    assert fleet is not None
    planned = pipeline.plan(fleet, targets if not give_up or targets is not None else [], give_up)
    pipeline.say_plan(repository, planned, report)
    return {key: spec for key, spec in planned.placements.items() if fleet.placements.get(key) != spec}


def _finish(context: Context, repository: pipeline.Repository, targets: list[Key] | None, accepted: list[Key], report: Report) -> Changes:
    """The records without what has retired; refuses when some of it may not be dropped yet."""
    from ..git import BaseError
    from ..place.change import finish

    fleet = repository.fleet
    assert fleet is not None
    try:
        base = pipeline.records_at(repository, fleet.settings.spec.argocd.target_revision)
    except BaseError as error:
        context.refuse([Diagnostic(codes.BASE, error.message, Location("--finish"), error.hint)], 4)
    done = finish(fleet, fleet.placements, targets if targets is not None else list(fleet.placements), base, accepted)
    for key, text in done.refused.items():
        ref = "/".join(key)
        hint = f"modelfleet place --finish {ref} --accept-loss {ref}" if "besides" in text else "merge the commit that retires it"
        report.add(codes.NOT_FINISHED, f"`{ref}` keeps what retires: {text}", Location(f"placements/{ref}.yaml"), hint)
    context.refuse_errors(report)
    return {key: spec for key, spec in done.records.items() if fleet.placements.get(key) != spec}


def _guard(context: Context, fleet: Fleet, changes: Changes, report: Report) -> None:
    """Refuses to take away more replicas than placement.maxRemovals allows."""
    from ..place.change import removals

    found = removals(fleet.placements, {**fleet.placements, **changes}, fleet.settings.spec.placement.max_removals)
    if found.total > found.limit:
        details = [f"{'/'.join(key)}: {count}" for key, count in sorted(found.by_deployment.items(), key=lambda i: (-i[1], i[0]))]
        message = f"{found.total} of {found.recorded} recorded replicas would retire or go at once; {found.limit} may"
        report.add(
            codes.TOO_MANY_REMOVALS, message, Location("fleet/fleet.yaml"), "modelfleet place --allow-removals, or in steps", details[:10]
        )
        context.refuse(report.sorted())


def _check_edited(context: Context, repository: pipeline.Repository, fleet: Fleet, base: str, report: Report) -> None:
    """Exit 3 if a record differs from what placing gives when it starts from the records of the base."""
    from ..git import BaseError
    from ..place.place import Placing, place

    try:
        before = pipeline.records_at(repository, base)
    except BaseError as error:
        context.refuse([Diagnostic(codes.BASE, error.message, Location("--base"), error.hint)], 4)
    now = fleet.placements
    differing = {key for key in (*now, *before) if now.get(key) != before.get(key)}
    start = {key: spec for key, spec in {**now, **before}.items() if key in before}
    placing = Placing.begin(replace(fleet, placements=start), start)
    planned = place(fleet, start, sorted(differing | set(placing.stale()))).placements
    edited = [key for key in sorted(set(planned) & set(fleet.deployments)) if now.get(key) != planned[key]]
    for key in edited:
        ref, missing = "/".join(key), key not in now
        text = "has no record" if missing else "is recorded otherwise"
        message = f"`{ref}` {text} than placing gives: {difference(before.get(key), planned[key])}"
        report.add(
            codes.PLACEMENT_EDITED, message, Location(f"placements/{ref}.yaml"), f"git checkout {base} -- placements; modelfleet place"
        )
    context.say(report.sorted())
    if edited:
        raise Refused(3)
    if not context.quiet:
        click.echo("every record is what placing gives")


def _write(repository: pipeline.Repository, changes: Changes, approved: bool) -> None:
    for path, content in changed_files(repository, changes, {names.ANNOTATION_REMOVE: "approved"} if approved else {}).items():
        file = repository.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
