"""Placements as files: the form that people review."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .api.base import API_VERSION
from .api.placement import PlacementEntry, PlacementSpec
from .emit import document as as_yaml
from .names import ANNOTATION_REMOVE
from .pipeline import Repository

Key = tuple[str, str]


def changed_files(
    repository: Repository, changes: Mapping[Key, PlacementSpec], annotate: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The files that `changes` write: where a record stands already, else placements/<namespace>/<name>.yaml.

    A file with several records is written whole, so that none is lost. annotate: annotations for what changes.
    """
    recorded = repository.resources.of("Placement")
    path_of = {ref: resource.document.path for ref, resource in recorded.items()}
    specs = {ref: resource.model.spec for ref, resource in recorded.items()}
    annotations = {ref: dict(resource.model.metadata.annotations) for ref, resource in recorded.items()}
    touched = set()
    for (namespace, name), spec in changes.items():
        ref = f"{namespace}/{name}"
        specs[ref] = spec
        # An approval is for one change: it does not outlive it.
        kept = {name: value for name, value in annotations.get(ref, {}).items() if name != ANNOTATION_REMOVE}
        annotations[ref] = {**kept, **(annotate or {})}
        touched.add(path_of.setdefault(ref, f"placements/{namespace}/{name}.yaml"))
    files: dict[str, list[str]] = {path: [] for path in sorted(touched)}
    for ref in sorted(path_of):
        if path_of[ref] in touched:
            files[path_of[ref]].append(as_yaml(document(ref, specs[ref], annotations.get(ref, {})), as_given=True))
    return {path: "---\n".join(parts) for path, parts in files.items()}


def document(ref: str, spec: PlacementSpec, annotations: Mapping[str, str]) -> dict[str, Any]:
    """The Placement document of `namespace/name`."""
    namespace, name = ref.split("/")
    metadata: dict[str, Any] = {"name": name, "namespace": namespace}
    if annotations:
        metadata["annotations"] = dict(annotations)
    body: dict[str, Any] = {"wanted": spec.wanted, "replicas": [_entry(entry) for entry in spec.replicas]}
    if spec.shortfall:
        body["shortfall"] = {"missing": spec.shortfall.missing, "summary": spec.shortfall.summary}
    return {"apiVersion": API_VERSION, "kind": "Placement", "metadata": metadata, "spec": body}


def _entry(entry: PlacementEntry) -> dict[str, Any]:
    engines: dict[str, Any] = {}
    for name, choice in sorted(entry.engines.items()):
        engines[name] = {"pool": choice.pool}
        if choice.alternative:
            engines[name]["alternative"] = choice.alternative
        if choice.devices:
            engines[name]["devices"] = dict(sorted(choice.devices.items()))
    found: dict[str, Any] = {"cluster": entry.cluster, "engines": engines, "count": entry.count, "minimum": entry.minimum}
    if entry.maximum is not None:
        found["maximum"] = entry.maximum
    if entry.retiring:
        found["retiring"] = True
    if entry.replaced:
        found["replaced"] = entry.replaced
    return found
