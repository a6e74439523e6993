"""Which recorded entries may stay. Capacity, fuller pools, Offline and NoSchedule never take a place away."""

from __future__ import annotations

from collections.abc import Mapping

from ..resolve.fleet import Cluster, Deployment
from .match import Matcher
from .state import Entry, live
from .tolerate import untolerated


def must_leave(deployment: Deployment, entry: Entry, cluster: Cluster | None, matcher: Matcher) -> str:
    """Why `entry` may not stay, as a reason with its facts; empty if it may."""
    if cluster is None:
        return f"cluster {entry.cluster} is gone"
    spec = deployment.spec.template.spec
    if not spec.cluster_selector.matches(dict(cluster.labels)):
        return "SelectorMismatch: the cluster's labels no longer match clusterSelector"
    if taint := untolerated(cluster.spec.taints, spec.tolerations, "NoExecute"):
        return f"UntoleratedTaint: {taint.key}:NoExecute"
    if set(entry.choices) != {engine.name for engine in deployment.engines}:
        return "its engines are no longer the deployment's"
    return _engine_leaves(deployment, entry, cluster, matcher)


def _engine_leaves(deployment: Deployment, entry: Entry, cluster: Cluster, matcher: Matcher) -> str:
    for engine in deployment.engines:
        choice = entry.choices[engine.name]
        pool = cluster.pool(choice.pool)
        if pool is None:
            return f"pool {choice.pool} is gone"
        if taint := untolerated(pool.taints, deployment.spec.template.spec.tolerations, "NoExecute"):
            return f"UntoleratedTaint: pool {pool.name} has {taint.key}:NoExecute"
        if matcher.still_serves(engine, pool, choice.devices) is None:
            return f"NoMatchingClass: pool {pool.name} no longer matches engine {engine.name}"
    return ""


def is_stale(deployment: Deployment, wanted: int, entries: list[Entry], clusters: Mapping[str, Cluster], matcher: Matcher) -> bool:
    """Whether a record must be decided anew.

    The number changed, an entry may not stay, its devices serve no longer as recorded, or a Lost cluster's replicas need
    a successor or have one too many. A shortfall alone does not make a record stale.
    """
    there = live(entries)
    if wanted != deployment.wanted or there > deployment.wanted:
        return True
    if there < deployment.wanted and any(entry.lost for entry in entries):
        return True
    return any(
        must_leave(deployment, entry, clusters.get(entry.cluster), matcher) or _devices_changed(deployment, entry, clusters, matcher)
        for entry in entries
        if not entry.retiring
    )


def _devices_changed(deployment: Deployment, entry: Entry, clusters: Mapping[str, Cluster], matcher: Matcher) -> bool:
    for engine in deployment.engines:
        choice = entry.choices[engine.name]
        pool = clusters[entry.cluster].pool(choice.pool)
        option = matcher.still_serves(engine, pool, choice.devices) if pool else None
        if option is None or dict(option.devices) != dict(choice.devices):
            return True
    return False
