"""modelfleet place"""

from __future__ import annotations

import click

from .. import codes, pipeline
from ..api.placement import PlacementSpec
from ..diagnostics import Location, Report, nearest
from ..records import changed_files
from ..resolve.fleet import Fleet
from .context import Context, Refused


@click.command("place", help="Decide where replicas run and record it under placements/. Without names: what is missing or stale.")
@click.argument("names", nargs=-1, metavar="[NS/NAME]...")
@click.option("--all", "everything", is_flag=True, help="Every deployment: also what now fits and did not when it was recorded.")
@click.option("--check", "check_only", is_flag=True, help="Write nothing; exit 3 if a record would change.")
@click.pass_obj
def command(context: Context, names: tuple[str, ...], everything: bool, check_only: bool) -> None:
    """Retains every recorded place that may stay; fills and scales the targets only."""
    if names and everything:
        raise click.UsageError("--all and names exclude each other")
    report = Report()
    repository, fleet = context.whole(report)
    targets = list(fleet.deployments) if everything else _targets(context, fleet, names) if names else None
    planned = pipeline.plan(fleet, targets)
    pipeline.say_plan(repository, planned, report)
    changes = {key: spec for key, spec in planned.placements.items() if fleet.placements.get(key) != spec}
    for key, spec in changes.items():
        click.echo(f"{'/'.join(key)}: {_difference(fleet.placements.get(key), spec)}")
    if not check_only:
        for path, content in changed_files(repository, changes).items():
            file = repository.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
    context.say(report.sorted())
    if not changes and not context.quiet:
        click.echo("every record is up to date")
    if changes and check_only:
        raise Refused(3)


def _targets(context: Context, fleet: Fleet, names: tuple[str, ...]) -> list[tuple[str, str]]:
    known = {deployment.ref: key for key, deployment in fleet.deployments.items()}
    report = Report()
    for name in names:
        if name not in known:
            report.add(codes.NO_SUCH, f"no deployment is named `{name}`", Location("command line"), nearest(name, known))
    context.refuse_errors(report)
    return [known[name] for name in names]


def _difference(before: PlacementSpec | None, after: PlacementSpec) -> str:
    """`gke 2 (h100), rack 0 -> 1 (a100)`: every entry, and what it was."""
    old = {entry.key: entry for entry in before.replicas} if before else {}
    parts = []
    for entry in after.replicas:
        was = old.get(entry.key)
        number = f"{was.count} -> {entry.count}" if was and was.count != entry.count else str(entry.count)
        pools = ", ".join(sorted({choice.pool for choice in entry.engines.values()}))
        parts.append(f"{entry.cluster} {number} ({pools}){' retiring' if entry.retiring else ''}")
    parts += [f"{entry.cluster} dropped" for key, entry in old.items() if key not in {e.key for e in after.replicas}]
    short = f"; {after.wanted - after.shortfall.missing} of {after.wanted} placed" if after.shortfall else ""
    return (", ".join(parts) or "no replicas") + short
