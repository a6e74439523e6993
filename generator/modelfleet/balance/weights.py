"""Integer weights that keep declared shares, whatever stands behind them."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm

LIMIT = 1_000_000  # of a backendRef's weight


def weights(groups: Sequence[tuple[int, Sequence[int]]]) -> list[list[int]]:
    """A weight for each member of each group: (the group's share, the sizes of its members).

    A group's share is divided by size, exactly, and everything is reduced. Where a weight would pass 1000000 all are scaled down to it:
    each is then off by at most half of a millionth of the largest, and one that would vanish is 1. Shares and sizes are positive.
    """
    scale = lcm(*(sum(sizes) for _, sizes in groups)) if groups else 1
    exact = [[share * size * (scale // sum(sizes)) for size in sizes] for share, sizes in groups]
    common = gcd(*(weight for group in exact for weight in group)) or 1
    largest = max((weight for group in exact for weight in group), default=0) // common
    if largest <= LIMIT:
        return [[weight // common for weight in group] for group in exact]
    return [[max(1, (2 * (weight // common) * LIMIT + largest) // (2 * largest)) for weight in group] for group in exact]
