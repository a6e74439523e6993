"""Quantities, versions and optional values."""

from __future__ import annotations

from collections.abc import Callable

from ..api.quantity import Quantity
from ..api.semver import Semver
from .errors import EvalError
from .values import NONE, Amount, Optional, Value, is_zero


def _quantity(text: str) -> Amount:
    try:
        return Amount(Quantity.parse(text))
    except ValueError as reason:
        raise EvalError(str(reason)) from None


def _is_quantity(text: str) -> bool:
    try:
        Quantity.parse(text)
    except ValueError:
        return False
    return True


def _as_integer(amount: Amount) -> int:
    value = amount.quantity.as_int64()
    if value is None:
        raise EvalError("cannot convert value to integer")
    return value


def _add(amount: Amount, other: Amount) -> Amount:
    return Amount(amount.quantity.add(other.quantity), computed=True)


def _sub(amount: Amount, other: Amount) -> Amount:
    return Amount(amount.quantity.sub(other.quantity), computed=True)


def _whole(value: int) -> Amount:
    return Amount(Quantity(value, 0, "DecimalExponent"))


def _semver(text: str, normalize: bool = False) -> Semver:
    try:
        return Semver.parse(text, normalize)
    except ValueError as reason:
        raise EvalError(str(reason)) from None


def _is_semver(text: str, normalize: bool = False) -> bool:
    try:
        Semver.parse(text, normalize)
    except ValueError:
        return False
    return True


def _order(left: Semver, right: Semver) -> int:
    return (left > right) - (left < right)


def _int64(value: int) -> int:
    """A 64-bit unsigned number read as signed, as Go's conversion does."""
    return value - 2**64 if value >= 2**63 else value


def _non_zero(value: Value) -> Optional:
    return NONE if is_zero(value) else Optional(value)


def _unwrapped(items: list[Value]) -> list[Value]:
    for item in items:
        if not isinstance(item, Optional):
            raise EvalError(f"value {item} is not optional")
    return [item.value for item in items if isinstance(item, Optional) and item is not NONE]


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "quantity(string) Quantity": _quantity,
    "isQuantity(string) bool": _is_quantity,
    "sign(Quantity) int": lambda q: q.quantity.sign,
    "Quantity.isGreaterThan(Quantity) bool": lambda q, r: q.compare(r) > 0,
    "Quantity.isLessThan(Quantity) bool": lambda q, r: q.compare(r) < 0,
    "Quantity.compareTo(Quantity) int": lambda q, r: q.compare(r),
    "Quantity.asApproximateFloat() double": lambda q: float(q.quantity),
    "Quantity.asInteger() int": _as_integer,
    "Quantity.isInteger() bool": lambda q: q.quantity.as_int64() is not None,
    "Quantity.add(Quantity) Quantity": _add,
    "Quantity.add(int) Quantity": lambda q, n: _add(q, _whole(n)),
    "Quantity.sub(Quantity) Quantity": _sub,
    "Quantity.sub(int) Quantity": lambda q, n: _sub(q, _whole(n)),
    "semver(string) Semver": _semver,
    "semver(string, bool) Semver": _semver,
    "isSemver(string) bool": _is_semver,
    "isSemver(string, bool) bool": _is_semver,
    "Semver.isGreaterThan(Semver) bool": lambda v, w: v > w,
    "Semver.isLessThan(Semver) bool": lambda v, w: v < w,
    "Semver.compareTo(Semver) int": _order,
    "Semver.major() int": lambda v: _int64(v.major),
    "Semver.minor() int": lambda v: _int64(v.minor),
    "Semver.patch() int": lambda v: _int64(v.patch),
    "optional.of(V) optional<V>": Optional,
    "optional.ofNonZeroValue(V) optional<V>": _non_zero,
    "optional.none() optional<V>": lambda: NONE,
    "optional.unwrap(list<optional<V>>) list<V>": _unwrapped,
    "list<optional<V>>.unwrapOpt() list<V>": _unwrapped,
    "optional<V>.value() V": lambda o: o.get(),
    "optional<V>.hasValue() bool": lambda o: o is not NONE,
}
