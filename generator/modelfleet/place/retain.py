"""Which recorded entries may stay. Capacity, fuller pools, Offline and NoSchedule never take a place away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..api.placement import PlacementSpec
from ..resolve.fleet import Cluster, Deployment, Fleet
from .eligible import Eligibility
from .share import shares
from .state import Entry, live
from .tolerate import untolerated


def must_leave(fleet: Fleet, deployment: Deployment, entry: Entry) -> str:
    """Why `entry` may not stay: a reason with its facts; empty if it may."""
    cluster = fleet.clusters.get(entry.cluster)
    if cluster is None:
        return f"cluster {entry.cluster} is gone"
    if refused := Eligibility.of(fleet, deployment).mismatch(cluster):
        return ": ".join(refused)
    tolerations = deployment.spec.template.spec.tolerations
    if taint := untolerated(cluster.spec.taints, tolerations, "NoExecute"):
        return f"UntoleratedTaint: {taint.key}:NoExecute"
    for choice in entry.choices.values():
        pool = cluster.pool(choice.pool)
        if pool and (taint := untolerated(pool.taints, tolerations, "NoExecute")):
            return f"UntoleratedTaint: pool {pool.name} has {taint.key}:NoExecute"
    return "" if entry.candidate else _gone(deployment, entry, cluster)


def _gone(deployment: Deployment, entry: Entry, cluster: Cluster) -> str:
    """What of the record is no longer there, or no longer matches."""
    if set(entry.choices) != {engine.name for engine in deployment.engines}:
        return "its engines are no longer the deployment's"
    for name, choice in sorted(entry.choices.items()):
        engine = deployment.engine(name)
        if cluster.pool(choice.pool) is None:
            return f"pool {choice.pool} is gone"
        if engine and choice.alternative and choice.alternative not in {a.name for a in engine.alternatives}:
            return f"alternative {choice.alternative} of engine {name} is gone"
    return "NoMatchingClass: its pools no longer match the requests"


def is_stale(fleet: Fleet, deployment: Deployment, recorded: PlacementSpec, entries: Iterable[Entry]) -> bool:
    """Whether a record must be decided anew.

    The number changed; its entries and its shortfall do not add up to it, as after a cluster was Lost or came back; the
    entries' limits are not the deployment's; an entry may not stay, or its devices serve no longer as recorded. A shortfall
    alone does not make a record stale.
    """
    found = sorted(entries, key=lambda entry: entry.key)
    missing = recorded.shortfall.missing if recorded.shortfall else 0
    if recorded.wanted != deployment.wanted or live(found) + missing != deployment.wanted:
        return True
    counted = [entry for entry in found if entry.live]
    if [entry.limits for entry in counted] != shares(deployment, [entry.count for entry in counted]):
        return True
    return any(must_leave(fleet, deployment, entry) or renewed(entry) for entry in found if not entry.retiring)


def renewed(entry: Entry) -> Mapping[str, object]:
    """The engines' choices whose device groups are not those recorded, as they must be recorded now."""
    if entry.candidate is None:
        return {}
    return {
        choice.engine: entry.choices[choice.engine].model_copy(update={"devices": dict(choice.way.devices)})
        for choice in entry.candidate.choices
        if dict(entry.choices[choice.engine].devices) != dict(choice.way.devices)
    }
