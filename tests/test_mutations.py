"""Every declaration of the example and the goldens, damaged in every place: a diagnostic at that place, never an exception."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from modelfleet import api, load
from modelfleet.diagnostics import Diagnostic, Report
from modelfleet.emit import document as as_yaml
from modelfleet.schemas import kind_schema, reference
from modelfleet.validate import validate

ROOT = Path(__file__).parent.parent
Loc = tuple[str | int, ...]
Schema = dict[str, Any]


def _declarations() -> Iterator[tuple[str, dict[str, Any]]]:
    """(path in its repository, document) of all that is declared in the example, in the goldens, and for every kind in the reference."""
    for kind, text in re.findall(r"^## (\w+)$.*?```yaml\n(.*?)```", reference(), re.MULTILINE | re.DOTALL):
        folder = api.KINDS[kind][1]
        relative = f"{folder}/x.yaml" if folder == "fleet" else f"{folder}/search/x.yaml"
        yield f"reference:{relative}:{kind}", load.parse(relative, text, Report())[0].value
    for root in (ROOT / "fleet-repo-example", *sorted((ROOT / "tests" / "golden").glob("*"))):
        for relative, path in load.files(root, ["fleet", "models", "placements"], Report()):
            for number, document in enumerate(load.read(relative, path, Report())):
                if document.value.get("kind") in api.KINDS and not _errors(relative, document.value):
                    yield f"{root.name}:{relative}:{number}", document.value


def _errors(relative: str, value: dict[str, Any]) -> list[Diagnostic]:
    report = Report()
    validate(load.parse(relative, as_yaml(value), report), report)
    return report.sorted()


def _walk(schema: Schema, shape: Schema, value: Any, loc: Loc = ()) -> Iterator[tuple[Loc, Schema, Any]]:
    """Every value that a model of ours describes, with its schema; free mappings and pod specs are entered by their keys only."""
    shape = schema["$defs"][shape["$ref"].rpartition("/")[2]] if "$ref" in shape else shape
    yield loc, shape, value
    if isinstance(value, dict) and "properties" in shape:
        for key, inner in value.items():
            yield from _walk(schema, shape["properties"][key], inner, (*loc, key))
    elif isinstance(value, dict) and isinstance(shape.get("additionalProperties"), dict):
        for key, inner in value.items():
            yield from _walk(schema, shape["additionalProperties"], inner, (*loc, key))
    elif isinstance(value, list) and isinstance(shape.get("items"), dict):
        for index, inner in enumerate(value):
            yield from _walk(schema, shape["items"], inner, (*loc, index))


def _changed(value: Any, loc: Loc, change: Any) -> Any:
    """A copy of `value` in which `change(parent, step)` was done at `loc`."""
    found = copy.deepcopy(value)
    parent = found
    for step in loc[:-1]:
        parent = parent[step]
    change(parent, loc[-1])
    return found


def _drop(parent: Any, step: Any) -> None:
    del parent[step]


def _put(new: Any) -> Any:
    def change(parent: Any, step: Any) -> None:
        parent[step] = new

    return change


def _rename(new: str) -> Any:
    def change(parent: dict[str, Any], key: str) -> None:
        items = [(new if k == key else k, v) for k, v in parent.items()]
        parent.clear()
        parent.update(items)

    return change


def _place(relative: str, value: Any, loc: Loc, key: bool = False) -> tuple[int, int]:
    """(line, column) of what stands at `loc` of the emitted document."""
    where = load.parse(relative, as_yaml(value), Report())[0].locate(loc, key=key)
    return where.line, where.column


def _check(what: str, relative: str, value: Any, loc: Loc, codes: set[str] | None = None, key: bool = False) -> list[Diagnostic]:
    """The diagnostics of a damaged document; one of them must stand at `loc`."""
    found = _errors(relative, value)
    report = Report()
    if not load.parse(relative, as_yaml(value), report):
        return report.sorted()
    line, column = _place(relative, value, loc, key)
    said = [(d.location.line, d.location.column) for d in found]
    assert (line, column) in said, (
        f"{what}: nothing is said at {line}:{column}\n" + "\n".join(d.text() for d in found) + "\n" + as_yaml(value)
    )
    if codes is not None:
        assert {d.code.name for d in found if (d.location.line, d.location.column) == (line, column)} & codes, (
            what,
            [d.text() for d in found],
        )
    return found


DECLARATIONS = dict(_declarations())
NAMES = sorted(DECLARATIONS)
# Without these a ConfigMap is some other tool's document, which is skipped.
SKIPPED = {("ConfigMap", "kind"), ("ConfigMap", "apiVersion")}


def _relative(name: str) -> str:
    return name.split(":")[1]


def test_there_is_something_of_every_kind() -> None:
    assert {value["kind"] for value in DECLARATIONS.values()} == set(api.KINDS)


@pytest.mark.parametrize("name", NAMES)
def test_a_required_field_that_is_missing(name: str) -> None:
    value, relative = DECLARATIONS[name], _relative(name)
    schema = kind_schema(value["kind"])
    for loc, shape, inner in _walk(schema, schema, value):
        for field in shape.get("required", []) if isinstance(inner, dict) else []:
            if (value["kind"], field) not in SKIPPED:
                _check(f"{loc} without {field}", relative, _changed(value, (*loc, field), _drop), loc)


@pytest.mark.parametrize("name", NAMES)
def test_a_key_that_is_misspelt(name: str) -> None:
    value, relative = DECLARATIONS[name], _relative(name)
    schema = kind_schema(value["kind"])
    for loc, shape, inner in _walk(schema, schema, value):
        for field in inner if isinstance(inner, dict) and "properties" in shape else ():
            wrong = field[:-1] + field[-1] * 2
            if (value["kind"], field) in SKIPPED:
                continue
            if loc == () and field in ("kind", "apiVersion"):
                _check(f"{wrong}", relative, _changed(value, (field,), _rename(wrong)), ())
                continue
            found = _check(
                f"{loc}: {wrong}", relative, _changed(value, (*loc, field), _rename(wrong)), (*loc, wrong), {"UnknownField"}, key=True
            )
            assert any(d.code.name == "UnknownField" and f"`{field}`" in d.hint for d in found), (wrong, [d.text() for d in found])


WRONG: dict[str, list[Any]] = {
    "string": [7, 1.5, True, ["x"], {"x": "y"}],
    "integer": ["7", 1.5, True, [1], {"x": 1}, -(2**62)],
    "number": ["7", True, [1], {"x": 1}],
    "boolean": ["true", 1, [True], {"x": True}],
    "array": ["x", 7, True, {"x": "y"}],
    "object": ["x", 7, True, ["x"]],
}


@pytest.mark.parametrize("name", NAMES)
def test_a_value_of_a_wrong_type(name: str) -> None:
    value, relative = DECLARATIONS[name], _relative(name)
    schema = kind_schema(value["kind"])
    for loc, shape, _ in _walk(schema, schema, value):
        for wrong in WRONG.get(shape.get("type", ""), []):
            if loc and (value["kind"], loc[-1]) not in SKIPPED:
                _check(f"{loc} = {wrong!r}", relative, _changed(value, loc, _put(wrong)), loc)


@pytest.mark.parametrize("name", NAMES)
def test_a_word_that_is_none_of_the_known_ones(name: str) -> None:
    value, relative = DECLARATIONS[name], _relative(name)
    schema = kind_schema(value["kind"])
    for loc, shape, inner in _walk(schema, schema, value):
        if "enum" in shape:
            found = _check(f"{loc}", relative, _changed(value, loc, _put(inner.lower())), loc, {"UnknownValue"})
            assert any(f"`{inner}`" in d.hint for d in found), [d.text() for d in found]


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_value(name: str) -> None:
    """A key without a value: refused, or the same as a key that is not there; never an exception."""
    value, relative = DECLARATIONS[name], _relative(name)
    schema = kind_schema(value["kind"])
    for loc, _, _ in _walk(schema, schema, value):
        if loc:
            _errors(relative, _changed(value, loc, _put(None)))
