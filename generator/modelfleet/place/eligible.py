"""Whether a cluster may hold a deployment at all: what its selectors, its cache, its team and the taints say."""

from __future__ import annotations

from ..resolve.fleet import Cluster, Deployment, Fleet
from .tolerate import untolerated

Refused = tuple[str, str]  # reason, text


def mismatch(fleet: Fleet, deployment: Deployment, cluster: Cluster) -> Refused | None:
    """Which selector keeps the deployment off the cluster, recorded or not."""
    spec, labels = deployment.spec.template.spec, dict(cluster.labels)
    if not spec.cluster_selector.matches(labels):
        return ("SelectorMismatch", "its labels do not match clusterSelector")
    team = fleet.team_of(deployment.namespace)
    if team and team[1].cluster_selector and not team[1].cluster_selector.matches(labels):
        return ("SelectorMismatch", f"its labels do not match clusterSelector of team {team[0]}")
    cache = fleet.caches.get((deployment.namespace, spec.model_cache_ref.name)) if spec.model_cache_ref else None
    if cache and cache.cluster_selector and spec.model_cache_ref and not cache.cluster_selector.matches(labels):
        return ("OutsideCacheFootprint", f"cache {spec.model_cache_ref.name} is not staged there")
    return None


def closed(fleet: Fleet, deployment: Deployment, cluster: Cluster) -> Refused | None:
    """Why the cluster takes nothing new of the deployment, whatever room it has."""
    if cluster.spec.state != "Ready":
        return ("Offline", f"the cluster is {cluster.spec.state}")
    if refused := mismatch(fleet, deployment, cluster):
        return refused
    if taint := untolerated(cluster.spec.taints, deployment.spec.template.spec.tolerations):
        return ("UntoleratedTaint", f"taint {taint.key}:{taint.effect} is not tolerated")
    return None
