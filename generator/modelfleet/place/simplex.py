"""Exact linear programs with few rows, in integers.

Which sets of pods fill or block how many nodes is an integer program over few sizes of pods. Its relaxation decides nearly
every case by itself: the weights below prove that more is impossible, the uses nearly always that this much is possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

Ways = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Optimum:
    """Best use of the ways within the supply.

    uses: (way, whole times it is used), fractions dropped. weights, unit: every way weighs at least `unit`, and the whole
    supply weighs exactly `unit` times the optimum, so that no supply of less than n * unit weight allows n uses.
    """

    uses: tuple[tuple[int, int], ...]
    weights: tuple[int, ...]
    unit: int


def maximum(ways: Ways, supply: Sequence[int]) -> Optimum:
    """Most ways at once, fractions allowed: max sum(x) with sum(x[j] * ways[j][i]) <= supply[i], x >= 0.

    ways[j][i]: how many pods of size i way j uses, not all 0; supply[i] >= 0. Terminates on every input (Bland's rule).
    """
    rows = [[way[i] for way in ways] + [supply[i]] for i in range(len(supply))]
    rows.append([-1] * len(ways) + [0])
    inside, outside, unit = [len(ways) + i for i in range(len(supply))], list(range(len(ways))), 1
    while True:
        entering = min((v, j) for j, v in enumerate(outside) if rows[-1][j] < 0)[1] if min(rows[-1][:-1], default=0) < 0 else None
        if entering is None:
            return _optimum(rows, inside, outside, unit, len(ways))
        leaving = _leaving(rows, inside, entering)
        _exchange(rows, leaving, entering, unit)
        unit = rows[leaving][entering]
        rows[leaving][entering], unit = unit, unit
