"""One more replica: on which cluster, which pools, and if nowhere, why not there."""

from __future__ import annotations

from dataclasses import dataclass

from ..resolve.fleet import Cluster, Deployment, Fleet, Pool
from .ledger import Ledger, Pods
from .match import Demand, Matcher, Miss, Option
from .plan import Refusal
from .state import Entry, Key, State, choice_of
from .tolerate import untolerated

Candidate = tuple[tuple[str, Pool, Option], ...]  # engine, pool, option: one for each engine


@dataclass(slots=True)
class Filler:
    """Finds places, one replica at a time. Mutable for its ledger and what it remembers of each deployment."""

    fleet: Fleet
    ledger: Ledger
    matcher: Matcher

    def fill(self, state: State, upto: int) -> None:
        """Places replicas of `state` until it has `upto` live ones or no cluster takes another."""
        if state.live >= upto:
            return
        open_clusters = {name: self.candidates(state.deployment, c) for name, c in self.fleet.clusters.items() if not self.closed(state, c)}
        open_clusters = {name: found for name, found in open_clusters.items() if found}
        while state.live < upto and open_clusters:
            best = min(open_clusters, key=lambda name: self._rank(state, name, open_clusters[name]))
            if self.closed(state, self.fleet.clusters[best]):
                del open_clusters[best]
                continue
            if not self._take(state, best, open_clusters[best]) or self._full(state, best):
                del open_clusters[best]

    def closed(self, state: State, cluster: Cluster) -> Refusal | None:
        """Why a cluster takes nothing of this deployment, whatever room it has."""
        spec = state.deployment.spec.template.spec
        if cluster.spec.state != "Ready":
            return Refusal(cluster.name, "Offline", f"the cluster is {cluster.spec.state}")
        if not spec.cluster_selector.matches(dict(cluster.labels)):
            return Refusal(cluster.name, "SelectorMismatch", "its labels do not match clusterSelector")
        if taint := untolerated(cluster.spec.taints, spec.tolerations):
            return Refusal(cluster.name, "UntoleratedTaint", f"taint {taint.key}:{taint.effect} is not tolerated")
        if scaling := state.deployment.spec.scaling:
            others = {e.cluster for e in state.entries.values() if not e.retiring and not e.lost}
            if cluster.name not in others and len(others) >= scaling.min_replicas:
                text = f"minReplicas {scaling.min_replicas} keeps it on at most {scaling.min_replicas} clusters"
                return Refusal(cluster.name, "SpreadUnsatisfied", text)
        if self._full(state, cluster.name):
            limit = state.deployment.spec.placement.max_per_cluster
            return Refusal(cluster.name, "MaxPerCluster", f"maxPerCluster is {limit}, {state.on(cluster.name)} stand there")
        return None

    def _full(self, state: State, cluster: str) -> bool:
        limit = state.deployment.spec.placement.max_per_cluster
        return limit is not None and state.on(cluster) >= limit

    def _rank(self, state: State, cluster: str, candidates: list[Candidate]) -> tuple[int, float, str]:
        """Spread: fewest replicas of this deployment, then lowest cost, then name."""
        return (state.on(cluster), min(cost(c, state.deployment) for c in candidates), cluster)

    def candidates(self, deployment: Deployment, cluster: Cluster) -> list[Candidate]:
        """Every joint choice of pools for the engines, best first; capacity is not looked at."""
        found: list[Candidate] = [()]
        for engine in deployment.engines:
            ways = [(engine.name, pool, option) for pool, option in self._ways(deployment, engine.name, cluster)]
            found = [(*begun, way) for begun in found for way in ways]
        return sorted(found, key=lambda c: cost(c, deployment))

    def _ways(self, deployment: Deployment, engine_name: str, cluster: Cluster) -> list[tuple[Pool, Option]]:
        engine = deployment.engine(engine_name)
        assert engine is not None
        ways: list[tuple[Pool, Option]] = []
        for pool in cluster.pools:
            if untolerated(pool.taints, deployment.spec.template.spec.tolerations):
                continue
            options = self.matcher.options(engine, pool)
            if not isinstance(options, Miss):
                ways += [(pool, option) for option in options]
        return ways

    def _take(self, state: State, cluster: str, candidates: list[Candidate]) -> bool:
        """Adds a replica on `cluster`, taking a retiring entry back before opening a new one."""
        for candidate in candidates:
            choices = {name: choice_of(pool.name, option) for name, pool, option in candidate}
            entry = Entry(cluster, choices, _pods(candidate, state.deployment), 1)
            there = state.entries.get(entry.key)
            if there and there.retiring:
                self._give_back(state, there)
                return True
            if there and there.pods != entry.pods:
                continue  # one entry has one choice of devices
            if self.ledger.admits(cluster, entry.pods):
                self.ledger.add(cluster, entry.pods, state.deployment.ref)
                if there:
                    there.count += 1
                else:
                    state.entries[entry.key] = entry
                return True
        return False

    def _give_back(self, state: State, entry: Entry) -> None:
        """A retiring entry serves again with one replica; what it held beyond that is free."""
        surplus = tuple((pool, demand, count * (entry.count - 1)) for pool, demand, count in entry.pods)
        self.ledger.add(entry.cluster, surplus, state.deployment.ref, sign=-1)
        entry.count, entry.retiring = 1, False

    def refusals(self, state: State) -> tuple[Refusal, ...]:
        """Why each cluster takes no further replica."""
        return tuple(self.closed(state, cluster) or self._no_room(state, cluster) for cluster in self.fleet.clusters.values())

    def refusal(self, state: State, cluster: Cluster) -> Refusal | None:
        """Why `cluster` takes no further replica; None if it does."""
        if refused := self.closed(state, cluster):
            return refused
        candidates = self.candidates(state.deployment, cluster)
        if any(self.ledger.admits(cluster.name, _pods(c, state.deployment)) for c in candidates):
            return None
        return self._no_room(state, cluster)

    def _no_room(self, state: State, cluster: Cluster) -> Refusal:
        candidates = self.candidates(state.deployment, cluster)
        if candidates:
            return self._full_pools(state, cluster, candidates)
        for engine in state.deployment.engines:
            misses = [found for pool in cluster.pools if isinstance(found := self.matcher.options(engine, pool), Miss)]
            if len(misses) == len(cluster.pools):
                return Refusal(cluster.name, "NoMatchingClass", "; ".join(sorted({m.text for m in misses})))
        taints = sorted({f"pool {pool.name} has taint {t.key}:{t.effect}" for pool in cluster.pools for t in pool.taints})
        return Refusal(cluster.name, "UntoleratedTaint", "; ".join(taints))

    def _full_pools(self, state: State, cluster: Cluster, candidates: list[Candidate]) -> Refusal:
        empty = Ledger.of(self.fleet)
        if not any(empty.admits(cluster.name, _pods(c, state.deployment)) for c in candidates):
            return Refusal(
                cluster.name, "NeverFits", f"one replica needs {_needs(candidates[0], state.deployment)}, more than its pools have"
            )
        pool, demand, pods = _pods(candidates[0], state.deployment)[0]
        account = self.ledger.accounts[(cluster.name, pool)]
        held = ", ".join(f"{name} {count}" for name, count in sorted(account.holders.items(), key=lambda i: (-i[1], i[0]))[:3] if count)
        if self.ledger.accounting == "Node":
            free = account.pool.nodes - sum(account.pods.values())
            return Refusal(
                cluster.name,
                "InsufficientNodes",
                f"pool {pool}: needs {pods} nodes, {max(0, free)} of {account.pool.nodes} free; held by {held}",
            )
        group, size = demand[0]
        taken, there = account.devices(group)
        needs = size * pods
        if there - taken >= needs:
            block = account.block(group)
            return Refusal(
                cluster.name, "Fragmented", f"pool {pool}: needs {size} {group} on one node, largest free block is {block}; held by {held}"
            )
        return Refusal(
            cluster.name,
            "InsufficientDevices",
            f"pool {pool}: needs {needs} {group}, {max(0, there - taken)} of {there} free; held by {held or 'nobody'}",
        )


def cost(candidate: Candidate, deployment: Deployment) -> float:
    """Price of one replica for one hour; an unknown price counts as nothing here and is said elsewhere."""
    copies = {engine.name: engine.copies for engine in deployment.engines}
    return sum(copies[name] * pod_cost(pool, option.demand) for name, pool, option in candidate)


def pod_cost(pool: Pool, demand: Demand) -> float:
    """Node price times the largest share that any device group gives the pod."""
    price = pool.hardware.cost.per_node_hour
    counts = {device.name: device.count for device in pool.hardware.devices}
    return float(price) * max(taken / counts[group] for group, taken in demand) if price else 0.0


def _pods(candidate: Candidate, deployment: Deployment) -> tuple[Pods, ...]:
    copies = {engine.name: engine.copies for engine in deployment.engines}
    return tuple((pool.name, option.demand, copies[name]) for name, pool, option in sorted(candidate, key=lambda way: way[0]))


def _needs(candidate: Candidate, deployment: Deployment) -> str:
    parts = [f"{count} x {size} {group} in pool {pool}" for pool, demand, count in _pods(candidate, deployment) for group, size in demand]
    return ", ".join(parts)


__all__ = ["Candidate", "Filler", "Key", "cost", "pod_cost"]
