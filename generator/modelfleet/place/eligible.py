"""Whether a cluster may hold a deployment at all: what its selectors, its cache, its team and the taints say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..api.base import Selector
from ..api.deployment import Toleration
from ..resolve.fleet import Cluster, Deployment, Fleet
from .tolerate import untolerated

Refused = tuple[str, str]  # reason, text


@dataclass(frozen=True, slots=True)
class Eligibility:
    """The conditions of one deployment on a cluster. selectors: those that can fail, each with reason and text."""

    selectors: tuple[tuple[Selector, str, str], ...]
    tolerations: tuple[Toleration, ...]

    @classmethod
    def of(cls, fleet: Fleet, deployment: Deployment) -> Eligibility:
        spec = deployment.spec.template.spec
        found = [(spec.cluster_selector, "SelectorMismatch", "its labels do not match clusterSelector")]
        if (team := fleet.team_of(deployment.namespace)) and team[1].cluster_selector:
            text = f"its labels do not match clusterSelector of team {team[0]}"
            found.append((team[1].cluster_selector, "SelectorMismatch", text))
        cache = fleet.caches.get((deployment.namespace, spec.model_cache_ref.name)) if spec.model_cache_ref else None
        if cache and cache.cluster_selector and spec.model_cache_ref:
            text = f"cache {spec.model_cache_ref.name} is not staged there"
            found.append((cache.cluster_selector, "OutsideCacheFootprint", text))
        needed = tuple(each for each in found if each[0].match_labels or each[0].match_expressions)
        return cls(needed, spec.tolerations)

    def mismatch(self, cluster: Cluster) -> Refused | None:
        """Which selector keeps the deployment off the cluster, recorded or not."""
        for selector, reason, text in self.selectors:
            if not selector.matches(cluster.labels):
                return (reason, text)
        return None

    def among(self, clusters: Iterable[Cluster]) -> list[Cluster]:
        """Those that are not closed. Most are Ready and carry no taint, which is seen here without a call for each."""
        found = [c for c in clusters if c.spec.state == "Ready" and (not c.spec.taints or self.closed(c) is None)]
        return [c for c in found if self.mismatch(c) is None] if self.selectors else found

    def closed(self, cluster: Cluster) -> Refused | None:
        """Why the cluster takes nothing new of the deployment, whatever room it has."""
        spec = cluster.spec
        if spec.state != "Ready":
            return ("Offline", f"the cluster is {spec.state}")
        if self.selectors and (refused := self.mismatch(cluster)):
            return refused
        if spec.taints and (taint := untolerated(spec.taints, self.tolerations)):
            return ("UntoleratedTaint", f"taint {taint.key}:{taint.effect} is not tolerated")
        return None
