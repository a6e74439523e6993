"""Namespace."""

from __future__ import annotations

from .. import names
from . import sync
from .unit import Manifest


def namespace(name: str, removal: sync.Removal) -> Manifest:
    """A namespace. It is never pruned nor deleted with its unit: its deletion would take every pod along."""
    labels = {names.LABEL_MANAGED_BY: names.MANAGED_BY, names.LABEL_NAMESPACE_NAME: name, names.LABEL_NAMESPACE: name}
    metadata = {"name": name, "labels": labels, "annotations": sync.annotations("Namespace", removal)}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
