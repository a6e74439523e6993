"""The tables of `rules` held against the parts of a pod."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import codes
from ..diagnostics import Code, nearest
from .forms import PORT_NAME, Form
from .rules import KEYS, MAPPINGS, NEEDED, NUMBERS, ONE_OF, REFUSED, TEXTS, WORDS

Loc = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """A mistake at `loc` of the pod spec; key: at the key there."""

    loc: Loc
    code: Code
    message: str
    hint: str
    key: bool = False


def field(kind: str, key: str, value: Any, loc: Loc) -> Iterator[Finding]:
    """What is wrong with the value of one field of a part of class `kind`."""
    name = f"{kind}.{key}"
    if value is None:
        yield Finding(loc, codes.WRONG_TYPE, f"`{key}` is empty", "give it a value, or remove the key")
    if why := REFUSED.get(name):
        yield Finding(loc, codes.UNKNOWN_FIELD, f"a pod of a model cannot set `{key}`: {why}", f"remove {key}", key=True)
    if name in MAPPINGS and isinstance(value, Mapping):
        keys, values = MAPPINGS[name]
        for item, text in value.items():
            yield from _text(keys, item, (*loc, item), key=True)
            yield from _text(values, text, (*loc, item))
    if name in KEYS and isinstance(value, Sequence):
        yield from _twice(value, KEYS[name], loc)
    items = enumerate(value) if isinstance(value, list) else [(None, value)]
    for index, item in items:
        at = loc if index is None else (*loc, index)
        yield from _text(TEXTS.get(name), item, at)
        yield from _number(NUMBERS.get(name), key, item, at)
        if isinstance(item, str) and item not in WORDS.get(name, (item,)):
            yield Finding(at, codes.UNKNOWN_VALUE, f"`{key}` cannot be `{item}`", nearest(item, WORDS[name]))
    if isinstance(value, str) and name in ("V1HTTPGetAction.port", "V1TCPSocketAction.port"):
        yield from _text(PORT_NAME, value, loc)


def whole(kind: str, value: Mapping[str, Any], known: Sequence[str], loc: Loc) -> Iterator[Finding]:
    """What is missing in a part of class `kind`, or set beside something else. known: the fields of the class."""
    for key in NEEDED.get(kind, ()):
        if key not in value:
            yield Finding(loc, codes.MISSING_FIELD, f"`{key}` is required", f"add `{key}:`")
    if kind == "V1Volume":
        given = [key for key in value if key in known and key != "name"]
        if len(given) > 1:
            yield Finding(
                (*loc, given[1]), codes.ONE_OF, f"a volume has one source, not {' and '.join(given)}", f"remove {given[1]}", key=True
            )
    if kind in ONE_OF:
        choices = ONE_OF[kind] or known
        given = [key for key in choices if key in value]
        if len(given) > 1 or (not given and set(value) <= set(known)):  # a misspelt one is said as such
            message = f"exactly one of {', '.join(choices)} must be set" + (f", not {' and '.join(given)}" if given else "")
            yield Finding(loc, codes.ONE_OF, message, f"keep {given[0]}" if given else f"add `{choices[0]}:`")


def _text(form: Form | None, text: Any, loc: Loc, key: bool = False) -> Iterator[Finding]:
    if form and isinstance(text, str) and not form.holds(text):
        yield Finding(loc, form.code, f"`{text}` {form.what}", form.hint, key=key)


def _number(limits: tuple[int, int] | None, key: str, number: Any, loc: Loc) -> Iterator[Finding]:
    if limits and isinstance(number, int) and not isinstance(number, bool) and not limits[0] <= number <= limits[1]:
        nearer = limits[0] if number < limits[0] else limits[1]
        yield Finding(loc, codes.OUT_OF_RANGE, f"`{key}` must be {limits[0]} to {limits[1]}, not {number}", f"{key}: {nearer}")


def _twice(items: Sequence[Any], keys: Mapping[str, str], loc: Loc) -> Iterator[Finding]:
    """Items that the API server cannot tell apart."""
    seen: set[tuple[str, ...]] = set()
    for index, item in enumerate(items):
        if isinstance(item, Mapping):
            ident = tuple(str(item.get(key, default)) for key, default in keys.items())
            if ident in seen:
                shown = ", ".join(f"{key} `{text}`" for key, text in zip(keys, ident, strict=True) if text)
                yield Finding((*loc, index), codes.DUPLICATE_ITEM, f"{shown} stands twice in `{loc[-1]}`", "rename or remove one")
            seen.add(ident)
