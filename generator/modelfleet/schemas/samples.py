"""A value for every field: the examples of the schemas and of the reference.

A field's value is, in this order: its `Field(examples=[...])`, the table below, its default, the first word of an enum,
a text that its pattern takes. A class whose fields exclude each other gets as many of them as its validators allow.
"""

from __future__ import annotations

import copy
from itertools import combinations
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from ..api import base
from ..api.later import Later
from .values import VALUES

Schema = dict[str, Any]


def _pattern(form: Any) -> str:
    return str(form.__metadata__[0].pattern)


_BY_PATTERN = {
    _pattern(base.DnsLabel): "my-name",
    _pattern(base.DnsSubdomain): "my-name",
    _pattern(base.LabelKey): "example.com/tier",
    _pattern(base.LabelValue): "gold",
    _pattern(base.Duration): "30m",
    _pattern(base.Money): "12.50",
}


def classes(model: type[BaseModel], found: dict[str, type[BaseModel]] | None = None) -> dict[str, type[BaseModel]]:
    """`model` and every model that its fields lead to, by class name."""
    found = {} if found is None else found
    found[model.__name__] = model
    for field in model.model_fields.values():
        for inner in (model for part in (field.annotation, *field.metadata) for model in _models(part)):
            if found.get(inner.__name__) is not inner:
                classes(inner, found)
    return found


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, Later):
        return [annotation.model()]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models(part)]


class Samples:
    """Sample values of one kind's schema; `known` are its classes by name."""

    def __init__(self, schema: Schema, known: dict[str, type[BaseModel]]) -> None:
        self.schema, self.known = schema, known
        self._chosen: dict[str, dict[str, Any]] = {}

    def target(self, part: Schema) -> tuple[str, Schema]:
        """The class name and schema that a `$ref` names, or an empty name and the schema itself."""
        name = part.get("$ref", "").rpartition("/")[2]
        return (name, self.schema["$defs"][name]) if name else ("", part)

    def of(self, owner: str, alias: str, part: Schema) -> Any:
        """The sample of the field `alias` of class `owner`."""
        name, shape = self.target(part)
        if name and "properties" in shape:
            return self.chosen(name, shape)
        own = self._own(owner, alias)
        if shape.get("type") == "array":
            return own if isinstance(own, list) else [own if own is not None else self.of("", alias, shape.get("items", {}))]
        inner = shape.get("additionalProperties")
        if isinstance(own, dict) or inner is None:
            return _scalar(shape) if own is None else own
        key = self._own(owner, alias + "{}") or _BY_PATTERN.get(shape.get("propertyNames", {}).get("pattern", ""), "key")
        value = "text" if inner is True else self.of("", alias, inner)
        return {key: value if own is None else own}

    def _own(self, owner: str, alias: str) -> Any:
        """The table's value of a field, also where a base class declares it."""
        bases = self.known[owner].__mro__ if owner in self.known else ()
        return next((VALUES[f"{cls.__name__}.{alias}"] for cls in bases if f"{cls.__name__}.{alias}" in VALUES), None)

    def chosen(self, name: str, shape: Schema) -> dict[str, Any]:
        """A valid value of a class with as many fields as may stand together."""
        if name not in self._chosen:
            self._chosen[name] = {}  # a class that holds itself ends here
            whole = copy.deepcopy({alias: self.of(name, alias, part) for alias, part in shape["properties"].items()})
            self._chosen[name] = _largest(self.known[name], whole, shape.get("required", [])) if name in self.known else whole
        return self._chosen[name]


def _largest(model: type[BaseModel], whole: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """`whole` less as few optional fields as `model` asks for, the last first; all of it if nothing helps."""
    whole = _without_refused(model, whole)
    optional = [alias for alias in reversed(whole) if alias not in required]
    for size in range(min(len(optional), 4) + 1):
        for dropped in combinations(optional, size):
            rest = {alias: value for alias, value in whole.items() if alias not in dropped}
            if not _refused(model, rest):
                return rest
    return whole


def _without_refused(model: type[BaseModel], value: dict[str, Any]) -> dict[str, Any]:
    """`value` without the fields further in that a rule of `model` names, as long as that helps."""
    while found := _refused(model, value):
        path = found[0]
        if len(path) < 2:
            break
        rest = copy.deepcopy(value)
        parent: Any = rest
        for step in path[:-1]:
            parent = parent[step]
        if not isinstance(parent, dict) or parent.pop(path[-1], None) is None or _refused(model, rest) == found:
            break
        value = rest
    return value


def _refused(model: type[BaseModel], value: dict[str, Any]) -> list[tuple[str | int, ...]]:
    """Where `model` refuses `value`."""
    try:
        model.model_validate(value)
    except ValidationError as error:
        return [(*mistake["loc"], *(mistake.get("ctx") or {}).get("path", ())) for mistake in error.errors(include_url=False)]
    return []


def _scalar(shape: Schema) -> Any:
    for key in ("default", "const"):
        if key in shape:
            return shape[key]
    if shape.get("examples") or shape.get("enum"):
        return (shape.get("examples") or shape["enum"])[0]
    match shape.get("type"):
        case "integer" | "number":
            return shape.get("minimum", 1)
        case "boolean":
            return True
    return _BY_PATTERN.get(shape.get("pattern", ""), "text")
