"""Exact linear programs over few sizes of pods, in integers.

How many nodes given pods can block is an integer program; this is its relaxation. It decides nearly every case alone: its
weights prove that more is impossible, its uses nearly always that this much is possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Way = Sequence[int]


@dataclass(frozen=True, slots=True)
class Optimum:
    """Best use of the ways, and the proof that there is no better one.

    uses: how often each way is used, fractions dropped. weights, unit: no size weighs less than 0, every way weighs at
    least `unit`, and the supply weighs `unit` times the optimum: a supply below n * unit never allows n uses.
    """

    uses: tuple[int, ...]
    weights: tuple[int, ...]
    unit: int


def maximum(ways: Sequence[Way], supply: Sequence[int]) -> Optimum:
    """Most ways at once, fractions allowed: max sum(x), where way j takes ways[j][i] pods of size i and supply[i] are there.

    A way takes at least one pod; no entry is negative. Ends on every input, by Bland's rule.
    """
    table = [[way[i] for way in ways] + [there] for i, there in enumerate(supply)]
    table.append([-1] * len(ways) + [0])
    # A label below len(ways) is that way, any other the slack of a size. Rows hold what is used, columns what is not.
    row_of, column_of = [len(ways) + i for i in range(len(supply))], list(range(len(ways)))
    unit = 1
    while improving := [(label, c) for c, label in enumerate(column_of) if table[-1][c] < 0]:
        column = min(improving)[1]
        row = _leaving(table, row_of, column)
        row_of[row], column_of[column] = column_of[column], row_of[row]
        unit = _exchange(table, row, column, unit)
    uses, weights = [0] * len(ways), [0] * len(supply)
    for r, label in enumerate(row_of):
        if label < len(ways):
            uses[label] = table[r][-1] // unit
    for c, label in enumerate(column_of):
        if label >= len(ways):
            weights[label - len(ways)] = table[-1][c]
    return Optimum(tuple(uses), tuple(weights), unit)


def _leaving(table: list[list[int]], row_of: list[int], column: int) -> int:
    """The row that limits the column most; of equals the least label."""
    best = -1
    for r, label in enumerate(row_of):
        if table[r][column] <= 0:
            continue
        if best >= 0:
            difference = table[r][-1] * table[best][column] - table[best][-1] * table[r][column]
            if difference > 0 or (difference == 0 and label > row_of[best]):
                continue
        best = r
    return best


def _exchange(table: list[list[int]], row: int, column: int, unit: int) -> int:
    """Swaps a row with a column. Entries are numerators over one unit, which stay whole; the new unit is returned."""
    pivot, source = table[row][column], table[row]
    for r, line in enumerate(table):
        if r == row:
            continue
        factor = line[column]
        if factor or pivot != unit:
            table[r] = [(a * pivot - factor * b) // unit for a, b in zip(line, source, strict=True)]
        table[r][column] = -factor
    source[column] = unit
    return pivot
