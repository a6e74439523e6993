"""Bytes, pieces of YAML and damaged declarations: reading and validating them never ends with an exception."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from modelfleet import load
from modelfleet.diagnostics import Report
from modelfleet.validate import validate

EXAMPLE = Path(__file__).parent.parent / "fleet-repo-example"
VALID = [path.read_bytes() for path in sorted(EXAMPLE.rglob("*.yaml"))]


def _survives(raw: bytes, name: str) -> None:
    """Read, validate and resolve as a repository of one more file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes(raw)
        report = Report()
        documents = load.read(f"models/search/{name}", file, report)
        documents += load.read(f"fleet/{name}", file, report)
        validate(documents, report)
        for diagnostic in report.sorted():
            assert diagnostic.location.path.endswith(name)
            diagnostic.text().encode("utf-8")


@given(st.binary(max_size=200), st.sampled_from(["f.yaml", "f.json"]))
@settings(max_examples=400, deadline=None)
def test_any_bytes(raw: bytes, name: str) -> None:
    _survives(raw, name)


_PIECES = [
    "a",
    ": ",
    "- ",
    "\n",
    "\n  ",
    "[",
    "]",
    "{",
    "}",
    ",",
    '"',
    "'",
    "|",
    ">",
    "&x ",
    "*x",
    "!t ",
    "? ",
    "#",
    "---\n",
    "%",
    "@",
    "\t",
    "<<",
]
_PIECES += [
    "1",
    "no",
    "apiVersion: modelfleet.io/v1alpha1\n",
    "kind: Fleet\n",
    "kind: ModelDeployment\n",
    "metadata:\n  name: x\n",
    "spec: ",
]
YAMLISH = st.lists(st.sampled_from(_PIECES), max_size=30)


@given(YAMLISH)
@settings(max_examples=1500, deadline=None)
def test_any_yaml(parts: list[str]) -> None:
    _survives("".join(parts).encode(), "f.yaml")


@given(st.sampled_from(VALID), st.data())
@settings(max_examples=600, deadline=None)
def test_a_valid_file_with_a_piece_changed(raw: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(raw)))
    length = data.draw(st.integers(0, 40))
    piece = data.draw(st.one_of(st.binary(max_size=6), st.sampled_from(_PIECES).map(str.encode)))
    _survives(raw[:start] + piece + raw[start + length :], "f.yaml")


@given(st.sampled_from(VALID), st.integers(0, 5000))
@settings(max_examples=200, deadline=None)
def test_a_half_written_file(raw: bytes, length: int) -> None:
    _survives(raw[: length % (len(raw) + 1)], "f.yaml")
