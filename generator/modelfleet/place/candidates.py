"""How a replica could stand on a cluster: a pool and a way for each engine, chosen jointly, capacity not yet looked at.

Clusters with like pools (class, taints, price, spot) share one list, so that a thousand clusters cost as much as their
kinds do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..api.placement import EngineChoice
from ..resolve.fleet import Cluster, Deployment, Fleet, Pool
from .demand import Demand
from .joint import best
from .ledger import Pods
from .match import Matcher, Miss, Way
from .tolerate import untolerated

JOINT = 256  # joint choices listed for a cluster's shape; what lies beyond is searched for with the room there is
LEVELS = 512  # combinations of alternatives that are tried

Shape = tuple[object, ...]
Level = tuple[str, ...]  # the alternative of each engine, in their order; empty for an engine without


@dataclass(frozen=True, slots=True)
class Choice:
    """One engine's part: its alternative, the pool's position in the cluster, and the way."""

    engine: str
    alternative: str
    position: int
    way: Way


@dataclass(frozen=True, slots=True)
class Candidate:
    """A replica's place on a cluster of some shape.

    pods: what one replica charges. surge: what an update charges once for all replicas there. cost: of one replica for an
    hour, in millionths. unpriced: classes whose price is not declared. devices: taken of each class.
    """

    choices: tuple[Choice, ...]
    pods: Pods
    surge: Pods
    cost: int
    unpriced: tuple[str, ...]
    devices: tuple[tuple[str, int], ...]
    memory: int

    @property
    def price(self) -> tuple[bool, int]:
        """Sorts by cost; what has a part without a declared price comes last, as nothing says that it is cheap."""
        return (bool(self.unpriced), self.cost)

    def recorded(self, cluster: Cluster) -> dict[str, EngineChoice]:
        """The choices as a placement entry records them."""
        return {
            c.engine: EngineChoice.model_construct(
                pool=cluster.pools[c.position].name, alternative=c.alternative or None, devices=dict(c.way.devices)
            )
            for c in self.choices
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Offer:
    """What a cluster of some shape offers a deployment at one level: candidates, best first, or why none.

    choices: of each engine, best first, if their combinations are too many to be listed; else empty.
    """

    candidates: tuple[Candidate, ...]
    reason: str = ""
    text: str = ""
    choices: tuple[tuple[Choice, ...], ...] = ()


@dataclass(slots=True)
class Offers:
    """The offers of all clusters to deployments, remembered by what decides them: like deployments share them."""

    fleet: Fleet
    matcher: Matcher
    _shapes: dict[Shape, int] = field(default_factory=dict)
    _shape_of: dict[str, int] = field(default_factory=dict)
    _kinds: dict[tuple[object, ...], dict[int, Offer]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, cluster in self.fleet.clusters.items():
            shape = tuple((p.class_name, p.taints, p.spot, p.price) for p in cluster.pools)
            self._shape_of[name] = self._shapes.setdefault(shape, len(self._shapes))

    def to(self, deployment: Deployment, level: Level) -> Callable[[Cluster], Offer]:
        """What each cluster offers `deployment` at `level`."""
        known = self._kinds.setdefault(self.kind(deployment, level), {})
        shape_of = self._shape_of

        def offer(cluster: Cluster) -> Offer:
            shape = shape_of[cluster.name]
            found = known.get(shape)
            if found is None:
                found = known[shape] = self._make(deployment, level, cluster)
            return found

        return offer

    def kind(self, deployment: Deployment, level: Level) -> tuple[object, ...]:
        """Everything of a deployment that its offers depend on."""
        spec, team = deployment.spec, self.fleet.team_of(deployment.namespace)
        engines = tuple(
            (engine.name, copies_of(deployment, engine.name), self.matcher.kind(engine, alternative))
            for engine, alternative in zip(deployment.engines, level, strict=True)
        )
        return (engines, spec.template.spec.tolerations, spec.placement.spot, spec.rollout.max_surge, team[0] if team else "")

    def _make(self, deployment: Deployment, level: Level, cluster: Cluster) -> Offer:
        usable, refused = self._usable(deployment, cluster)
        if not usable:
            return Offer((), *refused)
        ways: list[list[Choice]] = []
        for engine, alternative in zip(deployment.engines, level, strict=True):
            found, misses = [], []
            for position, pool in usable:
                answer = self.matcher.ways(engine, alternative, pool.class_name)
                if isinstance(answer, Miss):
                    misses.append(answer.text)
                else:
                    found += [Choice(engine.name, alternative, position, way) for way in answer]
            if not found:
                return Offer((), "NoMatchingClass", "; ".join(dict.fromkeys(misses)))
            ways.append(found)
        return self._joint(deployment, ways, cluster.pools)

    def _joint(self, deployment: Deployment, ways: list[list[Choice]], pools: tuple[Pool, ...]) -> Offer:
        """The best joint choices: cheapest, then least memory, then the pools' order."""
        alone = {id(choice): self.candidate(deployment, (choice,), pools) for each in ways for choice in each}

        def cost(choice: Choice) -> tuple[int, ...]:
            candidate = alone[id(choice)]
            return (len(candidate.unpriced), candidate.cost, candidate.memory)

        if len(ways) == 1:
            made = sorted(alone.values(), key=lambda c: (c.price, c.memory))[:JOINT]
        else:
            made = [self.candidate(deployment, choices, pools) for choices in best(ways, cost, JOINT)]
        made.sort(key=lambda c: (c.price, c.memory, tuple(choice.position for choice in c.choices)))
        many = math.prod(len(each) for each in ways) > JOINT
        return Offer(tuple(made), choices=tuple(tuple(sorted(each, key=cost)) for each in ways) if many else ())

    def _usable(self, deployment: Deployment, cluster: Cluster) -> tuple[list[tuple[int, Pool]], tuple[str, str]]:
        """The pools that the deployment may use at all, or (reason, text) of the first that refuses."""
        spec, team = deployment.spec, self.fleet.team_of(deployment.namespace)
        usable, refused = [], []
        for position, pool in enumerate(cluster.pools):
            taint = untolerated(pool.taints, spec.template.spec.tolerations)
            if taint:
                refused.append(("UntoleratedTaint", f"pool {pool.name} has taint {taint.key}:{taint.effect}"))
            elif pool.spot and spec.placement.spot == "Never":
                refused.append(("SpotRefused", f"pool {pool.name} is spot, and placement.spot is Never"))
            elif not pool.spot and spec.placement.spot == "Only":
                refused.append(("SpotRefused", f"pool {pool.name} is not spot, and placement.spot is Only"))
            elif team and team[1].classes is not None and pool.class_name not in team[1].classes:
                refused.append(("NoMatchingClass", f"team {team[0]} may not use class {pool.class_name}"))
            else:
                usable.append((position, pool))
        reasons = sorted({reason for reason, _ in refused})
        return usable, (reasons[0] if reasons else "NoMatchingClass", "; ".join(text for _, text in refused) or "it has no pools")

    def candidate(self, deployment: Deployment, choices: tuple[Choice, ...], pools: tuple[Pool, ...]) -> Candidate:
        """The sums of a joint choice."""
        node = self.fleet.settings.spec.placement.accounting == "Node"
        pods: dict[tuple[int, Demand], int] = {}
        surge: dict[tuple[int, Demand], int] = {}
        devices: dict[str, int] = {}
        cost = memory = 0
        for choice in choices:
            pool, copies = pools[choice.position], copies_of(deployment, choice.engine)
            for demand, count in choice.way.pods:
                key = (choice.position, demand)
                pods[key] = pods.get(key, 0) + count * copies
                surge[key] = surge.get(key, 0) + count * deployment.spec.rollout.max_surge
                taken = sum(amount for kind, amount in demand if "/" not in kind)
                devices[pool.class_name] = devices.get(pool.class_name, 0) + taken * count * copies
            share = sum(count for _, count in choice.way.pods) * 10**6 if node else choice.way.share
            cost += (pool.price or 0) * share * copies // 10**6
            memory += choice.way.memory * copies
        unpriced = tuple(sorted({pools[c.position].class_name for c in choices if pools[c.position].price is None}))
        return Candidate(choices, _sorted(pods), _sorted(surge), cost, unpriced, tuple(sorted(devices.items())), memory)

    def recorded(self, deployment: Deployment, choices: Mapping[str, EngineChoice], cluster: Cluster) -> Candidate | None:
        """The candidate that an entry records, with device groups that still serve; None if some part of it is gone."""
        found = []
        for engine in deployment.engines:
            choice = choices.get(engine.name)
            position = next((i for i, pool in enumerate(cluster.pools) if choice and pool.name == choice.pool), None)
            if choice is None or position is None or len(choices) != len(deployment.engines):
                return None
            alternative = choice.alternative or ""
            if alternative not in ([a.name for a in engine.alternatives] or [""]):
                return None
            way = self.matcher.recorded(engine, alternative, cluster.pools[position].class_name, choice.devices)
            if way is None:
                return None
            found.append(Choice(engine.name, alternative, position, way))
        return self.candidate(deployment, tuple(found), cluster.pools)


def levels(deployment: Deployment) -> list[Level]:
    """The combinations of alternatives, in the user's order: fewest steps down from the first choices come first."""
    if not any(engine.alternatives for engine in deployment.engines):
        return [("",) * len(deployment.engines)]
    ranked = [list(enumerate(a.name for a in engine.alternatives)) or [(0, "")] for engine in deployment.engines]
    combined = best(ranked, lambda alternative: (alternative[0],), LEVELS)
    combined.sort(key=lambda c: (sum(i for i, _ in c), [i for i, _ in c]))
    return [tuple(name for _, name in combination) for combination in combined]


def copies_of(deployment: Deployment, name: str) -> int:
    """Copies of an engine that are charged for each replica."""
    engine = deployment.engine(name)
    assert engine is not None
    return engine.scaling.reserved if engine.scaling else engine.copies


def _sorted(pods: Mapping[tuple[int, Demand], int]) -> Pods:
    return tuple((position, demand, count) for (position, demand), count in sorted(pods.items()) if count)
