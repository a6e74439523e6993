"""The generated schemas: up to date, valid, as strict as the models, and right about every declaration there is."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from modelfleet import api, load
from modelfleet.diagnostics import Report
from modelfleet.emit import document as as_yaml
from modelfleet.schemas import ALL_KINDS, combined_schema, file_name, kind_schema, reference, texts
from modelfleet.schemas.rules import RULES
from modelfleet.schemas.samples import classes
from pydantic import ValidationError

from tests.schema_values import Values
from tests.test_mutations import DECLARATIONS, SKIPPED, WRONG, _changed, _drop, _put, _rename, _walk

ROOT = Path(__file__).parent.parent
KINDS = sorted(api.KINDS)
SCHEMAS = {kind: kind_schema(kind) for kind in KINDS}
VALIDATORS = {kind: Draft202012Validator(schema) for kind, schema in SCHEMAS.items()}
COMBINED = Draft202012Validator(combined_schema())


def test_the_folder_holds_what_is_generated() -> None:
    wanted = texts()
    assert {path.name for path in (ROOT / "schemas").iterdir()} == set(wanted), "run make schemas"
    for name, content in wanted.items():
        assert (ROOT / "schemas" / name).read_text(encoding="utf-8") == content, f"{name} is old: run make schemas"


def test_generating_twice_gives_the_same_bytes() -> None:
    assert texts() == texts()


@pytest.mark.parametrize("name", [file_name(kind) for kind in KINDS] + [ALL_KINDS])
def test_a_schema_is_one(name: str) -> None:
    schema = json.loads(texts()[name])
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"https://modelfleet.io/schemas/v1alpha1/{name}"
    Draft202012Validator.check_schema(schema)


def _shapes(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(schema, dict):
        yield path, schema
        for key, part in schema.items():
            if key not in ("default", "const", "examples", "enum"):
                yield from _shapes(part, f"{path}/{key}")
    elif isinstance(schema, list):
        for index, part in enumerate(schema):
            yield from _shapes(part, f"{path}/{index}")


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_described_and_every_mapping_of_fields_is_closed(kind: str) -> None:
    for path, shape in _shapes(SCHEMAS[kind]):
        parent = path.rpartition("/")[0]
        if parent.endswith("/properties") and not re.search(r"/(allOf|oneOf|anyOf|if|then|else|not|contains)/", path):
            assert shape.get("description"), f"{path} has no docstring"
        if "/$defs/" in path and path.count("/") == 2 and "properties" in shape:
            assert shape["additionalProperties"] is False, path
            assert shape.get("description"), path


@pytest.mark.parametrize("kind", KINDS)
def test_defaults_and_examples_are_valid(kind: str) -> None:
    definitions = SCHEMAS[kind].get("$defs", {})
    for path, shape in _shapes(SCHEMAS[kind]):
        for value in [*shape.get("examples", []), *([shape["default"]] if "default" in shape else [])]:
            Draft202012Validator({**shape, "$defs": definitions}).validate(value), path


@pytest.mark.parametrize("name", sorted(DECLARATIONS))
def test_every_declaration_passes(name: str) -> None:
    value = DECLARATIONS[name]
    for validator in (VALIDATORS[value["kind"]], COMBINED):
        errors = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]
        assert not errors, errors


def test_the_combined_schema_refuses_what_is_ours_and_wrong_and_passes_what_is_foreign() -> None:
    good = next(value for value in DECLARATIONS.values() if value["kind"] == "Fleet")
    assert COMBINED.is_valid(good)
    assert COMBINED.is_valid({"apiVersion": "apps/v1", "kind": "Deployment", "anything": 1})
    for change in ({"kind": "Fleett"}, {"apiVersion": "modelfleet.io/v2"}, {"spec": {}}, {"specc": {}}, {"kind": "Team"}):
        assert not COMBINED.is_valid({**good, **change}), change
    for missing in ("apiVersion", "kind", "metadata", "spec"):
        assert not COMBINED.is_valid({key: value for key, value in good.items() if key != missing}), missing


def _refusals(kind: str, value: Any) -> list[str]:
    """What the model refuses in the structure of `value`; rules across fields that JSON Schema does not say are left out."""
    try:
        api.model(kind).model_validate(value)
    except ValidationError as error:
        return [f"{mistake['loc']}: {mistake['type']}" for mistake in error.errors(include_url=False) if not _by_rule(mistake)]
    return []


def _by_rule(mistake: Any) -> bool:
    """A rule of ours; and where items were refused by one, pydantic finds the list too short."""
    short = mistake["type"] == "too_short" and len(mistake["input"]) >= mistake["ctx"]["min_length"]
    return short or (mistake["type"] == "modelfleet" and mistake["ctx"]["code"] not in ("BadQuantity", "BadVersion"))


def _same(kind: str, value: Any) -> None:
    if VALIDATORS[kind].is_valid(value):
        assert not _refusals(kind, value), (value, _refusals(kind, value))


@pytest.mark.parametrize("name", sorted(DECLARATIONS))
def test_what_the_models_refuse_in_a_damaged_declaration_the_schemas_refuse_too(name: str) -> None:
    value = DECLARATIONS[name]
    kind = value["kind"]
    for loc, shape, inner in _walk(SCHEMAS[kind], SCHEMAS[kind], value):
        if loc and (kind, loc[-1]) not in SKIPPED:
            for wrong in [*WRONG.get(shape.get("type", ""), []), "", [], {}]:
                # JSON Schema takes 1.0 for an integer, and cannot be told otherwise.
                _same(kind, _changed(value, loc, _put(wrong)))
        for field in inner if isinstance(inner, dict) and "properties" in shape else ():
            _same(kind, _changed(value, (*loc, field), _drop))
            _same(kind, _changed(value, (*loc, field), _rename(field + "x")))


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_what_a_schema_takes_a_model_takes_and_gives_back(kind: str, data: st.DataObject) -> None:
    """Schema to value to model; and value to YAML to value to model again, equal."""
    value = data.draw(Values(SCHEMAS[kind]).of(SCHEMAS[kind]))
    if not VALIDATORS[kind].is_valid(value):
        return
    assert not _refusals(kind, value), (value, _refusals(kind, value))
    text, report = as_yaml(value), Report()
    (again,) = load.parse("f.yaml", text, report)
    assert again.value == json.loads(json.dumps(value)), text
    try:
        model = api.model(kind).model_validate(value)
    except ValidationError:
        return  # a rule across fields
    assert api.model(kind).model_validate(again.value) == model
    written = model.model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert api.model(kind).model_validate(written) == model


@given(st.sampled_from(["string", "version", "bool", "int"]), st.data())
@settings(max_examples=50, deadline=None)
def test_fields_named_like_keywords(field: str, data: st.DataObject) -> None:
    schema = SCHEMAS["InferenceClass"]
    whole = copy.deepcopy(next(value for name, value in DECLARATIONS.items() if name.endswith(":InferenceClass")))
    whole["spec"]["devices"][0]["attributes"] = {
        "x": {field: data.draw(Values(schema).of(schema["$defs"]["Attribute"]["properties"][field]))}
    }
    model = api.model("InferenceClass").model_validate(whole)
    (again,) = load.parse("f.yaml", as_yaml(model.model_dump(mode="json", by_alias=True, exclude_unset=True)), Report())
    assert again.value == json.loads(json.dumps(whole))
    assert api.model("InferenceClass").model_validate(again.value) == model


def test_rules_name_classes_that_exist() -> None:
    known = {name for kind in KINDS for name in classes(api.model(kind))}
    assert set(RULES) <= known


@pytest.mark.parametrize("kind", KINDS)
def test_the_reference_shows_every_field(kind: str) -> None:
    section = re.search(rf"^## {kind}$.*?```yaml\n(.*?)```", reference(), re.MULTILINE | re.DOTALL)
    assert section
    for name, shape in SCHEMAS[kind].get("$defs", {}).items():
        for field in shape.get("properties", {}):
            assert re.search(rf"^[ #-]*{re.escape(field)}:", section[1], re.MULTILINE), f"{name}.{field}"
