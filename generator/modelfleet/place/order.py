"""The clusters that a kind of deployment may use, in the order in which a strategy tries them.

Deployments that ask for the same share one list, sorted once; of it a deployment looks at as many as it places replicas. A
cluster that was found full for the kind stays out until room is given back, so that filling is linear in replicas.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..api.base import Selector
from ..resolve.fleet import Cluster, Deployment, Fleet
from .candidates import Level, Offer, Offers, Price
from .eligible import Eligibility
from .rank import Rank, Ranking

Kind = tuple[object, ...]  # everything of a deployment that something depends on


@dataclass(slots=True)
class Order:
    """Eligible clusters with an offer, by the rank of a first replica there.

    full: those that have no room for the kind; they are taken out of `ranks` now and then and kept in `out`.
    """

    ranks: list[Rank]
    offers: Callable[[Cluster], Offer]
    full: set[str] = field(default_factory=set)
    out: dict[str, Rank] = field(default_factory=dict)
    seen: int = 0

    def walk(self, skip: set[str]) -> Iterator[Rank]:
        """The ranks in order, without full clusters and without `skip`, whose ranks are another matter."""
        if len(self.full) * 2 > len(self.ranks):
            self.out.update({str(rank[-1]): rank for rank in self.ranks if rank[-1] in self.full})
            self.ranks = [rank for rank in self.ranks if rank[-1] not in self.full]
            self.full = set()
        for rank in self.ranks:
            if rank[-1] not in self.full and rank[-1] not in skip:
                yield rank

    def reopen(self, given_back: list[str]) -> None:
        """Looks at the clusters that room was given back on since it last did."""
        for cluster in given_back[self.seen :]:
            self.full.discard(cluster)
            if cluster in self.out:
                bisect.insort(self.ranks, self.out.pop(cluster))
        self.seen = len(given_back)


@dataclass(slots=True)
class Orders:
    """The orders of all kinds, made when first asked for. given_back: clusters where room was given back, one after the other."""

    fleet: Fleet
    offers: Offers
    given_back: list[str] = field(default_factory=list)
    _orders: dict[Kind, Order] = field(default_factory=dict)
    _open: dict[Kind, list[Cluster]] = field(default_factory=dict)

    def of(self, deployment: Deployment, level: Level, ranking: Ranking) -> Order:
        """The order of a deployment at one level of alternatives."""
        if ranking.shifting:
            return self._make(deployment, level, ranking)
        liked = tuple((p.weight, *_labels(p)) for p in deployment.spec.placement.prefer)
        key = (self.offers.kind(deployment, level), _where(self.fleet, deployment), liked, ranking.strategy)
        if key not in self._orders:
            self._orders[key] = self._make(deployment, level, ranking)
        self._orders[key].reopen(self.given_back)
        return self._orders[key]

    def _make(self, deployment: Deployment, level: Level, ranking: Ranking) -> Order:
        offers = self.offers.to(deployment, level)
        ranks = self._shifting(deployment, offers, ranking) if ranking.shifting else self._standing(deployment, level, ranking)
        return Order(ranks, offers, seen=len(self.given_back))

    def _shifting(self, deployment: Deployment, offers: Callable[[Cluster], Offer], ranking: Ranking) -> list[Rank]:
        offered = ((cluster, offers(cluster).candidates) for cluster in self.open(deployment))
        return sorted(ranking.rank(cluster.name, candidates[0]) for cluster, candidates in offered if candidates)

    def _standing(self, deployment: Deployment, level: Level, ranking: Ranking) -> list[Rank]:
        """Clusters of one preference and price differ in their names alone."""
        alike: dict[tuple[int, Price], list[str]] = {}
        for cluster, price in self.offers.prices(deployment, level, self.open(deployment)):
            alike.setdefault((ranking.preference.get(cluster.name, 0), price), []).append(cluster.name)
        found = sorted((ranking.first(*key), sorted(names)) for key, names in alike.items())
        return [(*rank, name) for rank, names in found for name in names]

    def open(self, deployment: Deployment) -> list[Cluster]:
        """Clusters that take new replicas of the deployment, whatever room they have."""
        key = _where(self.fleet, deployment)
        if key not in self._open:
            self._open[key] = Eligibility.of(self.fleet, deployment).among(self.fleet.clusters.values())
        return self._open[key]

    def forget(self) -> None:
        """More counts as room than before: what was full may not be."""
        self._orders.clear()


def _where(fleet: Fleet, deployment: Deployment) -> Kind:
    """What decides which clusters are eligible."""
    spec, team = deployment.spec.template.spec, fleet.team_of(deployment.namespace)
    cache = (deployment.namespace, spec.model_cache_ref.name) if spec.model_cache_ref else None
    return (*_labels(spec.cluster_selector), cache, team[0] if team else "", spec.tolerations)


def _labels(selector: Selector) -> Kind:
    return (tuple(sorted(selector.match_labels.items())), selector.match_expressions)
