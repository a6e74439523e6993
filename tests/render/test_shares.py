"""Parts of a fleet's number: they add up, and every cluster finds its own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from modelfleet.render.shares import entries_part

from .builders import entry, placement

RUNGS = st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3).map(sorted), min_size=1, max_size=4)


def entries(rungs: list[list[int]]) -> tuple[object, ...]:
    made = [entry(max(1, count), f"c{index}", minimum=low, maximum=max(1, count, high)) for index, (low, count, high) in enumerate(rungs)]
    return placement(*made).replicas


@given(RUNGS, st.integers(0, 60))
def test_parts_add_up_and_stay_within_each_share(rungs: list[list[int]], total: int) -> None:
    found = entries(rungs)
    parts = [entries_part(found, total, one) for one in found]  # type: ignore[arg-type]
    assert sum(parts) == min(total, sum(one.maximum for one in found))  # type: ignore[attr-defined]
    assert all(0 <= part <= one.maximum for part, one in zip(parts, found, strict=True))  # type: ignore[attr-defined]


@given(RUNGS, st.integers(0, 59))
def test_a_higher_total_lowers_no_sum(rungs: list[list[int]], total: int) -> None:
    found = entries(rungs)
    now, more = ([entries_part(found, number, one) for one in found] for number in (total, total + 1))  # type: ignore[arg-type]
    assert sum(now) <= sum(more) <= sum(now) + 1


def test_minimums_come_first_then_counts_then_maximums() -> None:
    found = placement(entry(4, minimum=1, maximum=6), entry(2, "west", minimum=1, maximum=8)).replicas
    parts = {total: [entries_part(found, total, one) for one in found] for total in (1, 2, 4, 6, 8, 14)}
    assert parts == {1: [1, 0], 2: [1, 1], 4: [3, 1], 6: [4, 2], 8: [5, 3], 14: [6, 8]}


def test_a_retiring_share_keeps_its_minimum_and_takes_nothing_from_others() -> None:
    found = placement(entry(2, minimum=1, maximum=4), entry(2, "west", minimum=1, maximum=4, retiring=True), wanted=2).replicas
    assert [entries_part(found, 3, one) for one in found] == [3, 1]
