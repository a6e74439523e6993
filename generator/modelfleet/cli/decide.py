"""What commands that change records share: deciding, finishing, the guard against too many removals, writing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import click

from .. import codes, names, pipeline
from ..api.placement import PlacementSpec
from ..diagnostics import Diagnostic, Location, Report, nearest
from ..records import changed_files
from ..report.words import difference
from ..resolve.fleet import Fleet
from ..validate import Resources
from .context import Context

Key = tuple[str, str]
Changes = dict[Key, PlacementSpec]
Options = Callable[[Callable[..., Any]], Callable[..., Any]]


def two_commits(command: Callable[..., Any]) -> Callable[..., Any]:
    """The flags of the commands that take something away in two commits."""
    flags = [
        click.option("--finish", is_flag=True, help="The second commit: drop what has retired where Argo CD reads."),
        click.option("--accept-loss", multiple=True, metavar="NS/NAME", help="With --finish: although fewer replicas than wanted stay."),
        click.option("--allow-removals", is_flag=True, help="Approve taking away more replicas than placement.maxRemovals."),
    ]
    for flag in reversed(flags):
        command = flag(command)
    return command


def check_flags(finish: bool, accept_loss: tuple[str, ...], allow_removals: bool) -> None:
    """Which of those flags go together."""
    if accept_loss and not finish:
        raise click.UsageError("--accept-loss is for --finish")
    if allow_removals and finish:
        raise click.UsageError("--allow-removals is for the first commit; --finish drops only what has retired")


def keys(context: Context, fleet: Fleet, wanted: Iterable[str]) -> list[Key]:
    """The deployments or records called `NS/NAME`; refuses what is not there."""
    known = {"/".join(key): key for key in (*fleet.deployments, *fleet.placements)}
    report = Report()
    for name in wanted:
        if name not in known:
            report.add(codes.NO_SUCH, f"no deployment is named `{name}`", Location("command line"), nearest(name, known))
    context.refuse_errors(report)
    return [known[name] for name in wanted]


def decide(repository: pipeline.Repository, targets: list[Key] | None, give_up: list[Key], report: Report) -> Changes:
    """The records that placing changes; shortfalls and excesses are said."""
    fleet = repository.fleet
    assert fleet is not None
    planned = pipeline.plan(fleet, targets if not give_up or targets is not None else [], give_up)
    pipeline.say_plan(repository, planned, report)
    return {key: spec for key, spec in planned.placements.items() if fleet.placements.get(key) != spec}


def records_where_argocd_reads(context: Context, repository: pipeline.Repository) -> dict[Key, PlacementSpec]:
    """The records at the merge base with the branch that Argo CD follows; ends the command when that cannot be read."""
    return pipeline.recorded_in(resources_where_argocd_reads(context, repository))


def resources_where_argocd_reads(context: Context, repository: pipeline.Repository) -> Resources:
    """The declarations at that merge base."""
    from ..git import BaseError

    assert repository.fleet is not None
    try:
        return pipeline.at(repository, repository.fleet.settings.spec.argocd.target_revision, published=True)
    except BaseError as error:
        context.refuse([Diagnostic(codes.BASE, error.message, Location("--finish"), error.hint)], 4)
    raise AssertionError("refused above")


def finish(
    context: Context, repository: pipeline.Repository, targets: Collection[Key], accepted: Collection[Key], cluster: str | None = None
) -> Changes:
    """The records without what has retired (on `cluster`, if given); refuses when some of it may not be dropped yet."""
    from ..place import change

    fleet = repository.fleet
    assert fleet is not None
    base = records_where_argocd_reads(context, repository)
    done = change.finish(fleet, fleet.placements, targets, base, accepted, cluster)
    report = Report()
    for key, text in done.refused.items():
        ref = "/".join(key)
        hint = f"modelfleet place --finish {ref} --accept-loss {ref}" if "besides" in text else "merge the commit that retires it"
        report.add(codes.NOT_FINISHED, f"`{ref}` keeps what retires: {text}", Location(f"placements/{ref}.yaml"), hint)
    context.refuse_errors(report)
    return {key: spec for key, spec in done.records.items() if fleet.placements.get(key) != spec}


def too_many(fleet: Fleet, changes: Changes, hint: str) -> Report:
    """TooManyRemovals, when the changes take away more replicas than placement.maxRemovals allows."""
    from ..place.change import removals

    report = Report()
    found = removals(fleet.placements, {**fleet.placements, **changes}, fleet.settings.spec.placement.max_removals)
    if found.total > found.limit:
        details = [f"{'/'.join(key)}: {count}" for key, count in sorted(found.by_deployment.items(), key=lambda i: (-i[1], i[0]))]
        message = f"{found.total} of {found.recorded} recorded replicas would retire or go at once; {found.limit} may"
        report.add(codes.TOO_MANY_REMOVALS, message, Location("fleet/fleet.yaml"), f"{hint} --allow-removals, or in steps", details[:10])
    return report


def tell(fleet: Fleet, changes: Changes) -> None:
    """Each changed record in a line on stdout."""
    for key, spec in changes.items():
        click.echo(f"{'/'.join(key)}: {difference(fleet.placements.get(key), spec)}")


def write(repository: pipeline.Repository, changes: Changes, approved: bool = False) -> None:
    """Writes the changed records; `approved`: with the annotation by which `check --base` lets them pass."""
    for path, content in changed_files(repository, changes, {names.ANNOTATION_REMOVE: names.APPROVED} if approved else {}).items():
        file = repository.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
