"""Placements before and after."""

from __future__ import annotations

from collections.abc import Mapping

from ..api.placement import PlacementSpec
from .change import DeploymentChange, EntryChange, Verdict
from .side import Key, Side
from .words import difference, pools

Places = Mapping[object, int]  # live replicas by entry


def changes(before: Side, after: Side) -> tuple[DeploymentChange, ...]:
    """Every deployment whose placement, or number, differs; by name."""
    old, new = before.plan.placements, after.plan.placements
    lost = {name for name in (*before.fleet.clusters, *after.fleet.clusters) if before.lost(name) != after.lost(name)}
    found = []
    for key in sorted({*old, *new, *before.fleet.deployments, *after.fleet.deployments}):
        was, now = old.get(key), new.get(key)
        if (key in before.fleet.deployments) != (key in after.fleet.deployments) or was != now or _touched(now, lost):
            found.append(_change(before, after, key))
    return tuple(found)


def _touched(spec: PlacementSpec | None, clusters: set[str]) -> bool:
    return spec is not None and any(entry.cluster in clusters for entry in spec.replicas)


def live(side: Side, key: Key) -> dict[object, int]:
    """Replicas that run, by entry; what retires or is lost does not count."""
    spec = side.plan.placements.get(key)
    return {e.key: e.count for e in spec.replicas if not e.retiring and not side.lost(e.cluster)} if spec else {}


def wanted(side: Side, key: Key) -> int:
    return side.fleet.deployments[key].wanted if key in side.fleet.deployments else 0


def missing(side: Side, key: Key) -> int:
    """Replicas without a place."""
    return max(0, wanted(side, key) - sum(live(side, key).values()))


def _change(before: Side, after: Side, key: Key) -> DeploymentChange:
    was, now = live(before, key), live(after, key)
    spec = after.plan.placements.get(key)
    empty = PlacementSpec.model_construct(wanted=0, replicas=())
    return DeploymentChange(
        name="/".join(key),
        team=after.team(key[0]) or before.team(key[0]),
        verdict=_verdict(before, after, key, was, now),
        wanted_before=wanted(before, key),
        wanted=wanted(after, key),
        live_before=sum(was.values()),
        live=sum(now.values()),
        recorded=after.fleet.placements.get(key) == spec,
        text=difference(before.plan.placements.get(key), spec or empty, after.lost),
        entries=_entries(before, after, key, was, now),
    )


def _verdict(before: Side, after: Side, key: Key, was: Places, now: Places) -> Verdict:
    """The one word that says most; a deployment that moved may be short besides."""
    gone = any(now.get(entry, 0) < count for entry, count in was.items())
    come = any(was.get(entry, 0) < count for entry, count in now.items())
    if key not in after.fleet.deployments or (wanted(after, key) == 0 and was):
        return "removed"
    if key not in before.fleet.deployments or (come and not was and not missing(before, key)):
        return "added"
    if gone and come:
        return "moved"
    if wanted(before, key) != wanted(after, key):
        return "resized"
    if gone or missing(after, key) > missing(before, key):
        return "short"
    return "filled" if come else "finished" if _retiring(before, key) > _retiring(after, key) else "renewed"


def _retiring(side: Side, key: Key) -> int:
    spec = side.plan.placements.get(key)
    return sum(entry.count for entry in spec.replicas if entry.retiring) if spec else 0


def _entries(before: Side, after: Side, key: Key, was: Places, now: Places) -> tuple[EntryChange, ...]:
    found = {}
    for side in (before, after):
        for entry in side.plan.placements[key].replicas if key in side.plan.placements else ():
            found[entry.key] = entry
    retiring = {e.key: e.count for e in after.plan.placements[key].replicas if e.retiring} if key in after.plan.placements else {}
    return tuple(
        EntryChange(e.cluster, pools(e), was.get(k, 0), now.get(k, 0), retiring.get(k, 0), after.lost(e.cluster))
        for k, e in sorted(found.items(), key=lambda item: item[0])
    )
