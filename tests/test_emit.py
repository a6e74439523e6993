"""The emitter: what it writes is what every reader takes it for."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from modelfleet import emit
from modelfleet.diagnostics import Report
from modelfleet.load import parse
from modelfleet.render.unit import Unit, UnitId

# Strings that a reader of YAML 1.1 or 1.2, in Python or Go, takes for something else when they stand bare.
_WORDS = r"""
y Y n N yes Yes YES no No NO on On ON off Off OFF true True TRUE false False FALSE null Null NULL ~ = << - -- --- ... ? : | > & * ! % @ `
0 1 -1 +1 00 08 09 010 0o17 -0o7 0O17 0x1F 0X1f -0x1 0b11 0B1 1_000 _1 1_ 1e3 1E3 1e+3 -1e-3 1.0 1. .5 -.5 +.5 1.5e3 1e 0.0 -0 0. 6.02e23
.inf -.inf +.Inf .INF .nan .NaN nan NaN inf Infinity 12:30 12:30:45 190:20:30 1:60 2026-11-30 2026-11-30T12:00:00Z 2026-1-1 1.2.3 1.34
a: :a a:: # #a { } [ ] {} [] , ' " !!str &a *a <<: ?a -a %a @a `a |a >a {{x}} ${x} 5m 22Gi 81559Mi 0s 1Ei 1h30m 64k 0755 007 1,000
"""
_OTHERS = [
    "",
    " ",
    "a ",
    " a",
    "a: b",
    "a #b",
    "a\tb",
    "\t",
    "- a",
    "? a",
    "a\\b",
    'a"b',
    "it's",
    "- --",
    "\x00",
    "\x7f",
    "\x85",
    "\u2028",
    "\ufeff",
    "é",
    "😀",
]
AMBIGUOUS = [*_WORDS.split(), *_OTHERS]
LINES = [
    "\n",
    "a\n",
    "a\nb",
    "a\nb\n",
    "a\n\n",
    "\na",
    " a\nb",
    "a\n b",
    "a \nb",
    "a\n \nb",
    "a\n\nb",
    "a\r\nb",
    "a\tb\nc",
    "\ta\nb",
    "#a\n#b",
    "---\na",
    "- a\n- b",
    "a:\n  b",
    "é\n😀",
    "a\x00\nb",
]

TEXT = st.text() | st.text("ab \n\t:#-'\"\\|>{}[]&*!%@`,?0123456789eEyYnNoO~=<._xX+", max_size=12) | st.sampled_from(AMBIGUOUS)
LEAF = st.none() | st.booleans() | st.integers(-(10**18) + 1, 10**18 - 1) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUE = st.recursive(LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=20)


def unit(*manifests: dict[str, Any]) -> Unit:
    return Unit(UnitId("east", "base"), manifests)


def read(text: str) -> Any:
    """What our own strict reader says, after PyYAML said the same."""
    report = Report()
    (document,) = parse("x.yaml", text, report)
    assert not report.found
    assert yaml.load(text, Loader=yaml.CSafeLoader) == document.value
    return document.value


@pytest.mark.parametrize("text", AMBIGUOUS + LINES)
def test_a_string_is_read_back_as_that_string_wherever_it_stands(text: str) -> None:
    value = {"key": text, "list": [text, [text]], "map": {text: text}, "last": {"a": [{text: text}]}}
    assert read(emit.document(value)) == value


def test_the_table_is_long_enough() -> None:
    assert len(set(AMBIGUOUS)) >= 80


@settings(max_examples=400, deadline=None)
@given(st.dictionaries(TEXT, VALUE, min_size=1, max_size=5))
def test_any_value_survives(value: dict[str, Any]) -> None:
    assert read(emit.document(value)) == value
    assert json.loads(emit.to_json([unit(value)])) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("vllm/vllm-openai:v0.33.0", "vllm/vllm-openai:v0.33.0"),
        ("--model=Qwen/Qwen3-8B", "--model=Qwen/Qwen3-8B"),
        ("$(MODELFLEET_RANK)", "$(MODELFLEET_RANK)"),
        ("https://git.example.com/x.git", "https://git.example.com/x.git"),
        ("a few words", "a few words"),
        ("Prune=false,Delete=confirm", "Prune=false,Delete=confirm"),
        ("30m", "30m"),
        ("80Gi", "80Gi"),
        ("1e3", '"1e3"'),
        ("y", '"y"'),
        ("", '""'),
        ("-", '"-"'),
        ("it's", '"it\'s"'),
        ('say "y"', "'say \"y\"'"),
        ('it\'s "y"', "'it''s \"y\"'"),
        ("a\x07b", '"a\\x07b"'),
        ("a\u2028b", '"a\\u2028b"'),
        ("é", '"é"'),
        (True, "true"),
        (None, "null"),
        (1, "1"),
        (1.5, "1.5"),
        (1e22, "10000000000000000000000.0"),
        (1e-7, "0.0000001"),
        ({}, "{}"),
        ([], "[]"),
        ((), "[]"),
        ("a\nb\n", "|\n  a\n  b"),
        ("a\n\nb", "|-\n  a\n\n  b"),
        (" a\nb", '" a\\nb"'),
        ("a\n\n", '"a\\n\\n"'),
    ],
)
def test_scalar(value: Any, text: str) -> None:
    assert emit.document({"k": value}) == f"k: {text}\n"


_DOCUMENT = """\
---
apiVersion: v1
kind: K
metadata:
  name: x
  namespace: s
  labels:
    "y": "n"
  annotations:
    z: "1"
  finalizers:
  - f
spec:
  alpha: null
  zeta:
  - - 1
    - - 2
  - name: x
    args:
    - |-
      a
      b
    - {}
    kind: z
data:
  a: x
  b: "1"
status: {}
---
{}
"""


def test_a_whole_document() -> None:
    manifest = {
        "data": {"b": "1", "a": "x"},
        "status": {},
        "metadata": {"annotations": {"z": "1"}, "labels": {"y": "n"}, "namespace": "s", "name": "x", "finalizers": ["f"]},
        "kind": "K",
        "spec": {"zeta": [[1, [2]], {"kind": "z", "name": "x", "args": ["a\nb", {}]}], "alpha": None},
        "apiVersion": "v1",
    }
    assert emit.to_yaml(unit(manifest, {})) == _DOCUMENT
    assert emit.to_json([unit({"b": 1, "kind": "K", "apiVersion": "v1"}), unit({"a": "é"})]) == (
        '{"apiVersion":"v1","kind":"K","b":1}\n---\n{"a":"\\u00e9"}\n'
    )


def test_nothing_to_print() -> None:
    assert (emit.to_yaml(unit()), emit.to_json([]), emit.to_json([unit()])) == ("", "", "")


def test_a_long_text_is_not_folded_and_equal_parts_are_no_aliases() -> None:
    part = {"x": ["word " * 100 + "end"]}
    text = emit.document({"a": part, "b": part})
    assert text.count("word " * 100) == 2
    assert "&" not in text


def test_a_key_longer_than_a_line_may_hold() -> None:
    value = {"k" * 2000: {"a": 1}, "x": {"y" * 2000: "z"}}
    assert read(emit.document(value)) == value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1}, b"x", object()])
def test_what_json_does_not_know_is_a_fault_of_ours(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        emit.document({"k": value})
    with pytest.raises((TypeError, ValueError)):
        emit.to_json([unit({"k": value})])
