"""`packs` against a search through every packing, and what must hold however large the pool is."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from modelfleet.place import packing
from modelfleet.place.demand import Demand
from modelfleet.place.packing import largest_block, packs

Size = tuple[int, ...]
Pods = dict[Demand, int]


def gpus(counts: Mapping[int, int]) -> Pods:
    return {(("gpu", size),): count for size, count in counts.items()}


def of_kinds(sizes: Sequence[Size], counts: Sequence[int]) -> Pods:
    return {tuple((str(k), n) for k, n in enumerate(size) if n): count for size, count in zip(sizes, counts, strict=True)}


def capacity(full: Size) -> dict[str, int]:
    return {str(kind): there for kind, there in enumerate(full)}


def reference(pods: Sequence[Size], nodes: int, full: Size) -> bool:
    """Pod after pod on every node where it fits."""

    @cache
    def place(index: int, free: tuple[Size, ...]) -> bool:
        if index == len(pods):
            return True
        for node in set(free):
            rest = tuple(a - b for a, b in zip(node, pods[index], strict=True))
            others = list(free)
            others.remove(node)
            if min(rest) >= 0 and place(index + 1, tuple(sorted([*others, rest]))):
                return True
        return False

    return place(0, (full,) * nodes)


CASES: list[tuple[str, Pods, int, dict[str, int], bool]] = [
    ("no pods need no nodes", {}, 0, {}, True),
    ("a pod needs a node", gpus({1: 1}), 0, {"gpu": 8}, False),
    ("a pod that takes nothing needs a node too", {(): 1}, 0, {"gpu": 8}, False),
    ("and has one wherever there is one", {(): 100, **gpus({8: 1})}, 1, {"gpu": 8}, True),
    ("a group that no node has", {(("tpu", 1),): 1}, 3, {"gpu": 8}, False),
    ("a pod larger than a node", gpus({9: 1}), 3, {"gpu": 8}, False),
    ("as many devices as there are, in sizes that fit", gpus({5: 3, 3: 3}), 3, {"gpu": 8}, True),
    ("fewer devices than there are, in sizes that do not", gpus({5: 4}), 3, {"gpu": 8}, False),
    ("counts of nothing and below", gpus({8: 0, 4: -1, 1: 8}), 1, {"gpu": 8}, True),
    ("threes and a two fill the node that two fours leave", gpus({4: 2, 3: 2, 2: 1}), 2, {"gpu": 8}, True),
    ("largest first strands a three: 5 with 2, 3, and 4, 4, 2", gpus({5: 1, 4: 2, 3: 1, 2: 2}), 2, {"gpu": 10}, True),
    ("three hundred nodes of fours and of a five and a three", gpus({5: 100, 4: 400, 3: 100}), 300, {"gpu": 8}, True),
    ("three hundred nodes, and one four too many beside fives", gpus({5: 101, 4: 399, 3: 99}), 300, {"gpu": 8}, False),
    ("fractions of nodes would do, whole ones do not", gpus({44: 2, 33: 3, 12: 6}), 2, {"gpu": 132}, False),
    ("and one more does", gpus({44: 2, 33: 3, 12: 6}), 3, {"gpu": 132}, True),
    ("each node has both kinds", {(("a", 2), ("b", 1)): 2, (("a", 1), ("b", 2)): 2}, 2, {"a": 3, "b": 3}, True),
    ("and neither alone tells", {(("a", 2), ("b", 2)): 2, (("a", 2),): 1, (("b", 2),): 1}, 2, {"a": 3, "b": 3}, False),
]


@pytest.mark.parametrize(("pods", "nodes", "there", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_cases(pods: Pods, nodes: int, there: dict[str, int], wanted: bool) -> None:
    assert packs(pods, nodes, there) is wanted


@pytest.mark.parametrize("full", range(1, 11))
def test_every_small_pool_of_one_kind(full: int) -> None:
    for nodes, amount in product(range(1, 4), range(7)):
        for drawn in combinations_with_replacement(range(full, 0, -1), amount):
            pods = gpus({size: drawn.count(size) for size in set(drawn)})
            assert packs(pods, nodes, {"gpu": full}) is reference([(size,) for size in drawn], nodes, (full,)), (drawn, nodes)


@st.composite
def pools(draw: st.DrawFn, kinds: int, devices: int, nodes: int, pods: int) -> tuple[list[Size], list[int], int, Size]:
    full = tuple(draw(st.lists(st.integers(1, devices), min_size=1, max_size=kinds)))
    sizes = draw(st.lists(st.tuples(*(st.integers(0, there) for there in full)).filter(any), min_size=1, max_size=4, unique=True))
    return sizes, [draw(st.integers(1, pods)) for _ in sizes], draw(st.integers(1, nodes)), full


@settings(max_examples=400, deadline=None)
@given(pools(kinds=3, devices=8, nodes=4, pods=3))
def test_random_pools_of_several_kinds(pool: tuple[list[Size], list[int], int, Size]) -> None:
    sizes, counts, nodes, full = pool
    drawn = sorted((size for size, count in zip(sizes, counts, strict=True) for _ in range(count)), key=sum, reverse=True)
    assert packs(of_kinds(sizes, counts), nodes, capacity(full)) is reference(drawn, nodes, full)


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 120), st.integers(6, 24), st.randoms(use_true_random=False))
def test_what_was_cut_from_full_nodes_packs_and_one_more_device_does_not(nodes: int, full: int, draw: random.Random) -> None:
    """Every node is cut at random into pods, so that exactly all devices are taken."""
    cuts = [draw.choice([1, 2, 3, 5]) for _ in range(3)]
    counts: dict[int, int] = {}
    for _ in range(nodes):
        left = full
        while left:
            size = min(left, draw.choice(cuts) + draw.randrange(2))
            counts[size] = counts.get(size, 0) + 1
            left -= size
    assert packs(gpus(counts), nodes, {"gpu": full})
    assert not packs(gpus({**counts, 1: counts.get(1, 0) + 1}), nodes, {"gpu": full})


@settings(max_examples=200, deadline=None)
@given(pools(kinds=2, devices=12, nodes=40, pods=60), st.data())
def test_fewer_pods_and_more_nodes_never_hurt(pool: tuple[list[Size], list[int], int, Size], data: st.DataObject) -> None:
    sizes, counts, nodes, full = pool
    fewer = data.draw(st.integers(0, len(sizes) - 1))
    less = [count - (index == fewer) for index, count in enumerate(counts)]
    if packs(of_kinds(sizes, counts), nodes, capacity(full)):
        assert packs(of_kinds(sizes, less), nodes, capacity(full))
        assert packs(of_kinds(sizes, counts), nodes + 1, capacity(full))


@settings(max_examples=200, deadline=None)
@given(pools(kinds=2, devices=8, nodes=3, pods=3), st.sampled_from(["MAX_SIZES", "MAX_WAYS", "MAX_TRIES", "MAX_STEPS"]))
def test_past_its_limits_it_makes_no_packing_up(pool: tuple[list[Size], list[int], int, Size], limit: str) -> None:
    sizes, counts, nodes, full = pool
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, limit, 0)
        packing._decided.cache_clear()
        packing._fillings.cache_clear()
        answer = packs(of_kinds(sizes, counts), nodes, capacity(full))
    packing._decided.cache_clear()
    packing._fillings.cache_clear()
    drawn = [size for size, count in zip(sizes, counts, strict=True) for _ in range(count)]
    assert not answer or reference(sorted(drawn, reverse=True), nodes, full)


@settings(max_examples=200, deadline=None)
@given(pools(kinds=1, devices=8, nodes=3, pods=3))
def test_the_largest_block_fits_and_the_next_does_not(pool: tuple[list[Size], list[int], int, Size]) -> None:
    sizes, counts, nodes, (full,) = pool
    pods = gpus({size: count for (size,), count in zip(sizes, counts, strict=True)})
    answers = [
        size for size in range(1, full + 1) if packs({**pods, (("gpu", size),): pods.get((("gpu", size),), 0) + 1}, nodes, {"gpu": full})
    ]
    assert largest_block(pods, nodes, {"gpu": full}, "gpu") == max(answers, default=0)


def test_a_block_of_a_group_that_nobody_has() -> None:
    assert largest_block({}, 3, {"gpu": 8}, "tpu") == 0


def test_a_block_is_found_among_millions_of_units() -> None:
    assert largest_block({(("memory", 1_500_000),): 1}, 1, {"memory": 2_000_000}, "memory") == 500_000


def test_a_million_nodes_are_no_more_work() -> None:
    assert packs(gpus({5: 1_000_000, 3: 1_000_000}), 1_000_000, {"gpu": 8})
    assert not packs(gpus({5: 1_000_001, 2: 1}), 1_000_000, {"gpu": 8})
