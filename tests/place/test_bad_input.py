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
    ("ten KiB of conditions are a selector like any other", "true" + " && true" * 1279, ""),
    ("a byte more than Kubernetes takes", "true" + " " * 10_237, "LimitExceeded"),
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
    assert [line.split("error[")[1].split("]")[0] for line in result.err.splitlines() if "error[" in line] == ([code] if code else []), result.err
