"""Rules across fields, as JSON Schema says them: by class name, beside what pydantic derives from the fields.

Each says a part of what a validator of the class refuses, never more: a document that the model takes passes.
"""

from __future__ import annotations

from typing import Any

from ..api.shape import POD, VALUE_FROM, Shape

Schema = dict[str, Any]


def _one_of(*names: str) -> Schema:
    return {"oneOf": [{"required": [name]} for name in names]}


def _any_of(*names: str) -> Schema:
    return {"anyOf": [{"required": [name]} for name in names]}


def _excluded(name: str, other: str) -> Schema:
    return {"not": {"required": [name, other]}}


def _when(name: str, value: Any, then: Schema, otherwise: Schema | None = None) -> Schema:
    """`then` where `name` is written as `value`."""
    found: Schema = {"if": {"properties": {name: {"const": value}}, "required": [name]}, "then": then}
    return found | ({"else": otherwise} if otherwise else {})


def _shaped(shape: Shape) -> Schema:
    """What `api.shape` asks of a part of a pod."""
    if isinstance(shape, list):
        return {"type": "array", "items": _shaped(shape[0])}
    if not isinstance(shape, dict):
        return {"type": "integer" if shape is int else "string"}
    return {"type": "object", "properties": {key: _shaped(part) for key, part in shape.items()}} if shape else {"type": "object"}


_ENGINE: Schema = {
    "type": "array",
    "minItems": 1,
    "items": {"type": "object", "required": ["name"]},
    "contains": {"properties": {"name": {"const": "engine"}, "image": {"type": "string"}}, "required": ["name", "image"]},
    "minContains": 1,
    "maxContains": 1,
}

RULES: dict[str, Schema] = {
    "Destination": _one_of("name", "server"),
    "Attribute": _one_of("string", "version", "bool", "int"),
    "MemoryRange": _any_of("atLeast", "below"),
    "DeviceRequest": _any_of("selectors", "products", "memory"),
    "ModelDeploymentSpec": _excluded("replicas", "scaling"),
    "Trigger": _when("type", "Prometheus", {"required": ["query"]}, {"not": {"required": ["query"]}}),
    "Toleration": {
        "if": {"properties": {"operator": {"const": "Exists"}}, "required": ["operator"]},
        "then": {"not": {"required": ["value"]}},
        "else": {"required": ["key"]},
    },
    "PodTemplate": {
        "allOf": [
            {"properties": {"spec": {"required": ["containers"], "properties": {"containers": _ENGINE}}}},
            {"properties": {"spec": _shaped(POD)}},
        ]
    },
    "EnvVar": {"allOf": [{"properties": {"valueFrom": _shaped(VALUE_FROM)}}, _excluded("value", "valueFrom")]},
}
