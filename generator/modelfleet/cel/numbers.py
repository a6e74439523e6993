"""Operators on numbers, order, equality, and conversions between types."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from .errors import NO_OVERLOAD, EvalError
from .values import Kind, Map, Uint, Value, contains, equal, name_of, order

_INT_OVERFLOW = "integer overflow"
_UINT_OVERFLOW = "unsigned integer overflow"
_DIGITS, _HEX = "[0-9](?:_?[0-9])*", "[0-9a-f](?:_?[0-9a-f])*"
_FLOAT = re.compile(rf"[+-]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:e[+-]?{_DIGITS})?|[+-]?(?:inf|infinity)|nan", re.I | re.A)
_HEX_FLOAT = re.compile(rf"[+-]?0x_?(?:{_HEX}(?:\.(?:{_HEX})?)?|\.{_HEX})p[+-]?{_DIGITS}", re.I | re.A)
_BOOLS = dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True) | dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False)


def _int(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise EvalError(_INT_OVERFLOW)
    return value


def _uint(value: int) -> Uint:
    if not 0 <= value < 2**64:
        raise EvalError(_UINT_OVERFLOW)
    return Uint(value)


def _truncated(left: int, right: int) -> int:
    """The quotient rounded towards zero."""
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise EvalError("division by zero")
    return _truncated(left, right)


def _modulo(left: int, right: int) -> int:
    if right == 0:
        raise EvalError("modulus by zero")
    if left == -(2**63) and right == -1:
        raise EvalError(_INT_OVERFLOW)
    return left - right * _truncated(left, right)


def _divide_floats(left: float, right: float) -> float:
    if right:
        return left / right
    return math.nan if not left or math.isnan(left) else math.copysign(math.inf, left) * math.copysign(1.0, right)


def _double(value: int | float) -> float:
    return float(value)


def _to_int(value: float) -> int:
    if not -(2.0**63) < value < 2.0**63:
        raise EvalError(_INT_OVERFLOW)
    return int(value)


def _to_uint(value: float) -> Uint:
    if not 0 <= value < 2.0**64:
        raise EvalError(_UINT_OVERFLOW)
    return Uint(value)


def _failed(source: str, target: str) -> EvalError:
    return EvalError(f"type conversion error from '{source}' to '{target}'")


def _parsed_int(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text, re.A) or len(text) > 200 or not -(2**63) <= int(text) < 2**63:
        raise _failed("string", "int")
    return int(text)


def _parsed_uint(text: str) -> Uint:
    if not re.fullmatch(r"[0-9]+", text, re.A) or len(text) > 200 or int(text) >= 2**64:
        raise _failed("string", "uint")
    return Uint(text)


def _parsed_double(text: str) -> float:
    try:
        if _HEX_FLOAT.fullmatch(text):
            return float.fromhex(text.replace("_", ""))
    except OverflowError:
        raise _failed("string", "double") from None
    if not _FLOAT.fullmatch(text) or (math.isinf(float(text)) and "inf" not in text.lower()):
        raise _failed("string", "double")
    return float(text)


def _parsed_bool(text: str) -> bool:
    if text not in _BOOLS:
        raise _failed("string", "bool")
    return _BOOLS[text]


def decoded(value: bytes) -> str:
    """The text of UTF-8; EvalError for other bytes."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise EvalError("invalid UTF-8 in bytes, cannot convert to string") from None


def _bool_text(value: bool) -> str:
    return "true" if value else "false"


def double_text(value: float) -> str:
    """Go's %g: the shortest digits that read back, with an exponent below 1e-4 and from 1e6 up."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    mantissa, _, exponent = f"{value!r}e0".partition("e") if "e" not in repr(value) else repr(value).partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    power = int(exponent.removesuffix("e0") or 0) + len(whole) - 1 - (len(whole + fraction) - len((whole + fraction).lstrip("0")))
    digits = digits.rstrip("0")
    if not digits:
        return sign + "0"
    if power < -4 or power >= 6:
        return f"{sign}{digits[0]}{'.' + digits[1:] if digits[1:] else ''}e{'-' if power < 0 else '+'}{abs(power):02d}"
    if power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    digits = digits.ljust(power + 1, "0")
    return sign + digits[: power + 1] + ("." + digits[power + 1 :] if digits[power + 1 :] else "")


def _equals(left: Value, right: Value) -> bool:
    same = equal(left, right)
    if same is None:
        raise EvalError(NO_OVERLOAD)
    return same


def _differs(left: Value, right: Value) -> bool:
    # Kubernetes takes what cannot be compared for different.
    return equal(left, right) is not True


def _in_list(wanted: Value, items: list[Value]) -> bool:
    return contains(items, wanted)


def _in_map(key: Value, entries: Map) -> bool:
    return key in entries


def _comparisons() -> dict[str, Callable[..., Value]]:
    pairs = [(t, t) for t in ("bool", "int", "uint", "double", "string", "bytes")]
    pairs += [(a, b) for a in ("int", "uint", "double") for b in ("int", "uint", "double") if a != b]
    tests: dict[str, Callable[[Value, Value], bool]] = {
        "<": lambda a, b: order(a, b) < 0,
        "<=": lambda a, b: order(a, b) <= 0,
        ">": lambda a, b: order(a, b) > 0,
        ">=": lambda a, b: order(a, b) >= 0,
    }
    return {f"_{op}_({a}, {b}) bool": test for op, test in tests.items() for a, b in pairs}


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "!_(bool) bool": lambda a: not a,
    "-_(double) double": lambda a: -a,
    "-_(int) int": lambda a: _int(-a),
    "_+_(bytes, bytes) bytes": lambda a, b: a + b,
    "_+_(double, double) double": lambda a, b: a + b,
    "_+_(int, int) int": lambda a, b: _int(a + b),
    "_+_(list<A>, list<A>) list<A>": lambda a, b: a + b,
    "_+_(string, string) string": lambda a, b: a + b,
    "_+_(uint, uint) uint": lambda a, b: _uint(int(a) + int(b)),
    "_-_(double, double) double": lambda a, b: a - b,
    "_-_(int, int) int": lambda a, b: _int(a - b),
    "_-_(uint, uint) uint": lambda a, b: _uint(int(a) - int(b)),
    "_*_(double, double) double": lambda a, b: a * b,
    "_*_(int, int) int": lambda a, b: _int(a * b),
    "_*_(uint, uint) uint": lambda a, b: _uint(int(a) * int(b)),
    "_/_(double, double) double": _divide_floats,
    "_/_(int, int) int": lambda a, b: _int(_divide(a, b)),
    "_/_(uint, uint) uint": lambda a, b: _uint(_divide(int(a), int(b))),
    "_%_(int, int) int": _modulo,
    "_%_(uint, uint) uint": lambda a, b: _uint(_modulo(int(a), int(b))),
    "_==_(A, A) bool": _equals,
    "_!=_(A, A) bool": _differs,
    **_comparisons(),
    "@in(A, list<A>) bool": _in_list,
    "@in(A, map<A, B>) bool": _in_map,
    "type(A) type<A>": lambda a: Kind(name_of(a)),
    "dyn(A) dyn": lambda a: a,
    "bool(bool) bool": lambda a: a,
    "bool(string) bool": _parsed_bool,
    "bytes(bytes) bytes": lambda a: a,
    "bytes(string) bytes": lambda a: a.encode(),
    "double(double) double": lambda a: a,
    "double(int) double": _double,
    "double(string) double": _parsed_double,
    "double(uint) double": _double,
    "int(int) int": lambda a: a,
    "int(double) int": _to_int,
    "int(string) int": _parsed_int,
    "int(uint) int": lambda a: _int(int(a)),
    "string(string) string": lambda a: a,
    "string(bool) string": _bool_text,
    "string(bytes) string": decoded,
    "string(double) string": double_text,
    "string(int) string": str,
    "string(uint) string": lambda a: str(int(a)),
    "uint(uint) uint": lambda a: a,
    "uint(double) uint": _to_uint,
    "uint(int) uint": lambda a: _uint(int(a)),
    "uint(string) uint": _parsed_uint,
}
CONVERSIONS = frozenset({"bool", "bytes", "double", "dyn", "int", "string", "type", "uint"})
