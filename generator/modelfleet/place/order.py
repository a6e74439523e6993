"""The clusters that a kind of deployment may use, in the order in which a strategy tries them.

Deployments that ask for the same share one list, sorted once; of it a deployment looks at as many as it places replicas. A
cluster that was found full for the kind stays out until room is given back, so that filling is linear in replicas.
"""

from __future__ import annotations

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
    """Eligible clusters with an offer, by the rank of a first replica there. full: those that have no room for the kind."""

    ranks: list[Rank]
    offers: Callable[[Cluster], Offer]
    full: set[str] = field(default_factory=set)

    def walk(self, skip: set[str]) -> Iterator[Rank]:
        """The ranks in order, without full clusters and without `skip`, whose ranks are another matter."""
        if len(self.full) * 2 > len(self.ranks):
            self.ranks = [rank for rank in self.ranks if rank[-1] not in self.full]
            self.full = set()
        for rank in self.ranks:
            if rank[-1] not in self.full and rank[-1] not in skip:
                yield rank


@dataclass(slots=True)
class Orders:
    """The orders of all kinds, made when first asked for."""

    fleet: Fleet
    offers: Offers
    _orders: dict[Kind, Order] = field(default_factory=dict)

    def of(self, deployment: Deployment, level: Level, ranking: Ranking) -> Order:
        """The order of a deployment at one level of alternatives."""
        key = (*self.offers.kind(deployment, level), *_selection(self.fleet, deployment), ranking.strategy)
        if ranking.shifting:
            return self._make(deployment, level, ranking)
        if key not in self._orders:
            self._orders[key] = self._make(deployment, level, ranking)
        return self._orders[key]

    def _make(self, deployment: Deployment, level: Level, ranking: Ranking) -> Order:
        closed, offers = Eligibility.of(self.fleet, deployment).closed, self.offers.to(deployment, level)
        ranks = [
            ranking.first(cluster.name, offer.candidates[0])
            for cluster in self.fleet.clusters.values()
            if closed(cluster) is None and (offer := offers(cluster)).candidates
        ]
        return Order(sorted(ranks), offers)

    def forget(self) -> None:
        """Room was given back: what was full may not be."""
        self._orders.clear()


def _selection(fleet: Fleet, deployment: Deployment) -> Kind:
    """What decides which clusters are eligible, and how much they are liked."""
    spec, placement = deployment.spec.template.spec, deployment.spec.placement
    cache = (deployment.namespace, spec.model_cache_ref.name) if spec.model_cache_ref else None
    liked = tuple((p.weight, *_labels(p)) for p in placement.prefer)
    return (*_labels(spec.cluster_selector), cache, liked)


def _labels(selector: Selector) -> Kind:
    return (tuple(sorted(selector.match_labels.items())), selector.match_expressions)
