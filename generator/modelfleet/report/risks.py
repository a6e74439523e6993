"""What may go wrong when a change is merged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..place.place import place
from ..resolve.fleet import Fleet
from .change import DeploymentChange, Note, Rollout
from .placements import missing
from .pools import unpriced
from .side import Side
from .words import listed, many

NAMED = 8  # deployments that one line names


def risks(before: Side, after: Side, deployments: Sequence[DeploymentChange], rollouts: Sequence[Rollout]) -> Iterator[Note]:
    """What must be done first comes first."""
    if not after.imagined:
        yield from _unrecorded(deployments)
    yield from _excesses(before, after)
    yield from _updates(rollouts)
    yield from _one_cluster(after, deployments)
    yield from _headroom(before, after)
    if classes := unpriced(after):
        yield Note("Unpriced", ", ".join(classes), "costs are told without these classes, whose price is not declared")


def _unrecorded(deployments: Sequence[DeploymentChange]) -> Iterator[Note]:
    names = [found.name for found in deployments if not found.recorded]
    if names:
        text = f"what placing would give is shown for {listed(names, NAMED)}; no record says so yet"
        yield Note("Unrecorded", many(len(names), "deployment"), text, "modelfleet place")


def _excesses(before: Side, after: Side) -> Iterator[Note]:
    """Pools that hold too much, and whether they did before."""
    had = {(found.cluster, found.pool, found.code) for found in before.placing.excesses()}
    for found in after.placing.excesses():
        old = "; so it is before the change" if (found.cluster, found.pool, found.code) in had else ""
        yield Note(
            found.code,
            f"{found.cluster}/{found.pool}",
            f"{found.text}{old}",
            "" if old else "modelfleet place --give-up NS/NAME of a holder",
        )


def _updates(rollouts: Sequence[Rollout]) -> Iterator[Note]:
    """Deployments whose every running pod is replaced: all at once, or share by share."""
    shares: dict[str, list[Rollout]] = {}
    for found in rollouts:
        if found.replicas and found.replicas_before:
            shares.setdefault(found.deployment, []).append(found)
    for name, found_shares in sorted(shares.items()):
        pods = sum(share.replicas for share in found_shares)
        if all(share.at_once for share in found_shares):
            text = f"nothing serves while it updates: {'its only pod restarts' if pods == 1 else f'all {pods} pods restart at once'}"
            yield Note("UpdateStopsModel", name, text, "rollout: {maxSurge: 1}, or more replicas in a share")
        elif len(found_shares) > 1 and all(share.action == "restarts" for share in found_shares):
            clusters = len({share.cluster for share in found_shares})
            yield Note("RestartsEverywhere", name, f"all its pods restart, on {many(clusters, 'cluster')} in the same sync")


def _one_cluster(after: Side, deployments: Sequence[DeploymentChange]) -> Iterator[Note]:
    for found in deployments:
        places = {entry.cluster for entry in found.entries if entry.after}
        if len(places) == 1 and found.live > 1 and len(after.fleet.clusters) > 1 and found.verdict in ("added", "moved"):
            yield Note("OneCluster", found.name, f"all {found.live} replicas are on {min(places)}")


def _headroom(before: Side, after: Side) -> Iterator[Note]:
    """What would have no place if the cluster with most replicas were lost."""
    name, replicas = _largest(after)
    if not name:
        return
    short = _short_without(after, name)
    if not short:
        return
    was = _short_without(before, name) if name in before.fleet.clusters else {}
    lacking, lacked = sum(short.values()), sum(was.values())
    old = "; the same before the change" if lacked == lacking else f"; {lacked or 'none'} before the change"
    names = listed([f"{deployment} {count}" for deployment, count in sorted(short.items(), key=lambda i: (-i[1], i[0]))], NAMED)
    text = f"of its {many(replicas, 'replica')} {lacking} would find no other place if it were lost: {names}{old}"
    yield Note("NoHeadroom", name, text, f"modelfleet plan --without {name}")


def _largest(side: Side) -> tuple[str, int]:
    """The cluster with most replicas, and how many; ties: the first name."""
    counts: dict[str, int] = {}
    for spec in side.plan.placements.values():
        for entry in spec.replicas:
            if not entry.retiring and not side.lost(entry.cluster):
                counts[entry.cluster] = counts.get(entry.cluster, 0) + entry.count
    return min(counts.items(), key=lambda item: (-item[1], item[0])) if len(side.fleet.clusters) > 1 and counts else ("", 0)


def _short_without(side: Side, cluster: str) -> dict[str, int]:
    """Replicas without a place, by deployment, that have one now."""
    fleet = without(side.planned, cluster)
    planned = place(fleet, fleet.placements)
    lost = replace(side, fleet=fleet, plan=planned)
    found = {"/".join(key): missing(lost, key) - missing(side, key) for key in planned.placements if key in fleet.deployments}
    return {name: count for name, count in found.items() if count > 0}


def without(fleet: Fleet, cluster: str) -> Fleet:
    """The fleet as if `cluster` were lost."""
    found = fleet.clusters[cluster]
    lost = replace(found, spec=found.spec.model_copy(update={"state": "Lost"}))
    return replace(fleet, clusters={**fleet.clusters, cluster: lost})
