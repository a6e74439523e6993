"""Whether pods can be put on the nodes of a pool so that all fit: what a scheduler that packs would find.

A pod takes its devices from one node, and nodes are alike, so the answer depends on the sizes of pods and not on how many
pods or nodes there are. Best-fit decreasing nearly always finds a packing. When it does not, the relaxation over all sets
of pods that fill a node either proves that there is none, or is rounded to one; else an exhaustive search decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .demand import Demand
from .simplex import maximum

MAX_SIZES = 24  # of pods, for which the sets that fill a node are listed
MAX_WAYS = 1_500  # such sets; their number bounds the work of one answer
MAX_TRIES = 10_000  # sets looked at to list them
MAX_STEPS = 500  # choices of the exhaustive search

Size = tuple[int, ...]  # devices of each kind


def packs(pods: Mapping[Demand, int], nodes: int, capacity: Mapping[str, int]) -> bool:
    """Whether some packing of `pods` (count of each demand) on `nodes` like nodes of `capacity` devices exists.

    Exact, and therefore monotone, up to the limits above; past them a packing may be missed, and none is made up. A group
    that `capacity` lacks has no devices. Without nodes only no pods fit.
    """
    counts = [(demand, count) for demand, count in pods.items() if count > 0]
    kinds = sorted({group for demand, _ in counts for group, _ in demand})
    full = tuple([capacity.get(kind, 0) for kind in kinds])
    sizes = [(tuple([dict(demand).get(kind, 0) for kind in kinds]), count) for demand, count in counts]
    if not sizes or nodes <= 0:
        return not sizes
    if any(taken > there for size, _ in sizes for taken, there in zip(size, full, strict=True)):
        return False
    if any(sum([size[kind] * count for size, count in sizes]) > there * nodes for kind, there in enumerate(full)):
        return False
    counted, full = decisive(sizes, full)
    ordered = sorted((item for item in counted if any(item[0])), key=lambda item: (_shares(item[0], full), item[0]), reverse=True)
    return _best_fit(ordered, nodes, full) or _decided(tuple(ordered), nodes, full)


def largest_block(pods: Mapping[Demand, int], nodes: int, capacity: Mapping[str, int], group: str) -> int:
    """Most devices of `group` that one more pod could get on a single node."""
    enough, tight = 0, capacity.get(group, 0) + 1
    while tight - enough > 1:
        size = (enough + tight) // 2
        demand: Demand = ((group, size),)
        if packs({**pods, demand: pods.get(demand, 0) + 1}, nodes, capacity):
            enough = size
        else:
            tight = size
    return enough


def decisive(counts: Sequence[tuple[Size, int]], full: Size) -> tuple[tuple[tuple[Size, int], ...], Size]:
    """The same pods and nodes without the kinds of which every pod takes at most the share that it takes of a kind that is kept.

    Every pod fits on an empty node.
    """
    kept = list(range(len(full)))
    for kind in reversed(range(len(full))):
        others = [other for other in kept if other != kind]
        if any(all(size[kind] * full[other] <= size[other] * full[kind] for size, _ in counts) for other in others):
            kept = others
    merged: dict[Size, int] = {}
    for size, count in counts:
        less = tuple([size[kind] for kind in kept])
        merged[less] = merged.get(less, 0) + count
    return tuple(sorted(merged.items(), reverse=True)), tuple([full[kind] for kind in kept])


def _shares(size: Size, full: Size) -> float:
    """What a pod takes of a node, all kinds alike: 1 for a whole one of a single kind."""
    return sum([taken / there for taken, there in zip(size, full, strict=True) if there])


def _best_fit(sizes: Sequence[tuple[Size, int]], nodes: int, full: Size) -> bool:
    """Whether putting each pod, in order, on the fullest node with room packs all. A state is a count of nodes by what is left."""
    state = {full: nodes}
    for size, count in sizes:
        left = count
        while left:
            fitting = [room for room, n in state.items() if n and all(a >= b for a, b in zip(room, size, strict=True))]
            if not fitting:
                return False
            best = min(fitting, key=lambda room: (_shares(room, full), room))
            # The node stays the fullest while it has room; as many like it are filled the same way.
            each = min(left, *(a // b for a, b in zip(best, size, strict=True) if b))
            times = min(state[best], left // each)
            rest = tuple([a - b * each for a, b in zip(best, size, strict=True)])
            state[best] -= times
            state[rest] = state.get(rest, 0) + times
            left -= times * each
    return True


@lru_cache(maxsize=65_536)
def _decided(sizes: tuple[tuple[Size, int], ...], nodes: int, full: Size) -> bool:
    """`packs` of pods that best fit leaves over: by the relaxation, by its rounding, by search."""
    demands, supply = tuple(size for size, _ in sizes), tuple(count for _, count in sizes)
    most = tuple(min(count, *(a // b for a, b in zip(full, size, strict=True) if b)) for size, count in sizes)
    ways = _fillings(demands, most, full)
    if ways is None:
        return False
    # Worths of sizes under which no set on a node is worth more than 1, and all pods as much as possible: nodes they need.
    by_size = [[way[i] for way in ways] for i in range(len(demands))]
    best = maximum(by_size, [1] * len(ways), supply)
    if sum(best.weights) > nodes * best.unit:
        return False
    search = _Search(demands, full, ways, best.values, best.unit)
    # The weights of the sets are the nodes they fill, in fractions.
    rest, free = supply, nodes
    for way, weight in zip(ways, best.weights, strict=True):
        if weight >= best.unit:
            rest, free = _without(rest, way, weight // best.unit), free - weight // best.unit
    return search.best_fit(rest, free) or search.finds(supply, nodes, 0)


@dataclass(slots=True)
class _Search:
    """Exhaustive: every number of nodes filled in every way. worths, unit: what no node can hold more than a unit of."""

    demands: tuple[Size, ...]
    full: Size
    ways: Sequence[tuple[int, ...]]
    worths: tuple[int, ...]
    unit: int
    steps: int = 0

    def best_fit(self, supply: tuple[int, ...], nodes: int) -> bool:
        return _best_fit([(size, n) for size, n in zip(self.demands, supply, strict=True) if n], nodes, self.full)

    def finds(self, supply: tuple[int, ...], nodes: int, first: int) -> bool:
        """Whether ways from `first` on take all pods; False past MAX_STEPS."""
        if nodes < 0 or sum([worth * n for worth, n in zip(self.worths, supply, strict=True)]) > nodes * self.unit:
            return False
        if self.best_fit(supply, nodes):
            return True
        for index, way in enumerate(self.ways[first:], first):
            useful = max((-(-n // each) for n, each in zip(supply, way, strict=True) if each), default=0)
            for times in range(min(nodes, useful), 0, -1):
                self.steps += 1
                if self.steps > MAX_STEPS:
                    return False
                if self.finds(_without(supply, way, times), nodes - times, index + 1):
                    return True
        return False


def _without(supply: tuple[int, ...], way: tuple[int, ...], times: int) -> tuple[int, ...]:
    return tuple([max(0, n - times * each) for n, each in zip(supply, way, strict=True)])


@lru_cache(maxsize=4_096)
def _fillings(demands: tuple[Size, ...], most: tuple[int, ...], full: Size) -> tuple[tuple[int, ...], ...] | None:
    """The sets of at most `most` pods of each size that a node holds and to which none can be added; None: too many."""
    if len(demands) > MAX_SIZES:
        return None
    found: list[tuple[int, ...]] = []
    for tries, way in enumerate(_sets(demands, most, full, ())):
        if way is not None:
            found.append(way)
        if len(found) > MAX_WAYS or tries > MAX_TRIES:
            return None
    return tuple(found)


def _sets(demands: tuple[Size, ...], most: tuple[int, ...], room: Size, chosen: tuple[int, ...]) -> Iterator[tuple[int, ...] | None]:
    """The maximal sets that begin with `chosen`, those with most of the first sizes first; None for a step that found none."""
    index = len(chosen)
    if index == len(demands):
        spare = [n < upto and _holds(room, size, 1) for n, upto, size in zip(chosen, most, demands, strict=True)]
        yield None if any(spare) else chosen
        return
    for count in range(most[index], -1, -1):
        if _holds(room, demands[index], count):
            rest = tuple([a - b * count for a, b in zip(room, demands[index], strict=True)])
            yield from _sets(demands, most, rest, (*chosen, count))


def _holds(room: Size, size: Size, count: int) -> bool:
    return all([a >= b * count for a, b in zip(room, size, strict=True)])
