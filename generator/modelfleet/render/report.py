"""Report ConfigMap: what a unit holds and why, and the lines that Applications show of it.

It is printed by every unit, always: an Application without a single object could not remove its last one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .. import names
from ..api.placement import PlacementEntry, PlacementSpec
from . import sync
from .caches import prerequisites, staged
from .metadata import metadata
from .unit import Manifest, UnitId
from .workload import entries_on

if TYPE_CHECKING:  # the plugin pays for kinds that a unit has
    from ..api.cache import ModelCacheSpec
    from ..balance import Balance
    from ..resolve.fleet import Cluster, Front


def report(unit: UnitId, data: Mapping[str, str], removal: sync.Removal) -> Manifest:
    """The ConfigMap of a unit, in the unit's namespace. It depends on nothing but the unit's own inputs."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(
            names.report(unit.name),
            unit.namespace or names.SYSTEM_NAMESPACE,
            labels={names.LABEL_CLUSTER: unit.cluster, names.LABEL_UNIT: unit.kind},
            annotations=sync.annotations_of("ConfigMap", removal),
        ),
        "data": {"cluster": unit.cluster, "unit": unit.name, **data},
    }


def base(cluster: Cluster, front: Front | None) -> dict[str, str]:
    """Data of a cluster's base: its gateways, and its pools."""
    what = " and ".join(filter(None, ["Gateway" if cluster.spec.node_pools else "", f"front door {front.name}" if front else ""]))
    pools = [f"{pool.name}: {pool.nodes} nodes of {pool.class_name}" for pool in sorted(cluster.pools, key=lambda pool: pool.name)]
    what = what[:1].upper() + what[1:] or "Nothing"
    return {"summary": f"{what} of cluster {cluster.name} ({cluster.spec.state})", **lines("pools", pools)}


def unlisted(unit: UnitId) -> dict[str, str]:
    """Data of a unit that no placement lists any more, or not yet."""
    what = f"No placement of {unit.namespace}/{unit.deployment}" if unit.deployment else f"No placement of namespace {unit.namespace}"
    return {"summary": f"{what} names cluster {unit.cluster}: nothing but this report belongs here."}


def placed(spec: PlacementSpec, cluster: str) -> dict[str, str]:
    """Data of a model's unit: its entries here, and what has no place anywhere."""
    entries = [line for entry in entries_on(spec, cluster) for line in _entry_lines(entry)]
    found = {"summary": summary(spec, cluster), **lines("entries", entries)}
    return {**found, "shortfall": shortfall(spec)} if spec.shortfall else found


def caches(namespace: str, used: Mapping[str, ModelCacheSpec]) -> dict[str, str]:
    """Data of a unit of caches: what is staged here and from where, and the Secrets that must be there."""
    found = {"summary": f"{len(used)} cache{'' if len(used) == 1 else 's'} here"}
    staged_here = [f"{name}: {cache.source}, {'staged' if staged(cache) else 'there already'}" for name, cache in used.items()]
    wanted = sorted({line for cache in used.values() for line in prerequisites(namespace, cache)})
    return {**found, **lines("caches", staged_here), **lines("prerequisites", wanted)}


def lines(key: str, found: Sequence[str]) -> dict[str, str]:
    """The lines as one entry of a report; nothing of none."""
    return {key: "\n".join(found) + "\n"} if found else {}


def shares(service: str, found: Balance) -> str:
    """`chat: 75 % qwen on east, 25 % qwen on west; then 100 % outside; without qwen on rack (the cluster is Lost)`."""
    tiers = [", ".join(f"{share.part / 10_000:.4g} % {share.shown}" for share in found.tier(number)) for number in (0, 1)]
    text = "; then ".join(filter(None, tiers)) or "nothing answers"
    left = [f"{one.shown} ({one.reason})" for one in found.left_out] + [f"{name} (matches nothing)" for name in found.unmatched]
    return f"{service}: {text}" + (f"; without {', '.join(left)}" if left else "")


def summary(spec: PlacementSpec, cluster: str) -> str:
    """`2 of 4 replicas here: h100`, with what is retiring said apart."""
    entries = entries_on(spec, cluster)
    staying = [entry for entry in entries if not entry.retiring]
    text = f"{sum(entry.count for entry in staying)} of {spec.wanted} replicas here"
    if staying:
        text += f": {', '.join(_pools(staying))}"
    leaving = [entry for entry in entries if entry.retiring]
    if leaving:
        text += f"; {sum(entry.count for entry in leaving)} retiring: {', '.join(_pools(leaving))}"
    return text


def shortfall(spec: PlacementSpec) -> str:
    """`2 of 4 replicas placed: 0/5 clusters can take another: ...`; empty where nothing is short."""
    if spec.shortfall is None:
        return ""
    return f"{max(0, spec.wanted - spec.shortfall.missing)} of {spec.wanted} replicas placed: {spec.shortfall.summary}"


def count(deployments: int) -> str:
    """`3 deployments here`."""
    return f"{deployments} deployment{'' if deployments == 1 else 's'} here"


def _pools(entries: Sequence[PlacementEntry]) -> list[str]:
    return sorted({choice.pool for entry in entries for choice in entry.engines.values()})


def _entry_lines(entry: PlacementEntry) -> list[str]:
    number = f"{entry.count} replicas" if entry.maximum is None else f"{entry.minimum} to {entry.maximum} replicas, {entry.count} reserved"
    state = f", retiring ({entry.replaced} replaced)" if entry.retiring else ""
    lines = [number + state]
    for engine, choice in sorted(entry.engines.items()):
        alternative = f", alternative {choice.alternative}" if choice.alternative else ""
        devices = ", ".join(f"{request} from {group}" for request, group in sorted(choice.devices.items()))
        lines.append(f"  engine {engine}: pool {choice.pool}{alternative}" + (f"; devices: {devices}" if devices else ""))
    return lines
