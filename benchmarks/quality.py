"""How good placements are: Cheapest and Spread against the integer optimum, on seeded small fleets.

    python -m benchmarks.quality [FLEETS]

The optimum knows all deployments at once and packs nodes exactly, as Packed accounting allows. Shortfall: replicas that it places
and we do not, of all wanted. Cost: ours over the least at which as many replicas of each deployment can be placed; under Spread, the
least at the best possible evenness. Unevenness: the sum over deployments and clusters of 1 + 2 + ... + replicas there, over its least.
Guaranteed is held against the same optimum, so that its row shows what the guarantee takes.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

import highspy
from modelfleet.place.place import place
from modelfleet.resolve import Fleet

from benchmarks import fleets

WITHIN = 1.02  # median cost
# Class: GiB of memory, devices on a node, price of a node.
CLASSES = {"l4-x4": (22, 4, 3.2), "a100-x8": (79, 8, 33.0), "h100-x8": (80, 8, 78.0), "h100-x4": (80, 4, 41.0), "h200-x8": (140, 8, 85.0)}


@dataclass(frozen=True, slots=True)
class Case:
    """pools: (cluster, class, nodes). jobs: (name, devices of a pod, least GiB, replicas)."""

    pools: tuple[tuple[str, str, int], ...]
    jobs: tuple[tuple[str, int, int, int], ...]

    def fleet(self, strategy: str, accounting: str) -> Fleet:
        manifests = [fleets.settings(strategy=strategy, accounting=accounting)]
        for name, (memory, count, price) in CLASSES.items():
            manifests.append(fleets.hardware(name, name, f"{memory}Gi", "9.0.0", count, price))
        for cluster, pools in itertools.groupby(self.pools, key=lambda pool: pool[0]):
            spec = {"nodePools": [{"name": kind, "className": kind, "nodeCount": nodes} for _, kind, nodes in pools]}
            manifests.append(fleets.head("InferenceCluster", cluster) | {"spec": spec})
        for name, size, memory, replicas in self.jobs:
            manifests.append(fleets.deployment(name, "ml", replicas, [fleets.member(size, fleets.MEMORY % f"{memory}Gi")]))
        return fleets.resolved(manifests)

    def serves(self, job: tuple[str, int, int, int], kind: str) -> bool:
        memory, count, _ = CLASSES[kind]
        return memory >= job[2] and count >= job[1]


def case(seed: int) -> Case:
    """Three to six clusters of one or two pools, six to ten deployments that ask for 50 to 110 percent of the devices."""
    rng = random.Random(seed)
    pools = []
    for i in range(rng.randint(3, 6)):
        pools += [(f"c{i}", kind, rng.randint(1, 4)) for kind in sorted(rng.sample(sorted(CLASSES), rng.randint(1, 2)))]
    most = max(CLASSES[kind][0] for _, kind, _ in pools)
    devices = rng.uniform(0.5, 1.1) * sum(CLASSES[kind][1] * nodes for _, kind, nodes in pools)
    jobs, names = [], rng.randint(6, 10)
    for i in range(names):
        size = rng.choice((1, 1, 2, 2, 4, 8))
        memory = rng.choice([m for m in (20, 20, 40, 79, 80, 140) if m <= most])
        jobs.append((f"m{i}", size, memory, max(1, round(devices / names / size))))
    return Case(tuple(pools), tuple(jobs))


Use = dict[tuple[str, int], int]  # (job, pool's position) -> replicas


def ours(found: Case, strategy: str, accounting: str) -> Use:
    """What `place()` decides."""
    fleet = found.fleet(strategy, accounting)
    position = {(cluster, kind): i for i, (cluster, kind, _) in enumerate(found.pools)}
    use: Use = {}
    for (_, name), spec in place(fleet, {}).placements.items():
        for entry in spec.replicas:
            key = (name, position[(entry.cluster, entry.engines["main"].pool)])
            use[key] = use.get(key, 0) + entry.count
    return use


def cost(found: Case, use: Use) -> float:
    """Node price times the share of the node's devices, for each replica."""
    size = {name: devices for name, devices, _, _ in found.jobs}
    return sum(n * size[job] * price(found.pools[p][1]) for (job, p), n in use.items())


def price(kind: str) -> float:
    """Of one device for an hour."""
    return CLASSES[kind][2] / CLASSES[kind][1]


def unevenness(found: Case, use: Use) -> int:
    """1 + 2 + ... + n for the n replicas of each deployment on each cluster."""
    there: dict[tuple[str, str], int] = {}
    for (job, p), n in use.items():
        key = (job, found.pools[p][0])
        there[key] = there.get(key, 0) + n
    return sum(n * (n + 1) // 2 for n in there.values())


class Optimum:
    """The integer program of a case; `x` are replicas by job and pool."""

    def __init__(self, found: Case) -> None:
        self.found = found
        self.model = highspy.Highs()  # type: ignore[no-untyped-call]
        self.model.silent()
        self.model.setOptionValue("mip_rel_gap", 0.0)
        self.x = {(job[0], p): self.model.addIntegral(0, job[3]) for job, p in self._served()}
        for job in found.jobs:
            self.model.addConstr(self.placed(job[0]) <= job[3])
        for p, (_, kind, nodes) in enumerate(found.pools):
            self._pool(p, CLASSES[kind][1], nodes)

    def _served(self) -> Iterator[tuple[tuple[str, int, int, int], int]]:
        return ((job, p) for job in self.found.jobs for p, (_, kind, _) in enumerate(self.found.pools) if self.found.serves(job, kind))

    def _pool(self, p: int, full: int, nodes: int) -> None:
        """Each node is filled in one of the ways in which no further pod fits."""
        here = [job for job, at in self._served() if at == p]
        sizes = sorted({size for _, size, _, _ in here})
        ways = list(_fillings(sizes, full))
        used = [self.model.addIntegral(0, nodes) for _ in ways]
        if ways:
            self.model.addConstr(self.model.qsum(used) <= nodes)
        for i, size in enumerate(sizes):
            room = self.model.qsum(way[i] * n for way, n in zip(ways, used, strict=True))
            self.model.addConstr(self.model.qsum(self.x[(job[0], p)] for job in here if job[1] == size) <= room)

    def placed(self, job: str) -> highspy.highs.highs_linear_expression:
        return self.model.qsum(v for (name, _), v in self.x.items() if name == job)

    def cost(self) -> highspy.highs.highs_linear_expression:
        size = {name: devices for name, devices, _, _ in self.found.jobs}
        return self.model.qsum(size[job] * price(self.found.pools[p][1]) * v for (job, p), v in self.x.items())

    def most(self) -> int:
        """Replicas that can be placed."""
        self.model.maximize(self.model.qsum(self.x.values()))
        return round(self.model.getObjectiveValue())

    def fix(self, use: Use) -> None:
        """As many of each deployment as `use` places."""
        for job, _, _, _ in self.found.jobs:
            self.model.addConstr(self.placed(job) == sum(n for (name, _), n in use.items() if name == job))

    def least_cost(self) -> float:
        self.model.minimize(self.cost())
        return float(self.model.getObjectiveValue())

    def least_unevenness(self) -> int:
        """The least there is, which holds from then on."""
        steps = []
        for job, cluster in itertools.product(self.found.jobs, sorted({c for c, _, _ in self.found.pools})):
            there = [v for (name, p), v in self.x.items() if name == job[0] and self.found.pools[p][0] == cluster]
            nth = [self.model.addIntegral(0, 1) for _ in range(job[3])] if there else []
            if there:
                self.model.addConstr(self.model.qsum(there) == self.model.qsum(nth))
            steps += [(n + 1) * v for n, v in enumerate(nth)]
        total = self.model.qsum(steps)
        self.model.minimize(total)
        least = round(self.model.getObjectiveValue())
        self.model.addConstr(total <= least)
        return least


def _fillings(sizes: list[int], full: int) -> Iterator[tuple[int, ...]]:
    """The counts of pods of each size that fill a node so that no further pod fits."""
    for way in itertools.product(*(range(full // size + 1) for size in sizes)):
        left = full - sum(n * size for n, size in zip(way, sizes, strict=True))
        if sizes and 0 <= left < sizes[0]:
            yield way


@dataclass(frozen=True, slots=True)
class Gap:
    """One fleet: replicas wanted, those the optimum places beyond ours, and ratios of cost and unevenness."""

    wanted: int
    missing: int
    cost: float
    uneven: float


def gap(found: Case, strategy: str, accounting: str) -> Gap:
    """Ours against the optimum."""
    use = ours(found, strategy, accounting)
    optimum = Optimum(found)
    missing = optimum.most() - sum(use.values())
    optimum.fix(use)
    uneven = 1.0
    if strategy == "Spread":
        uneven = unevenness(found, use) / max(1, optimum.least_unevenness())
    return Gap(sum(job[3] for job in found.jobs), missing, cost(found, use) / optimum.least_cost(), uneven)


def main(count: int = 50) -> int:
    """Prints the gaps; 1 if a median cost under Packed is above its bound."""
    cases = [case(seed) for seed in range(count)]
    late = False
    rows = []
    for accounting, strategy in itertools.product(("Packed", "Guaranteed"), ("Cheapest", "Spread")):
        gaps = [gap(found, strategy, accounting) for found in cases]
        costs, uneven = [g.cost for g in gaps], [g.uneven for g in gaps]
        short = sum(g.missing for g in gaps) / sum(g.wanted for g in gaps)
        worst = max(g.missing / g.wanted for g in gaps)
        ratios = [f"{summary(values):.3f}" for values in (costs, uneven) for summary in (median, max)]
        figures = [*ratios, f"{short:.2%}", f"{worst:.1%}", str(sum(g.missing > 0 for g in gaps))]
        rows.append(f"{strategy + ', ' + accounting:<22}" + "".join(f"{figure:>15}" for figure in figures))
        late |= accounting == "Packed" and median(costs) > WITHIN
    titles = ("cost: median", "worst", "uneven: median", "worst", "missing", "worst", "fleets")
    print(f"{'strategy, accounting':<22}" + "".join(f"{title:>15}" for title in titles))
    print(*rows, sep="\n")
    return int(late)


if __name__ == "__main__":
    sys.exit(main(*(int(argument) for argument in sys.argv[1:])))
