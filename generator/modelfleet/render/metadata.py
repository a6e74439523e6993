"""Metadata of an object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import names


def metadata(
    name: str, namespace: str = "", *, labels: Mapping[str, str] | None = None, annotations: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Metadata without what is empty: the API server gives back no empty map. Labels default to the mark of who manages the object."""
    found: dict[str, Any] = {"name": name, "namespace": namespace, "labels": {names.LABEL_MANAGED_BY: names.MANAGED_BY, **(labels or {})}}
    found["annotations"] = dict(annotations or {})
    return {key: value for key, value in found.items() if value}
