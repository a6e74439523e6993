"""modelfleet place"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import click

from .. import codes, pipeline
from ..api.placement import PlacementSpec
from ..diagnostics import Diagnostic, Location, Report
from ..report.words import difference
from ..resolve.fleet import Fleet
from . import decide
from .context import Context, Refused

Key = tuple[str, str]
NO_BASE = ("--all", "--give-up", "--finish", "--allow-removals")


@click.command("place", help="Decide where replicas run and record it under placements/. Without names: what is missing or stale.")
@click.argument("named", nargs=-1, metavar="[NS/NAME]...")
@click.option("--all", "everything", is_flag=True, help="Every deployment: also what now fits and did not when it was recorded.")
@click.option("--check", "check_only", is_flag=True, help="Write nothing; exit 3 if a record would change.")
@click.option("--base", metavar="REF", help="With --check: decide from the records where the work tree left REF; exit 3 if these differ.")
@click.option("--give-up", multiple=True, metavar="NS/NAME", help="Retire this deployment's entries on pools that hold too much.")
@decide.two_commits
@click.pass_obj
def command(
    context: Context, named: tuple[str, ...], everything: bool, check_only: bool, base: str | None,
    give_up: tuple[str, ...], finish: bool, accept_loss: tuple[str, ...], allow_removals: bool,
) -> None:  # fmt: skip
    """Retains every recorded place that may stay; fills and scales the targets only."""
    _usage(named, everything, check_only, base, (everything, give_up, finish, allow_removals))
    decide.check_flags(finish, accept_loss, allow_removals)
    report = Report()
    repository, fleet = context.whole(report, devices=False)
    if base is not None:
        _check_edited(context, repository, fleet, base, report)
        return
    targets = list(fleet.deployments) if everything else decide.keys(context, fleet, named) if named else None
    accepted = decide.keys(context, fleet, accept_loss)
    if finish:
        changes = decide.finish(context, repository, targets if targets is not None else list(fleet.placements), accepted)
    else:
        changes = decide.decide(repository, targets, decide.keys(context, fleet, give_up), report)
        changes = {**_given_up(repository, fleet), **changes} if allow_removals and not named else changes
    guarded = not (allow_removals or finish or check_only)
    if guarded and (refused := decide.too_many(fleet, changes, "modelfleet place")).errors:
        report.extend(refused.found)
        context.refuse(report.sorted())
    decide.tell(fleet, changes)
    if not check_only:
        decide.write(repository, changes, approved=allow_removals)
    context.say(report.sorted())
    if not changes and not context.quiet:
        click.echo("every record is up to date")
    if changes and check_only:
        raise Refused(3)


def _usage(named: tuple[str, ...], everything: bool, check_only: bool, base: str | None, others: tuple[object, ...]) -> None:
    if named and everything:
        raise click.UsageError("--all and names exclude each other")
    if base is None:
        return
    if not check_only:
        raise click.UsageError("--base is for --check")
    refused = [flag for flag, given in zip(NO_BASE, others, strict=True) if given] + ["a name"] * bool(named)
    if refused:
        raise click.UsageError(f"--check --base compares every record with what placing gives: {refused[0]} has no meaning beside it")


def _given_up(repository: pipeline.Repository, fleet: Fleet) -> dict[Key, PlacementSpec]:
    """Records that leave a cluster which is not declared, and are not approved yet: without that `check --base` refuses its loss."""
    from ..checks.base import approved

    records = repository.resources.of("Placement").values()
    found = {(r.model.metadata.namespace, r.model.metadata.name): r.model.spec for r in records if not approved(r)}
    return {key: spec for key, spec in found.items() if any(e.retiring and e.cluster not in fleet.clusters for e in spec.replicas)}


def _check_edited(context: Context, repository: pipeline.Repository, fleet: Fleet, base: str, report: Report) -> None:
    """Exit 3 if a record differs from what placing gives when it starts from the records of the base."""
    from ..git import BaseError

    try:
        before = pipeline.records_at(repository, base)
    except BaseError as error:
        context.refuse([Diagnostic(codes.BASE, error.message, Location("--base"), error.hint)], 4)
    now = fleet.placements
    edited, planned = _edited(fleet, before)
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


def _edited(fleet: Fleet, before: dict[Key, PlacementSpec]) -> tuple[list[Key], Mapping[Key, PlacementSpec]]:
    """The records that differ from what placing gives when it starts from `before`, and what it gives.

    Dropping what retired in `before` is no edit: it is what --finish does, unless fewer replicas than wanted stay.
    """
    from ..place.change import finish
    from ..place.place import Placing, place

    now = fleet.placements
    shorter = [key for key, spec in before.items() if key in now and len(now[key].replicas) < len(spec.replicas)]
    finished = finish(fleet, before, shorter, before, ()).records
    begin = {key: finished[key] if now.get(key) == finished[key] else spec for key, spec in before.items()}
    start = {key: begin[key] for key in {**now, **before} if key in before}
    differing = {key for key in (*now, *start) if now.get(key) != start.get(key)}
    placing = Placing.begin(replace(fleet, placements=start), start)
    planned = place(fleet, start, sorted(differing | set(placing.stale()))).placements
    return [key for key in sorted(set(planned) & set(fleet.deployments)) if now.get(key) != planned[key]], planned
