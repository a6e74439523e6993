"""modelfleet drain"""

from __future__ import annotations

import click

from .. import codes, edit
from ..diagnostics import Location, Report, nearest
from ..place.tolerate import DRAIN
from ..validate import Resource
from . import decide
from .context import Context
from .files import Files


@click.command("drain", help="Move everything off a cluster, in two commits: this one retires it, --finish drops what has retired.")
@click.argument("cluster")
@decide.two_commits
@click.pass_obj
def command(context: Context, cluster: str, finish: bool, accept_loss: tuple[str, ...], allow_removals: bool) -> None:
    """A taint that nothing tolerates: what is there retires and is replaced elsewhere, and nothing new comes."""
    decide.check_flags(finish, accept_loss, allow_removals)
    report = Report()
    repository, fleet = context.whole(report, devices=False)
    known = repository.resources.of("InferenceCluster")
    if cluster not in known:
        report.add(codes.NO_SUCH, f"no InferenceCluster is named `{cluster}`", Location("command line"), nearest(cluster, known))
        context.refuse(report.sorted())
    if not finish:
        _retire(context, known[cluster], Files(context, repository.root), allow_removals)
        return
    if not _tainted(known[cluster]):
        report.add(codes.NOT_FINISHED, f"cluster `{cluster}` is not drained", known[cluster].at("spec"), f"modelfleet drain {cluster}")
        context.refuse(report.sorted())
    changes = decide.finish(context, repository, list(fleet.placements), decide.keys(context, fleet, accept_loss), cluster)
    decide.tell(fleet, changes)
    decide.write(repository, changes)
    left = [key for key, spec in {**fleet.placements, **changes}.items() if any(entry.cluster == cluster for entry in spec.replicas)]
    if left:
        click.echo(f"{cluster}: still holds {', '.join('/'.join(key) for key in left)}")
    elif changes:
        click.echo(f"next: merge; then {cluster} is empty, and modelfleet remove InferenceCluster {cluster} takes it away")
    else:
        click.echo(f"{cluster} is empty; modelfleet remove InferenceCluster {cluster} takes it away")


def _retire(context: Context, resource: Resource, files: Files, allow_removals: bool) -> None:
    """Writes the taint and the records that follow from it; all of it or nothing."""
    cluster = resource.model.metadata.name
    if not _tainted(resource):
        files.change(resource, _with_taint)
    report = Report()
    changed = files.checked(report)
    fleet = changed.fleet
    assert fleet is not None
    held = [key for key, spec in fleet.placements.items() if any(entry.cluster == cluster for entry in spec.replicas)]
    changes = decide.decide(changed, [key for key in held if key in fleet.deployments], [], report)
    if not allow_removals and (refused := decide.too_many(fleet, changes, f"modelfleet drain {cluster}")).errors:
        files.refuse(refused)
    decide.tell(fleet, changes)
    decide.write(changed, changes, approved=allow_removals)
    context.say(report.sorted())
    if held:
        click.echo(f"next: merge, wait until it is synced and what replaces it serves, then modelfleet drain {cluster} --finish")
    else:
        click.echo(f"{cluster} is empty; modelfleet remove InferenceCluster {cluster} takes it away")


def _tainted(resource: Resource) -> bool:
    return any(taint.key == DRAIN and taint.effect == "NoExecute" for taint in resource.model.spec.taints)


def _with_taint(text: str, resource: Resource) -> str:
    return edit.with_item(text, resource.document, ("spec", "taints"), {"key": DRAIN, "effect": "NoExecute"})
