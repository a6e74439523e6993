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
from .candidates import Level, Offer, Offers
from .eligible import Eligibility
from .rank import Rank, Ranking

Kind = tuple[object, ...]


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

    def of(self, deployment: Deployment, level: Level, ranking: Ranking) -> Order:
        """The order of a deployment at one level of alternatives."""
        if ranking.shifting:
            return self._make(deployment, level, ranking)
        key = (*self.offers.kind(deployment, level), *_selection(self.fleet, deployment), ranking.strategy)
        if key not in self._orders:
            self._orders[key] = self._make(deployment, level, ranking)
        self._orders[key].reopen(self.given_back)
        return self._orders[key]

    def _make(self, deployment: Deployment, level: Level, ranking: Ranking) -> Order:
        closed, offers = Eligibility.of(self.fleet, deployment).closed, self.offers.to(deployment, level)
        ranks = [
            ranking.first(cluster.name, offer.candidates[0])
            for cluster in self.fleet.clusters.values()
            if closed(cluster) is None and (offer := offers(cluster)).candidates
        ]
        return Order(sorted(ranks), offers, seen=len(self.given_back))

    def forget(self) -> None:
        """More counts as room than before: what was full may not be."""
        self._orders.clear()


def _selection(fleet: Fleet, deployment: Deployment) -> Kind:
    """What decides which clusters are eligible, and how much they are liked."""
    spec, placement = deployment.spec.template.spec, deployment.spec.placement
    cache = (deployment.namespace, spec.model_cache_ref.name) if spec.model_cache_ref else None
    liked = tuple((p.weight, *_labels(p)) for p in placement.prefer)
    return (*_labels(spec.cluster_selector), cache, liked)


def _labels(selector: Selector) -> Kind:
    return (tuple(sorted(selector.match_labels.items())), selector.match_expressions)
