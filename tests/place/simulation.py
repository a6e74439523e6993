"""A pool of nodes simulated state by state: the slow truth about what a scheduler can do to a set of pods.

It knows nothing of the criterion: it starts and stops pods one by one, on every node where they fit, until no new state
comes about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Size = tuple[int, ...]  # devices of each kind
Node = tuple[int, ...]  # pods of each size that stand on it


class Stuck(NamedTuple):
    """A state in which a pod has no node: the pods on each node, and the index of that pod's size."""

    nodes: tuple[Node, ...]
    pod: int


def find_stuck(sizes: Sequence[Size], counts: Sequence[int], nodes: int, full: Size, limit: int = 1_000_000) -> Stuck | None:
    """A reachable state in which one of the pods that stand nowhere fits nowhere; None if there is none.

    Nodes are alike, so states that differ in their order are one. Past `limit` states: OverflowError.
    """
    start = ((0,) * len(sizes),) * nodes
    seen, todo = {start}, [start]
    while todo:
        state = todo.pop()
        for pod in range(len(sizes)):
            standing = sum(node[pod] for node in state)
            after = _starts(state, pod, sizes, full) if standing < counts[pod] else None
            if after == []:
                return Stuck(state, pod)
            for new in (after or []) + _stops(state, pod):
                if new not in seen:
                    seen.add(new)
                    todo.append(new)
        if len(seen) > limit:
            raise OverflowError(f"more than {limit} states")
    return None


def _starts(state: tuple[Node, ...], pod: int, sizes: Sequence[Size], full: Size) -> list[tuple[Node, ...]]:
    found = []
    for index, node in enumerate(state):
        if index and node == state[index - 1]:
            continue
        used = [sum(n * size[kind] for n, size in zip(node, sizes, strict=True)) for kind in range(len(full))]
        if all(a + b <= there for a, b, there in zip(used, sizes[pod], full, strict=True)):
            found.append(_with(state, index, pod, 1))
    return found


def _stops(state: tuple[Node, ...], pod: int) -> list[tuple[Node, ...]]:
    return [_with(state, index, pod, -1) for index, node in enumerate(state) if node[pod]]


def _with(state: tuple[Node, ...], index: int, pod: int, change: int) -> tuple[Node, ...]:
    node = state[index]
    changed = (*node[:pod], node[pod] + change, *node[pod + 1 :])
    return tuple(sorted((*state[:index], changed, *state[index + 1 :])))
