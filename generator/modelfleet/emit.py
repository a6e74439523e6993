"""Units to text: YAML for people, JSON documents for the plugin. Both hold the same objects in the same order.

Keys stand in one order: what says what a thing is comes first (`_OBJECT` where there is an apiVersion, `_PART` elsewhere), then
the alphabet; lists stay as they are. Values are what JSON knows: dict with string keys, list or tuple, str, int, float (finite),
bool, None; anything else is a fault of ours.

YAML is written in the part that 1.1 and 1.2 readers agree on: a string stands bare only if no reader takes it for
something else; all others are quoted, or literal blocks where a text of several lines allows it. No anchors, no folding.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .render.unit import Unit

Keys = Callable[[Mapping[str, Any]], list[str]]  # the keys of a mapping in the order in which they are written


def _ranks(*first: str) -> dict[str, str]:
    """Sort keys of the keys that come before all others."""
    return {key: f"\x00{index}" for index, key in enumerate(first)}


_OBJECT = _ranks("apiVersion", "kind", "metadata", "name", "spec", "data")
_PART = _ranks("name", "namespace", "labels", "annotations")
_KEY_LIMIT = 900  # readers take a key of at most 1024 characters on one line

# Bare words begin with a letter, /, $ or --letter. What begins with a digit, sign or dot may be a number, a date or a time, but for
# durations and binary sizes in whole numbers.
_BARE = re.compile(
    r"[0-9]+(?:ms|[smh]|[KMGT]i)"
    r"|(?:--)?[A-Za-z/$](?:[A-Za-z0-9_./$()@%+,=~<>;-]|:(?=[A-Za-z0-9_./$@%+=~-])| (?=[A-Za-z0-9_./$()@+=~<>;-]))*",
    re.ASCII,
)
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"))
_ESCAPED = re.compile(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]')
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_CONSTANTS = {None: "null", True: "true", False: "false"}
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def to_yaml(unit: Unit) -> str:
    """The unit's manifests as YAML documents, each begun by `---`; an empty unit is an empty text."""
    return "".join(f"---\n{document(manifest)}" for manifest in unit.manifests)


def to_json(units: Iterable[Unit]) -> str:
    """The manifests of all units, one JSON document a line, `---` lines between them."""
    texts = [json.dumps(_ordered(m), separators=(",", ":"), allow_nan=False) for unit in units for m in unit.manifests]
    return "\n---\n".join(texts) + "\n" if texts else ""


def document(value: Mapping[str, Any], as_given: bool = False) -> str:
    """One mapping as a YAML document without its `---`. as_given: keys stay in their order, for files that people review."""
    return "\n".join(_mapping(value, "", list if as_given else _keys)) + "\n" if value else "{}\n"


def word(value: str) -> str:
    """A string of one line as YAML holds it: bare where every reader takes it for that string."""
    return _text(value)


def _keys(value: Mapping[str, Any]) -> list[str]:
    ranks = _OBJECT if "apiVersion" in value else _PART
    return sorted(value, key=lambda key: ranks.get(key, key))


def _ordered(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _ordered(value[key]) for key in _keys(value)}
    if isinstance(value, (list, tuple)):
        return [_ordered(item) for item in value]
    return value


def _mapping(value: Mapping[str, Any], indent: str, keys: Keys) -> Iterator[str]:
    for key in keys(value):
        text = _text(key)
        item = value[key]
        if len(text) > _KEY_LIMIT:
            yield f"{indent}? {text}"
            text = ""
        yield from _entry(f"{indent}{text}:", item, indent, keys)


def _entry(head: str, item: Any, indent: str, keys: Keys) -> Iterator[str]:
    """`head` with the value that belongs to it; a list stands under its key, not right of it."""
    if isinstance(item, Mapping) and item:
        yield head
        yield from _mapping(item, indent + "  ", keys)
    elif isinstance(item, (list, tuple)) and item:
        yield head
        yield from _sequence(item, indent, keys)
    else:
        yield f"{head} {_scalar(item, indent + '  ')}"


def _sequence(value: list[Any] | tuple[Any, ...], indent: str, keys: Keys) -> Iterator[str]:
    inner = indent + "  "
    for item in value:
        if isinstance(item, Mapping) and item:
            lines = _mapping(item, inner, keys)
        elif isinstance(item, (list, tuple)) and item:
            lines = _sequence(item, inner, keys)
        else:
            lines = iter((inner + _scalar(item, inner),))
        yield f"{indent}- {next(lines)[len(inner) :]}"
        yield from lines


def _scalar(value: Any, indent: str) -> str:
    """A value of one line, or a literal block whose lines stand at `indent`."""
    if isinstance(value, str):
        return _literal(value, indent) if "\n" in value and _literal_holds(value) else _text(value)
    if value is None or isinstance(value, (bool, int)):
        return _CONSTANTS[value] if value is None or isinstance(value, bool) else str(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, (Mapping, list, tuple)):  # an empty one: others have lines of their own
        return "{}" if isinstance(value, Mapping) else "[]"
    raise TypeError(f"a manifest cannot hold {type(value).__name__}")


def _float(value: float) -> str:
    """Plain decimals: readers disagree on exponents."""
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError("a manifest cannot hold a number that is not finite")
    text = format(Decimal(repr(value)), "f")
    return text if "." in text else f"{text}.0"


@lru_cache(maxsize=8192)
def _text(value: str) -> str:
    """A string on one line, bare where every reader takes it for that string."""
    if _BARE.fullmatch(value) and value.lower() not in _WORDS:
        return value
    if ('"' in value or "\\" in value) and "\n" not in value and not _UNPRINTABLE.search(value):
        doubled = value.replace("'", "''")
        return f"'{doubled}'"
    return f'"{_ESCAPED.sub(_escape, value)}"'


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    return _SHORT.get(char) or (f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}")


def _literal_holds(value: str) -> bool:
    """Whether a literal block gives `value` back: it begins with text, ends with at most one break, and no line is blank but not empty."""
    if value[0] in " \t\n" or value.endswith("\n\n") or _UNPRINTABLE.search(value):
        return False
    return all(not line or line.strip(" \t") for line in value.split("\n"))


def _literal(value: str, indent: str) -> str:
    mark, body = ("|", value[:-1]) if value.endswith("\n") else ("|-", value)
    lines = [f"{indent}{line}" if line else "" for line in body.split("\n")]
    return "\n".join((mark, *lines))
