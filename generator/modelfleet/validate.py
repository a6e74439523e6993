"""Documents to typed, frozen resources. All mistakes are reported at once, each at the line of its value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from . import api, codes
from .api.base import API_VERSION, GROUP
from .diagnostics import Location, Report, nearest
from .load import Document
from .mistakes import explain
from .names import SYSTEM_NAMESPACE


@dataclass(frozen=True, slots=True)
class Resource:
    """A declared object: its model and the document it came from."""

    model: Any
    document: Document

    def at(self, *loc: str | int, key: bool = False) -> Location:
        """Where the value at `loc` stands."""
        return self.document.locate(loc, key=key)


@dataclass(frozen=True, slots=True)
class Resources:
    """Resources by kind, then by `name` or `namespace/name`."""

    kinds: Mapping[str, Mapping[str, Resource]] = field(default_factory=dict)

    def of(self, kind: str) -> Mapping[str, Resource]:
        return self.kinds.get(kind, {})


def validate(documents: Iterable[Document], report: Report) -> Resources:
    """The resources of `documents`; a document with a mistake is reported and left out."""
    kinds: dict[str, dict[str, Resource]] = {}
    twice: set[tuple[str, str]] = set()
    for read in documents:
        document = _translated(read, report)
        kind = _kind(document, report) if document else None
        if document is None or kind is None or not _own_folder(document, kind, report):
            continue
        model = _model(document, kind, report)
        if model is None:
            continue
        known, resource = kinds.setdefault(kind, {}), Resource(model, document)
        if model.ref_name in known:
            first = known[model.ref_name].at("metadata", "name")
            message = f"{kind} `{model.ref_name}` is declared twice; first at {first}"
            report.add(codes.DUPLICATE_OBJECT, message, resource.at("metadata", "name"), "remove or rename one")
            twice.add((kind, model.ref_name))
        known[model.ref_name] = resource
    for kind, name in twice:
        del kinds[kind][name]  # which of the two holds is not ours to guess
    return Resources({kind: dict(sorted(known.items())) for kind, known in kinds.items()})


def _translated(document: Document, report: Report) -> Document | None:
    """The document in our group, where it is written in Modelplane's; None, with a diagnostic, if it has no meaning here."""
    version = document.value.get("apiVersion") if isinstance(document.value, dict) else None
    if not isinstance(version, str) or not version.startswith("modelplane.ai/"):
        return document
    from . import dialect  # few repositories are mixed

    return dialect.ours(document, report)


def _kind(document: Document, report: Report) -> str | None:
    """The kind of a document that is ours; None if it is not, or not readable."""
    value = document.value
    if not isinstance(value, dict):
        report.add(codes.NOT_A_MAPPING, "the document is not a mapping", document.locate(()), f"apiVersion: {API_VERSION}")
        return None
    version, kind = value.get("apiVersion"), value.get("kind")
    if not isinstance(version, str) or (version.startswith(GROUP) and version != API_VERSION):
        shown = f"apiVersion `{version}` is not known" if "apiVersion" in value else "apiVersion is missing"
        report.add(codes.WRONG_VERSION, shown, document.locate(("apiVersion",)), f"apiVersion: {API_VERSION}")
        return None
    if version == "v1" and kind == "ConfigMap":
        return "ConfigMap"
    if version != API_VERSION:
        report.add(codes.FOREIGN_DOCUMENT, f"a document of `{version}` was skipped", document.locate(("apiVersion",)))
        return None
    if not isinstance(kind, str) or kind not in api.KINDS:
        shown = f"`{kind}` is not a kind of {GROUP}" if "kind" in value else "kind is missing"
        report.add(codes.UNKNOWN_KIND, shown, document.locate(("kind",)), nearest(str(kind), api.KINDS))
        return None
    return str(kind)


def _own_folder(document: Document, kind: str, report: Report) -> bool:
    """Whether the document stands where its kind and namespace belong."""
    folder, *rest = document.path.split("/")
    wanted = api.KINDS[kind][1]
    if wanted != "fleet" and (rest[0] == SYSTEM_NAMESPACE or rest[0].startswith("kube-")) and len(rest) > 1:
        whose = "modelfleet" if rest[0] == SYSTEM_NAMESPACE else "Kubernetes"
        where = document.locate(("metadata", "namespace"))
        report.add(codes.RESERVED_NAMESPACE, f"namespace `{rest[0]}` is {whose}'s own", where, f"git mv {folder}/{rest[0]} {folder}/NAME")
        return False
    if folder != wanted:
        place = f"{wanted}/" if wanted == "fleet" else f"{wanted}/<namespace>/"
        report.add(codes.WRONG_FOLDER, f"{kind} does not belong under {folder}/", document.locate(("kind",)), f"move it under {place}")
        return False
    if wanted == "fleet":
        return True
    if len(rest) < 2:
        hint = f"move it to {wanted}/<namespace>/{rest[0]}"
        report.add(codes.WRONG_FOLDER, f"{kind} stands outside a namespace's folder", document.locate(("kind",)), hint)
        return False
    metadata = document.value.get("metadata")
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    if isinstance(namespace, str) and namespace != rest[0]:
        message = f"namespace `{namespace}` is declared in the folder of `{rest[0]}`"
        report.add(codes.WRONG_NAMESPACE, message, document.locate(("metadata", "namespace")), f"namespace: {rest[0]}")
        return False
    return True


def _model(document: Document, kind: str, report: Report) -> Any:
    """The validated model, or None with a diagnostic for each mistake."""
    model = api.model(kind)
    try:
        return model.model_validate(document.value)
    except ValidationError as error:
        report.extend(found for mistake in error.errors(include_url=False) if (found := explain(mistake, model, document)))
        return None
