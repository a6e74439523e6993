"""Whether pods fit on the nodes of a pool, device by device.

A pod needs all its devices on one node. Nodes are alike, so a state is a count of nodes for each residue, and the work
depends on the kinds of pods and not on how many nodes or pods there are.
"""

from __future__ import annotations

from collections.abc import Mapping

from .demand import Demand

EXACT_STEPS = 20_000  # bound of the exact search, in placements tried

Residue = tuple[int, ...]


def packs(pods: Mapping[Demand, int], nodes: int, capacity: Mapping[str, int]) -> bool:
    """Whether some packing of `pods` (count of each demand) on `nodes` nodes of `capacity` exists.

    Best-fit decreasing first; when it fails, exact search within EXACT_STEPS, so that small pools get the true answer.
    """
    kinds = tuple(sorted(capacity))
    sizes = _sizes(pods, kinds)
    full = tuple(capacity[k] for k in kinds)
    if any(s > f for size, _ in sizes for s, f in zip(size, full, strict=True)):
        return False
    if any(sum(size[i] * n for size, n in sizes) > full[i] * nodes for i in range(len(kinds))):
        return False
    return _best_fit(sizes, nodes, full) or _exact(sizes, nodes, full)


def largest_block(pods: Mapping[Demand, int], nodes: int, capacity: Mapping[str, int], group: str) -> int:
    """Most devices of `group` that one more pod could get on a single node."""
    for size in range(capacity.get(group, 0), 0, -1):
        demand: Demand = ((group, size),)
        if packs({**pods, demand: pods.get(demand, 0) + 1}, nodes, capacity):
            return size
    return 0


def _sizes(pods: Mapping[Demand, int], kinds: tuple[str, ...]) -> list[tuple[Residue, int]]:
    """(devices of each kind, pods), largest first."""
    sizes: dict[Residue, int] = {}
    for demand, count in pods.items():
        taken = dict(demand)
        size = tuple(taken.get(k, 0) for k in kinds)
        sizes[size] = sizes.get(size, 0) + count
    return sorted(((s, n) for s, n in sizes.items() if n > 0), key=lambda item: (-sum(item[0]), item[0]))


def _best_fit(sizes: list[tuple[Residue, int]], nodes: int, full: Residue) -> bool:
    state = {full: nodes}
    for size, count in sizes:
        left = count
        while left:
            fitting = [r for r, n in state.items() if n and all(a >= b for a, b in zip(r, size, strict=True))]
            if not fitting:
                return False
            best = min(fitting, key=lambda r: (sum(r), r))
            # As many pods as go on one node of this residue, on as many such nodes as are needed.
            each = min(a // b for a, b in zip(best, size, strict=True) if b)
            take = min(state[best], max(1, left // each))
            on_each = min(each, left)
            rest = tuple(a - b * on_each for a, b in zip(best, size, strict=True))
            state[best] -= take
            state[rest] = state.get(rest, 0) + take
            left -= take * on_each
    return True


def _exact(sizes: list[tuple[Residue, int]], nodes: int, full: Residue) -> bool:
    """Depth-first over nodes, each filled in every maximal way; remembered by what is left; False past the bound."""
    demands = [size for size, _ in sizes]
    steps = 0
    seen: set[tuple[tuple[int, ...], int]] = set()

    def place(left: tuple[int, ...], free_nodes: int) -> bool:
        nonlocal steps
        if not any(left):
            return True
        if not free_nodes or (left, free_nodes) in seen:
            return False
        seen.add((left, free_nodes))
        for filled in _fillings(demands, left, full):
            steps += 1
            if steps > EXACT_STEPS:
                return False
            if place(tuple(a - b for a, b in zip(left, filled, strict=True)), free_nodes - 1):
                return True
        return False

    # Deeper than this the recursion would be the bound; such pools are far beyond exact search anyway.
    return nodes <= 200 and place(tuple(n for _, n in sizes), nodes)


def _fillings(demands: list[Residue], left: tuple[int, ...], full: Residue) -> list[tuple[int, ...]]:
    """The maximal sets of pods that one node holds and that contain a pod of the largest kind left."""
    first = next(i for i, n in enumerate(left) if n)
    found: list[tuple[int, ...]] = []

    def step(index: int, chosen: tuple[int, ...], room: Residue) -> None:
        if index == len(demands):
            maximal = all(chosen[i] == left[i] or any(r < d for r, d in zip(room, demands[i], strict=True)) for i in range(len(demands)))
            if maximal:
                found.append(chosen)
            return
        size = demands[index]
        most = min([left[index]] + [r // s for r, s in zip(room, size, strict=True) if s])
        for count in range(most, -1 if index != first else 0, -1):
            step(index + 1, (*chosen, count), tuple(r - s * count for r, s in zip(room, size, strict=True)))

    step(0, (), full)
    return found
