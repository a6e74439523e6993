"""A Change as JSON; its schema is schemas/plan.schema.json."""

from __future__ import annotations

import json
from dataclasses import asdict

from .change import Change


def as_json(change: Change) -> str:
    """One object, its keys in the order of the values' fields."""
    return json.dumps(asdict(change), indent=2, ensure_ascii=False) + "\n"
