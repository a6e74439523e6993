"""The schema of what `plan --format json` prints."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from ..report import change
from .schema import BASE, DIALECT, Schema, field_texts

FILE = "plan.schema.json"


def plan_schema() -> Schema:
    """Of a Change; every field is always there, and later versions may add some."""
    schema = TypeAdapter(change.Change).json_schema(mode="serialization")
    texts = field_texts(change.__name__)
    for name, shape in (("Change", schema), *schema["$defs"].items()):
        shape.pop("title", None)
        shape["required"] = list(shape["properties"])
        for field, found in shape["properties"].items():
            _untitle(found)
            if text := texts.get((name, field)):
                found["description"] = text
    head = {"$schema": DIALECT, "$id": BASE + FILE, "title": "What a change of the fleet does"}
    return {**head, **schema}


def _untitle(shape: Any) -> None:
    """Titles that say a field's name again."""
    if isinstance(shape, dict):
        shape.pop("title", None)
        for part in shape.values():
            _untitle(part)
    elif isinstance(shape, list):
        for part in shape:
            _untitle(part)
