"""One more replica: on which cluster, with which pools and alternatives."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..resolve.fleet import Cluster, Fleet
from .candidates import Candidate, Choice, Offer, Offers, levels
from .eligible import Eligibility
from .joint import fitting
from .ledger import Ledger, Pods
from .limits import Limits
from .order import Order, Orders
from .rank import Rank, Ranking, crowded
from .state import Entry, State

SEARCH = 1_000  # questions about room, where the joint choices of engines are too many to be listed


@dataclass(slots=True)
class Filler:
    """Finds places, one replica at a time, and charges them."""

    fleet: Fleet
    ledger: Ledger
    limits: Limits
    offers: Offers
    orders: Orders = field(init=False)
    told: dict[tuple[object, ...], dict[str, tuple[str, str] | None]] = field(default_factory=dict)
    _empty: Ledger | None = None

    def empty(self) -> Ledger:
        """The same pools with nothing in them and all headroom, for telling what never fits from what is full."""
        if self._empty is None:
            self._empty = Ledger.of(self.fleet)
            self._empty.use_headroom()
        return self._empty

    def __post_init__(self) -> None:
        self.orders = Orders(self.fleet, self.offers)

    def fill(self, state: State, upto: int) -> None:
        """Places replicas of `state` until it has `upto` live ones or no cluster takes another.

        Alternatives are tried in the user's order, each on every eligible cluster before the next one.
        """
        if state.live >= upto:
            return
        ranking = Ranking.of(self.fleet, self.ledger, state)
        for level in levels(state.deployment):
            if state.live < upto:
                self._fill_level(state, upto, ranking, self.orders.of(state.deployment, level, ranking))

    def _fill_level(self, state: State, upto: int, ranking: Ranking, order: Order) -> None:
        """Clusters come from the order, and those that hold replicas already from a heap, by their rank as it is now."""
        held = {entry.cluster for entry in state.entries.values()}
        heap = [rank for name in sorted(held) if (rank := self._held_rank(name, order, ranking)) is not None]
        heapq.heapify(heap)
        fresh = order.walk(held)
        upcoming = next(fresh, None)
        unbalanced: list[Rank] = []
        missing = upto - state.live
        while missing and (heap or upcoming):
            if upcoming and (not heap or upcoming < heap[0]):
                rank, upcoming = upcoming, next(fresh, None)
            else:
                rank = heapq.heappop(heap)
            cluster = self.fleet.clusters[str(rank[-1])]
            candidate = self._first(state, cluster, order)
            if candidate is None or crowded(state, cluster.name):
                continue
            now = ranking.rank(cluster.name, candidate)
            if now > rank:
                heapq.heappush(heap, now)
            elif ranking.unbalanced(cluster.name):
                unbalanced.append(now)
            else:
                self.take(state, cluster, candidate)
                missing -= 1
                for waiting in (ranking.rank(cluster.name, candidate), *unbalanced):
                    heapq.heappush(heap, waiting)
                unbalanced = []

    def _held_rank(self, name: str, order: Order, ranking: Ranking) -> Rank | None:
        """The rank of a cluster that holds replicas of the deployment; None if it takes nothing new."""
        cluster = self.fleet.clusters.get(name)
        if cluster is None or Eligibility.of(self.fleet, ranking.state.deployment).closed(cluster):
            return None
        candidates = order.offers(cluster).candidates
        return ranking.rank(name, candidates[0]) if candidates else None

    def _first(self, state: State, cluster: Cluster, order: Order) -> Candidate | None:
        """The best candidate that has room and passes no limit; a retiring entry's own place has room."""
        full = True
        for candidate in self.candidates(state, cluster, order.offers(cluster)):
            there = self.there(state, cluster, candidate)
            if there and there.retiring and not there.given_up:
                return candidate
            if there and (there.given_up or not same(there, candidate)):
                full = False
                continue  # one entry has one choice of device groups
            if self.ledger.admits(cluster.name, candidate.pods if there else joined(candidate.pods, candidate.surge)):
                full = False
                if self.limits.refusal(state.deployment, candidate) is None:
                    return candidate
        if full:
            order.full.add(cluster.name)
        return None

    def candidates(self, state: State, cluster: Cluster, offer: Offer) -> Iterator[Candidate]:
        """Those that are listed, then, where they are too many for that, others for which there is room now."""
        yield from offer.candidates
        yield from self.searched(state, cluster, offer, self.ledger)

    def searched(self, state: State, cluster: Cluster, offer: Offer, ledger: Ledger) -> Iterator[Candidate]:
        """Of joint choices too many to be listed those that `ledger` has room for."""
        pools, deployment = cluster.pools, state.deployment

        def room(chosen: tuple[Choice, ...]) -> bool:
            return ledger.admits(cluster.name, self.offers.candidate(deployment, chosen, pools).pods)

        for choices in fitting(offer.choices, room, SEARCH) if offer.choices else ():
            yield self.offers.candidate(deployment, choices, pools)

    def take(self, state: State, cluster: Cluster, candidate: Candidate) -> None:
        """Adds a replica; a retiring entry of the same choice is taken back before a new one is opened."""
        there = self.there(state, cluster, candidate)
        if there and there.retiring:
            self._take_back(state, there)
            return
        name = cluster.name
        if there:
            there.count += 1
            there.placed += 1
            self.ledger.add(name, candidate.pods, state.deployment.ref)
        else:
            entry = Entry(name, candidate.recorded(cluster), candidate, candidate.pods, 1, placed=1)
            state.entries[entry.key] = entry
            self.ledger.add(name, entry.charged(), state.deployment.ref)
        self.limits.add(state.deployment, candidate, 1)

    def _take_back(self, state: State, entry: Entry) -> None:
        """A retiring entry serves again with one replica; what it held beyond that is free."""
        surplus = tuple((position, demand, count * (entry.count - 1)) for position, demand, count in entry.pods)
        self.ledger.add(entry.cluster, surplus, state.deployment.ref, sign=-1)
        self.orders.given_back.append(entry.cluster)
        if entry.candidate:
            self.limits.add(state.deployment, entry.candidate, 1 - (entry.count - entry.replaced))
        entry.count, entry.retiring, entry.replaced = 1, False, 0

    def fits(self, state: State, cluster: Cluster, candidate: Candidate) -> bool:
        """Whether one more replica at just this candidate has room and passes every limit."""
        there = self.there(state, cluster, candidate)
        if there and (there.retiring or not same(there, candidate)):
            return False
        pods = candidate.pods if there else joined(candidate.pods, candidate.surge)
        return self.ledger.admits(cluster.name, pods) and self.limits.refusal(state.deployment, candidate) is None

    def release(self, state: State, entry: Entry, replicas: int) -> None:
        """Takes replicas that this run placed away again."""
        assert entry.candidate is not None
        pods = tuple((position, demand, count * replicas) for position, demand, count in entry.pods)
        if replicas == entry.count:
            pods += entry.candidate.surge
            del state.entries[entry.key]
        self.ledger.add(entry.cluster, pods, state.deployment.ref, sign=-1)
        self.limits.add(state.deployment, entry.candidate, -replicas)
        entry.count -= replicas
        entry.placed -= replicas
        self.orders.given_back.append(entry.cluster)

    def there(self, state: State, cluster: Cluster, candidate: Candidate) -> Entry | None:
        """The entry that holds the same choice of pools, if there is one."""
        parts = tuple(sorted((c.engine, cluster.pools[c.position].name, c.alternative) for c in candidate.choices))
        return state.entries.get((cluster.name, parts))


def same(entry: Entry, candidate: Candidate) -> bool:
    """Whether a replica at `candidate` can join the entry: an entry has one choice of device groups for all its replicas."""
    return entry.candidate is not None and entry.candidate.pods == candidate.pods


def joined(pods: Pods, surge: Pods) -> Pods:
    """What a first replica charges: its pods, and those that an update adds for a time."""
    if not surge:
        return pods
    total = {(position, demand): count for position, demand, count in pods}
    for position, demand, count in surge:
        total[(position, demand)] = total.get((position, demand), 0) + count
    return tuple((position, demand, count) for (position, demand), count in sorted(total.items()))
