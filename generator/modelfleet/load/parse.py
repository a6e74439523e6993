"""Text to documents: the nodes of PyYAML's C parser, and our own reading of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from .. import codes
from ..api.base import GROUP
from ..diagnostics import Code, Location, Report
from .document import Document
from .scalars import plain
from .syntax import refused_characters, refused_constructs, say

MAX_DEPTH = 64
_OURS = (GROUP, "modelplane.ai")


class _Reader(yaml.CSafeLoader):
    """Composes nodes without resolving plain scalars: `_build` does that, by one table."""

    yaml_implicit_resolvers: dict[str, list[Any]] = {}  # noqa: RUF012  PyYAML's own shape


def parse(relative: str, text: str, report: Report) -> list[Document]:
    """The documents of `text`. Values that cannot be taken are reported; a document with such values is left out."""
    text = text.removeprefix("\ufeff")
    if refused_characters(relative, text, report):
        return []
    try:
        if refused_constructs(relative, text, report):
            return []
        return _documents(relative, text, report)
    except yaml.YAMLError as error:
        say(relative, text, error, report)
    except RecursionError:
        report.add(codes.TOO_DEEP, f"nested deeper than {MAX_DEPTH} levels", Location(relative), "flatten it")
    return []


def _documents(relative: str, text: str, report: Report) -> list[Document]:
    reader = _Reader(text)
    documents = []
    while reader.check_node():
        node = reader.get_node()
        assert node is not None
        before = len(report.found)
        value = _build(node, _Place(relative, report), 0)
        if value is None:
            continue
        if len(report.found) > before and _foreign(value):
            del report.found[before:]
        if len(report.found) == before:
            documents.append(Document(relative, value, node))
    return documents


def _foreign(value: Any) -> bool:
    """Another tool's document: skipped with a notice later, so how it is written is not our business."""
    version = value.get("apiVersion") if isinstance(value, dict) else None
    return isinstance(version, str) and "/" in version and version.split("/")[0] not in _OURS


@dataclass(frozen=True, slots=True)
class _Place:
    path: str
    report: Report

    def add(self, code: Code, node: yaml.Node, message: str, hint: str) -> None:
        self.report.add(code, message, Location(self.path, node.start_mark.line + 1, node.start_mark.column + 1), hint)


def _build(node: yaml.Node, place: _Place, depth: int) -> Any:
    """The Python value of `node`; what is refused is reported and read as text."""
    if isinstance(node, yaml.ScalarNode):
        return node.value if node.style else _plain(node, place)
    if depth >= MAX_DEPTH:
        place.add(codes.TOO_DEEP, node, f"nested deeper than {MAX_DEPTH} levels", "flatten it")
        return None
    if isinstance(node, yaml.SequenceNode):
        return [_build(child, place, depth + 1) for child in node.value]
    value: dict[str, Any] = {}
    for key, child in node.value:
        if not isinstance(key, yaml.ScalarNode):
            place.add(codes.YAML_SYNTAX, key, "a key must be a plain word", "write `key: value`")
            continue
        name = key.value if key.style else _key(key, place)
        if name in value:
            place.add(codes.DUPLICATE_KEY, key, f"`{name}` stands twice in this mapping", "remove one of the two")
        value[name] = _build(child, place, depth + 1)
    return value


def _key(node: yaml.ScalarNode, place: _Place) -> str:
    text: str = node.value
    value, hint = plain(text)
    if text == "<<":
        place.add(codes.MERGE_KEY, node, "the merge key `<<` is refused", "write the fields out")
    elif hint or not isinstance(value, str):
        place.add(codes.QUOTE_STRING, node, f"the key `{text}` is not text for every reader", f'write "{text}"')
    return text


def _plain(node: yaml.ScalarNode, place: _Place) -> Any:
    value, hint = plain(node.value)
    if hint:
        shown = node.value if len(node.value) < 60 else node.value[:57] + "..."
        place.add(codes.QUOTE_STRING, node, f"`{shown}` is read differently by YAML 1.1 and 1.2", hint)
    return value
