"""`safe` against simulation of everything a scheduler can do, and against slower exact references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from modelfleet.place import guaranteed
from modelfleet.place.demand import Demand
from modelfleet.place.guaranteed import safe
from modelfleet.place.packing import packs

from tests.place.simulation import Size, find_stuck

Pods = dict[Demand, int]


def gpus(counts: Mapping[int, int]) -> Pods:
    """Pods of one device kind, by devices."""
    return {(("gpu", size),): count for size, count in counts.items()}


def of_kinds(sizes: Sequence[Size], counts: Sequence[int]) -> Pods:
    """Pods of several device kinds `0`, `1`, ..; a kind of which a pod takes nothing is not named."""
    return {tuple((str(k), n) for k, n in enumerate(size) if n): count for size, count in zip(sizes, counts, strict=True)}


def capacity(full: Size) -> dict[str, int]:
    return {str(kind): there for kind, there in enumerate(full)}


CASES: list[tuple[str, Pods, int, dict[str, int], bool]] = [
    ("no pods need no nodes", {}, 0, {"gpu": 8}, True),
    ("a pod without nodes starts nowhere", gpus({1: 1}), 0, {"gpu": 8}, False),
    ("a pod that takes nothing needs a node", {(): 1}, 0, {}, False),
    ("pods that take nothing fit beside anything", {(): 9, **gpus({8: 1})}, 1, {"gpu": 8}, True),
    ("a pod larger than a node never fits", gpus({9: 1}), 5, {"gpu": 8}, False),
    ("a device group that no node has", {(("tpu", 1),): 1}, 5, {"gpu": 8}, False),
    ("one pod on one node", gpus({8: 1}), 1, {"gpu": 8}, True),
    ("as many pods as nodes, of whatever size", gpus({8: 5, 1: 5}), 10, {"gpu": 8}, True),
    ("one-device pods fill every device", gpus({1: 80}), 10, {"gpu": 8}, True),
    ("and no more", gpus({1: 81}), 10, {"gpu": 8}, False),
    ("pods of one size fill what whole pods fill", gpus({3: 20}), 10, {"gpu": 8}, True),
    ("a third on a node of two does not fit", gpus({3: 21}), 10, {"gpu": 8}, False),
    ("a small pod may take the node of a large one", gpus({8: 1, 1: 2}), 2, {"gpu": 8}, False),
    ("what packs need not be safe: fours and one eight on two nodes", gpus({8: 1, 4: 2}), 2, {"gpu": 8}, False),
    ("on one node all that fits is safe", gpus({4: 1, 2: 1, 1: 2}), 1, {"gpu": 8}, True),
    ("a four that comes back finds the node that the others leave", gpus({4: 2, 2: 2}), 2, {"gpu": 8}, True),
    ("five devices block a node for a four, so 4 + 2 twice blocks two", gpus({4: 3, 2: 2}), 2, {"gpu": 8}, False),
    ("a count of nothing and below is no pod", {**gpus({1: 8, 8: 0, 4: -1})}, 1, {"gpu": 8}, True),
    ("a group that nobody asks for does not matter", gpus({1: 8}), 1, {"gpu": 8, "nic": 0}, True),
    ("pods of different kinds do not meet", {(("gpu", 8),): 2, (("tpu", 4),): 2}, 2, {"gpu": 8, "tpu": 4}, True),
    ("a pod of two kinds is blocked by either", {(("a", 1), ("b", 1)): 1, (("a", 1),): 1, (("b", 1),): 1}, 2, {"a": 1, "b": 1}, False),
    ("a kind that runs out last does not count", {(("gpu", 1), ("nic", 1)): 16}, 2, {"gpu": 8, "nic": 9}, True),
]


@pytest.mark.parametrize(("pods", "nodes", "there", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_cases(pods: Pods, nodes: int, there: dict[str, int], wanted: bool) -> None:
    assert safe(pods, nodes, there) is wanted


@pytest.mark.parametrize("full", range(1, 9))
def test_every_small_pool_of_one_kind_is_as_simulated(full: int) -> None:
    """Every set of up to six pods, on one to four nodes: no safe set refused, no unsafe set admitted."""
    for nodes, amount in product(range(1, 5), range(7)):
        for drawn in combinations_with_replacement(range(1, full + 1), amount):
            sizes = sorted(set(drawn))
            counts = [drawn.count(size) for size in sizes]
            stuck = find_stuck([(size,) for size in sizes], counts, nodes, (full,))
            assert safe(gpus(dict(zip(sizes, counts, strict=True))), nodes, {"gpu": full}) is (stuck is None), (drawn, nodes)


@pytest.mark.parametrize("full", [(1, 1), (2, 1), (2, 2), (3, 2)])
def test_every_small_pool_of_two_kinds_is_as_simulated(full: Size) -> None:
    possible = [size for size in product(range(full[0] + 1), range(full[1] + 1)) if any(size)]
    for nodes, amount in product(range(1, 4), range(6)):
        for drawn in combinations_with_replacement(possible, amount):
            sizes = sorted(set(drawn))
            counts = [drawn.count(size) for size in sizes]
            stuck = find_stuck(sizes, counts, nodes, full)
            assert safe(of_kinds(sizes, counts), nodes, capacity(full)) is (stuck is None), (drawn, nodes)


@st.composite
def pools(draw: st.DrawFn, kinds: int, devices: int, nodes: int, pods: int) -> tuple[list[Size], list[int], int, Size]:
    """(sizes, pods of each, nodes, devices on a node), sizes no larger than a node."""
    full = tuple(draw(st.lists(st.integers(1, devices), min_size=1, max_size=kinds)))
    one = st.tuples(*(st.integers(0, there) for there in full)).filter(any)
    sizes = draw(st.lists(one, min_size=1, max_size=4, unique=True))
    return sizes, [draw(st.integers(1, pods)) for _ in sizes], draw(st.integers(1, nodes)), full


@settings(max_examples=400, deadline=None)
@given(pools(kinds=3, devices=8, nodes=4, pods=5))
def test_random_pools_of_several_kinds_are_as_simulated(pool: tuple[list[Size], list[int], int, Size]) -> None:
    sizes, counts, nodes, full = pool
    try:
        stuck = find_stuck(sizes, counts, nodes, full, limit=20_000)
    except OverflowError:
        assume(False)
    assert safe(of_kinds(sizes, counts), nodes, capacity(full)) is (stuck is None)


def reference(sizes: Sequence[int], counts: Sequence[int], nodes: int, full: int) -> bool:
    """The criterion taken by its word: for no pod, largest or not, can the others fill every node above what leaves it room."""
    return not any(_fills_all(sizes, tuple(_less(counts, pod)), nodes, full - sizes[pod] + 1, full) for pod in range(len(sizes)))


def _less(counts: Sequence[int], pod: int) -> Iterator[int]:
    return (count - (index == pod) for index, count in enumerate(counts))


def _fills_all(sizes: Sequence[int], counts: tuple[int, ...], nodes: int, least: int, most: int) -> bool:
    """Whether pods can be put on all nodes so that each holds from `least` to `most`; node by node, every set."""

    @cache
    def fill(left: tuple[int, ...], empty: int) -> bool:
        if not empty:
            return True
        sets = product(*(range(min(n, most // size) + 1) for n, size in zip(left, sizes, strict=True)))
        return any(
            fill(tuple(a - b for a, b in zip(left, chosen, strict=True)), empty - 1)
            for chosen in sets
            if least <= sum(n * size for n, size in zip(chosen, sizes, strict=True)) <= most
        )

    return fill(counts, nodes)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_larger_pools_of_one_kind_are_as_the_criterion_says(data: st.DataObject) -> None:
    full = data.draw(st.integers(2, 16))
    sizes = data.draw(st.lists(st.integers(1, full), min_size=1, max_size=3, unique=True))
    nodes = data.draw(st.integers(2, 6))
    # Near the border, where the answer is not plain.
    counts = [data.draw(st.integers(1, max(1, 2 * nodes * full // (size * len(sizes) + size)))) for size in sizes]
    assume(sum(counts) <= 40)
    assert safe(gpus(dict(zip(sizes, counts, strict=True))), nodes, {"gpu": full}) is reference(sizes, counts, nodes, full)


many = st.dictionaries(st.integers(1, 16), st.integers(1, 300), min_size=1, max_size=5)


@settings(max_examples=300, deadline=None)
@given(many, many, st.integers(1, 200), st.sampled_from([4, 8, 16]))
def test_more_pods_are_never_safer(some: dict[int, int], more: dict[int, int], nodes: int, full: int) -> None:
    both = {size: some.get(size, 0) + more.get(size, 0) for size in some | more}
    assert safe(gpus(some), nodes, {"gpu": full}) or not safe(gpus(both), nodes, {"gpu": full})


@settings(max_examples=200, deadline=None)
@given(pools(kinds=3, devices=8, nodes=30, pods=40), st.data())
def test_one_more_pod_of_several_kinds_is_never_safer(pool: tuple[list[Size], list[int], int, Size], data: st.DataObject) -> None:
    sizes, counts, nodes, full = pool
    more = data.draw(st.integers(0, len(sizes) - 1))
    bigger = [count + (index == more) for index, count in enumerate(counts)]
    assert safe(of_kinds(sizes, counts), nodes, capacity(full)) or not safe(of_kinds(sizes, bigger), nodes, capacity(full))


@settings(max_examples=200, deadline=None)
@given(many, st.integers(1, 200), st.sampled_from([4, 8, 16]))
def test_one_more_node_is_never_less_safe(some: dict[int, int], nodes: int, full: int) -> None:
    assert safe(gpus(some), nodes + 1, {"gpu": full}) or not safe(gpus(some), nodes, {"gpu": full})


@settings(max_examples=200, deadline=None)
@given(many, st.integers(1, 200), st.sampled_from([8, 16]))
def test_a_node_for_each_pod_is_always_safe_and_more_devices_than_there_are_never(some: dict[int, int], nodes: int, full: int) -> None:
    answer = safe(gpus(some), nodes, {"gpu": full})
    if max(some) <= full and sum(some.values()) <= nodes:
        assert answer
    if sum(size * count for size, count in some.items()) > nodes * full:
        assert not answer


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(many, st.integers(1, 100)), min_size=2, max_size=6))
def test_what_was_asked_before_does_not_matter(questions: list[tuple[dict[int, int], int]]) -> None:
    def answers(order: Sequence[tuple[dict[int, int], int]]) -> list[bool]:
        guaranteed._safe.cache_clear()
        guaranteed._blocking.cache_clear()
        return [safe(gpus(pods), nodes, {"gpu": 16}) for pods, nodes in order]

    assert answers(questions) == answers(questions[::-1])[::-1]


@settings(max_examples=300, deadline=None)
@given(pools(kinds=2, devices=6, nodes=3, pods=4), st.sampled_from(["MAX_SIZES", "MAX_WAYS", "MAX_TRIES", "MAX_STEPS"]))
def test_past_its_limits_it_admits_nothing_unsafe(pool: tuple[list[Size], list[int], int, Size], limit: str) -> None:
    sizes, counts, nodes, full = pool
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guaranteed, limit, 0)
        guaranteed._safe.cache_clear()
        guaranteed._blocking.cache_clear()
        answer = safe(of_kinds(sizes, counts), nodes, capacity(full))
    guaranteed._safe.cache_clear()
    guaranteed._blocking.cache_clear()
    assert not answer or find_stuck(sizes, counts, nodes, full) is None


# Here fractions of sets would block one node more than whole ones do, so that only the search can tell.
GAPS = [
    ({41: 1, 39: 1, 26: 6, 24: 1, 17: 2, 6: 1}, 5, 90),
    ({23: 1, 19: 1, 18: 1, 15: 1, 10: 1, 8: 2}, 2, 60),
]


@pytest.mark.parametrize(("counts", "nodes", "full"), GAPS)
def test_the_search_decides_what_fractions_leave_open(counts: dict[int, int], nodes: int, full: int) -> None:
    assert safe(gpus(counts), nodes, {"gpu": full})
    assert reference(list(counts), list(counts.values()), nodes, full)
    assert not safe(gpus(counts), nodes - 1, {"gpu": full})


@pytest.mark.parametrize("full", [8, 16, 24, 32])
def test_one_kind_of_up_to_32_devices_is_within_the_limits(full: int) -> None:
    for largest in range(1, full):
        sizes = tuple((size,) for size in range(min(largest, full - largest), 0, -1))
        assert guaranteed._blocking(sizes, (largest,), (full,)).ways is not None


@settings(max_examples=200, deadline=None)
@given(pools(kinds=2, devices=8, nodes=20, pods=30))
def test_what_is_safe_packs(pool: tuple[list[Size], list[int], int, Size]) -> None:
    sizes, counts, nodes, full = pool
    pods = of_kinds(sizes, counts)
    assert packs(pods, nodes, capacity(full)) or not safe(pods, nodes, capacity(full))


def test_a_million_nodes_are_no_more_work() -> None:
    assert safe(gpus({1: 8_000_000}), 1_000_000, {"gpu": 8})
    assert not safe(gpus({4: 1_000_000, 3: 1, 2: 1_000_000, 1: 2_000_000}), 1_000_000, {"gpu": 8})


def test_many_sizes_of_many_kinds_are_answered_by_their_shares() -> None:
    sizes = [(g, c, g + c % 7) for g in range(1, 5) for c in range(4, 64)]
    few, many = [1] * len(sizes), [100] * len(sizes)
    assert safe(of_kinds(sizes, few), 1_000, (there := capacity((8, 192, 64))))
    assert not safe(of_kinds(sizes, many), 1_000, there)
