"""Selectors, quantities and versions against Kubernetes' own code, on generated cases.

MODELFLEET_TOOLS names a folder with `dra-oracle`; MODELFLEET_SEED another seed than 0 to look for new cases.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from modelfleet.api.quantity import Quantity
from modelfleet.api.semver import Semver
from modelfleet.cel import compile_selector
from modelfleet.cel.differences import DIFFERENCES

from tests.cel.cases import kinds, ours, theirs
from tests.cel.generated import devices, expressions, mutations
from tests.cel.oracle import Oracle
from tests.cel.record import DEVICES, groups
from tests.test_quantity import texts

TOOLS = os.environ.get("MODELFLEET_TOOLS", "")
SEED = int(os.environ.get("MODELFLEET_SEED", "0"))
PAIRS = 10_000

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(not TOOLS, reason="MODELFLEET_TOOLS names no folder with the oracle")]
Case = tuple[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle(Path(TOOLS) / "dra-oracle") as running:
        yield running


def _collected(strategy: st.SearchStrategy[Any], wanted: int, key: Any = repr) -> list[Any]:
    """At least `wanted` distinct values of the strategy, the same ones for the same seed."""
    found: dict[str, Any] = {}
    attempt = SEED * 1000
    while len(found) < wanted:

        @seed(attempt)
        @settings(max_examples=300, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck), database=None)
        @given(st.lists(strategy, min_size=5, max_size=10))
        def collect(values: list[Any]) -> None:
            found.update((key(value), value) for value in values)

        collect()
        attempt += 1
    return list(found.values())


def _compare(oracle: Oracle, cases: list[Case]) -> tuple[list[str], Counter[str]]:
    """(disagreements that are not refusals of ours alone, how often Kubernetes gave each kind of answer)."""
    replies = oracle.ask_all({"op": "cel", "expression": expression, "devices": found} for expression, found in cases)
    wrong, counted = [], Counter[str]()
    for (expression, found), reply in zip(cases, replies, strict=True):
        mine, answers = ours(expression, found), theirs(reply)
        counted.update(kinds(answers))
        if kinds(mine) == kinds(answers):
            if "devices" in reply and compile_selector(expression).cost != reply["maxCost"]:
                wrong.append(f"{expression}\n  cost in Kubernetes: {reply['maxCost']}, ours: {compile_selector(expression).cost}")
        elif not mine[0].startswith("refused: SelectorNotSupported"):
            wrong.append(f"{expression}\n  {found}\n  Kubernetes: {answers}\n  ours: {mine}")
    return wrong, counted


def test_the_recorded_answers_are_still_those_of_kubernetes(oracle: Oracle) -> None:
    for group in groups():
        device = DEVICES[group["device"]]
        replies = oracle.ask_all({"op": "cel", "expression": e, "devices": [device]} for e in group["answers"])
        answers = [theirs(reply)[0].partition("\n")[0] for reply in replies]
        assert dict(zip(group["answers"], answers, strict=True)) == group["answers"]


def test_kubernetes_takes_what_is_listed_as_a_difference(oracle: Oracle) -> None:
    replies = oracle.ask_all({"op": "cel", "expression": d.example, "devices": []} for d in DIFFERENCES)
    assert [d.what for d, reply in zip(DIFFERENCES, replies, strict=True) if "refused" in reply] == []


def test_generated_selectors_get_the_answers_and_costs_of_kubernetes(oracle: Oracle) -> None:
    each = 3
    pairs = st.tuples(expressions(), st.lists(devices(), min_size=each, max_size=each))
    cases = _collected(pairs, PAIRS // each + 1, key=lambda case: case[0])
    wrong, counted = _compare(oracle, cases)
    assert not wrong, "\n".join(wrong[:20])
    assert len(cases) * each >= PAIRS
    assert min(counted[kind] for kind in ("match", "no match", "error", "refused")) > 300, counted


def test_mutilated_selectors_are_refused_as_kubernetes_refuses_them(oracle: Oracle) -> None:
    known = [e for group in groups() if group["device"] == "plain" for e in group["answers"]]
    cases = [(text, [DEVICES["plain"]]) for text in _collected(mutations(known), 3000)]
    wrong, counted = _compare(oracle, cases)
    assert not wrong, "\n".join(wrong[:20])
    assert counted["refused"] > 1000


def test_quantities_are_those_of_apimachinery(oracle: Oracle) -> None:
    pairs = _collected(st.tuples(texts(), texts()), 2000)
    replies = oracle.ask_all({"op": "quantity", "text": left, "other": right} for left, right in pairs)
    for (left, right), reply in zip(pairs, replies, strict=True):
        a, b = Quantity.parse(left), Quantity.parse(right)
        mine = {"canonical": a.canonical(), "compare": (a > b) - (a < b), "sum": a.add(b).canonical(), "integer": a.as_int64() is not None}
        # From 1000E up Kubernetes' normal form loses zeros; ours keeps them.
        shown = {key: value for key, value in mine.items() if not str(value).endswith("000E")}
        assert shown == {key: reply[key] for key in shown}, (left, right)


@st.composite
def _versions(draw: st.DrawFn) -> str:
    number = st.sampled_from(["0", "1", "2", "10", "01", "", "x", "18446744073709551616"])
    part = st.sampled_from(["alpha", "1", "01", "0", "rc", "", "a_", "-"])
    text = ".".join(draw(st.lists(number, min_size=1, max_size=4)))
    text += "-" + ".".join(draw(st.lists(part, min_size=1, max_size=3))) if draw(st.booleans()) else ""
    text += "+" + ".".join(draw(st.lists(part, min_size=1, max_size=2))) if draw(st.integers(0, 3)) == 0 else ""
    return draw(st.sampled_from(["", "", "v", "V", " "])) + text


def test_versions_are_those_of_kubernetes(oracle: Oracle) -> None:
    cases = _collected(st.tuples(_versions(), _versions(), st.booleans()), 1000)
    replies = oracle.ask_all({"op": "semver", "text": a, "other": b, "normalize": n} for a, b, n in cases)
    for (left, right, normalize), reply in zip(cases, replies, strict=True):
        assert _version(left, right, normalize) == reply, (left, right, normalize)


def _version(left: str, right: str, normalize: bool) -> dict[str, Any]:
    """What the oracle would say: an error for the first, an order only when both are versions."""
    try:
        a = Semver.parse(left, normalize)
    except ValueError:
        return {"error": "not a version"}
    if not right:
        return {}
    try:
        b = Semver.parse(right, normalize)
    except ValueError:
        return {"less": False, "equal": False, "greater": False}
    return {"less": a < b, "equal": a == b, "greater": a > b}
