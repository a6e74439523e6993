"""Our answers against those that Kubernetes' own library gave (table.yaml, written by record.py)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from modelfleet.cel import SelectorError, compile_selector
from modelfleet.cel.differences import DIFFERENCES

from tests.cel.cases import kinds, ours
from tests.cel.record import DEVICES, groups

CASES = [(group["about"], group["device"], e, answer) for group in groups() for e, answer in group["answers"].items()]
# Refused by us alone; `test_differences` says why each of these may be.
KNOWN = "SelectorNotSupported"


def test_the_table_is_large_enough() -> None:
    assert len(CASES) >= 600
    assert all(answer != "?" for *_, answer in CASES)


@pytest.mark.parametrize("about", sorted({case[0] for case in CASES}))
def test_answers_are_those_of_kubernetes(about: str) -> None:
    wrong = []
    for _, device, expression, answer in (case for case in CASES if case[0] == about):
        (mine,) = ours(expression, [DEVICES[device]])
        if not _agree(mine, answer):
            wrong.append(f"{expression}\n  Kubernetes: {answer}\n  ours: {mine}")
    assert not wrong, "\n".join(wrong)


def _agree(mine: str, answer: str) -> bool:
    """The same kind; the same text of an error as far as ours goes, for a pattern only that it is none."""
    if kinds([mine]) != kinds([answer]):
        return KNOWN in mine
    pattern = "error parsing regexp"
    return not mine.startswith("error") or answer.startswith(mine) or (pattern in mine and pattern in answer)


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda d: d.what)
def test_differences_are_refusals(difference: Any) -> None:
    with pytest.raises(SelectorError) as caught:
        compile_selector(difference.example)
    assert caught.value.code == difference.code
    assert caught.value.hint == difference.hint


def test_only_listed_differences_are_in_the_table() -> None:
    alone = [e for _, d, e, answer in CASES if kinds(ours(e, [DEVICES[d]])) == ["refused"] and not answer.startswith("refused")]
    codes = {_code(expression) for expression in alone}
    assert codes <= {d.code for d in DIFFERENCES}
    assert len(alone) <= 12, alone


def _code(expression: str) -> str:
    with pytest.raises(SelectorError) as caught:
        compile_selector(expression)
    return caught.value.code


def test_mistakes_are_shown_where_kubernetes_shows_them() -> None:
    elsewhere = []
    for _, _, expression, answer in CASES:
        place = re.search(r"ERROR: <input>:(\d+):(\d+)", answer)
        if place is None:
            continue
        with pytest.raises(SelectorError) as caught:
            compile_selector(expression)
        if (caught.value.line, caught.value.column) != (int(place[1]), int(place[2])):
            elsewhere.append(expression)
    # Of a namespace that does not exist Kubernetes shows the namespace, of a wrong clause the argument, of a message its brace,
    # of a `?` without an expression what follows it.
    assert sorted(elsewhere) == [
        '"%".format(["a"]) == ""',
        '"%1s".format([]) == ""',
        '"%z".format(["a"]) == ""',
        "Foo{a: 1} == 1",
        "[1,?] == []",
        "foo.bar([1]) == 1",
        "math.greatest(1, 2) == 2",
        "sets.foo([1]) == 1",
        "{?: 1} == {}",
    ]
