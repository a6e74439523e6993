"""Small changes to a file that people wrote: everything else in it, comments too, stays as it is.

Each function takes a file's text and a document read from it, and gives the new text. It is read again before it is given: where
the result is not what was meant, Uneditable is raised and nothing is written.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import yaml

from .diagnostics import Report
from .load import Document, parse

Loc = tuple[str | int, ...]


class Uneditable(Exception):
    """The file is written in a way that this module cannot change safely."""


def with_value(text: str, document: Document, loc: Sequence[str | int], value: Any) -> str:
    """`text` with `value` at `loc`, whose parent must be a mapping that is there or whose own parent is."""
    *above, name = loc
    wanted = deepcopy(document.value)
    parent = wanted
    for step in above:
        parent = parent.setdefault(step, {}) if isinstance(parent, dict) else parent[step]
    parent[name] = value
    found = _find(document.node, loc)
    if found is not None:
        return _checked(_replace(text, found, _flow(text, value)), document, wanted)
    holder = _find(document.node, above)
    if isinstance(holder, yaml.MappingNode):
        return _checked(_insert(text, holder, f"{_word(text, name)}: {_flow(text, value)}"), document, wanted)
    *higher, missing = above
    holder = _find(document.node, higher)
    if not isinstance(holder, yaml.MappingNode):
        raise Uneditable
    return _checked(_insert(text, holder, f"{_word(text, missing)}: {_flow(text, {name: value})}"), document, wanted)


def with_item(text: str, document: Document, loc: Sequence[str | int], item: Any) -> str:
    """`text` with `item` first in the list at `loc`, which need not be there."""
    holder = _find(document.node, loc)
    if holder is None:
        return with_value(text, document, loc, [item])
    if not isinstance(holder, yaml.SequenceNode):
        raise Uneditable
    wanted = deepcopy(document.value)
    _at(wanted, loc).insert(0, item)
    if not holder.flow_style:
        return _checked(_first_line(text, holder, f"- {_flow(text, item)}"), document, wanted)
    at = _offset(text, holder.start_mark) + 1
    return _checked(text[:at] + _flow(text, item) + (", " if holder.value else "") + text[at:], document, wanted)


def without_key(text: str, document: Document, loc: Sequence[str | int]) -> str:
    """`text` without the key at `loc` and all that it holds."""
    *above, name = loc
    holder = _find(document.node, above)
    if not isinstance(holder, yaml.MappingNode):
        raise Uneditable
    wanted = deepcopy(document.value)
    del _at(wanted, above)[name]
    index = next(i for i, (key, _) in enumerate(holder.value) if key.value == name)
    key, value = holder.value[index]
    start, end = _offset(text, key.start_mark), _end(text, value)
    if not holder.flow_style:
        begin, stop = text.rindex("\n", 0, start) + 1, text.find("\n", end)
        return _checked(text[:begin] + (text[stop + 1 :] if stop >= 0 else ""), document, wanted)
    if index + 1 < len(holder.value):
        end = _offset(text, holder.value[index + 1][0].start_mark)
    elif index:
        start = _end(text, holder.value[index - 1][1])
    return _checked(text[:start] + text[end:], document, wanted)


def without_document(text: str, document: Document) -> str:
    """`text` without the document; empty when no other is left, whatever comments are."""
    lines = text.splitlines(keepends=True)
    at = document.node.start_mark.line
    marks = [index for index, line in enumerate(lines) if line.startswith("---") and line[3:4] in ("", " ", "\n", "\r", "\t")]
    begin = max((mark for mark in marks if mark <= at), default=0)
    end = min((mark for mark in marks if mark > at), default=len(lines))
    rest = "".join(lines[:begin] + lines[end:])
    before = [d.value for d in parse(document.path, text, Report()) if d.value != document.value]
    if [d.value for d in parse(document.path, rest, Report())] != before:
        raise Uneditable
    return rest if before else ""


def _checked(text: str, document: Document, wanted: Any) -> str:
    """`text`, if the document in it now reads as `wanted`."""
    report = Report()
    if report.errors or wanted not in [found.value for found in parse(document.path, text, report)]:
        raise Uneditable
    return text


def _replace(text: str, node: yaml.Node, new: str) -> str:
    if not isinstance(node, yaml.ScalarNode) and not getattr(node, "flow_style", False):
        raise Uneditable
    return text[: _offset(text, node.start_mark)] + new + text[_offset(text, node.end_mark) :]


def _insert(text: str, holder: yaml.MappingNode, line: str) -> str:
    """The pair `line` in a mapping: in braces as the last, else on a line of its own as the first."""
    if holder.flow_style:
        at = _offset(text, holder.end_mark) - 1
        before = text[:at].rstrip()
        comma = "" if before.endswith(("{", ",")) else ", "
        return text[:at] + comma + line + text[at:]
    return _first_line(text, holder, line)


def _first_line(text: str, block: yaml.Node, line: str) -> str:
    """`line` before the first of a block, and before the comments that belong to that."""
    lines = text.split("\n")
    at = block.start_mark.line
    while at and (not lines[at - 1].strip() or lines[at - 1].lstrip().startswith("#")):
        at -= 1
    lines.insert(at, " " * block.start_mark.column + line + _newline(text).removesuffix("\n"))
    return "\n".join(lines)


def _find(node: yaml.Node, loc: Sequence[str | int]) -> yaml.Node | None:
    for step in loc:
        if isinstance(node, yaml.MappingNode):
            found = next((value for key, value in node.value if key.value == step), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            found = node.value[step]
        else:
            return None
        if found is None:
            return None
        node = found
    return node


def _at(value: Any, loc: Sequence[str | int]) -> Any:
    for step in loc:
        value = value[step]
    return value


def _end(text: str, node: yaml.Node) -> int:
    """Where the last character of a node stands; a block's own end is where the next thing begins."""
    while not isinstance(node, yaml.ScalarNode) and not getattr(node, "flow_style", False):
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    end = _offset(text, node.end_mark)
    return len(text[:end].rstrip()) if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">") else end


def _offset(text: str, mark: yaml.Mark) -> int:
    """Index of a mark in the text; lines end as for the reader."""
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: mark.line]) + mark.column


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _flow(text: str, value: Any) -> str:
    """A value on one line; in a JSON file as JSON."""
    if text.lstrip().startswith("{"):
        return json.dumps(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_word(text, key)}: {_flow(text, item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(text, item) for item in value) + "]"
    return str(value)


def _word(text: str, name: str | int) -> str:
    return json.dumps(name) if text.lstrip().startswith("{") else str(name)
