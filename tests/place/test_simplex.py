"""The linear program: its answer is an allowed use of the ways, and its weights prove that there is no better one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from modelfleet.place.simplex import Optimum, maximum


def test_nothing_to_use() -> None:
    assert maximum([], [3, 4]) == Optimum((), (0, 0), 1)


def test_a_fraction_is_dropped_from_the_uses_and_kept_in_the_weights() -> None:
    best = maximum([(2,)], [5])
    assert best.uses == (2,)
    assert best.weights[0] * 5 * 2 == 5 * best.unit


def test_gains_decide() -> None:
    assert maximum([(1, 0), (1, 1)], [3, 3], [2, 1]).uses == (3, 0)


@given(st.data())
def test_the_weights_prove_the_optimum(data: st.DataObject) -> None:
    sizes = data.draw(st.integers(1, 5))
    way = st.lists(st.integers(0, 6), min_size=sizes, max_size=sizes).filter(any)
    ways = data.draw(st.lists(way, min_size=1, max_size=12))
    supply = data.draw(st.lists(st.integers(0, 50), min_size=sizes, max_size=sizes))
    gains = data.draw(st.lists(st.integers(0, 9), min_size=len(ways), max_size=len(ways)))
    best = maximum(ways, supply, gains)
    assert best.unit > 0
    assert min(best.values) >= 0
    assert min(best.weights) >= 0
    taken = [sum(value * each[i] for value, each in zip(best.values, ways, strict=True)) for i in range(sizes)]
    assert all(used <= there * best.unit for used, there in zip(taken, supply, strict=True))
    for each, gain in zip(ways, gains, strict=True):
        assert sum(weight * n for weight, n in zip(best.weights, each, strict=True)) >= gain * best.unit
    gained = sum(value * gain for value, gain in zip(best.values, gains, strict=True))
    assert gained == sum(weight * there for weight, there in zip(best.weights, supply, strict=True))
