"""The models of api/ as JSON Schema 2020-12: one for each kind and one for all of them.

Descriptions are the models' own docstrings, read from the source with `ast`, so that other commands need not pay for
them. A schema is at least as strict as its model as far as JSON Schema can say it; rules across fields are in
`rules`. The same models give the same bytes.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from functools import cache
from importlib import import_module
from typing import Any, cast, get_args

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from .. import api
from ..api.base import API_VERSION, GROUP
from ..api.quantity import QuantityText
from ..api.semver import SemverText
from .rules import RULES

DIALECT = "https://json-schema.org/draft/2020-12/schema"
BASE = "https://modelfleet.io/schemas/v1alpha1/"
ALL_KINDS = "modelfleet.schema.json"

Schema = dict[str, Any]

_QUANTITY = {
    "pattern": r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE](\+?0*([0-9]{1,3}|1000)|-[0-9]+))?$",
    "maxLength": 4000,
    "examples": ["80Gi", "500m", "4"],
}
_NUMBER = "(0|[1-9][0-9]{0,18})"
_PRE = f"({_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_SEMVER = {
    "pattern": rf"^{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-{_PRE}(\.{_PRE})*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$",
    "examples": ["9.0.0"],
}
# What a validator function of ours asks of a text, as JSON Schema says it.
_FORMS: dict[Any, Schema] = {get_args(form)[1].func: extra for form, extra in ((QuantityText, _QUANTITY), (SemverText, _SEMVER))}


@cache
def field_texts(module: str) -> dict[tuple[str, str], str]:
    """(class, field) -> the string below the field, for every class of `module` (as text of one paragraph)."""
    found: dict[tuple[str, str], str] = {}
    tree = ast.parse(inspect.getsource(import_module(module)))
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for field, after in zip(node.body, node.body[1:], strict=False):
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(after, ast.Expr):
                    text = after.value.value if isinstance(after.value, ast.Constant) else None
                    if isinstance(text, str):
                        found[node.name, field.target.id] = " ".join(text.split())
    return found


def field_text(model: type[BaseModel], name: str) -> str:
    """The docstring of a field, inherited if the class has none of its own."""
    for base in model.__mro__:
        if text := field_texts(base.__module__).get((base.__name__, name), "") if base.__module__.startswith(api.__name__) else "":
            return text
    return ""


def enum_texts(values: list[Any], text: str) -> list[str] | None:
    """The text of each value, where `text` explains them as `Value: what it does.`; None unless it names them all."""
    if not all(isinstance(value, str) for value in values):
        return None
    marks = [re.search(rf"(?<![\w/.`]){re.escape(value)}(?:, \w+)*(?:: | )", text) for value in values]
    if len(values) < 2 or not all(marks):
        return None
    texts = []
    for mark in marks:
        assert mark is not None
        rest = text[mark.end() :]
        end = re.search(r"(?<=[.;]) |; |, (?=[A-Z][A-Za-z]+ )", rest)
        texts.append(rest[: end.start()].rstrip(".;") if end else rest.rstrip("."))
    return texts


class Generator(GenerateJsonSchema):
    """pydantic's schema with our docstrings, without titles, nulls and the defaults of whole mappings."""

    schema_dialect = DIALECT

    def model_schema(self, schema: core_schema.ModelSchema) -> Schema:
        found = super().model_schema(schema)
        model = cast("type[BaseModel]", schema["cls"])
        properties = found.get("properties", {})
        for name, field in model.model_fields.items():
            part = properties[field.alias or name]
            text = field_text(model, name)
            if text:
                part["description"] = text
            texts = enum_texts(part.get("enum", []), text)
            if texts:
                part["markdownEnumDescriptions"] = texts
        found.pop("title", None)
        found["description"] = inspect.cleandoc(model.__doc__ or "")
        found.update(RULES.get(model.__name__, {}))
        return found

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> Schema:
        """A field is written or left out; an empty one is taken for a mistake while it is typed."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> Schema:
        found = super().default_schema(schema)
        if not isinstance(found.get("default"), str | int | float | bool):
            found.pop("default", None)
        return found

    def dict_schema(self, schema: core_schema.DictSchema) -> Schema:
        """pydantic's form lets keys pass that do not match the pattern."""
        found = super().dict_schema(schema)
        keys, values = schema.get("keys_schema"), schema.get("values_schema")
        names = {k: v for k, v in (self.generate_inner(keys) if keys else {}).items() if k not in ("type", "description")}
        found.pop("patternProperties", None)
        found["additionalProperties"] = self.generate_inner(values) if values else True
        return found | ({"propertyNames": names} if names else {})

    def function_after_schema(self, schema: core_schema.AfterValidatorFunctionSchema) -> Schema:
        found = super().function_after_schema(schema)
        function: Any = schema["function"]["function"]
        if getattr(function, "__qualname__", "").startswith("unique."):
            found["uniqueItems"] = True
        return found | _FORMS.get(function, {})


def kind_schema(kind: str) -> Schema:
    """The JSON Schema of one kind."""
    found = api.model(kind).model_json_schema(schema_generator=Generator)
    return cast("Schema", _ordered({"$schema": DIALECT, "$id": f"{BASE}{file_name(kind)}", "title": kind} | found))


def combined_schema() -> Schema:
    """One schema for a file of any kind; documents of other groups pass, because they are skipped."""
    kinds = sorted(api.KINDS)
    foreign = {"properties": {"apiVersion": {"type": "string", "not": {"pattern": f"^{re.escape(GROUP)}/"}}}, "required": ["apiVersion"]}
    ours = {
        "properties": {"apiVersion": {"const": API_VERSION}, "kind": {"enum": kinds}},
        "required": ["apiVersion", "kind", "metadata", "spec"],
        "allOf": [
            {"if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]}, "then": {"$ref": f"#/$defs/{kind}"}} for kind in kinds
        ],
    }
    properties = {
        "apiVersion": {"type": "string", "description": f"Always {API_VERSION}."},
        "kind": {"type": "string", "description": "What is declared."},
    }
    found = {
        "$schema": DIALECT,
        "$id": f"{BASE}{ALL_KINDS}",
        "title": "modelfleet",
        "description": "Any declaration of a fleet repository.",
        "type": "object",
        "properties": properties,
        "if": foreign,
        "else": ours,
        "$defs": {kind: _embedded(kind) for kind in kinds},
    }
    return cast("Schema", _ordered(found))


def _embedded(kind: str) -> Schema:
    """A kind's schema with its definitions, as a definition of another schema; its references are made absolute in it."""
    schema = {key: value for key, value in kind_schema(kind).items() if key not in ("$schema", "$id")}
    text = json.dumps(schema).replace('"#/$defs/', f'"#/$defs/{kind}/$defs/')
    return cast("Schema", json.loads(text))


_ORDER = ("$schema", "$id", "title", "description", "type", "enum", "const", "default", "examples", "required", "properties")


def _ordered(value: Any) -> Any:
    """Keywords in one order; properties stay in the models' order."""
    if isinstance(value, list):
        return [_ordered(item) for item in value]
    if not isinstance(value, dict):
        return value
    keys = sorted(value, key=lambda k: (_ORDER.index(k) if k in _ORDER else len(_ORDER), k))
    return {k: {n: _ordered(p) for n, p in value[k].items()} if k in ("properties", "$defs") else _ordered(value[k]) for k in keys}


def file_name(kind: str) -> str:
    return f"{kind.lower()}.schema.json"
