"""Placement of what is hostile, huge, empty or contradictory: an answer within bounds, with its reason."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from modelfleet.place.assign import KEPT, MAX_DEVICES, Grant, assignments
from modelfleet.place.candidates import LEVELS, levels
from modelfleet.place.capacity import rows
from modelfleet.place.joint import best, fitting
from modelfleet.place.place import place

from tests import builders as b
from tests.place.test_place import reasons, short
from tests.run import modelfleet, repository

H100 = b.hardware("h100")
SOON = 10.0  # seconds of this process; each of these takes well under one on an idle machine


def hot(text: str) -> list[dict[str, Any]]:
    """A fleet whose one deployment selects by `text`."""
    return [H100, b.cluster("east"), b.deployment("chat", b.engine(b.request(selectors=[{"cel": text}])))]


BINDS = "".join(f"cel.bind(a{i}, a{i - 1} + a{i - 1}, " for i in range(1, 40))
HOSTILE = [
    ("ten KiB of conditions are a selector like any other", "true" + " && true" * 1_279, ""),
    ("a byte more than Kubernetes takes", "true" + " " * 10_237, "TooMany"),
    ("a pattern that backtracks elsewhere", f"'{'a' * 5000}b'.matches('^(a+)+$') || true", ""),
    ("macros that multiply", "[1, 2].all(x, " * 40 + "true" + ")" * 40, "SelectorTooLarge"),
    ("variables of which each is twice the one before", f"cel.bind(a0, 'xx', {BINDS}a39.size() > 1" + ")" * 40, "SelectorTooLarge"),
    ("a list of a million entries", "lists.range(1000001).size() > 1", "SelectorTooLarge"),
    ("brackets within brackets", "(" * 5000 + "true" + ")" * 5000, "SelectorTooLarge"),
]


@pytest.mark.parametrize(("text", "code"), [case[1:] for case in HOSTILE], ids=[case[0] for case in HOSTILE])
def test_a_hostile_selector_is_judged_soon(tmp_path: Path, text: str, code: str) -> None:
    root = repository(tmp_path, b.settings(recorded="Optional", removal="Prune"), *hot(text))
    before = time.process_time()
    result = modelfleet(root, "check", "--all")
    assert time.process_time() - before < SOON
    assert [line.split("error[")[1].split("]")[0] for line in result.err.splitlines() if "error[" in line] == ([code] if code else [])


def grants(*accepted: Sequence[str], counts: Sequence[int] = ()) -> list[list[Grant]]:
    """Requests by the groups that serve each, and how many devices each takes."""
    needed = counts or [1] * len(accepted)
    return [[Grant(((f"r{n}", g),), ((g, needed[n]),), ord(g)) for g in groups] for n, groups in enumerate(accepted)]


SIXTEEN = "abcdefghijklmnop"
ASSIGNED: list[tuple[str, list[list[Grant]], dict[str, int], int]] = [
    ("sixteen requests against sixteen groups of one", grants(*[SIXTEEN] * 16), dict.fromkeys(SIXTEEN, 1), 1),
    ("sixteen requests against fifteen groups of one", grants(*[SIXTEEN] * 16), dict.fromkeys(SIXTEEN, 1) | {"p": 0}, 0),
    ("sixteen requests against sixteen large groups: the best are kept", grants(*[SIXTEEN] * 16), dict.fromkeys(SIXTEEN, 8), KEPT),
    ("sixteen pairs against fifteen groups of three", grants(*[SIXTEEN] * 16, counts=[2] * 16), dict.fromkeys(SIXTEEN, 3) | {"p": 0}, 0),
    ("sixteen pairs against sixteen groups of three", grants(*[SIXTEEN] * 16, counts=[2] * 16), dict.fromkeys(SIXTEEN, 3), 1),
    ("each request serves fewer groups than the one before", grants(*[SIXTEEN[n:] for n in range(16)]), dict.fromkeys(SIXTEEN, 1), 1),
    ("more devices than a claim may carry", grants(*[SIXTEEN] * 16, counts=[3] * 16), dict.fromkeys(SIXTEEN, 64), 0),
    ("nothing is asked for", [], {"a": 1}, 1),
]


@pytest.mark.parametrize(("asked", "free", "ways"), [case[1:] for case in ASSIGNED], ids=[case[0] for case in ASSIGNED])
def test_many_requests_and_groups(asked: list[list[Grant]], free: dict[str, int], ways: int) -> None:
    before = time.process_time()
    found = assignments(asked, free)
    assert time.process_time() - before < SOON
    assert len(found) == ways
    for each in found:
        assert len(each.devices) == len(asked) and all(count <= free[group] for group, count in each.taken.items())


def _exhaustive(asked: list[list[Grant]], free: dict[str, int]) -> list[tuple[int, tuple[tuple[str, int], ...]]]:
    """(memory, devices taken) of all assignments, without two that take the same."""
    found = set()
    for chosen in itertools.product(*asked):
        taken: dict[str, int] = {}
        for grant in chosen:
            for group, count in grant.taken:
                taken[group] = taken.get(group, 0) + count
        agreed = all(len({v for v in values if v is not None}) <= 1 for values in zip(*(g.values for g in chosen), strict=True))
        if agreed and sum(taken.values()) <= MAX_DEVICES and all(count <= free[group] for group, count in taken.items()):
            found.add((sum(grant.memory for grant in chosen), tuple(sorted(taken.items()))))
    return sorted(found)


@pytest.mark.parametrize("seed", range(200))
def test_assignments_are_those_of_an_exhaustive_search_best_first(seed: int) -> None:
    rng = random.Random(seed)
    groups = "abcd"[: rng.randint(1, 4)]
    size = {g: rng.randint(0, 3) for g in groups}

    def granted(name: str, group: str, count: int) -> Grant:
        return Grant(((name, group),), ((group, count),), size[group] * count, (rng.choice([None, "x", "y"]),))

    asked = [
        [granted(f"r{n}", group, count) for group in rng.sample(groups, rng.randint(1, len(groups)))]
        for n, count in enumerate(rng.choices((1, 1, 2, 3), k=rng.randint(1, 5)))
    ]
    free = {g: rng.randint(1, 4) for g in groups}
    wanted = _exhaustive(asked, free)
    found = [(sum(size[g] * n for g, n in each.taken.items()), tuple(sorted(each.taken.items()))) for each in assignments(asked, free)]
    assert [memory for memory, _ in found] == [memory for memory, _ in wanted[:KEPT]]
    assert set(found) <= set(wanted) and len(set(found)) == len(found)


def test_the_best_combinations_are_those_of_sorting_all() -> None:
    for seed in range(50):
        rng = random.Random(seed)
        lists = [[(rng.randint(0, 4), rng.randint(0, 4)) for _ in range(rng.randint(1, 4))] for _ in range(rng.randint(1, 4))]
        every = sorted(tuple(map(sum, zip(*chosen, strict=True))) for chosen in itertools.product(*lists))
        found = best(lists, lambda item: item, 20)
        assert [tuple(map(sum, zip(*chosen, strict=True))) for chosen in found] == every[:20]


def test_a_combination_that_fits_is_found_and_questions_are_bounded() -> None:
    def apart(chosen: tuple[int, ...]) -> bool:
        return len(set(chosen)) == len(chosen)

    assert next(fitting([range(8)] * 8, apart, 1_000)) == tuple(range(8))
    assert list(fitting([range(8)] * 9, apart, 1_000)) == []
    assert [chosen for chosen in fitting([range(3)] * 3, apart, 1_000)] == list(itertools.permutations(range(3)))


EIGHT = [b.hardware(f"c{i}", b.gpu(memory=f"{40_000 + i}Mi"), cost=str(10 + i)) for i in range(8)]
POOLS = [b.pool(f"c{i}", 1) for i in range(8)]


@pytest.mark.parametrize("accounting", ["Packed", "Guaranteed", "Node"])
def test_eight_engines_on_eight_pools_are_assigned_jointly(accounting: str) -> None:
    """Each engine takes a whole pool, so that of eight to the eighth choices few thousand fit, and the cheap ones do not."""
    engines = [b.engine(b.request(count=8), name=f"e{i}") for i in range(8)]
    found = b.fleet(*EIGHT, b.cluster("a", *POOLS), b.deployment("chat", *engines, replicas=2), accounting=accounting)
    before = time.process_time()
    plan = place(found, {})
    assert time.process_time() - before < SOON
    (entry,) = plan.placements[("ml", "chat")].replicas
    assert (entry.count, sorted(choice.pool for choice in entry.engines.values())) == (1, [f"c{i}" for i in range(8)])
    (refusal,) = plan.shortfalls[("ml", "chat")].refusals
    assert refusal.reason == ("InsufficientNodes" if accounting == "Node" else "InsufficientDevices")


def test_a_ninth_part_that_never_fits_is_told_from_what_is_full() -> None:
    engines = [b.engine(b.request(count=8), name=f"e{i}", copies=2 if i == 0 else 1) for i in range(8)]
    found = b.fleet(*EIGHT, b.cluster("a", *POOLS), b.deployment("chat", *engines))
    (refusal,) = place(found, {}).shortfalls[("ml", "chat")].refusals
    assert refusal.reason == "NeverFits"


def test_eight_engines_of_eight_alternatives_are_tried_within_bounds() -> None:
    sizes = [{"name": f"a{i}", "members": [{"devices": [b.request(memory={"atLeast": f"{100 + i}Gi"})]}]} for i in range(8)]
    engines = [b.engine(name=f"e{i}") | {"alternatives": sizes} for i in range(8)]
    found = b.fleet(H100, b.cluster("a"), b.deployment("chat", *engines))
    tried = levels(found.deployments[("ml", "chat")])
    assert (len(tried), tried[0], tried[1]) == (LEVELS, ("a0",) * 8, (*["a0"] * 7, "a1"))
    assert {r.reason for r in place(found, {}).shortfalls[("ml", "chat")].refusals} == {"NoMatchingClass"}


def test_a_recorded_way_beyond_those_that_are_kept_still_stands() -> None:
    """Sixteen requests could be served in more ways than are listed; the record names the one that would come last."""
    groups = b.hardware("h100", *[b.gpu(f"g{i:02}", 16, f"{40_000 + i}Mi") for i in range(16)])
    model = b.deployment("chat", b.engine(*[b.request(f"r{i:02}") for i in range(16)]))
    record = b.placement("chat", b.entry("a", 1, devices={f"r{i:02}": "g15" for i in range(16)}))
    found = b.fleet(groups, b.cluster("a", b.pool(nodes=1)), model, record)
    plan = place(found, found.placements, [("ml", "chat")])
    assert plan.placements == found.placements and not plan.excesses
    assert place(found, found.placements).placements == found.placements


def test_a_million_nodes_are_no_more_work_than_one() -> None:
    whole = b.deployment("whole", b.engine(b.request(count=8)), replicas=1000)
    found = b.fleet(H100, b.cluster("a", b.pool(nodes=1_000_000)), b.deployment(replicas=1000), whole, accounting="Guaranteed")
    before = time.process_time()
    assert short(found) == {"chat": "a/h100 1000", "whole": "a/h100 1000"}
    (row,) = rows(found, place(found, {}).placements)
    assert time.process_time() - before < SOON
    # A pod of one device may block a node for one of eight, and a thousand nodes must be left to those.
    assert (row.devices, row.used, row.usable) == (8_000_000, 9_000, 998_000)


NODES = "`spec.nodePools[0].nodeCount`"
NUMBERS = [
    ("fewer than no nodes", b.cluster("a", b.pool(nodes=-1)), f"{NODES} must be at least 0, not -1"),
    ("more than a million nodes", b.cluster("a", b.pool(nodes=1_000_001)), f"{NODES} must be at most 1000000, not 1000001"),
    ("fewer than no replicas", b.deployment(replicas=-1), "`spec.replicas` must be at least 0, not -1"),
    ("a record of none", b.placement("chat", b.entry("a", 0)), "`spec.replicas[0].count` must be at least 1, not 0"),
    ("a record that wants fewer than none", b.placement("chat", wanted=-1), "`spec.wanted` must be at least 0, not -1"),
]


@pytest.mark.parametrize(("manifest", "said"), [case[1:] for case in NUMBERS], ids=[case[0] for case in NUMBERS])
def test_numbers_out_of_range_are_refused_at_their_line(tmp_path: Path, manifest: dict[str, Any], said: str) -> None:
    result = modelfleet(repository(tmp_path, b.settings(), H100, manifest), "place")
    assert (result.code, result.out) == (1, "") and f"error[OutOfRange]: {said}\n" in result.err


NEVER = "NeverFits: one replica needs 1 x 1 gpu in pool h100, more than there is when nothing else runs"
EMPTY: list[tuple[str, list[Any], dict[str, str], str]] = [
    ("no cluster at all", [], {}, "0/0 clusters can take another"),
    ("a cluster whose only pool has no nodes", [b.cluster("a", b.pool(nodes=0))],
     {"a": NEVER},
     "0/1 clusters can take another: 1 NeverFits"),
    ("a cluster whose nodes are all out of service", [b.cluster("a", b.pool(nodes=2, unavailable=[{"nodes": 2, "reason": "moved"}]))],
     {"a": f"{NEVER}; pool h100: 0 of 2 nodes usable"},
     "0/1 clusters can take another: 1 NeverFits"),
    ("a cluster whose pools all repel", [b.cluster("a", b.pool(taints=[{"key": "x", "effect": "NoSchedule"}]))],
     {"a": "UntoleratedTaint: pool h100 has taint x:NoSchedule"}, "0/1 clusters can take another: 1 UntoleratedTaint"),
]  # fmt: skip


@pytest.mark.parametrize(("clusters", "said", "summary"), [case[1:] for case in EMPTY], ids=[case[0] for case in EMPTY])
def test_where_nothing_can_run(clusters: list[Any], said: dict[str, str], summary: str) -> None:
    found = b.fleet(H100, *clusters, b.deployment())
    assert reasons(found) == said
    assert place(found, {}).shortfalls[("ml", "chat")].summary == summary
    assert place(found, {}).placements[("ml", "chat")].replicas == ()


def test_a_fleet_of_nothing(tmp_path: Path) -> None:
    root = repository(tmp_path, b.settings())
    assert modelfleet(root, "place").out == "every record is up to date\n"
    assert modelfleet(root, "check").out == "0 clusters, 0 deployments: no errors\n"
    assert place(b.fleet(), {}).placements == {}


def test_a_record_written_by_hand_that_holds_too_much_is_rendered_whole_warned_of_and_left_alone(tmp_path: Path) -> None:
    manifests = [b.settings(), H100, b.cluster("a", b.pool(nodes=1)), b.deployment(replicas=50), b.placement("chat", b.entry("a", 50))]
    root = repository(tmp_path, *manifests, b.deployment("late"))
    before = (root / "placements/ml/chat.yaml").read_bytes()
    placed = modelfleet(root, "place")
    assert placed.code == 0 and placed.out == "ml/late: no replicas; 0 of 1 placed\n"
    assert "warning[Overcommitted]: pool `h100` of cluster `a`: 50 of 8 gpu recorded; held by ml/chat 50" in placed.err
    assert (root / "placements/ml/chat.yaml").read_bytes() == before
    assert "  replicas: 50\n" in modelfleet(root, "generate", "--recorded", "--cluster", "a", "--unit", "model/ml/chat").out
    assert modelfleet(root, "check").code == 0
