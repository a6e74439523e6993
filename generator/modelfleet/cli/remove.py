"""modelfleet remove"""

from __future__ import annotations

import click

from .. import codes, edit, names, pipeline
from ..api import KINDS
from ..api.placement import PlacementSpec
from ..checks.base import KEPT_KINDS, approved
from ..diagnostics import Location, Report, nearest
from ..validate import Resource
from . import decide
from .context import Context
from .files import Files, drop_document

# What can be removed, by every name for it: ModelDeployment, modeldeployment, deployment.
_KINDS = {
    name: kind
    for kind in ("ModelDeployment", *KEPT_KINDS)
    for name in (kind, kind.lower(), kind.removeprefix("Model").removeprefix("Inference").lower())
}


@click.command("remove", help="Take a declaration away on purpose, in two commits: this one marks it, --finish drops it.")
@click.argument("kind")
@click.argument("name", metavar="[NS/]NAME")
@decide.two_commits
@click.pass_obj
def command(context: Context, kind: str, name: str, finish: bool, accept_loss: tuple[str, ...], allow_removals: bool) -> None:
    """Argo CD keeps what was not marked before it went, so it takes two commits."""
    if kind not in _KINDS:
        known = sorted({"ModelDeployment", *KEPT_KINDS})
        raise click.UsageError(f"`{kind}` cannot be removed by this command; {nearest(kind, known)}")
    decide.check_flags(finish, accept_loss, allow_removals)
    report = Report()
    repository, _ = context.whole(report, devices=False)
    resource = _named(context, repository, _KINDS[kind], name)
    files = Files(context, repository.root)
    if _KINDS[kind] != "ModelDeployment":
        _remove_marked(context, repository, resource, files, finish)
    elif finish:
        _finish_deployment(context, repository, resource, files, accept_loss)
    else:
        _retire_deployment(context, repository, resource, files, allow_removals)


def _named(context: Context, repository: pipeline.Repository, kind: str, name: str) -> Resource:
    known = repository.resources.of(kind)
    if name not in known:
        report = Report()
        wanted = "NS/NAME" if KINDS[kind][1] == "models" and "/" not in name else ""
        hint = nearest(name, known) or f"none is declared{f'; name it as {wanted}' if wanted else ''}"
        report.add(codes.NO_SUCH, f"no {kind} is named `{name}`", Location("command line"), hint)
        context.refuse(report.sorted())
    return known[name]


def _retire_deployment(context: Context, repository: pipeline.Repository, resource: Resource, files: Files, allow_removals: bool) -> None:
    """replicas: 0 in the file, and every recorded entry on its way out; under Prune both files go at once."""
    ref, key = resource.model.ref_name, (resource.model.metadata.namespace, resource.model.metadata.name)
    files.change(resource, _stopped)
    report = Report()
    changed = files.checked(report)
    fleet = changed.fleet
    assert fleet is not None
    changes = decide.decide(changed, [key], [], report)
    if not allow_removals and (refused := decide.too_many(fleet, changes, f"modelfleet remove ModelDeployment {ref}")).errors:
        files.refuse(refused)
    decide.tell(fleet, changes)
    if fleet.settings.spec.argocd.removal == "Prune":
        _delete(changed, ref, files)
        click.echo(f"{ref}: its files are deleted")
        return
    decide.write(changed, changes, approved=allow_removals)
    context.say(report.sorted())
    if key in fleet.placements:
        click.echo(f"next: merge, wait until it is synced, then modelfleet remove ModelDeployment {ref} --finish")
    else:
        click.echo(f"{ref}: nothing of it is recorded; modelfleet remove ModelDeployment {ref} --finish deletes its file")


def _stopped(text: str, resource: Resource) -> str:
    """The file with `replicas: 0`, and without scaling."""
    document = resource.document
    if resource.model.spec.scaling:
        text = edit.without_key(text, document, ("spec", "scaling"))
        same = (document.value["kind"], document.value["metadata"])
        document = next(d for d in pipeline.parsed(document.path, text) if (d.value["kind"], d.value["metadata"]) == same)
    return edit.with_value(text, document, ("spec", "replicas"), 0)


def _finish_deployment(
    context: Context, repository: pipeline.Repository, resource: Resource, files: Files, accept_loss: tuple[str, ...]
) -> None:
    """Drops what has retired; once that is merged too, deletes the declaration and its record."""
    ref, key = resource.model.ref_name, (resource.model.metadata.namespace, resource.model.metadata.name)
    fleet = repository.fleet
    assert fleet is not None
    recorded = fleet.placements.get(key)
    if recorded and recorded.replicas:
        _refuse_serving(context, resource, recorded)
        changes = decide.finish(context, repository, [key], decide.keys(context, fleet, accept_loss))
        decide.tell(fleet, changes)
        decide.write(repository, changes)
        click.echo(f"next: merge, wait until it is synced, then modelfleet remove ModelDeployment {ref} --finish deletes its files")
        return
    before = decide.records_where_argocd_reads(context, repository).get(key)
    if before and before.replicas:
        report = Report()
        message = f"`{ref}` is still recorded where Argo CD reads"
        report.add(codes.NOT_FINISHED, message, Location(f"placements/{ref}.yaml"), "merge the commit that drops its entries")
        context.refuse(report.sorted())
    _delete(repository, ref, files)
    files.checked(Report())
    click.echo(f"{ref}: its files are deleted")


def _refuse_serving(context: Context, resource: Resource, recorded: PlacementSpec) -> None:
    """What serves is not dropped: it retires first."""
    serving = [entry.cluster for entry in recorded.replicas if not entry.retiring]
    if serving:
        ref, report = resource.model.ref_name, Report()
        message = f"`{ref}` serves on {', '.join(sorted(serving))} and does not retire"
        report.add(codes.NOT_FINISHED, message, resource.at("metadata", "name"), f"modelfleet remove ModelDeployment {ref}")
        context.refuse(report.sorted())


def _delete(repository: pipeline.Repository, ref: str, files: Files) -> None:
    for kind in ("ModelDeployment", "Placement"):
        if found := repository.resources.of(kind).get(ref):
            files.change(found, drop_document)


def _remove_marked(context: Context, repository: pipeline.Repository, resource: Resource, files: Files, finish: bool) -> None:
    """The annotation in the first commit; in the second the document goes."""
    kind, ref = resource.model.kind, resource.model.ref_name
    fleet = repository.fleet
    assert fleet is not None
    _refuse_held(context, repository, resource)
    prune = fleet.settings.spec.argocd.removal == "Prune"
    if not prune and not finish:
        files.change(resource, _marked)
        files.checked(Report())
        click.echo(f"{kind} {ref}: its removal is approved")
        click.echo(f"next: merge, wait until it is synced, then modelfleet remove {kind} {ref} --finish")
        return
    before = None if prune else decide.resources_where_argocd_reads(context, repository).of(kind).get(ref)
    if not prune and (before is None or not approved(before)):
        report = Report()
        message = f"the removal of {kind} `{ref}` is not approved where Argo CD reads"
        hint = "merge the commit that approves it" if approved(resource) else f"modelfleet remove {kind} {ref}"
        report.add(codes.NOT_FINISHED, message, resource.at("metadata"), hint)
        context.refuse(report.sorted())
    files.change(resource, drop_document)
    files.checked(Report())
    click.echo(f"{kind} {ref}: deleted")


def _marked(text: str, resource: Resource) -> str:
    return edit.with_value(text, resource.document, ("metadata", "annotations", names.ANNOTATION_REMOVE), names.APPROVED)


def _refuse_held(context: Context, repository: pipeline.Repository, resource: Resource) -> None:
    """A cluster with recorded replicas is drained first."""
    if resource.model.kind != "InferenceCluster":
        return
    name, report = resource.model.ref_name, Report()
    records = repository.resources.of("Placement").items()
    held = [ref for ref, record in records if any(entry.cluster == name for entry in record.model.spec.replicas)]
    if held:
        shown = ", ".join(held[:5]) + (f" and {len(held) - 5} more" if len(held) > 5 else "")
        message = f"cluster `{name}` has recorded replicas of {shown}"
        report.add(codes.STILL_RECORDED, message, resource.at("metadata", "name"), f"modelfleet drain {name}")
        context.refuse(report.sorted())
