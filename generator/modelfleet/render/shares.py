"""The part of a fleet's number that falls to a workload: every cluster computes its own from the one record, and the parts add up."""

from __future__ import annotations

from collections.abc import Sequence

from ..api.placement import PlacementEntry
from .workload import Workload


def part(workload: Workload, total: int) -> int:
    """Copies of a workload, when the fleet is to have `total` replicas of the deployment.

    Of an engine that scales by itself `total` are copies in each replica.
    """
    if workload.engine.scaling:
        return total * workload.replicas_here
    return sum(entries_part(workload.placement.replicas, total, entry) for entry in workload.entries) * workload.engine.copies


def entries_part(entries: Sequence[PlacementEntry], total: int, entry: PlacementEntry) -> int:
    """How many of `total` replicas stand in `entry`.

    Up to the entries' minimums each gets in proportion to its minimum, then in proportion to what is left to its count, then to its
    maximum; never more. A retiring entry counts for nothing and keeps its minimum.
    """
    if entry.retiring:
        return entry.minimum
    staying = [other for other in entries if not other.retiring]
    ladder = [(0, e.minimum, e.count, e.count if e.maximum is None else e.maximum) for e in staying]
    found = [0] * len(staying)
    for step in (1, 2, 3):
        room = [rungs[step] - rungs[step - 1] for rungs in ladder]
        given = _divided(min(total, sum(room)), room)
        found = [have + more for have, more in zip(found, given, strict=True)]
        total -= sum(given)
    return found[next(index for index, other in enumerate(staying) if other is entry)]


def _divided(amount: int, room: Sequence[int]) -> list[int]:
    """`amount` in proportion to `room` by largest remainder, the first of equals before the others."""
    whole = sum(room)
    if not whole:
        return [0] * len(room)
    found = [amount * part // whole for part in room]
    order = sorted(range(len(room)), key=lambda index: (-(amount * room[index] % whole), index))
    for index in order[: amount - sum(found)]:
        found[index] += 1
    return found
