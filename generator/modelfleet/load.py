"""Files to YAML documents, each value with its file, line and column.

The reader takes the YAML that 1.1 and 1.2 parsers agree on: no aliases, anchors, tags or merge keys, no duplicate keys,
and a plain word that the two read differently (`no`, `1e3`, `012`, `12:30`) must be quoted. What it returns are strings,
integers, floats, booleans, None, lists and dicts; positions stay in the syntax tree and are looked up when a diagnostic
needs one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from . import codes
from .diagnostics import Location, Report

MAX_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 64
SUFFIXES = (".yaml", ".yml", ".json")

_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"[-+]?(0|[1-9][0-9]*)\.[0-9]+\Z")
_CONSTANTS: dict[str, Any] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_CONSTANTS |= {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
# What YAML 1.1 and 1.2 (or Go's and Python's readers) take for different things.
_AMBIGUOUS = re.compile(
    r"(?:y|Y|n|N|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|=|<<"
    r"|[-+]?0[0-9_]+(?:\.[0-9_]*)?|[-+]?0[oOxXbB][0-9a-fA-F_]+|[-+]?[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?"
    r"|[-+]?(?:[0-9][0-9_]*)?\.?[0-9_]*[eE][-+]?[0-9]+|[-+]?\.[0-9][0-9_]*|[-+]?[0-9][0-9_]*\."
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
)
_FIRST = frozenset("0123456789+-.~=<yYnNoOtTfF")


class _Reader(yaml.CSafeLoader):
    """Composes nodes without resolving plain scalars: `_build` does that, by one table."""

    yaml_implicit_resolvers: dict[str, list[Any]] = {}  # noqa: RUF012  PyYAML's own shape


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document. `value` is what it says; `node` is its syntax tree, for positions."""

    path: str
    value: Any
    node: yaml.Node

    def locate(self, loc: Sequence[str | int], *, key: bool = False) -> Location:
        """Where the value at `loc` stands, or its nearest parent that exists; `key`: the key instead of the value."""
        node, mark = self.node, self.node.start_mark
        for step in loc:
            found = _child(node, step)
            if found is None:
                break
            mark, node = (found[0] if key else found[1]).start_mark, found[1]
        return Location(self.path, mark.line + 1, mark.column + 1)


def _child(node: yaml.Node, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    if isinstance(node, yaml.MappingNode):
        return next(((k, v) for k, v in node.value if k.value == step), None)
    return None


def files(root: Path, folders: Sequence[str], report: Report) -> list[tuple[str, Path]]:
    """The declaration files under `folders` of `root`, as (relative path, path), sorted; names of others are ignored."""
    found: list[tuple[str, Path]] = []
    for folder in folders:
        for path in _walk(root / folder):
            relative = path.relative_to(root).as_posix()
            if path.is_symlink():
                report.add(codes.SYMLINK, "a symbolic link is not followed", Location(relative), "put the file itself here")
            elif path.is_dir():
                report.add(codes.NOT_A_FILE, "a directory has the name of a declaration file", Location(relative), "rename it")
            else:
                found.append((relative, path))
    return sorted(found)


def _walk(folder: Path) -> Iterator[Path]:
    if folder.is_symlink():
        yield folder
        return
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        named = path.name.endswith(SUFFIXES)
        if path.name.startswith("."):
            continue
        if named or path.is_symlink():
            yield path
        elif path.is_dir():
            yield from _walk(path)


def read(relative: str, path: Path, report: Report) -> list[Document]:
    """The documents of one file; an empty list and diagnostics if it cannot be read."""
    here = Location(relative)
    try:
        if path.stat().st_size > MAX_BYTES:
            report.add(codes.FILE_TOO_LARGE, f"the file is larger than {MAX_BYTES // 1024 // 1024} MiB", here, "split it")
            return []
        raw = path.read_bytes()
    except OSError as error:
        report.add(codes.UNREADABLE, f"cannot be read: {error.strerror}", here, f"ls -l {relative}")
        return []
    try:
        return parse(relative, raw.decode("utf-8"), report)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        report.add(codes.NOT_UTF8, "the file is not UTF-8 text", Location(relative, line, column), f"iconv -t UTF-8 {relative}")
    return []


def parse(relative: str, text: str, report: Report) -> list[Document]:
    """The documents of `text`. Values that cannot be taken are reported; a document with such values is left out."""
    try:
        if any(mark in text for mark in "&*!") and _refused_syntax(relative, text, report):
            return []
        reader = _Reader(text)
        documents = []
        while reader.check_node():
            node = reader.get_node()
            before = len(report.found)
            value = _build(node, _Place(relative, report), 0)
            if len(report.found) == before and value is not None:
                documents.append(Document(relative, value, node))
            elif value is not None and _foreign(value):
                del report.found[before:]
                documents.append(Document(relative, value, node))
        return documents
    except yaml.YAMLError as error:
        report.add(codes.YAML_SYNTAX, _problem(error), _error_location(relative, error), _error_hint(text, error))
        return []
    except RecursionError:
        report.add(codes.TOO_DEEP, f"nested deeper than {MAX_DEPTH} levels", Location(relative), "flatten it")
        return []


def _foreign(value: Any) -> bool:
    """Another tool's document: skipped with a notice later, so how it is written is not our business."""
    version = value.get("apiVersion") if isinstance(value, dict) else None
    return isinstance(version, str) and "/" in version and version.split("/")[0] not in ("modelfleet.io", "modelplane.ai")


def _refused_syntax(relative: str, text: str, report: Report) -> bool:
    """Reports anchors, aliases and tags; True if there is one."""
    before = len(report.found)
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        where = Location(relative, event.start_mark.line + 1, event.start_mark.column + 1)
        if isinstance(event, yaml.AliasEvent):
            report.add(codes.ALIAS, f"the alias `*{event.anchor}` is refused", where, "write the value out")
        elif getattr(event, "anchor", None):
            report.add(codes.ALIAS, f"the anchor `&{event.anchor}` is refused", where, "write the value out where it is used")
        elif getattr(event, "tag", None) not in (None, "!"):
            report.add(codes.TAG, f"the tag `{event.tag}` is refused", where, "leave the tag out; quote a string")
    return len(report.found) > before


@dataclass(frozen=True, slots=True)
class _Place:
    path: str
    report: Report

    def add(self, code: codes.Code, node: yaml.Node, message: str, hint: str) -> None:
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
        name = _key(key, place)
        if name in value:
            place.add(codes.DUPLICATE_KEY, key, f"`{name}` stands twice in this mapping", "remove one of the two")
        value[name] = _build(child, place, depth + 1)
    return value


def _key(node: yaml.ScalarNode, place: _Place) -> str:
    if not node.style and node.value == "<<":
        place.add(codes.MERGE_KEY, node, "the merge key `<<` is refused", "write the fields out")
    elif not node.style and not isinstance(_plain(node, place), str):
        place.add(codes.QUOTE_STRING, node, f"the key `{node.value}` is not text", f'write "{node.value}"')
    return str(node.value)


def _plain(node: yaml.ScalarNode, place: _Place) -> Any:
    text: str = node.value
    if text and text[0] not in _FIRST:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INT.match(text):
        return int(text) if len(text) < 20 else text
    if _FLOAT.match(text):
        return float(text)
    if _AMBIGUOUS.match(text):
        place.add(codes.QUOTE_STRING, node, f"`{text}` is read differently by YAML 1.1 and 1.2", _meant(text))
    return text


def _meant(text: str) -> str:
    word = text.lower()
    if word in ("y", "yes", "on"):
        return f'write "{text}" for the text, true for the boolean'
    if word in ("n", "no", "off"):
        return f'write "{text}" for the text, false for the boolean'
    return f'write "{text}" for the text, or the number in plain decimals'


def _problem(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    context = getattr(error, "context", None)
    return f"{problem} ({context})" if context else str(problem)


def _error_location(relative: str, error: yaml.YAMLError) -> Location:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    return Location(relative, mark.line + 1, mark.column + 1) if mark else Location(relative)


def _error_hint(text: str, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    lines = text.splitlines()
    if mark and mark.line < len(lines) and "\t" in lines[mark.line][: mark.column + 1]:
        return "indent with spaces: YAML takes no tabs"
    return "close what is open (quote, bracket, list) on or above this line"
