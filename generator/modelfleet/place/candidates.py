"""How a replica could stand on a cluster: a pool and a way for each engine, chosen jointly, capacity not yet looked at.

Clusters with like pools (class, taints, price, spot) share one list, and a cluster is listed only when it is about to be used:
to put clusters in order the best price of each kind of pool is enough. So a thousand clusters cost as much as their pools have
kinds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from ..api.deployment import Engine
from ..api.placement import EngineChoice
from ..resolve.fleet import Cluster, Deployment, Fleet, Pool
from .demand import Demand
from .demand import devices as taken
from .joint import best
from .ledger import Pods
from .match import Matcher, Miss, Way
from .tolerate import untolerated

JOINT = 256  # joint choices listed for a cluster's shape; what lies beyond is searched for with the room there is
LEVELS = 512  # combinations of alternatives that are tried

Price = tuple[bool, int]  # (a part has no declared price, millionths for an hour); see Candidate.price
Key = tuple[str, str]
Level = tuple[str, ...]  # the alternative of each engine, in their order; empty for an engine without


@dataclass(frozen=True, slots=True)
class Choice:
    """One engine's part: its alternative, the pool's position in the cluster, the way, and the copies that are charged."""

    engine: str
    alternative: str
    position: int
    way: Way
    copies: int


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
    def price(self) -> Price:
        """Sorts by cost; what has a part without a declared price comes last, as nothing says that it is cheap."""
        return (bool(self.unpriced), self.cost)

    def recorded(self, cluster: Cluster) -> dict[str, EngineChoice]:
        """The choices as a placement entry records them."""
        return {c.engine: _recorded(cluster.pools[c.position].name, c.alternative, c.way.devices) for c in self.choices}


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
    _shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    _pools: list[Pool] = field(default_factory=list)
    _kinds: dict[tuple[Key, Level], int] = field(default_factory=dict)
    _kind_numbers: dict[object, int] = field(default_factory=dict)
    _offers: dict[tuple[int, tuple[int, ...]], Offer] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kinds: dict[object, int] = {}
        for name, cluster in self.fleet.clusters.items():
            shape = []
            for pool in cluster.pools:
                kind = kinds.setdefault((pool.class_name, pool.taints, pool.spot, pool.price), len(kinds))
                if kind == len(self._pools):
                    self._pools.append(pool)
                shape.append(kind)
            self._shapes[name] = tuple(shape)

    def to(self, deployment: Deployment, level: Level) -> Callable[[Cluster], Offer]:
        """What each cluster offers `deployment` at `level`."""
        kind, known, shapes = self.kind(deployment, level), self._offers, self._shapes

        def offer(cluster: Cluster) -> Offer:
            key = (kind, shapes[cluster.name])
            found = known.get(key)
            if found is None:
                found = known[key] = self._make(deployment, level, cluster)
            return found

        return offer

    def prices(self, deployment: Deployment, level: Level, clusters: Iterable[Cluster]) -> Iterator[tuple[Cluster, Price]]:
        """Those that offer a candidate, with the best one's price."""
        if len(deployment.engines) > 1:
            offers = self.to(deployment, level)
            yield from ((cluster, found[0].price) for cluster in clusters if (found := offers(cluster).candidates))
            return
        priced = {number: price for number, pool in enumerate(self._pools) if (price := self._price(deployment, level, pool))}
        for cluster in clusters:
            best = None
            for pool in self._shapes[cluster.name]:
                price = priced.get(pool)
                if price and (best is None or price < best):
                    best = price
            if best:
                yield cluster, best

    def _price(self, deployment: Deployment, level: Level, pool: Pool) -> Price | None:
        """The least price of a replica of a deployment of one engine on a pool; None if it cannot stand there."""
        engine = deployment.engines[0]
        ways = () if self._refused(deployment, pool) else self.matcher.ways(engine, level[0], pool.class_name)
        if not ways or isinstance(ways, Miss):
            return None
        copies = copies_of(engine)
        return (pool.price is None, min(self._cost(way, pool, copies) for way in ways))

    def kind(self, deployment: Deployment, level: Level) -> int:
        """A number that deployments share whose offers are the same."""
        key = (deployment.key, level)
        if key not in self._kinds:
            spec, team = deployment.spec, self.fleet.team_of(deployment.namespace)
            engines = tuple(
                (copies_of(engine), self.matcher.kind(engine, alternative))
                for engine, alternative in zip(deployment.engines, level, strict=True)
            )
            said = (engines, spec.template.spec.tolerations, spec.placement.spot, spec.rollout.max_surge, team[0] if team else "")
            self._kinds[key] = self._kind_numbers.setdefault(said, len(self._kind_numbers))
        return self._kinds[key]

    def _make(self, deployment: Deployment, level: Level, cluster: Cluster) -> Offer:
        usable, refused = self._usable(deployment, cluster)
        if not usable:
            return Offer((), *refused)
        ways: list[list[Choice]] = []
        for engine, alternative in zip(deployment.engines, level, strict=True):
            found, misses, copies = [], [], copies_of(engine)
            for position, pool in usable:
                answer = self.matcher.ways(engine, alternative, pool.class_name)
                if isinstance(answer, Miss):
                    misses.append(answer)
                else:
                    found += [Choice(engine.name, alternative, position, way, copies) for way in answer]
            if not found:
                return Offer((), "NoMatchingClass", "; ".join(dict.fromkeys(miss.text for miss in misses)))
            ways.append(found)
        return self._joint(deployment, ways, cluster.pools)

    def _joint(self, deployment: Deployment, ways: list[list[Choice]], pools: tuple[Pool, ...]) -> Offer:
        """The best joint choices: cheapest, then least memory, then the pools' order."""

        def order(candidate: Candidate) -> tuple[object, ...]:
            return (candidate.price, candidate.memory, [choice.position for choice in candidate.choices])

        if len(ways) == 1 and len(ways[0]) <= JOINT:
            return Offer(tuple(sorted([self.candidate(deployment, (choice,), pools) for choice in ways[0]], key=order)))
        alone = {id(choice): self.candidate(deployment, (choice,), pools) for each in ways for choice in each}

        def cost(choice: Choice) -> tuple[int, ...]:
            candidate = alone[id(choice)]
            return (len(candidate.unpriced), candidate.cost, candidate.memory)

        made = sorted([self.candidate(deployment, choices, pools) for choices in best(ways, cost, JOINT)], key=order)
        many = math.prod(len(each) for each in ways) > JOINT
        return Offer(tuple(made), choices=tuple(tuple(sorted(each, key=cost)) for each in ways) if many else ())

    def _usable(self, deployment: Deployment, cluster: Cluster) -> tuple[list[tuple[int, Pool]], tuple[str, str]]:
        """The pools that the deployment may use at all, or (reason, text) of the first that refuses."""
        usable, refused = [], []
        for position, pool in enumerate(cluster.pools):
            if why := self._refused(deployment, pool):
                refused.append(why)
            else:
                usable.append((position, pool))
        reasons = sorted({reason for reason, _ in refused})
        return usable, (reasons[0] if reasons else "NoMatchingClass", "; ".join(text for _, text in refused) or "it has no pools")

    def _refused(self, deployment: Deployment, pool: Pool) -> tuple[str, str] | None:
        """(reason, text) why the deployment may not use a pool, whatever it asks for."""
        spec = deployment.spec
        if pool.taints and (taint := untolerated(pool.taints, spec.template.spec.tolerations)):
            return ("UntoleratedTaint", f"pool {pool.name} has taint {taint.key}:{taint.effect}")
        if pool.spot and spec.placement.spot == "Never":
            return ("SpotRefused", f"pool {pool.name} is spot, and placement.spot is Never")
        if not pool.spot and spec.placement.spot == "Only":
            return ("SpotRefused", f"pool {pool.name} is not spot, and placement.spot is Only")
        team = self.fleet.team_of(deployment.namespace) if self.fleet.teams else None
        if team and team[1].classes is not None and pool.class_name not in team[1].classes:
            return ("NoMatchingClass", f"team {team[0]} may not use class {pool.class_name}")
        return None

    def _cost(self, way: Way, pool: Pool, copies: int) -> int:
        """Of an engine's copies for an hour, in millionths; a pool without a price counts nothing."""
        node = self.fleet.settings.spec.placement.accounting == "Node"
        share = sum(count for _, count in way.pods) * 10**6 if node else way.share
        return (pool.price or 0) * share * copies // 10**6

    def candidate(self, deployment: Deployment, choices: tuple[Choice, ...], pools: tuple[Pool, ...]) -> Candidate:
        """The sums of a joint choice."""
        pods: dict[tuple[int, Demand], int] = {}
        surge: dict[tuple[int, Demand], int] = {}
        devices: dict[str, int] = {}
        cost = memory = 0
        for choice in choices:
            pool, copies = pools[choice.position], choice.copies
            for demand, count in choice.way.pods:
                key = (choice.position, demand)
                pods[key] = pods.get(key, 0) + count * copies
                surge[key] = surge.get(key, 0) + count * deployment.spec.rollout.max_surge
                devices[pool.class_name] = devices.get(pool.class_name, 0) + taken(demand) * count * copies
            cost += self._cost(choice.way, pool, copies)
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
            found.append(Choice(engine.name, alternative, position, way, copies_of(engine)))
        return self.candidate(deployment, tuple(found), cluster.pools)


@lru_cache(maxsize=4096)
def _recorded(pool: str, alternative: str, devices: tuple[tuple[str, str], ...]) -> EngineChoice:
    """Frozen, as the model is, and so shared by all entries that choose the same."""
    return EngineChoice.model_construct(pool=pool, alternative=alternative or None, devices=dict(devices))


def levels(deployment: Deployment) -> list[Level]:
    """The combinations of alternatives, in the user's order: fewest steps down from the first choices come first."""
    if not any(engine.alternatives for engine in deployment.engines):
        return [("",) * len(deployment.engines)]
    ranked = [list(enumerate(a.name for a in engine.alternatives)) or [(0, "")] for engine in deployment.engines]
    combined = best(ranked, lambda alternative: (alternative[0],), LEVELS)
    combined.sort(key=lambda c: (sum(i for i, _ in c), [i for i, _ in c]))
    return [tuple(name for _, name in combination) for combination in combined]


def copies_of(engine: Engine) -> int:
    """Copies of an engine that are charged for each replica."""
    return engine.scaling.reserved if engine.scaling else engine.copies


def _sorted(pods: Mapping[tuple[int, Demand], int]) -> Pods:
    return tuple((position, demand, count) for (position, demand), count in sorted(pods.items()) if count)
