"""What one call costs at most and how large its result may be, as cel-go and Kubernetes' libraries declare it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from .library import Overload
from .sizes import MAX, UNKNOWN, Size, add, device_size, exactly, multiply, scale
from .tree import Literal, Node
from .types import Type

# StringTraversalCostFactor and RegexStringLengthCostFactor.
_TEXT, _REGEX = 0.1, 0.25
_LIST = 10


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument or receiver: size None when nothing is known of it; path as in `device_size`."""

    node: Node
    type_: Type
    size: Size | None
    path: tuple[str, ...]

    @property
    def known(self) -> Size:
        """The size, asking the device's limits too, as Kubernetes' own functions do."""
        return self.size or device_size(self.path) or UNKNOWN

    @property
    def own(self) -> Size:
        """The size, as cel-go's functions take it."""
        return self.size or UNKNOWN

    @property
    def element(self) -> Size | None:
        """The size of an element; None unless this is a list or map of a known type."""
        if not self.type_.params:
            return None
        return device_size((*self.path, "@items")) or UNKNOWN

    def whole(self, otherwise: int) -> int:
        """The value of an int literal, 0 for a negative one."""
        value = self.node.value if isinstance(self.node, Literal) else None
        return max(0, value) if type(value) is int else otherwise


Cost = tuple[int, Size | None]
Estimator = Callable[[Argument | None, list[Argument]], Cost | None]


def function_cost(name: str, overload: Overload | None, target: Argument | None, args: list[Argument]) -> Cost:
    """(cost without that of the arguments, size of the result or None) of one overload."""
    receiver = overload.args[-1 if name == "@in" else 0].name if overload is not None and overload.args else ""
    if overload is not None and name in ("sort", "@sortByAssociatedKeys"):
        keys = args[0] if args else target
        return (1, None) if keys is None else _sort(keys, overload.args[-1].params[0].name)
    known = _LISTS.get(name) if receiver == "list" or name.startswith(("lists.", "sets.")) else None
    found = known(target, args) if known is not None else None
    if found is None:
        estimator = _FUNCTIONS.get(name) or _OPERATORS.get((name, receiver))
        found = estimator(target, args) if estimator is not None else None
    return found if found is not None else (1, None)


def _search(target: Argument | None, args: list[Argument]) -> Cost | None:
    """Functions that go once through a list; Kubernetes counts a string of the same function's name so too."""
    if target is None:
        return None
    element = target.element
    if element is None:
        return scale(target.known.high, _TEXT), None
    cost = 1
    if target.type_.params[0].name in ("string", "bytes"):
        cost = add(cost, scale(element.high, _TEXT))
    return multiply(target.known.high, cost), None


def _copy(target: Argument | None, args: list[Argument]) -> Cost | None:
    return None if target is None else (scale(target.known.high, _TEXT), target.known)


def _replace(target: Argument | None, args: list[Argument]) -> Cost | None:
    if target is None:
        return None
    size, old, new = target.known, args[0].known, args[1].known
    most, kept = 0, 0
    if old.low == 0:
        most, kept = add(size.high, 1), size.high
    elif new.high <= old.low:
        kept = size.high
    else:
        most = _ratio(size.high, old.low)
    least, kept_least = 0, 0
    if old.high == 0:
        least, kept_least = add(size.low, 1), size.low
    elif old.high <= new.low:
        kept_least = size.low
    else:
        least = _ratio(size.low, old.high)
    result = Size(least, most).times(new).plus(Size(kept_least, kept))
    return scale(size.high, 2 * _TEXT), result


def _ratio(size: int, part: int) -> int:
    return min(MAX, math.ceil(float(size) / float(part)))


def _split(target: Argument | None, args: list[Argument]) -> Cost | None:
    if target is None:
        return None
    most = target.known.high
    if len(args) > 1 and isinstance(args[1].node, Literal) and type(args[1].node.value) is int:
        most = args[1].node.value % 2**64
    return scale(target.known.high, 2 * _TEXT), Size(0, most)


def _join(target: Argument | None, args: list[Argument]) -> Cost | None:
    if target is None:
        return None
    element, count = target.element, target.known
    size = Size(0, 0) if element is None else count.times(element)
    if args:
        size = size.plus(args[0].known.times(Size(max(0, count.low - 1), max(0, count.high - 1))))
    return scale(size.high, _TEXT), size


def _find(target: Argument | None, args: list[Argument]) -> Cost | None:
    if target is None:
        return None
    text = scale(add(target.known.high, 1), _TEXT)
    return multiply(text, scale(args[0].known.high, _REGEX)), Size(0, target.known.high)


def _parse(target: Argument | None, args: list[Argument]) -> Cost | None:
    return scale(args[0].known.high, _TEXT), None


def _unit(target: Argument | None, args: list[Argument]) -> Cost | None:
    return 1, None


def _allocated(factor: float, size: Size) -> Cost:
    return add(add(scale(size.high, factor), 1), _LIST), size


def _slice(target: Argument | None, args: list[Argument]) -> Cost | None:
    if target is None or len(args) != 2:
        return None
    span = (args[1].whole(target.known.high) - args[0].whole(0)) % 2**64
    return _allocated(1, exactly(span))


def _flatten(target: Argument | None, args: list[Argument]) -> Cost | None:
    if target is None:
        return None
    return _allocated(float(args[0].whole(MAX)) if args else 1.0, target.known)


def _range(target: Argument | None, args: list[Argument]) -> Cost | None:
    return _allocated(1, exactly(args[0].whole(MAX)))


def _reverse(target: Argument | None, args: list[Argument]) -> Cost | None:
    return None if target is None else _allocated(1, target.known)


def _distinct(target: Argument | None, args: list[Argument]) -> Cost | None:
    return None if target is None else _allocated(2, target.known.times(target.known))


def _sort(keys: Argument, element: str) -> Cost:
    factor = 2 + (_TEXT if element in ("string", "bytes") else 0)
    return _allocated(factor, keys.known.times(keys.known))


def _set(factor: float) -> Estimator:
    return lambda target, args: (add(scale(args[0].known.times(args[1].known).high, factor), 1), None)


def _pattern(target: Argument | None, args: list[Argument]) -> Cost | None:
    text, pattern = (target, args[0]) if target is not None else (args[0], args[1])
    return multiply(scale(add(text.own.high, 1), _TEXT), scale(pattern.own.high, _REGEX)), None


def _contains(target: Argument | None, args: list[Argument]) -> Cost | None:
    if target is None:
        return None
    return multiply(scale(target.own.high, _TEXT), scale(args[0].own.high, _TEXT)), None


def _compare(target: Argument | None, args: list[Argument]) -> Cost | None:
    return scale(min(args[0].own.high, args[1].own.high), _TEXT), None


def _equal(target: Argument | None, args: list[Argument]) -> Cost | None:
    left, right = (a.type_ for a in args)
    if left == right and left.name in ("kubernetes.Quantity", "kubernetes.Semver"):
        return 1, None
    return _compare(target, args)


def _concatenate(target: Argument | None, args: list[Argument]) -> Cost | None:
    size = args[0].own.plus(args[1].own)
    return scale(size.high, _TEXT), size


def _append(target: Argument | None, args: list[Argument]) -> Cost | None:
    return 1, args[0].own.plus(args[1].own)


def _to_bytes(target: Argument | None, args: list[Argument]) -> Cost | None:
    size = args[0].own
    return scale(size.high, _TEXT), Size(size.low, size.high * 4 % 2**64)


def _from_bytes(target: Argument | None, args: list[Argument]) -> Cost | None:
    size = args[0].own
    return scale(size.high, _TEXT), Size(size.low // 4, size.high)


def _quote(target: Argument | None, args: list[Argument]) -> Cost | None:
    size = args[0].own
    return scale(size.high, _TEXT), Size((size.low + 2) % 2**64, (size.high * 2 + 2) % 2**64)


_LISTS: dict[str, Estimator] = {
    "slice": _slice,
    "flatten": _flatten,
    "lists.range": _range,
    "reverse": _reverse,
    "distinct": _distinct,
    "sets.contains": _set(1),
    "sets.intersects": _set(1),
    "sets.equivalent": _set(2),
}
_FUNCTIONS: dict[str, Estimator] = {
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _search),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _copy),
    "replace": _replace,
    "split": _split,
    "join": _join,
    **dict.fromkeys(("find", "findAll"), _find),
    **dict.fromkeys(("quantity", "isQuantity", "semver", "isSemver"), _parse),
    **dict.fromkeys(("sign", "asInteger", "isInteger", "asApproximateFloat", "add", "sub"), _unit),
    **dict.fromkeys(("isGreaterThan", "isLessThan", "compareTo", "major", "minor", "patch"), _unit),
    "_==_": _equal,
    "_!=_": _compare,
    "matches": _pattern,
    "contains": _contains,
    **dict.fromkeys(("startsWith", "endsWith"), lambda target, args: (scale(args[0].own.high, _TEXT), None)),
    "format": lambda target, args: None if target is None else (scale(target.own.high, _TEXT), None),
    "strings.quote": _quote,
}
_OPERATORS: dict[tuple[str, str], Estimator] = {
    **{(op, t): _compare for op in ("_<_", "_<=_", "_>_", "_>=_") for t in ("string", "bytes")},
    ("_+_", "string"): _concatenate,
    ("_+_", "bytes"): _concatenate,
    ("_+_", "list"): _append,
    ("@in", "list"): lambda target, args: (args[1].own.high, None),
    ("bytes", "string"): _to_bytes,
    ("string", "bytes"): _from_bytes,
}
