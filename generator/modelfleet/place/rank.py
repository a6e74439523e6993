"""The order in which eligible clusters are tried, and the rules on how replicas may lie over them."""

from __future__ import annotations

from dataclasses import dataclass

from ..resolve.fleet import Fleet
from .candidates import Candidate, Price
from .eligible import Eligibility
from .ledger import Ledger
from .state import State

Rank = tuple[int | str, ...]


@dataclass(slots=True)
class Ranking:
    """The strategy of one deployment. Lower ranks are tried first; ties are broken by name."""

    fleet: Fleet
    ledger: Ledger
    state: State
    strategy: str
    preference: dict[str, int]
    domain: dict[str, str | None]

    @classmethod
    def of(cls, fleet: Fleet, ledger: Ledger, state: State) -> Ranking:
        placement = state.deployment.spec.placement
        preference: dict[str, int] = {}
        if placement.prefer:
            preference = {c.name: sum(p.weight for p in placement.prefer if p.matches(c.labels)) for c in fleet.clusters.values()}
        domain: dict[str, str | None] = {}
        if placement.spread:
            closed = Eligibility.of(fleet, state.deployment).closed
            key = placement.spread.topology_key
            domain = {c.name: c.labels.get(key) for c in fleet.clusters.values() if closed(c) is None}
        return cls(fleet, ledger, state, placement.strategy or fleet.settings.spec.placement.strategy, preference, domain)

    @property
    def shifting(self) -> bool:
        """Whether placing elsewhere changes a cluster's rank, so that no order can be shared or kept."""
        return self.strategy == "Pack" or self.state.deployment.spec.placement.spread is not None

    def first(self, preferred: int, price: Price) -> Rank:
        """Of a first replica on clusters of such a preference and price, without their names; not of an order that shifts."""
        return (0, -preferred, *price, 0) if self.strategy == "Cheapest" else (0, 0, -preferred, *price)

    def rank(self, cluster: str, candidate: Candidate) -> Rank:
        """Of one more replica at `candidate`.

        Spread: fewest replicas of this deployment in the domain, then preference, cost. Pack: preference, then the fullest,
        cost. Cheapest: preference, then cost, fewest replicas. A spread constraint ranks by domain under every strategy.
        """
        here, preferred = self.state.on(cluster), -self.preference.get(cluster, 0)
        balance = self._in_domain(cluster) if self.domain else 0
        if self.strategy == "Cheapest":
            return (balance, preferred, *candidate.price, here, cluster)
        if self.strategy == "Pack":
            accounts = self.ledger.accounts[cluster]
            fullest = -max(accounts[choice.position].used for choice in candidate.choices)
            return (balance, preferred, fullest, *candidate.price, cluster)
        return (balance, here, preferred, *candidate.price, cluster)

    def _in_domain(self, cluster: str) -> int:
        return sum(entry.live for entry in self.state.entries.values() if self.domain.get(entry.cluster) == self.domain.get(cluster))

    def unbalanced(self, cluster: str) -> str | None:
        """Why one more replica on `cluster` would break a spread constraint that must hold; as Kubernetes counts it.

        The least is over the domains of all clusters that may hold the deployment, or 0 while there are fewer of them than
        minDomains.
        """
        spread = self.state.deployment.spec.placement.spread
        if spread is None or spread.when_unsatisfiable != "DoNotSchedule":
            return None
        domain = self.domain.get(cluster)
        if domain is None:
            return f"it has no label {spread.topology_key}"
        counts: dict[str, int] = {value: 0 for value in self.domain.values() if value is not None}
        for entry in self.state.entries.values():
            value = self.domain.get(entry.cluster)
            if value is not None:
                counts[value] += entry.live
        least = 0 if len(counts) < (spread.min_domains or 1) else min(counts.values())
        if counts[domain] + 1 - least > spread.max_skew:
            return f"{domain} has {counts[domain]} replicas, the least is {least}, and maxSkew is {spread.max_skew}"
        return None


def crowded(state: State, cluster: str) -> tuple[str, str] | None:
    """(reason, text) why the deployment's own numbers admit no further replica on `cluster`."""
    spec = state.deployment.spec
    limit = spec.placement.max_per_cluster
    if limit is not None and (here := state.on(cluster)) >= limit:
        return ("MaxPerCluster", f"maxPerCluster is {limit}, {here} stand there")
    if spec.scaling:
        most, used = max(1, spec.scaling.min_replicas), state.clusters()
        if cluster not in used and len(used) >= most:
            clusters = "one cluster" if most == 1 else f"{most} clusters"
            return ("SpreadUnsatisfied", f"minReplicas {spec.scaling.min_replicas} keeps it on at most {clusters}")
    return None
