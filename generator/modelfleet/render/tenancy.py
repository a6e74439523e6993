"""Namespace."""

from __future__ import annotations

from .. import names
from . import sync
from .metadata import metadata
from .unit import Manifest


def namespace(name: str, removal: sync.Removal) -> Manifest:
    """A namespace. It is never pruned nor deleted with its unit: its deletion would take every pod along."""
    labels = {names.LABEL_NAMESPACE_NAME: name, names.LABEL_NAMESPACE: name}
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": metadata(name, labels=labels, annotations=sync.annotations_of("Namespace", removal)),
    }
