"""Functions on lists: Kubernetes' own, cel-go's extension (version 3), sets and first/last."""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from itertools import pairwise

from .errors import NO_OVERLOAD, EvalError
from .values import NONE, Optional, Uint, Value, contains, equal, name_of, order

_ORDERED = ("int", "uint", "double", "bool", "string", "bytes")


def _is_sorted(items: list[Value]) -> bool:
    for item in items:
        _ordered(item)
    # What cannot be compared does not break the order, as in Kubernetes.
    return all(_order_or(left, right, 0) <= 0 for left, right in pairwise(items))


def _ordered(item: Value) -> None:
    if name_of(item) not in _ORDERED:
        raise EvalError(NO_OVERLOAD)


def _order_or(left: Value, right: Value, otherwise: int) -> int:
    try:
        return order(left, right)
    except EvalError:
        return otherwise


def _extreme(name: str, sign: int) -> Callable[[list[Value]], Value]:
    def pick(items: list[Value]) -> Value:
        if not items:
            raise EvalError(f"{name} called on empty list")
        for item in items:
            _ordered(item)
        best = items[0]
        for item in items[1:]:
            if _order_or(best, item, 0) == -sign:
                best = item
        return best

    return pick


def _sum(zero: int | float, low: float, high: float, problem: str) -> Callable[[list[Value]], Value]:
    def total(items: list[Value]) -> Value:
        result: int | float = zero
        for item in items:
            if type(item) is not type(zero):
                raise EvalError(NO_OVERLOAD)
            assert isinstance(item, int | float)
            result = result + item if isinstance(zero, float) else int(result) + int(item)
            if not isinstance(zero, float) and not low <= result < high:
                raise EvalError(problem)
        return Uint(result) if isinstance(zero, Uint) else result

    return total


def _index_of(items: list[Value], wanted: Value) -> int:
    return next((i for i, item in enumerate(items) if equal(item, wanted) is True), -1)


def _last_index_of(items: list[Value], wanted: Value) -> int:
    return next((i for i in range(len(items) - 1, -1, -1) if equal(items[i], wanted) is True), -1)


def _slice(items: list[Value], start: int, end: int) -> list[Value]:
    if start < 0 or end < 0:
        raise EvalError(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        raise EvalError(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if end > len(items):
        raise EvalError(f"cannot slice({start}, {end}), list is length {len(items)}")
    return items[start:end]


def _flatten(items: list[Value], depth: int = 1) -> list[Value]:
    if depth < 0:
        raise EvalError("level must be non-negative")
    flat: list[Value] = []
    for item in items:
        if isinstance(item, list) and depth:
            flat += _flatten(item, depth - 1)
        else:
            flat.append(item)
    return flat


def _sorted_by(items: list[Value], keys: list[Value]) -> list[Value]:
    if len(items) != len(keys):
        raise EvalError("@sortByAssociatedKeys() expected a list of the same size as the associated keys list")
    if not items:
        return items
    if name_of(keys[0]) not in _ORDERED:
        raise EvalError("list elements must be comparable")
    if len(keys) > 1 and any(type(key) is not type(keys[0]) for key in keys):
        raise EvalError("list elements must have the same type")

    def by_key(left: int, right: int) -> int:
        return _order_or(keys[left], keys[right], 0)

    return [items[place] for place in sorted(range(len(items)), key=cmp_to_key(by_key))]


def _range(size: int) -> list[Value]:
    if size < 0:
        raise EvalError(f"lists.range: size must be non-negative, got {size}")
    return list(range(size))


def _distinct(items: list[Value]) -> list[Value]:
    found: list[Value] = []
    for item in items:
        if not contains(found, item):
            found.append(item)
    return found


def _set_contains(items: list[Value], wanted: list[Value]) -> bool:
    return all(contains(items, item) for item in wanted)


FUNCTIONS: dict[str, Callable[..., Value]] = {
    **{f"list<{t}>.isSorted() bool": _is_sorted for t in _ORDERED},
    "list<int>.sum() int": _sum(0, -(2.0**63), 2.0**63, "integer overflow"),
    "list<uint>.sum() uint": _sum(Uint(0), 0, 2.0**64, "unsigned integer overflow"),
    "list<double>.sum() double": _sum(0.0, 0, 0, ""),
    **{f"list<{t}>.max() {t}": _extreme("max", 1) for t in _ORDERED},
    **{f"list<{t}>.min() {t}": _extreme("min", -1) for t in _ORDERED},
    "list<A>.indexOf(A) int": _index_of,
    "list<A>.lastIndexOf(A) int": _last_index_of,
    "list<T>.slice(int, int) list<T>": _slice,
    "list<list<T>>.flatten() list<T>": _flatten,
    "list<dyn>.flatten(int) list<dyn>": _flatten,
    **{f"list<{t}>.sort() list<{t}>": lambda items: _sorted_by(items, items) for t in _ORDERED},
    **{f"list<T>.@sortByAssociatedKeys(list<{t}>) list<T>": _sorted_by for t in _ORDERED},
    "lists.range(int) list<int>": _range,
    "list<T>.reverse() list<T>": lambda items: items[::-1],
    "list<T>.distinct() list<T>": _distinct,
    "list<V>.first() optional<V>": lambda items: Optional(items[0]) if items else NONE,
    "list<V>.last() optional<V>": lambda items: Optional(items[-1]) if items else NONE,
    "sets.contains(list<T>, list<T>) bool": _set_contains,
    "sets.equivalent(list<T>, list<T>) bool": lambda a, b: _set_contains(a, b) and _set_contains(b, a),
    "sets.intersects(list<T>, list<T>) bool": lambda a, b: any(contains(b, item) for item in a),
    "size(list<A>) int": len,
    "list<A>.size() int": len,
    "size(map<A, B>) int": len,
    "map<A, B>.size() int": len,
}
