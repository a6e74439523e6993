"""Property 8: an exhaustive search over small fleets hardly ever places more, and then one replica.

The oracle keeps to the placer's rules and order: deployments by (priority descending, namespace, name), each as far as it goes.
Within that it knows all ways at once: of all plans for the deployments so far it keeps those that place most of each one, in that
order, and from all of these it goes on. What it places is therefore the lexicographic maximum; the placer, which never goes back on
a choice, may place fewer of a deployment because an earlier one stands where only the later could.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from modelfleet import cel
from modelfleet.api.deployment import Engine
from modelfleet.api.hardware import Device
from modelfleet.place.evaluate import view
from modelfleet.place.guaranteed import safe
from modelfleet.place.packing import packs
from modelfleet.place.place import place
from modelfleet.place.tolerate import untolerated
from modelfleet.resolve import Cluster, Deployment, Fleet, Pool
from modelfleet.resolve.selectors import expressions

from benchmarks.fleets import resolved
from tests import builders as b
from tests.place.fleets import CLASSES, MEMORY, TAINT

FLEETS = 1_000

Demand = tuple[tuple[str, int], ...]
Held = tuple[tuple[Demand, int], ...]  # pods of a pool, sorted
Ledger = tuple[Held, ...]  # by position of the pool in the fleet


def fleet(seed: int) -> Fleet:
    """One to three clusters and two to four deployments."""
    rng = random.Random(seed)
    policy = b.settings(accounting=rng.choice(("Guaranteed", "Packed", "Node")), strategy=rng.choice(("Spread", "Pack", "Cheapest")))
    clusters = [_cluster(rng, name) for name in "abc"[: rng.randint(1, 3)]]
    return resolved(
        [policy, *CLASSES, *clusters, *(_deployment(rng, name) for name in ("chat", "code", "embed", "rank")[: rng.randint(2, 4)])]
    )


def _cluster(rng: random.Random, name: str) -> b.Manifest:
    kinds = rng.sample(("h100", "h100-4", "l4", "mixed"), rng.randint(1, 2))
    more: dict[str, Any] = {}
    if rng.random() < 0.2:
        more["taints"] = [TAINT]
    return b.cluster(name, *(b.pool(kind, rng.randint(1, 3)) for kind in kinds), labels={"tier": rng.choice(("prod", "test"))}, **more)


def _deployment(rng: random.Random, name: str) -> b.Manifest:
    engines = [_engine(rng, engine) for engine in rng.choice((["main"], ["main"], ["main"], ["left", "right"]))]
    more: dict[str, Any] = {"priority": rng.choice((0, 0, 0, 1, 2))}
    if rng.random() < 0.5:
        more["tolerations"] = [{"key": "team", "operator": "Exists"}]
    if rng.random() < 0.25:
        more["clusterSelector"] = {"matchLabels": {"tier": "prod"}}
    if rng.random() < 0.25:
        more["placement"] = {"maxPerCluster": rng.randint(1, 2)}
    return b.deployment(name, *engines, replicas=rng.randint(1, 4), **more)


def _engine(rng: random.Random, name: str) -> b.Manifest:
    requests = [
        b.request(n, rng.choice((1, 1, 2, 4, 8)), memory=rng.choice(MEMORY)) for n in rng.choice((["gpu"], ["gpu"], ["gpu", "aux"]))
    ]
    return b.engine(*requests, name=name, copies=rng.choice((1, 1, 2)))


@dataclass(frozen=True, slots=True)
class Way:
    """A place of one replica. entry: cluster and pools, which one choice of device groups may have; pods: by pool."""

    cluster: str
    entry: tuple[str, ...]
    devices: tuple[str, ...]
    pods: tuple[tuple[int, Demand, int], ...]


@dataclass(frozen=True, slots=True)
class Oracle:
    """The exhaustive search over one fleet."""

    fleet: Fleet
    pools: tuple[tuple[str, Pool], ...]

    def best(self) -> dict[tuple[str, str], int]:
        """Replicas of each deployment, in the order of filling."""
        found: dict[tuple[str, str], int] = {}
        ledgers: set[Ledger] = {((),) * len(self.pools)}
        for deployment in ordered(self.fleet):
            count, ledgers = self._most(deployment, ledgers)
            found[deployment.key] = count
        return found

    def _most(self, deployment: Deployment, ledgers: set[Ledger]) -> tuple[int, set[Ledger]]:
        """The most replicas that any ledger admits, and all ledgers after that many."""
        ways = list(self._ways(deployment))
        plans: set[tuple[Ledger, tuple[int, ...]]] = {(ledger, ()) for ledger in ledgers}
        for count in range(deployment.wanted):
            further = {plan for ledger, used in plans for plan in self._one_more(deployment, ways, ledger, used)}
            if not further:
                return count, {ledger for ledger, _ in plans}
            plans = further
        return deployment.wanted, {ledger for ledger, _ in plans}

    def _one_more(
        self, deployment: Deployment, ways: list[Way], ledger: Ledger, used: tuple[int, ...]
    ) -> Iterator[tuple[Ledger, tuple[int, ...]]]:
        """All ledgers after one replica more. used: the ways taken so far, ascending: replicas are alike."""
        limit = deployment.spec.placement.max_per_cluster
        for index in range(used[-1] if used else 0, len(ways)):
            way = ways[index]
            if limit and sum(ways[i].cluster == way.cluster for i in used) >= limit:
                continue
            if any(ways[i].entry == way.entry and ways[i].devices != way.devices for i in used):
                continue
            after = _charged(ledger, way)
            if all(self._fits(position, after[position]) for position in {p for p, _, _ in way.pods}):
                yield after, (*used, index)

    def _fits(self, position: int, held: Held) -> bool:
        pool = self.pools[position][1]
        given = tuple((d.name, d.count) for d in pool.hardware.devices)
        return _fits(self.fleet.settings.spec.placement.accounting, held, pool.nodes, given)

    def _ways(self, deployment: Deployment) -> Iterator[Way]:
        spec = deployment.spec.template.spec
        for cluster in self.fleet.clusters.values():
            if spec.cluster_selector.matches(dict(cluster.labels)) and not untolerated(cluster.spec.taints, spec.tolerations):
                for parts in itertools.product(*(list(self._parts(engine, cluster)) for engine in deployment.engines)):
                    pods = tuple((position, demand, copies) for position, _, demand, copies in parts)
                    entry = (cluster.name, *(self.pools[position][1].name for position, _, _, _ in parts))
                    yield Way(cluster.name, entry, tuple(groups for _, groups, _, _ in parts), pods)

    def _parts(self, engine: Engine, cluster: Cluster) -> Iterator[tuple[int, str, Demand, int]]:
        """(pool, device groups by request, what a pod takes, pods): every assignment of the requests to the devices of a node."""
        requests = engine.members[0].node_selector.devices
        for position, (owner, pool) in enumerate(self.pools):
            if owner != cluster.name:
                continue
            for groups in itertools.product(pool.hardware.devices, repeat=len(requests)):
                taken: dict[str, int] = {}
                for request, group in zip(requests, groups, strict=True):
                    taken[group.name] = taken.get(group.name, 0) + request.count
                if all(taken[group.name] <= group.count for group in groups) and all(map(_holds, requests, groups)):
                    yield position, " ".join(group.name for group in groups), tuple(sorted(taken.items())), engine.copies


def ordered(found: Fleet) -> list[Deployment]:
    """Deployments in the order of filling."""
    return sorted(found.deployments.values(), key=lambda d: (-d.spec.priority, d.key))


def _holds(request: Any, group: Device) -> bool:
    return all(cel.compile_selector(text).evaluate(view(group)).matches for text in expressions(request, group.driver))


def _charged(ledger: Ledger, way: Way) -> Ledger:
    after = list(ledger)
    for position, demand, count in way.pods:
        held = dict(after[position])
        held[demand] = held.get(demand, 0) + count
        after[position] = tuple(sorted(held.items()))
    return tuple(after)


@cache
def _fits(accounting: str, held: Held, nodes: int, given: tuple[tuple[str, int], ...]) -> bool:
    pods, node = dict(held), dict(given)
    if accounting == "Node":
        return sum(pods.values()) <= nodes
    return packs(pods, nodes, node) if accounting == "Packed" else safe(pods, nodes, node)


def placed(found: Fleet) -> Mapping[tuple[str, str], int]:
    """What the placer does."""
    plan = place(found, {})
    return {d.key: sum(entry.count for entry in plan.placements[d.key].replicas) for d in ordered(found)}


def beaten(seed: int) -> int:
    """By how many replicas the oracle is ahead at the first deployment where they differ."""
    found = fleet(seed)
    mine = placed(found)
    if all(mine[d.key] == d.wanted for d in found.deployments.values()):
        return 0
    best = Oracle(found, tuple((c.name, pool) for c in found.clusters.values() for pool in c.pools)).best()
    return next((best[key] - mine[key] for key in mine if best[key] != mine[key]), 0)


def test_the_oracle_hardly_ever_places_more() -> None:
    ahead = {seed: by for seed in range(FLEETS) if (by := beaten(seed))}
    assert all(by == 1 for by in ahead.values()), ahead
    assert len(ahead) <= FLEETS * 2 // 100, ahead
