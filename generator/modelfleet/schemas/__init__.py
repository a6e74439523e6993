"""JSON Schemas of all kinds and their reference for people: what `modelfleet schemas` writes."""

from __future__ import annotations

import json

from .. import api
from .plan import FILE, plan_schema
from .reference import reference
from .schema import ALL_KINDS, combined_schema, file_name, kind_schema

__all__ = ["ALL_KINDS", "combined_schema", "file_name", "kind_schema", "plan_schema", "reference", "texts"]


def texts() -> dict[str, str]:
    """Content of every generated file by its name, sorted."""
    schemas = {file_name(kind): kind_schema(kind) for kind in api.KINDS} | {ALL_KINDS: combined_schema(), FILE: plan_schema()}
    files = {name: json.dumps(schema, indent=2, ensure_ascii=False) + "\n" for name, schema in schemas.items()}
    return dict(sorted((files | {"README.md": reference()}).items()))
