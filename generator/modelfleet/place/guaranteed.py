"""Whether pods start whatever node the cluster's own scheduler picks for each, in whatever order.

A pool is N like nodes. A pod takes its devices from one node; it may leave and come back at any time, one by one. A state
says which pods stand on which node, so that no node holds more than it has. The pods are *safe* if in every state that can
come about each pod that stands nowhere fits on some node.

**Criterion.** A node is *blocked* for a pod when it has too little left of one kind of device. Pods are safe if and only if
each fits on an empty node and for no pod t can N disjoint sets of the other pods each fit on one node and block it for t.

Necessary: if N such sets exist, start exactly these pods, each on its set's node, and then t: a scheduler may do that, as
every prefix fits, and t has no node. Sufficient: if a pod t is left without a node in some state, then what stands on the N
nodes are N disjoint sets of other pods, each fitting and blocking. (How the state came about, by starts and restarts in any
number, does not matter: only what stands counts, and pods not yet started stand nowhere.)

**Only the largest need be looked at.** If t is blocked everywhere and T takes at least as much of every kind, then T can be:
if T stands nowhere, it is. If it stands on node n, put t there instead. That fits. Before, some kind k had
used > G - t[k] there; now used - T[k] + t[k] > G - T[k]: blocked for T. The other nodes were blocked for t, so they are for T.

**One kind of device.** With T the largest, a set that blocks and of which no pod can be spared holds at most
(G - T) + T = G, so it always fits. What is left is to cover N nodes with at least G - T + 1 devices each (bin covering).

**How it is decided.** The sets of which no pod can be spared are listed: they depend on sizes alone. A pod that blocks a node
by itself is set aside, as it is worth exactly one node. For the others: weights under which every set weighs at least one
unit bound the number of sets from above, picking sets one after the other bounds it from below; if the two disagree, the
linear relaxation gives the best weights and a better pick; if those disagree, an exhaustive search decides.

**Several kinds.** The same criterion is exact for them; only the sets are more. A kind that is never the first to run out,
because every pod takes a smaller share of it than of another kind, is left out first: a set that fits by the other fits.

**What is lost.** Past MAX_SIZES sizes, MAX_WAYS sets or MAX_TRIES in listing them only the weights of `_volume` are asked: a
node counts as blocked once the largest shares of its pods, each in whichever kind it is largest, add up to 1. Past MAX_STEPS
of the search the answer is "not safe". Either may refuse what is safe and never admits what is not. One kind with up to 32
devices stays below the first three, as do several kinds with a few sizes, and the search is hardly ever begun. Elsewhere the
answer is exact, and therefore monotone: with more pods, what was not safe never becomes safe.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd, lcm

from .demand import Demand
from .packing import Size, decisive
from .simplex import maximum

MAX_SIZES = 24  # of pods that do not block a node alone
MAX_WAYS = 1_500  # sets listed for one largest pod; their number bounds the work of one answer
MAX_TRIES = 10_000  # sets looked at to list them; of several kinds, which are often asked for in ever new sizes, a fifth
MAX_STEPS = 500  # choices of the exhaustive search
MAX_BOUNDS = 16  # weights remembered for one list of sets


def safe(pods: Mapping[Demand, int], nodes: int, capacity: Mapping[str, int]) -> bool:
    """Whether no order, choice of nodes or restart leaves one of `pods` (count of each demand) without a node.

    nodes: like nodes, each with `capacity` devices of each group. Without nodes only no pods are safe.
    """
    counts = [(demand, count) for demand, count in pods.items() if count > 0]
    if sum([count for _, count in counts]) <= nodes:  # the others are too few to stand on every node
        return all(amount <= capacity.get(kind, 0) for demand, _ in counts for kind, amount in demand)
    kinds = sorted({group for demand, _ in counts for group, _ in demand})
    full = tuple([capacity.get(kind, 0) for kind in kinds])
    sizes = [(tuple([dict(demand).get(kind, 0) for kind in kinds]), count) for demand, count in counts]
    sizes.sort(reverse=True)
    return _safe(tuple(sizes), nodes, full)


@lru_cache(maxsize=65_536)
def _safe(counts: tuple[tuple[Size, int], ...], nodes: int, full: Size) -> bool:
    """`safe` of pods by size; the larger in tuple order come first."""
    if not counts:
        return True
    if nodes <= 0 or any(taken > there for size, _ in counts for taken, there in zip(size, full, strict=True)):
        return False
    counts, full = decisive(counts, full)
    if any(sum(size[kind] * count for size, count in counts) > there * nodes for kind, there in enumerate(full)):
        return False
    return not any(_blocked(largest, counts, nodes, full) for largest in _largest(counts))


def _largest(counts: Sequence[tuple[Size, int]]) -> list[Size]:
    """The sizes that no other exceeds in one kind and equals or exceeds in all."""
    found: list[Size] = []
    for size, _ in counts:  # what dominates a size comes before it
        if not any(all(a >= b for a, b in zip(other, size, strict=True)) for other in found):
            found.append(size)
    return found


def _blocked(pod: Size, counts: Sequence[tuple[Size, int]], nodes: int, full: Size) -> bool:
    """Whether the others of `counts` can block all nodes for one pod of size `pod`."""
    sizes, supply, free = [], [], nodes
    for size, count in counts:
        others = count - (size == pod)
        if _blocks(size, pod, full):
            free -= others
        elif others and any(size):
            sizes.append(size)
            supply.append(others)
    if free <= 0 or not sizes:
        return free <= 0
    return _blocking(tuple(sizes), pod, full).allows(supply, free)


def _blocks(load: Size, pod: Size, full: Size) -> bool:
    """Whether a node that holds `load` has no room for `pod`."""
    return any(used + taken > there for used, taken, there in zip(load, pod, full, strict=True))


@dataclass(frozen=True, slots=True)
class Blocking:
    """How pods of some sizes block a node. ways: sets of which none can be spared, by how often each size is in them,
    least weight first; None: too many. bounds: (weights, unit) under which every such set weighs at least a unit; more are
    learned, which changes how fast an answer is found and not which."""

    ways: tuple[tuple[int, ...], ...] | None
    bounds: list[tuple[tuple[int, ...], int]]
    sparse: tuple[tuple[tuple[int, int], ...], ...] = ()

    def allows(self, supply: Sequence[int], nodes: int) -> bool:
        """Whether the supply has disjoint sets for `nodes` nodes; True also when that is not known."""
        if any(_weight(weights, supply) < nodes * unit for weights, unit in self.bounds):
            return False
        if self.ways is None or self._picked(supply) >= nodes:
            return True
        best = maximum(self.ways, supply)
        bound = (best.weights, best.unit)
        if bound not in self.bounds:
            del self.bounds[MAX_BOUNDS:]
            self.bounds.insert(1, bound)
        if _weight(best.weights, supply) < nodes * best.unit:
            return False
        rest = [there - sum(n * way[i] for n, way in zip(best.uses, self.ways, strict=True) if n) for i, there in enumerate(supply)]
        if sum(best.uses) + self._picked(rest) >= nodes:
            return True
        return _Search(self, (self.bounds[0], bound)).finds(list(supply), nodes, 0)

    def _picked(self, supply: Sequence[int]) -> int:
        """Sets found by taking each way as often as possible, in order."""
        left, found = list(supply), 0
        for way in self.sparse:
            times = min([left[i] // n for i, n in way])
            if times:
                found += times
                for i, n in way:
                    left[i] -= times * n
        return found


@dataclass(slots=True)
class _Search:
    """Exhaustive: every number of uses of every way. Bounds are given, so that its steps depend on the question alone."""

    blocking: Blocking
    bounds: tuple[tuple[tuple[int, ...], int], ...]
    steps: int = 0

    def finds(self, supply: list[int], nodes: int, first: int) -> bool:
        """Whether ways from `first` on yield `nodes` sets; True past MAX_STEPS."""
        if any(_weight(weights, supply) < nodes * unit for weights, unit in self.bounds):
            return False
        if self.blocking._picked(supply) >= nodes:
            return True
        for index, way in enumerate(self.blocking.sparse[first:], first):
            for times in range(min(supply[i] // n for i, n in way), 0, -1):
                self.steps += 1
                if self.steps > MAX_STEPS:
                    return True
                rest = list(supply)
                for i, n in way:
                    rest[i] -= times * n
                if self.finds(rest, nodes - times, index + 1):
                    return True
        return False


def _weight(weights: Sequence[int], supply: Sequence[int]) -> int:
    return sum([weight * count for weight, count in zip(weights, supply, strict=True)])


@lru_cache(maxsize=4_096)
def _blocking(sizes: tuple[Size, ...], pod: Size, full: Size) -> Blocking:
    """The ways in which pods of `sizes`, none of which blocks a node alone, block one for `pod`."""
    weights, unit = _volume(sizes, pod, full)
    if len(sizes) > MAX_SIZES:
        return Blocking(None, [(weights, unit)])
    found: list[tuple[int, ...]] = []
    most = MAX_TRIES if len(full) == 1 else MAX_TRIES // 5
    for tries, way in enumerate(_ways(sizes, pod, full)):
        if way is not None:
            found.append(way)
        if len(found) > MAX_WAYS or tries > most:
            return Blocking(None, [(weights, unit)])
    found.sort(key=lambda way: (_weight(weights, way), [-n for n in way]))
    sparse = tuple(tuple((i, n) for i, n in enumerate(way) if n) for way in found)
    return Blocking(tuple(found), [(weights, unit)], sparse)


def _volume(sizes: Sequence[Size], pod: Size, full: Size) -> tuple[tuple[int, ...], int]:
    """Weights, and a unit that no blocking set is below: the largest share of what a node must hold to be blocked, by kind.

    In the kind that blocks, the shares of the set add up to 1 or more. As every weight is a multiple of their greatest common
    divisor, so is what a set weighs.
    """
    needs = [there - taken + 1 if taken else 0 for taken, there in zip(pod, full, strict=True)]
    unit = lcm(*(need for need in needs if need))
    weights = tuple(max(taken * unit // need for taken, need in zip(size, needs, strict=True) if need) for size in sizes)
    common = gcd(*weights)
    return weights, -(-unit // common) * common if common else unit


def _ways(sizes: Sequence[Size], pod: Size, full: Size) -> Iterator[tuple[int, ...] | None]:
    """Every set that fits on a node, blocks it for `pod` and of which no pod can be spared; None for a step that found none."""

    def step(chosen: tuple[int, ...], load: Size) -> Iterator[tuple[int, ...] | None]:
        size = sizes[len(chosen)]
        count = 0
        while all(used <= there for used, there in zip(load, full, strict=True)):
            way = (*chosen, count)
            if _blocks(load, pod, full):
                yield (*way, *[0] * (len(sizes) - len(way))) if minimal(way, load) else None
                return
            if len(way) < len(sizes):
                yield from step(way, load)
            load = tuple(used + taken for used, taken in zip(load, size, strict=True))
            count += 1
            yield None

    def minimal(way: tuple[int, ...], load: Size) -> bool:
        spared = (tuple(used - taken for used, taken in zip(load, size, strict=True)) for size, n in zip(sizes, way, strict=False) if n)
        return not any(_blocks(less, pod, full) for less in spared)

    yield from step((), (0,) * len(full))
