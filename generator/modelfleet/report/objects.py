"""Objects before and after, cluster by cluster."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from .. import names
from ..emit import document
from ..render import ROOT
from ..render.unit import Manifest, Unit, UnitId
from .change import ClusterChange, Fate, ObjectChange, What
from .side import Side

Id = tuple[str, str, str, str]  # kind, namespace, name, API group
CONTEXT = 3  # lines around a change


def units(before: Side, after: Side) -> Iterator[tuple[UnitId, Unit | None, Unit | None]]:
    """Every unit that differs, before and after; None where it is not there, or cannot be rendered."""
    old, new = set(before.unit_ids), set(after.unit_ids)
    hidden = {*before.broken, *after.broken}
    for unit_id in sorted((old | new) - hidden, key=lambda unit: (unit.cluster != ROOT.cluster, unit.cluster, unit.name)):
        was = before.render(unit_id) if unit_id in old else None
        now = after.render(unit_id) if unit_id in new else None
        if was != now:
            yield unit_id, was, now


def by_id(unit: Unit | None) -> dict[Id, Manifest]:
    """The objects of a unit."""
    return {_id(manifest): manifest for manifest in unit.manifests} if unit else {}


def _id(manifest: Manifest) -> Id:
    metadata = manifest["metadata"]
    return manifest["kind"], metadata.get("namespace", ""), metadata["name"], manifest["apiVersion"].rpartition("/")[0]


def changed(unit: UnitId, was: Mapping[Id, Manifest], now: Mapping[Id, Manifest], diffed: bool) -> Iterator[ObjectChange]:
    """The objects of a unit that differ, by kind and name; the reports, which always do, last. diffed: with their diffs."""
    for object_id in sorted({*was, *now}, key=lambda found: (found[2].startswith("modelfleet-report-"), found)):
        old, new = was.get(object_id), now.get(object_id)
        if old == new:
            continue
        what: What = "added" if old is None else "removed" if new is None else "changed"
        kind, namespace, name, _ = object_id
        lines = list(_diff(old, new)) if diffed else []
        plus, minus = (sum(line.startswith(sign) for line in lines[2:]) for sign in "+-")
        fate = _fate(old) if old is not None and new is None else ""
        yield ObjectChange(unit.name, kind, namespace, name, what, fate, plus, minus, "\n".join(lines))


def _diff(old: Manifest | None, new: Manifest | None) -> Iterator[str]:
    before, after = (document(manifest).splitlines() if manifest else [] for manifest in (old, new))
    return difflib.unified_diff(before, after, "before", "after", lineterm="", n=CONTEXT)


def _fate(manifest: Manifest) -> Fate:
    """What Argo CD does with an object that is no longer printed: `Prune=false` keeps it."""
    options = (manifest["metadata"].get("annotations") or {}).get(names.SYNC_OPTIONS, "")
    return "stays" if "Prune=false" in options.split(",") else "deleted"


def by_cluster(before: Side, after: Side, found: list[ObjectChange], where: list[str]) -> tuple[ClusterChange, ...]:
    """The changes of each cluster; where: the cluster of each object."""
    grouped: dict[str, list[ObjectChange]] = {}
    for cluster, change in zip(where, found, strict=True):
        grouped.setdefault(cluster, []).append(change)
    new, gone = _by_cluster(after, before), _by_cluster(before, after)
    return tuple(
        ClusterChange(cluster, new.get(cluster, ()), gone.get(cluster, ()), tuple(objects)) for cluster, objects in grouped.items()
    )


def _by_cluster(there: Side, absent: Side) -> dict[str, tuple[str, ...]]:
    """The units of each cluster that only one side has."""
    found: dict[str, list[str]] = {}
    for unit in sorted({*there.unit_ids} - {*absent.unit_ids}, key=lambda unit: (unit.cluster, unit.name)):
        found.setdefault(unit.cluster, []).append(unit.name)
    return {cluster: tuple(units) for cluster, units in found.items()}
