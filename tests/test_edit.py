"""Small changes to what people wrote: the rest of the file stays, in every way of writing it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from modelfleet import edit
from modelfleet.diagnostics import Report
from modelfleet.load import Document, parse

Edit = Callable[[str, Document], str]


def replicas(text: str, document: Document) -> str:
    return edit.with_value(text, document, ("spec", "replicas"), 0)


def approve(text: str, document: Document) -> str:
    return edit.with_value(text, document, ("metadata", "annotations", "modelfleet.io/remove"), "approved")


def fixed(text: str, document: Document) -> str:
    return edit.without_key(text, document, ("spec", "scaling"))


def taint(text: str, document: Document) -> str:
    return edit.with_item(text, document, ("spec", "taints"), {"key": "modelfleet.io/drain", "effect": "NoExecute"})


# Whose change; before; after.
CASES: dict[str, tuple[Edit, str, str]] = {
    "a number with a comment": (replicas, "spec:\n  replicas: 3  # three\n  a: 1\n", "spec:\n  replicas: 0  # three\n  a: 1\n"),
    "a number in braces": (replicas, "spec: {replicas: 3, a: 1}\n", "spec: {replicas: 0, a: 1}\n"),
    "a number that is not there": (replicas, "spec:\n  # first\n  a: 1\n", "spec:\n  replicas: 0\n  # first\n  a: 1\n"),
    "not there in braces": (replicas, "spec: {a: 1} # x\n", "spec: {a: 1, replicas: 0} # x\n"),
    "not there in empty braces": (replicas, "spec: {}\n", "spec: {replicas: 0}\n"),
    "not there after a last comma": (replicas, "spec: {a: 1, }\n", "spec: {a: 1, replicas: 0}\n"),
    "not there over several lines of braces": (replicas, "spec: {\n  a: 1 # x\n}\n", "spec: {\n  a: 1 # x\n, replicas: 0}\n"),
    "Windows' line ends": (replicas, "spec:\r\n  a: 1\r\nb: 2\r\n", "spec:\r\n  replicas: 0\r\n  a: 1\r\nb: 2\r\n"),
    "JSON": (replicas, '{"spec": {"a": 1}}\n', '{"spec": {"a": 1, "replicas": 0}}\n'),
    "the second document": (replicas, "spec: {replicas: 1}\n---\nspec: {replicas: 2}\n", "spec: {replicas: 1}\n---\nspec: {replicas: 0}\n"),
    "an annotation beside others": (
        approve,
        "metadata:\n  annotations:\n    # why\n    a: b\n",
        "metadata:\n  annotations:\n    modelfleet.io/remove: approved\n    # why\n    a: b\n",
    ),
    "an annotation of another value": (
        approve,
        "metadata: {annotations: {modelfleet.io/remove: 'no'}}\n",
        "metadata: {annotations: {modelfleet.io/remove: approved}}\n",
    ),
    "the first annotation": (
        approve,
        "metadata:\n  name: x\n",
        "metadata:\n  annotations: {modelfleet.io/remove: approved}\n  name: x\n",
    ),
    "the first annotation in braces": (
        approve,
        "metadata: {name: x}\n",
        "metadata: {name: x, annotations: {modelfleet.io/remove: approved}}\n",
    ),
    "the first annotation in JSON": (
        approve,
        '{"metadata": {"name": "x"}}',
        '{"metadata": {"name": "x", "annotations": {"modelfleet.io/remove": "approved"}}}',
    ),
    "a block that goes": (
        fixed,
        "spec:\n  # up and down\n  scaling:\n    max: 3\n    # deep\n    triggers:\n    - {type: A}\n  # after\n  b: 1\n",
        "spec:\n  # up and down\n  # after\n  b: 1\n",
    ),
    "a block that goes at the end": (fixed, "spec:\n  b: 1\n  scaling:\n    query: |\n      a\n      b\n", "spec:\n  b: 1\n"),
    "a block that goes at the end without a line end": (fixed, "spec:\n  b: 1\n  scaling: {a: 1}", "spec:\n  b: 1\n"),
    "the first in braces goes": (fixed, "spec: {scaling: {a: 1}, b: 1}\n", "spec: {b: 1}\n"),
    "the last in braces goes": (fixed, "spec: {b: 1, scaling: {a: 1}}\n", "spec: {b: 1}\n"),
    "the only one in braces goes": (fixed, "spec: {scaling: {a: 1}}\n", "spec: {}\n"),
    "a taint beside others": (
        taint,
        "spec:\n  taints:\n  - {key: a, effect: b}\n",
        "spec:\n  taints:\n  - {key: modelfleet.io/drain, effect: NoExecute}\n  - {key: a, effect: b}\n",
    ),
    "a taint beside others in brackets": (
        taint,
        "spec: {taints: [{key: a}]}\n",
        "spec: {taints: [{key: modelfleet.io/drain, effect: NoExecute}, {key: a}]}\n",
    ),
    "a taint in empty brackets": (taint, "spec: {taints: []}\n", "spec: {taints: [{key: modelfleet.io/drain, effect: NoExecute}]}\n"),
    "the first taint": (
        taint,
        "spec:\n  a: 1\n",
        "spec:\n  taints: [{key: modelfleet.io/drain, effect: NoExecute}]\n  a: 1\n",
    ),
}


def documents(text: str) -> list[Document]:
    return parse("models/x.yaml", text, Report())


@pytest.mark.parametrize(("change", "before", "after"), CASES.values(), ids=CASES)
def test_a_change(change: Edit, before: str, after: str) -> None:
    assert change(before, documents(before)[-1]) == after


DOCUMENTS = {
    "the only one": (["a: 1\n"], 0, ""),
    "the first": (["# one\na: 1\n", "---\n# two\nb: 1\n"], 0, "---\n# two\nb: 1\n"),
    "the last": (["a: 1\n", "---\nb: 1\n"], 1, "a: 1\n"),
    "one between": (["a: 1\n", "--- # two\nb: 1\n", "---\nc: |\n  --- no mark\n"], 1, "a: 1\n---\nc: |\n  --- no mark\n"),
    "one beside comments": (["# ours\n---\na: 1\n"], 0, ""),
}


@pytest.mark.parametrize(("parts", "index", "after"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_document_that_goes(parts: list[str], index: int, after: str) -> None:
    text = "".join(parts)
    assert edit.without_document(text, documents(text)[index]) == after


KEYS = st.sampled_from(["a", "b", "scaling", "replicas"])
VALUES = st.recursive(
    st.integers(0, 9) | st.just("x"), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
)


@given(st.dictionaries(KEYS, VALUES, min_size=1))
def test_whatever_stands_there_the_result_is_what_was_meant(spec: dict[str, object]) -> None:
    from modelfleet.emit import document as as_yaml

    for text in (as_yaml({"spec": spec}, as_given=True), json.dumps({"spec": spec}, indent=1)):
        (found,) = documents(text)
        try:
            new = replicas(text, found)
        except edit.Uneditable:
            continue
        assert documents(new)[0].value == {"spec": {**found.value["spec"], "replicas": 0}}
