"""Secrets that are written out, in any text of any document: Git and clusters would show them to everyone who may read."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import codes
from ..diagnostics import Report
from ..redact import MARKS, assigned, by_key, by_name, by_shape
from ..validate import Resources

Loc = tuple[str | int, ...]

_VARIABLE = "valueFrom: {secretKeyRef: {name: ..., key: ...}}"
_ANYWHERE = "take it out, make it worthless, and put a new one into a Secret"


def check_secrets(resources: Resources, report: Report) -> None:
    """WrittenSecret at each; no value is ever shown."""
    for kind, known in resources.kinds.items():
        for resource in known.values() if kind != "Placement" else ():  # names and numbers alone
            value = resource.document.value
            text = json.dumps(value, ensure_ascii=False, default=str)
            shapes = kind == "ConfigMap" or any(mark in text for mark in MARKS)  # files may be in base64
            for loc, what, hint, key in _found(value, shapes):
                message = f"{what} looks like a secret that is written out; it is not shown here"
                report.add(codes.WRITTEN_SECRET, message, resource.at(*loc, key=key), hint)


def _found(value: Any, shapes: bool, loc: Loc = ()) -> Iterator[tuple[Loc, str, str, bool]]:
    """(place, what it is, hint, whether the key there is meant) of each secret in a part of a document.

    shapes: whether some text of the document may hold one by its shape.
    """
    if isinstance(value, dict):
        yield from _mapping(value, shapes, loc)
    elif isinstance(value, list):
        yield from _list(value, shapes, loc)


def _mapping(value: Mapping[str, Any], shapes: bool, loc: Loc) -> Iterator[tuple[Loc, str, str, bool]]:
    name, text = value.get("name"), value.get("value")
    pair = isinstance(name, str) and isinstance(text, str) and (by_name(name, text) or (shapes and by_shape(text)))
    if pair:
        yield (*loc, "name"), f"`{name}`", _VARIABLE, False
    for key, item in value.items():
        at = (*loc, key)
        if shapes and by_shape(key):
            yield at, "this key", _ANYWHERE, True
        elif not isinstance(item, str):
            yield from _found(item, shapes, at)
        elif pair and key == "value":
            continue
        elif (shapes and by_shape(item)) or (loc and loc[-1] == "binaryData" and by_shape(_decoded(item))):
            yield at, f"`{key}`", _hint(item), False
        elif by_key(key, item):
            yield at, f"`{key}`", _ANYWHERE, False
        elif what := assigned(item):
            yield at, f"`{what}`", _ANYWHERE, False


def _list(value: Sequence[Any], shapes: bool, loc: Loc) -> Iterator[tuple[Loc, str, str, bool]]:
    """Of a command line each word; a flag and its value may be two of them."""
    for index, item in enumerate(value):
        at = (*loc, index)
        if not isinstance(item, str):
            yield from _found(item, shapes, at)
        elif shapes and by_shape(item):
            yield at, "this text", _hint(item), False
        elif what := assigned(item):
            hint = f"{what}=$(API_KEY), and API_KEY from a Secret" if what.startswith("--") else _ANYWHERE
            yield at, f"`{what}`", hint, False
        elif index and isinstance(value[index - 1], str) and (what := assigned(f"{value[index - 1]} {item}")) == value[index - 1]:
            yield at, f"`{what}`", "$(API_KEY), and API_KEY from a Secret", False


def _hint(text: str) -> str:
    return "leave user and password out of the URL; they belong into a Secret" if "://" in text else _ANYWHERE


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text).decode("utf-8", "ignore")
    except ValueError:
        return ""
