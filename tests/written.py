"""Declarations as people write them: texts by path, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from modelfleet import pipeline
from modelfleet.api.base import Model
from modelfleet.api.later import Later
from modelfleet.diagnostics import Report
from modelfleet.load import parse
from modelfleet.validate import Resources, validate

HEAD = "apiVersion: modelfleet.io/v1alpha1\n"
FLEET = """\
apiVersion: modelfleet.io/v1alpha1
kind: Fleet
metadata: {name: acme}
spec:
  argocd: {repoURL: https://git.example.com/acme/fleet.git}
  placement: {accounting: Packed}
"""


def resources(files: Mapping[str, str], report: Report) -> Resources:
    """The validated declarations of `files`."""
    return validate([document for path, text in files.items() for document in parse(path, text, report)], report)


def problems(path: str, text: str) -> list[str]:
    """What validation says of one file, a line each."""
    report = Report()
    resources({path: text}, report)
    return [diagnostic.line() for diagnostic in report.sorted()]


def write(root: Path, files: Mapping[str, str], *, fleet: bool = True) -> Path:
    """A repository of `files`; `fleet`: a Fleet is added where none is given."""
    for path, text in ({"fleet/fleet.yaml": FLEET} | dict(files) if fleet else files).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def checked(root: Path, files: Mapping[str, str], *ignored: str) -> list[str]:
    """What the whole repository shows, a line each; codes in `ignored` are left out."""
    report = Report()
    repository = pipeline.read(write(root, files), pipeline.Slice(), report)
    if not report.errors:
        pipeline.check(repository, report)
    return [diagnostic.line() for diagnostic in report.sorted() if diagnostic.code.name not in ignored]


def nested(*annotations: Any) -> Iterator[type[Any]]:
    """The models that a field's annotation and metadata lead to."""
    for annotation in annotations:
        if isinstance(annotation, Later):
            yield annotation.model()
        elif isinstance(annotation, type) and issubclass(annotation, Model):
            yield annotation
        else:
            yield from nested(*get_args(annotation))
