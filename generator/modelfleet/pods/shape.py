"""The shape of a pod spec: how Kubernetes spells its fields, which are quantities, and which take one of a few words."""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from .. import codes
from ..api.quantity import Quantity
from . import fields, relations
from .fields import Finding, Loc

_QUANTITIES = frozenset(("limits", "requests", "overhead"))
_QUANTITY = frozenset(("sizeLimit", "divisor"))


def pod_spec() -> type[BaseModel]:
    """The package's model of a pod spec."""
    from kubernetes.client.models.v1_pod_spec import V1PodSpec

    return V1PodSpec


def variable() -> type[BaseModel]:
    """The package's model of an environment variable."""
    from kubernetes.client.models.v1_env_var import V1EnvVar

    return V1EnvVar


@cache
def _fields(model: type[BaseModel]) -> Mapping[str, tuple[type[BaseModel] | None, str]]:
    """Field as YAML spells it -> (the model of it or of its items, its name in Python)."""
    return {f.serialization_alias or name: (_inner(f.annotation), name) for name, f in model.model_fields.items()}


def _inner(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type):
        return annotation if issubclass(annotation, BaseModel) else None
    if get_origin(annotation) in (Annotated, Union, types.UnionType, list, dict):
        return next((found for part in get_args(annotation) if (found := _inner(part))), None)
    return None


def walk(value: Any, model: type[BaseModel] | None, loc: Loc, found: list[Finding]) -> Any:
    """`value` as the package's models take it: numbers of quantities as text. What they would let pass wrongly goes to `found`."""
    if isinstance(value, list):
        return [walk(item, model, (*loc, index), found) for index, item in enumerate(value)]
    if not isinstance(value, dict) or model is None:
        return value
    known, kind = _fields(model), model.__name__
    plain = {}
    for key, item in value.items():
        at, (inner, _) = (*loc, key), known.get(key, (None, ""))
        found.extend(fields.field(kind, key, item, at))
        if key not in known:
            _misspelt(key, known, at, found)
        elif key in _QUANTITIES and isinstance(item, dict):
            item = {name: _quantity(amount, (*at, name), found) for name, amount in item.items()}
        elif key in _QUANTITY:
            item = _quantity(item, at, found)
        if item is not None:
            plain[key] = walk(item, inner, at, found)
    found.extend(fields.whole(kind, value, list(known), loc))
    found.extend(relations.of(kind, value, loc))
    return plain


def _misspelt(key: str, fields: Mapping[str, tuple[Any, str]], loc: Loc, found: list[Finding]) -> None:
    """A snake_case spelling, which the models take; others they refuse themselves."""
    spelt = next((alias for alias, (_, name) in fields.items() if name == key), None)
    if spelt:
        found.append(Finding(loc, codes.UNKNOWN_FIELD, f"`{key}` is Python's spelling", f"did you mean `{spelt}`?", key=True))


def _quantity(value: Any, loc: Loc, found: list[Finding]) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    text = str(value)
    try:
        quantity = Quantity.parse(text)
    except ValueError as reason:
        found.append(
            Finding(loc, codes.BAD_QUANTITY, f"`{text}` is not a Kubernetes quantity: {reason}", "write a quantity such as 80Gi or 500m")
        )
        return "0"
    if quantity.sign < 0:
        found.append(Finding(loc, codes.BAD_QUANTITY, f"`{text}` is below zero", "write an amount from 0 up"))
    return text


def without_tags(value: Any, loc: tuple[Any, ...], missing: bool) -> Loc:
    """`loc` of a pydantic error without the names of union members that it holds; missing: its last step is no key of `value`."""
    steps: list[str | int] = []
    for number, step in enumerate(loc):
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            if not (missing and number == len(loc) - 1):
                continue
        steps.append(step)
    return tuple(steps)
