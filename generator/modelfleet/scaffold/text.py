"""Pieces of YAML text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..api.base import API_VERSION
from ..emit import word


@dataclass(frozen=True, slots=True)
class File:
    """A file of a fleet repository that is not there yet. kind, name: of its one document; next: what its author does then."""

    path: str
    text: str
    next: tuple[str, ...] = ()


def q(value: str) -> str:
    """A text as it may stand in a flow mapping, quoted where it must be."""
    shown = word(value)
    return f'"{value}"' if shown == value and any(mark in value for mark in ",[]{}") else shown


def flow(values: Mapping[str, str]) -> str:
    """`{a: b, c: d}`, without entries whose text is empty."""
    return "{" + ", ".join(f"{q(key)}: {value}" for key, value in values.items() if value) + "}"


def texts(values: Iterable[str]) -> str:
    """`[a, b]`."""
    return "[" + ", ".join(q(value) for value in values) + "]"


def head(kind: str, name: str, namespace: str = "", **metadata: str) -> list[str]:
    """The lines before `spec`."""
    fields = {"name": q(name), "namespace": q(namespace) if namespace else "", **metadata}
    return [f"apiVersion: {API_VERSION}", f"kind: {kind}", f"metadata: {flow(fields)}", "spec:"]


def lines(*parts: Iterable[str] | str) -> str:
    """A file's text of lines and lists of lines; empty texts are left out."""
    found: list[str] = []
    for part in parts:
        found += [part] if isinstance(part, str) else part
    return "".join(f"{line}\n" for line in found if line)
