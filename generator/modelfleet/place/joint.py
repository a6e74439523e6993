"""Choosing one thing from each of several lists, without looking at every combination."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
Cost = tuple[int, ...]


def best(lists: Sequence[Sequence[T]], cost: Callable[[T], Cost], most: int) -> list[tuple[T, ...]]:
    """The `most` combinations of least cost, the costs of their parts added up by position; equal ones in the order of the lists."""
    if len(lists) == 1:
        return [(item,) for item in sorted(lists[0], key=cost)[:most]]
    ranked = [sorted(each, key=cost) for each in lists]
    if not all(ranked):
        return []

    def total(at: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(map(sum, zip(*(cost(each[i]) for each, i in zip(ranked, at, strict=True)), strict=True)))

    start = (0,) * len(ranked)
    heap = [(total(start), start)]
    found: list[tuple[T, ...]] = []
    while heap and len(found) < most:
        _, at = heapq.heappop(heap)
        found.append(tuple(each[i] for each, i in zip(ranked, at, strict=True)))
        # A combination is reached from the one before it in the last list in which it is not at the beginning.
        last = max((n for n, i in enumerate(at) if i), default=0)
        for n in range(last, len(at)):
            if at[n] + 1 < len(ranked[n]):
                following = (*at[:n], at[n] + 1, *at[n + 1 :])
                heapq.heappush(heap, (total(following), following))
    return found


def fitting(lists: Sequence[Sequence[T]], fits: Callable[[tuple[T, ...]], bool], most: int) -> Iterator[tuple[T, ...]]:
    """Combinations of which every part fits, depth first, after at most `most` questions; what does not fit is not gone into.

    fits: of some things, at most one from each list; fewer never fit worse. Lists with few that fit alone come first.
    """
    asked = itertools.count()

    def ask(chosen: dict[int, T]) -> bool:
        return next(asked) < most and fits(tuple(chosen[n] for n in sorted(chosen)))

    alone = {n: [item for item in each if ask({n: item})] for n, each in enumerate(lists)}
    order = sorted(alone, key=lambda n: (len(alone[n]), n))

    def step(depth: int, chosen: dict[int, T]) -> Iterator[tuple[T, ...]]:
        if depth == len(order):
            yield tuple(chosen[n] for n in sorted(chosen))
            return
        for item in alone[order[depth]]:
            more = {**chosen, order[depth]: item}
            if ask(more):
                yield from step(depth + 1, more)

    if all(alone.values()):
        yield from step(0, {})
