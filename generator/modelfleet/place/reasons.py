"""Why a cluster takes no further replica of a deployment: the first reason, with its numbers."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from ..resolve.fleet import Cluster
from .candidates import Candidate, Offer, levels
from .demand import counted, is_device, quantity
from .eligible import Eligibility
from .fill import Filler, joined, same
from .ledger import Account, Ledger
from .plan import Refusal
from .rank import Ranking, crowded
from .state import State

# Of several alternatives the refusal that came nearest to a place is told.
_NEARNESS = ("NoMatchingClass", "SpotRefused", "UntoleratedTaint", "NeverFits", "QuotaExceeded", "BudgetExceeded", "CostLimit")


@dataclass(slots=True)
class Reasons:
    """Refusals of one deployment as the ledgers stand. empty: the same pools with nothing in them. offers: of each alternative.

    told: what was said of each cluster to deployments that ask for the same, as long as the ledgers stand.
    """

    filler: Filler
    state: State
    empty: Ledger
    ranking: Ranking
    eligibility: Eligibility
    offers: list[Callable[[Cluster], Offer]]
    told: dict[str, tuple[str, str] | None]

    @classmethod
    def of(cls, filler: Filler, state: State) -> Reasons:
        eligibility = Eligibility.of(filler.fleet, state.deployment)
        named = levels(state.deployment)
        offers = [filler.offers.to(state.deployment, level) for level in named]
        kind = tuple(filler.offers.kind(state.deployment, level) for level in named)
        # What room says to one deployment it says to all that ask for the same, unless money bounds this one alone.
        told = {} if state.deployment.spec.placement.max_cost_per_hour else filler.told.setdefault(kind, {})
        return cls(filler, state, filler.empty(), Ranking.of(filler.fleet, filler.ledger, state), eligibility, offers, told)

    def all(self) -> tuple[Refusal, ...]:
        """One for each cluster that takes no further replica, by name."""
        return tuple(found for cluster in self.filler.fleet.clusters.values() if (found := self.why(cluster)))

    def why(self, cluster: Cluster) -> Refusal | None:
        """Why `cluster` takes no further replica; None if it does."""
        found = self.eligibility.closed(cluster) or crowded(self.state, cluster.name)
        if found is None and (text := self.ranking.unbalanced(cluster.name)):
            found = ("SpreadUnsatisfied", text)
        if found is None and any(entry.cluster == cluster.name for entry in self.state.entries.values()):
            found = self._nearest(cluster)
        elif found is None:
            if cluster.name not in self.told:
                self.told[cluster.name] = self._nearest(cluster)
            found = self.told[cluster.name]
        return Refusal(cluster.name, *found) if found else None

    def _nearest(self, cluster: Cluster) -> tuple[str, str] | None:
        """The nearest refusal over all alternatives; None as soon as one of them finds a place."""
        refused: list[tuple[str, str]] = []
        for offer_of in self.offers:
            offer = offer_of(cluster)
            if not offer.candidates:
                refused.append((offer.reason, offer.text))
                continue
            possible = itertools.islice(self.filler.searched(self.state, cluster, offer, self.empty), 1)
            candidates = itertools.chain(self.filler.candidates(self.state, cluster, offer), possible)
            answers = [self._candidate(cluster, candidate) for candidate in candidates if self._open(cluster, candidate)]
            if any(answer is None for answer in answers):
                return None
            # All of it may be closed by entries that give up their pools, whose room is still charged.
            refused += [answer for answer in answers if answer] or [self._full(cluster, offer.candidates[0])]
        return max(refused, key=lambda r: _NEARNESS.index(r[0]) if r[0] in _NEARNESS else len(_NEARNESS))

    def _open(self, cluster: Cluster, candidate: Candidate) -> bool:
        """Whether a replica could stand there, if there were room."""
        there = self.filler.there(self.state, cluster, candidate)
        return there is None or (not there.given_up and (there.retiring or same(there, candidate)))

    def _candidate(self, cluster: Cluster, candidate: Candidate) -> tuple[str, str] | None:
        pods = joined(candidate.pods, candidate.surge)
        there = self.filler.there(self.state, cluster, candidate)
        if there and there.retiring:
            return None
        if self.filler.ledger.admits(cluster.name, candidate.pods if there else pods):
            return self.filler.limits.refusal(self.state.deployment, candidate)
        if not self.empty.admits(cluster.name, pods):
            text = f"one replica needs {self._needs(cluster, candidate)}, more than there is when nothing else runs"
            return ("NeverFits", text + _out_of_service(cluster, candidate))
        return self._full(cluster, candidate)

    def _needs(self, cluster: Cluster, candidate: Candidate) -> str:
        return ", ".join(
            f"{count} x {' + '.join(counted(kind, amount) for kind, amount in demand)} in pool {cluster.pools[position].name}"
            for position, demand, count in candidate.pods
        )

    def _full(self, cluster: Cluster, candidate: Candidate) -> tuple[str, str]:
        """Of the pools that would be too full, the first."""
        ledger = self.filler.ledger
        for position, demand, count in candidate.pods:
            account = ledger.accounts[cluster.name][position]
            nodes = account.nodes(ledger.headroom)
            if not account.fits(ledger.accounting, nodes, {demand: count}):
                return self._short(account, nodes, dict(demand), count)
        return ("InsufficientDevices", f"its engines need {self._needs(cluster, candidate)} together")

    def _short(self, account: Account, nodes: int, demand: dict[str, int], count: int) -> tuple[str, str]:
        name, held = account.pool.name, account.held_by()
        if self.filler.ledger.accounting == "Node":
            free = nodes - sum(account.pods.values())
            return ("InsufficientNodes", f"pool {name}: needs {count} nodes, {max(0, free)} of {nodes} free; held by {held}")
        for kind, size in demand.items():
            taken, there = account.devices(kind, nodes)
            if there - taken < size * count:
                reason = "InsufficientDevices" if is_device(kind) else "InsufficientNodes"
                left = f"{quantity(kind, max(0, there - taken))} of {quantity(kind, there)} free"
                return (reason, f"pool {name}: needs {counted(kind, size * count)}, {left}; held by {held}")
        kind, size = next((k, s) for k, s in demand.items() if is_device(k))
        block = account.block(kind, nodes)
        if block >= size and self.filler.ledger.accounting == "Guaranteed":
            taken, there = account.devices(kind, nodes)
            text = f"pool {name}: {there - taken} of {there} {kind} are free, and in some order of starts a pod would find no node"
            return ("Fragmented", f"{text}; held by {held}")
        return ("Fragmented", f"pool {name}: needs {size} {kind} on one node, largest free block is {block}; held by {held}")


def _out_of_service(cluster: Cluster, candidate: Candidate) -> str:
    """`; pool h100: 1 of 4 nodes usable`, of pools with nodes that are wholly out of service."""
    found = []
    for position in dict.fromkeys(position for position, _, _ in candidate.pods):
        pool, declared = cluster.pools[position], cluster.spec.node_pools[position].node_count
        if pool.nodes < declared:
            found.append(f"; pool {pool.name}: {pool.nodes} of {declared} nodes usable")
    return "".join(found)
