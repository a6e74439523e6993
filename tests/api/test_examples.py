"""The worked examples as one repository: each passes `check`, and every field of the API occurs in them or in fields/."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from modelfleet import api, load
from modelfleet.api.base import Model
from modelfleet.diagnostics import Report
from modelfleet.validate import validate

from tests.run import modelfleet
from tests.written import nested

HERE = Path(__file__).parent
EXAMPLES = HERE / "examples"


def test_the_examples_pass_check(tmp_path: Path) -> None:
    """What this release does not do yet is said, and that a model of one pod stops while it is updated; nothing else."""
    root = Path(shutil.copytree(EXAMPLES, tmp_path / "repository"))
    assert modelfleet(root, "place").code == 0
    result = modelfleet(root, "check", "--all")
    said = re.findall(r"^(\S+?):\d+:\d+: (\w+)\[(\w+)\]", result.err, re.MULTILINE)
    assert (result.code, {(word, code) for _, word, code in said}) == (0, {("warning", "UpdateStopsModel")})


@pytest.mark.parametrize("path", sorted((HERE / "fields").glob("*.yaml")), ids=lambda path: path.stem)
def test_a_document_with_every_field_is_accepted(path: Path) -> None:
    report = Report()
    assert _read(path, f"{path.stem}/search/x.yaml", report)
    assert [d.line() for d in report.sorted()] == []


def test_every_field_is_used() -> None:
    report = Report()
    used: set[tuple[str, str]] = set()
    for path in sorted((HERE / "fields").glob("*.yaml")):
        used |= {found for model in _read(path, f"{path.stem}/search/x.yaml", report) for found in _used(model)}
    for relative, path in load.files(EXAMPLES, ["fleet", "models"], report):
        used |= {found for model in _read(path, relative, report) for found in _used(model)}
    declared = {found for kind in api.KINDS for found in _declared(api.model(kind), set())}
    assert ([d.line() for d in report.sorted()], sorted(declared - used)) == ([], [])


def _read(path: Path, relative: str, report: Report) -> list[Any]:
    """The models of a file, as if it stood at `relative`."""
    kinds = validate(load.parse(relative, path.read_text(encoding="utf-8"), report), report).kinds
    return [resource.model for known in kinds.values() for resource in known.values()]


def _used(value: Any) -> Iterator[tuple[str, str]]:
    """(class, field) of every field that is written."""
    if isinstance(value, Model):
        for name in value.model_fields_set:
            yield type(value).__name__, name
            yield from _used(getattr(value, name))
    elif isinstance(value, dict | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _used(item)


def _declared(model: type[Model], seen: set[type[Model]]) -> Iterator[tuple[str, str]]:
    """(class, field) of every field that can be written."""
    if model in seen:
        return
    seen.add(model)
    model.model_rebuild()
    for name, field in model.model_fields.items():
        yield model.__name__, name
        for inner in nested(field.annotation, *field.metadata):
            yield from _declared(inner, seen)
