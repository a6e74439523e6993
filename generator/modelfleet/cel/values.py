"""Values of CEL in Python.

bool, int, float, str, bytes, None and list stand for themselves (int: 64 bits, signed); the rest is here. A value is
never changed, but for the form of a quantity (`Amount.wide`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..api.quantity import Quantity
from ..api.semver import Semver
from .errors import NO_OVERLOAD, Aborted, EvalError

Value = object


class Uint(int):
    """An unsigned integer of 64 bits."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """The value of `type(x)`."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Optional:
    """optional.of(value); `NONE` is optional.none()."""

    value: Value

    def get(self) -> Value:
        """The value; EvalError for none."""
        if self is NONE:
            raise EvalError("optional.none() dereference")
        return self.value


NONE = Optional(None)


@dataclass(slots=True, eq=False)
class Amount:
    """A quantity as a CEL value. Mutable in one respect: comparing it with a big decimal makes it one (`isInteger`).

    computed: a result of add or sub, which Kubernetes compares by `==` only when it stands on the left.
    """

    quantity: Quantity
    computed: bool = False

    def compare(self, other: Amount) -> int:
        """-1, 0 or 1."""
        mine, theirs = self.quantity, other.quantity
        if mine.wide or theirs.wide:
            self.quantity = mine.widened()
        return (mine > theirs) - (mine < theirs)


_MISSING = object()


class Map:
    """A CEL map: keys are equal across number types (`1`, `1u`, `1.0`), a bool is no number.

    default: what a missing key yields, for maps of domains; membership and size do not see it.
    """

    __slots__ = ("default", "entries")

    def __init__(self, pairs: Iterable[tuple[Value, Value]] = (), default: Map | None = None) -> None:
        self.entries: dict[Value, tuple[Value, Value]] = {}
        self.default = default
        for key, value in pairs:
            self.entries[_key(key)] = (key, value)

    def __len__(self) -> int:
        return len(self.entries)

    def keys(self) -> Iterator[Value]:
        """The keys in the order of the literal."""
        return (key for key, _ in self.entries.values())

    def pairs(self) -> Iterator[tuple[Value, Value]]:
        """(key, value) in the order of the literal."""
        return iter(self.entries.values())

    def __contains__(self, key: Value) -> bool:
        return _key(key) in self.entries

    def find(self, key: Value) -> Value:
        """The value, or `missing`."""
        found = self.entries.get(_key(key))
        if found is None:
            return _MISSING if self.default is None else self.default
        return found[1]


missing = _MISSING


def _key(key: Value) -> Value:
    """What two equal keys have in common. As in Go, a value that is no scalar is only the key that it is itself."""
    match key:
        case str():
            return key
        case bool():
            return ("bool", key)
        case int():
            return int(key)
        case float():
            return int(key) if key.is_integer() else ("double", key)
        case Kind():
            return ("type", key.name)
        case Semver() | bytes():
            raise unhashable(key)
    return ("itself", id(key))


def unhashable(value: Value) -> Aborted:
    """Kubernetes' failure for a version or bytes where a hash is needed."""
    return Aborted(f"internal error: runtime error: hash of unhashable type {'types.Bytes' if isinstance(value, bytes) else 'cel.Semver'}")


NAMES: dict[type, str] = {
    bool: "bool",
    int: "int",
    Uint: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    list: "list",
    Map: "map",
    Kind: "type",
    Optional: "optional_type",
    Amount: "kubernetes.Quantity",
    Semver: "kubernetes.Semver",
}


def name_of(value: Value) -> str:
    """Kubernetes' name of the value's type."""
    return NAMES[type(value)]


def order(left: Value, right: Value) -> int:
    """-1, 0 or 1: numbers across types, else values of one type; EvalError for what has no order."""
    a, b = type(left), type(right)
    if a in _NUMBERS and b in _NUMBERS:
        if left != left or right != right:
            raise EvalError("NaN values cannot be ordered")
        return _order_numbers(left, right)
    if a is b and a in (str, bytes, bool):
        return int(left > right) - int(left < right)  # type: ignore[operator]
    raise EvalError(NO_OVERLOAD)


_NUMBERS = frozenset({int, Uint, float})


def _order_numbers(left: Value, right: Value) -> int:
    """As cel-go orders: an integer is compared with a double as a double, unless that is out of the integer's range."""
    assert isinstance(left, int | float) and isinstance(right, int | float)
    if isinstance(left, float) and not isinstance(right, float):
        return _order_double(left, right)
    if isinstance(right, float) and not isinstance(left, float):
        return -_order_double(right, left)
    return (left > right) - (left < right)


def _order_double(double: float, integer: int) -> int:
    low, high = (0.0, 2.0**64) if type(integer) is Uint else (-(2.0**63), 2.0**63)
    if double < low:
        return -1
    if double > high:
        return 1
    return (double > float(integer)) - (double < float(integer))


def equal(left: Value, right: Value) -> bool | None:
    """CEL's equality; None where Kubernetes answers `no such overload` (a quantity or version with something else)."""
    a, b = type(left), type(right)
    if left is None or right is None:
        return left is right
    if a in _NUMBERS and b in _NUMBERS:
        return left == left and right == right and _order_numbers(left, right) == 0  # a NaN equals nothing
    if isinstance(left, Amount):
        return left.quantity == right.quantity if isinstance(right, Amount) and not right.computed else None
    if isinstance(left, Semver):
        return left == right if isinstance(right, Semver) else None
    return _equal_same(left, right) if a is b else False


def _equal_same(left: Value, right: Value) -> bool | None:
    if isinstance(left, list):
        assert isinstance(right, list)
        # An element that cannot be compared does not make lists differ.
        return len(left) == len(right) and all(equal(x, y) is not False for x, y in zip(left, right, strict=True))
    if isinstance(left, Map):
        assert isinstance(right, Map)
        return len(left) == len(right) and all(_same_entry(right, key, value) for key, value in left.pairs())
    if isinstance(left, Optional):
        assert isinstance(right, Optional)
        if left is NONE or right is NONE:
            return left is right
        return equal(left.value, right.value)
    return left == right


def _same_entry(other: Map, key: Value, value: Value) -> bool:
    found = other.find(key)
    return found is not missing and equal(value, found) is not False


def contains(items: list[Value], wanted: Value) -> bool:
    """Whether an item equals `wanted`; what cannot be compared is not it."""
    return any(equal(wanted, item) is True for item in items)


def is_zero(value: Value) -> bool:
    """Whether optional.ofNonZeroValue takes the value for none. A quantity or version never is."""
    match value:
        case None | False:
            return True
        case Optional():
            return False
        case int() | float() | str() | bytes() | list() | Map():
            return not value if not isinstance(value, Map) else len(value) == 0
    return False
