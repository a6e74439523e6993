"""`format` without a locale: `%s` for single values, `%d`, `%b`, `%x`, `%X`, `%o`. The rest is refused when compiled."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .errors import EvalError
from .numbers import decoded, double_text
from .values import Kind, Value

_CLAUSE = re.compile(r"%(?:\.[0-9]*)?(.|$)", re.S)
# Types that Kubernetes' check lets each clause take; `f` and `e` are known only to be refused.
CLAUSE_TYPES: dict[str, tuple[str, ...]] = {
    "s": ("bool", "int", "uint", "double", "string", "bytes", "type", "null_type", "list", "map"),
    "d": ("int", "uint"),
    "b": ("int", "uint", "bool"),
    "x": ("int", "uint", "string", "bytes"),
    "X": ("int", "uint", "string", "bytes"),
    "o": ("int", "uint"),
    "f": ("double", "string"),
    "e": ("double", "string"),
}


def clauses(template: str) -> list[str]:
    """The letters of its clauses in order, `%%` left out; an empty string for a `%` at the end."""
    return [found[1] for found in _CLAUSE.finditer(template) if found[0] != "%%"]


def formatted(template: str, arguments: list[Value]) -> str:
    """The template with its clauses filled. Types and number of the arguments were checked."""
    values = iter(arguments)
    return _CLAUSE.sub(lambda found: "%" if found[0] == "%%" else _text(found[1], next(values)), template)


def _text(clause: str, value: Value) -> str:
    if isinstance(value, str | bytes) and clause in "xX":
        digits = (value.encode() if isinstance(value, str) else value).hex()
        return digits.upper() if clause == "X" else digits
    if isinstance(value, int) and not isinstance(value, bool):
        return format(int(value), "d" if clause == "s" else clause)
    if isinstance(value, bool) and clause == "b":
        return str(int(value))
    known = _PLAIN.get(type(value))
    if known is None:
        raise EvalError(f"{value} cannot be formatted")
    return known(value)


_PLAIN: dict[type, Callable[[Any], str]] = {
    type(None): lambda _: "null",
    bool: lambda value: "true" if value else "false",
    str: str,
    bytes: decoded,
    float: double_text,
    Kind: lambda value: value.name,
}
