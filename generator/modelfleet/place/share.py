"""Fleet totals of an autoscaled deployment, dealt out to its entries."""

from __future__ import annotations

from ..resolve.fleet import Deployment


def shares(deployment: Deployment, counts: list[int]) -> list[tuple[int, int | None]]:
    """(minimum, maximum) for each live entry, in their order. Fixed: minimum is the count, no maximum.

    Autoscaled: the fleet's minimum and what lies above the reserved number are divided evenly, the remainder going to the
    first entries; no minimum passes its entry's count.
    """
    scaling = deployment.spec.scaling
    if scaling is None:
        return [(count, None) for count in counts]
    floors = _deal(min(scaling.min_replicas, sum(counts)), counts)
    above = _deal(scaling.max_replicas - scaling.reserved, [scaling.max_replicas] * len(counts))
    return [(floor, count + more) for floor, count, more in zip(floors, counts, above, strict=True)]


def _deal(total: int, limits: list[int]) -> list[int]:
    """Deals `total` out one by one in turn, nobody above the limit."""
    dealt = [0] * len(limits)
    while total > 0 and any(d < limit for d, limit in zip(dealt, limits, strict=True)):
        for index, limit in enumerate(limits):
            if total and dealt[index] < limit:
                dealt[index] += 1
                total -= 1
    return dealt
