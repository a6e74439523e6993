"""Weights: a table of whole answers, and what holds for every one of them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from modelfleet.balance.weights import LIMIT, weights

CASES: dict[str, tuple[list[tuple[int, list[int]]], list[list[int]]]] = {
    "nothing": ([], []),
    "one share of any weight is the whole": ([(7, [4])], [[1]]),
    "equal shares": ([(1, [1]), (1, [1])], [[1], [1]]),
    "three targets of 80, one of 20": ([(80, [1, 1, 1]), (20, [1])], [[4, 4, 4], [3]]),
    "five targets of 80, one of 20": ([(80, [1] * 5), (20, [1])], [[4] * 5, [5]]),
    "three replicas in one place are one target": ([(80, [3]), (20, [1])], [[4], [1]]),
    "replicas divide a share": ([(1, [3, 1])], [[3, 1]]),
    "the largest weight": ([(1_000_000, [1]), (1, [1])], [[1_000_000], [1]]),
    "what would vanish is one": ([(1_000_000, [1]), (1, [1, 1])], [[1_000_000], [1, 1]]),
    "numbers with nothing in common": ([(1, [996, 991]), (1, [1000, 993])], [[999_008, 993_992], [1_000_000, 993_000]]),
}


@pytest.mark.parametrize("name", CASES)
def test_weights(name: str) -> None:
    groups, expected = CASES[name]
    assert weights(groups) == expected


GROUPS = st.lists(
    st.tuples(st.integers(1, LIMIT), st.lists(st.integers(1, 1000), min_size=1, max_size=8)), min_size=1, max_size=8
)  # fmt: skip


@given(GROUPS)
def test_every_weight_is_allowed_and_near_its_share(groups: list[tuple[int, list[int]]]) -> None:
    found = weights(groups)
    assert [len(group) for group in found] == [len(sizes) for _, sizes in groups]
    assert all(1 <= weight <= LIMIT for group in found for weight in group)
    exact = [[Fraction(share * size, sum(sizes)) for size in sizes] for share, sizes in groups]
    largest = max(max(group) for group in exact)
    unit = Fraction(max(map(max, found))) / largest
    for group, wanted in zip(found, exact, strict=True):
        for weight, share in zip(group, wanted, strict=True):
            assert abs(weight - share * unit) <= max(Fraction(1, 2), 1 - share * unit)


@given(st.lists(st.tuples(st.integers(1, 100), st.lists(st.integers(1, 4), min_size=1, max_size=3)), min_size=1, max_size=3))
def test_small_weights_are_exact(groups: list[tuple[int, list[int]]]) -> None:
    """A share of a group is its declared one whatever stands behind it, to the last request."""
    found = [sum(group) for group in weights(groups)]
    declared = [share for share, _ in groups]
    assert [Fraction(part, sum(found)) for part in found] == [Fraction(share, sum(declared)) for share in declared]
