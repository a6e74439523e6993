"""Exact linear programs over few sizes of pods, in integers.

How many nodes given pods can block, and how few can hold them, are integer programs; this is their relaxation. It decides
nearly every case alone: its weights prove that better is impossible, its uses nearly always that this much is possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Way = Sequence[int]


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best use of the ways and the proof that there is no better one, both as numerators over `unit`.

    values: how often each way is used. weights: of each size, none below 0; every way weighs at least its gain, and the
    supply weighs what the uses gain. So no uses of any supply gain more than it weighs.
    """

    values: tuple[int, ...]
    weights: tuple[int, ...]
    unit: int

    @property
    def uses(self) -> tuple[int, ...]:
        """How often each way is used, fractions dropped."""
        return tuple(value // self.unit for value in self.values)


def maximum(ways: Sequence[Way], supply: Sequence[int], gains: Sequence[int] = ()) -> Optimum:
    """Most gain, fractions allowed: max sum(gains[j] * x[j]), where way j takes ways[j][i] pods of size i and supply[i] are there.

    A way takes at least one pod and, if nothing is said, gains 1; no entry is negative. Ends on every input, by Bland's rule.
    """
    table = [[way[i] for way in ways] + [there] for i, there in enumerate(supply)]
    table.append([-gain for gain in gains or [1] * len(ways)] + [0])
    # A label below len(ways) is that way, any other the slack of a size. Rows hold what is used, columns what is not.
    row_of, column_of = [len(ways) + i for i in range(len(supply))], list(range(len(ways)))
    unit = 1
    while improving := [(label, c) for c, label in enumerate(column_of) if table[-1][c] < 0]:
        column = min(improving)[1]
        row = _leaving(table, row_of, column)
        row_of[row], column_of[column] = column_of[column], row_of[row]
        unit = _exchange(table, row, column, unit)
    values, weights = [0] * len(ways), [0] * len(supply)
    for r, label in enumerate(row_of):
        if label < len(ways):
            values[label] = table[r][-1]
    for c, label in enumerate(column_of):
        if label >= len(ways):
            weights[label - len(ways)] = table[-1][c]
    return Optimum(tuple(values), tuple(weights), unit)


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
