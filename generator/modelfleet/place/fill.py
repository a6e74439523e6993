"""One more replica: on which cluster, with which pools and alternatives."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from ..resolve.fleet import Cluster, Fleet
from .candidates import Candidate, Level, Offers, levels
from .eligible import Eligibility
from .ledger import Ledger, Pods
from .limits import Limits
from .rank import Rank, Ranking, crowded
from .state import Entry, State


@dataclass(slots=True)
class Filler:
    """Finds places, one replica at a time, and charges them."""

    fleet: Fleet
    ledger: Ledger
    limits: Limits
    offers: Offers

    def fill(self, state: State, upto: int) -> None:
        """Places replicas of `state` until it has `upto` live ones or no cluster takes another.

        Alternatives are tried in the user's order, each on every eligible cluster before the next one.
        """
        if state.live >= upto:
            return
        closed = Eligibility.of(self.fleet, state.deployment).closed
        eligible = [cluster for cluster in self.fleet.clusters.values() if closed(cluster) is None]
        ranking = Ranking.of(self.fleet, self.ledger, state, eligible)
        for level in levels(state.deployment):
            if state.live < upto:
                self._fill_level(state, level, upto, ranking, eligible)

    def _fill_level(self, state: State, level: Level, upto: int, ranking: Ranking, eligible: Iterable[Cluster]) -> None:
        """Clusters wait in a heap by rank; a rank is looked at again when its cluster comes up, as placing may have changed it."""
        offers = self.offers.to(state.deployment, level)
        heap = [ranking.rank(c.name, offer.candidates[0]) for c in eligible if (offer := offers(c)).candidates]
        heapq.heapify(heap)
        unbalanced: list[Rank] = []
        while heap and state.live < upto:
            rank = heapq.heappop(heap)
            cluster = self.fleet.clusters[str(rank[-1])]
            candidate = self._first(state, cluster, offers(cluster).candidates)
            if candidate is None or crowded(state, cluster.name):
                continue
            now = ranking.rank(cluster.name, candidate)
            if now > rank:
                heapq.heappush(heap, now)
            elif ranking.unbalanced(cluster.name):
                unbalanced.append(now)
            else:
                self.take(state, cluster, candidate)
                for waiting in (ranking.rank(cluster.name, candidate), *unbalanced):
                    heapq.heappush(heap, waiting)
                unbalanced = []

    def _first(self, state: State, cluster: Cluster, candidates: Iterable[Candidate]) -> Candidate | None:
        """The best candidate that has room and passes no limit; a retiring entry's own place has room."""
        for candidate in candidates:
            there = self.there(state, cluster, candidate)
            if there and there.retiring and not there.given_up:
                return candidate
            if there and (there.given_up or there.candidate != candidate):
                continue  # one entry has one choice of device groups
            pods = candidate.pods if there else joined(candidate.pods, candidate.surge)
            if self.ledger.admits(cluster.name, pods) and self.limits.refusal(state.deployment, candidate) is None:
                return candidate
        return None

    def take(self, state: State, cluster: Cluster, candidate: Candidate) -> None:
        """Adds a replica; a retiring entry of the same choice is taken back before a new one is opened."""
        there = self.there(state, cluster, candidate)
        if there and there.retiring:
            self._take_back(state, there)
            return
        name = cluster.name
        if there:
            there.count += 1
            self.ledger.add(name, candidate.pods, state.deployment.ref)
        else:
            entry = Entry(name, candidate.recorded(cluster), candidate, candidate.pods, 1)
            state.entries[entry.key] = entry
            self.ledger.add(name, entry.charged(), state.deployment.ref)
        self.limits.add(state.deployment, candidate, 1)

    def _take_back(self, state: State, entry: Entry) -> None:
        """A retiring entry serves again with one replica; what it held beyond that is free."""
        surplus = tuple((position, demand, count * (entry.count - 1)) for position, demand, count in entry.pods)
        self.ledger.add(entry.cluster, surplus, state.deployment.ref, sign=-1)
        if entry.candidate:
            self.limits.add(state.deployment, entry.candidate, 1 - (entry.count - entry.replaced))
        entry.count, entry.retiring, entry.replaced = 1, False, 0

    def there(self, state: State, cluster: Cluster, candidate: Candidate) -> Entry | None:
        """The entry that holds the same choice of pools, if there is one."""
        parts = tuple(sorted((c.engine, cluster.pools[c.position].name, c.alternative) for c in candidate.choices))
        return state.entries.get((cluster.name, parts))


def joined(pods: Pods, surge: Pods) -> Pods:
    """What a first replica charges: its pods, and those that an update adds for a time."""
    if not surge:
        return pods
    total = {(position, demand): count for position, demand, count in pods}
    for position, demand, count in surge:
        total[(position, demand)] = total.get((position, demand), 0) + count
    return tuple((position, demand, count) for (position, demand), count in sorted(total.items()))
