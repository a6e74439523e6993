"""Documents know where their values stand, and how plain words were written."""

from __future__ import annotations

import gc

import pytest
from modelfleet.diagnostics import Report
from modelfleet.load import Document, parse, uncollected

TEXT = """# a comment
kind: A
list:
- name: x
  version: 1.30
- {name: "y", flag: True}
empty:
"""


@pytest.fixture
def document() -> Document:
    return parse("fleet/a.yaml", TEXT, Report())[0]


@pytest.mark.parametrize(
    ("loc", "key", "where"),
    [
        ((), False, "fleet/a.yaml:2:1"),
        (("kind",), False, "fleet/a.yaml:2:7"),
        (("kind",), True, "fleet/a.yaml:2:1"),
        (("list", 0, "version"), False, "fleet/a.yaml:5:12"),
        (("list", 0, "version"), True, "fleet/a.yaml:5:3"),
        (("list", 1, "name"), False, "fleet/a.yaml:6:10"),
        (("list", 1), False, "fleet/a.yaml:6:3"),
        (("list", 7), False, "fleet/a.yaml:4:1"),
        (("list", 0, "gone"), False, "fleet/a.yaml:4:3"),
        (("list", 0, "gone", "deeper"), True, "fleet/a.yaml:4:3"),
        (("empty",), False, "fleet/a.yaml:7:7"),
        (("kind", "x"), False, "fleet/a.yaml:2:7"),
    ],
)
def test_where_a_value_stands_or_its_nearest_parent(loc: tuple[str | int, ...], key: bool, where: str, document: Document) -> None:
    assert str(document.locate(loc, key=key)) == where


@pytest.mark.parametrize(
    ("loc", "written"),
    [
        (("list", 0, "version"), "1.30"),
        (("list", 1, "flag"), "True"),
        (("list", 1, "name"), None),
        (("list",), None),
        (("gone",), None),
    ],
)
def test_how_a_plain_word_is_written(loc: tuple[str | int, ...], written: str | None, document: Document) -> None:
    assert document.source(loc) == written


def test_positions_count_letters_not_bytes() -> None:
    (document,) = parse("a.yaml", 'größe: {"日本": x, b: 😀, c: 1}\n', Report())
    assert [document.locate(("größe", key)).column for key in ("日本", "b", "c")] == [15, 21, 27]


def test_the_collector_is_as_it_was_before() -> None:
    assert gc.isenabled()
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
