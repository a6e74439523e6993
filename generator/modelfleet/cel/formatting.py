"""`format`: the clauses without a locale. Fixed-point and scientific ones are refused when the selector is compiled."""

from __future__ import annotations

import re
from collections.abc import Callable

from .errors import EvalError
from .values import Kind, Value, name_of

_CLAUSE = re.compile(r"%(?:\.[0-9]*)?([^.0-9]|$)", re.S)


def clauses(template: str) -> list[str]:
    """The letters of its clauses in order, `%%` left out; an empty string for a `%` at the end."""
    return [found[1] for found in _CLAUSE.finditer(template) if found[0] != "%%"]


def formatted(template: str, arguments: list[Value]) -> str:
    """The template with its clauses filled; EvalError for a wrong argument, a missing one or an unknown clause."""
    index = -1

    def fill(found: re.Match[str]) -> str:
        nonlocal index
        if found[0] == "%%":
            return "%"
        index += 1
        if index >= len(arguments):
            raise EvalError(f"index {index} out of range")
        clause = _CLAUSES.get(found[1])
        if clause is None:
            raise EvalError(f'could not parse formatting clause: unrecognized formatting clause "{found[1]}"')
        return clause(arguments[index])

    return _CLAUSE.sub(fill, template)


def _wrong(clause: str, value: Value) -> EvalError:
    return EvalError(f"error during formatting: {clause}, was given {name_of(value)}")


def _text(value: Value) -> str:
    from .numbers import double_text

    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return {"+Inf": "Infinity", "-Inf": "-Infinity"}.get(double_text(value), double_text(value))
        case str():
            return value
        case int():
            return str(int(value))
        case Kind():
            return value.name
        case bytes():
            return value.decode(errors="replace")
    what = "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
    raise _wrong(f"string clause can only be used on {what}", value)


def _decimal(value: Value) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong("decimal clause can only be used on integers", value)
    return str(int(value))


def _binary(value: Value) -> str:
    if not isinstance(value, int):
        raise _wrong("only integers and bools can be formatted as binary", value)
    return format(int(value), "b")


def _hex(letter: str) -> Callable[[Value], str]:
    def clause(value: Value) -> str:
        if isinstance(value, str | bytes):
            digits = (value.encode() if isinstance(value, str) else value).hex()
            return digits.upper() if letter == "X" else digits
        if isinstance(value, bool) or not isinstance(value, int):
            raise _wrong("only integers, byte buffers, and strings can be formatted as hex", value)
        return format(int(value), letter)

    return clause


def _octal(value: Value) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong("octal clause can only be used on integers", value)
    return format(int(value), "o")


_CLAUSES: dict[str, Callable[[Value], str]] = {"s": _text, "d": _decimal, "b": _binary, "x": _hex("x"), "X": _hex("X"), "o": _octal}

