"""What a change takes away, and what cannot be undone: the first thing that a reader sees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..place.change import removals
from .change import ClusterChange, DeploymentChange, Note, Rollout
from .side import Side
from .words import listed, many

_SOURCE = {"repoURL": "repo_url", "targetRevision": "target_revision", "namespace": "namespace", "delivery": "delivery"}
_DATA = ("PersistentVolumeClaim", "Namespace")


def alarms(
    before: Side, after: Side, deployments: Sequence[DeploymentChange], rollouts: Sequence[Rollout], clusters: Sequence[ClusterChange]
) -> Iterator[Note]:
    """Worst first."""
    yield from _settings(before, after)
    for name in sorted(before.fleet.clusters.keys() - after.fleet.clusters.keys()):
        yield Note("ClusterRemoved", name, "the cluster leaves the fleet; Argo CD stops looking after what runs there")
    yield from _data(clusters)
    for found in deployments:
        if found.verdict == "removed":
            yield Note("Removed", found.name, f"{many(found.live_before, 'replica')} served and none will: {found.text}")
    yield from _pods(rollouts)
    yield from _leaving(before, after)


def _settings(before: Side, after: Side) -> Iterator[Note]:
    """Settings of Argo CD's side, on which everything else rests."""
    if not before.fleet.clusters and not before.fleet.deployments:
        return
    was, now = before.fleet.settings.spec.argocd, after.fleet.settings.spec.argocd
    if (was.removal, now.removal) == ("Retire", "Prune"):
        yield Note("RemovalPolicy", "fleet", "removal: Prune: from now on what leaves Git is deleted at once", "removal: Retire")
    for name, field in _SOURCE.items():
        if getattr(was, field) != getattr(now, field):
            yield Note("Source", "fleet", f"argocd.{name}: {getattr(was, field)} -> {getattr(now, field)}: Argo CD reads somewhere else")


def _data(clusters: Sequence[ClusterChange]) -> Iterator[Note]:
    for cluster in clusters:
        for found in cluster.objects:
            if found.kind in _DATA and found.fate == "deleted":
                text = f"{found.kind} {found.namespace}/{found.name} is deleted with what it holds".replace(" /", " ")
                yield Note("DataDeleted", cluster.cluster, text)


def _pods(rollouts: Sequence[Rollout]) -> Iterator[Note]:
    """Workloads that stop, or go on without anybody who declares them."""
    for found in rollouts:
        if found.action == "stops":
            text = f"Argo CD deletes {found.kind} {found.namespace}/{found.name} and its {many(found.replicas_before, 'pod')}"
            yield Note("Stops", found.cluster, text.replace("1 pods", "1 pod"))
        elif found.action == "orphaned":
            text = f"{found.kind} {found.namespace}/{found.name} leaves Git and goes on running; its Application is OutOfSync"
            yield Note("Orphaned", found.cluster, text, "put it back, or retire it first")


def _leaving(before: Side, after: Side) -> Iterator[Note]:
    """How much of the fleet loses its place, against what one change may take."""
    policy = before.fleet.settings.spec.placement.max_removals
    found = removals(before.plan.placements, after.plan.placements, policy)
    if not found.total:
        return
    ranked = sorted(found.by_deployment.items(), key=lambda item: (-item[1], item[0]))
    names = listed([f"{'/'.join(key)} {count}" for key, count in ranked], 10)
    over = found.total > found.limit
    text = f"{found.total} of {found.recorded} replicas leave their place, {'more than ' if over else ''}{found.limit} may at once: {names}"
    yield Note("OverLimit" if over else "Leaving", "fleet", text, "make it in steps, or modelfleet place --allow-removals" if over else "")
