"""Room made by moving what this run has placed, for a deployment that is still short.

Filling one replica at a time can take a place that only a later deployment could have used. For each cluster that could
hold one more replica, replicas placed in this run leave the pools in question; if the new replica then fits and what left
finds another place, the change stands, else all of it is undone. Nothing that was recorded before the run ever moves. The
number of tries is bounded, so that the answer depends on the declarations alone and never on time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from .candidates import Candidate, levels
from .eligible import Eligibility
from .fill import Filler
from .rank import Ranking, crowded
from .state import Entry, Key, State

TRIES = 24  # for one deployment
PLACES = 10_000  # looked at for one replica


@dataclass(slots=True)
class Room:
    """The deployments that a round has filled so far, in their order."""

    filler: Filler
    _on: dict[str, list[State]] = field(default_factory=dict)

    def add(self, state: State) -> None:
        """A deployment has been filled; what it placed may make room for those that follow."""
        for cluster in sorted({entry.cluster for entry in state.entries.values() if entry.placed}):
            self._on.setdefault(cluster, []).append(state)

    def make(self, state: State, upto: int) -> None:
        """Tries to place what `state` is short of, until it has `upto` live replicas."""
        tries = TRIES
        while tries > 0 and state.live < upto:
            used, found = self._one_more(state, tries)
            tries -= used
            if not found:
                break

    def _one_more(self, state: State, tries: int) -> tuple[int, bool]:
        """(tries used, whether the deployment has one replica more)."""
        used = 0
        for cluster, candidate in itertools.islice(self._places(state), PLACES):
            for victim in self._victims(cluster, candidate):
                if used == tries:
                    return used, False
                used += 1
                if self._exchange(state, cluster, candidate, *victim):
                    return used, True
        return used, False

    def _places(self, state: State) -> Iterator[tuple[str, Candidate]]:
        """Where one more replica could stand, whatever room there is."""
        closed = Eligibility.of(self.filler.fleet, state.deployment).closed
        for level in levels(state.deployment):
            offers = self.filler.offers.to(state.deployment, level)
            for cluster in self.filler.fleet.clusters.values():
                for candidate in () if closed(cluster) else offers(cluster).candidates:
                    yield cluster.name, candidate

    def _victims(self, cluster: str, candidate: Candidate) -> Iterator[tuple[State, Key, int]]:
        """Entries of this run on the pools of `candidate`, newest deployment first, and how many replicas of them leave."""
        pools = {choice.position for choice in candidate.choices}
        for other in reversed(self._on.get(cluster, [])):
            for key, entry in list(other.entries.items()):
                shares = entry.cluster == cluster and entry.live and {position for position, _, _ in entry.pods} & pools
                for leaving in range(1, min(entry.placed, entry.count) + 1) if shares else ():
                    yield other, key, leaving

    def _exchange(self, state: State, cluster: str, candidate: Candidate, other: State, key: Key, leaving: int) -> bool:
        """Takes the new replica and places again what left for it; False, and nothing changed, if that cannot be."""
        filler, before = self.filler, other.live
        kept = {s.deployment.key: _copies(s) for s in (state, other)}
        filler.ledger.journal, filler.limits.journal = [], []
        filler.release(other, other.entries[key], leaving)
        wanted = before + 1 if other is state else before
        balanced = Ranking.of(filler.fleet, filler.ledger, state).unbalanced(cluster) is None
        fits = balanced and not crowded(state, cluster) and filler.fits(state, filler.fleet.clusters[cluster], candidate)
        if fits:
            filler.take(state, filler.fleet.clusters[cluster], candidate)
            filler.fill(other, wanted)
        done = fits and other.live == wanted
        if not done:
            filler.orders.given_back += [name for name, _, _, sign in filler.ledger.journal if sign > 0]
            filler.ledger.undo()
            filler.limits.undo()
            for s in (state, other):
                s.entries = kept[s.deployment.key]
        filler.ledger.journal = filler.limits.journal = None
        return done


def _copies(state: State) -> dict[Key, Entry]:
    return {key: entry.copy() for key, entry in state.entries.items()}
