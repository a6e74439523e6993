"""Sizes and costs for the estimate, in 64 bits that do not overflow, and what is known of the device's own sizes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

MAX = 2**64 - 1


def add(left: int, right: int) -> int:
    """The sum, at most MAX."""
    return min(MAX, left + right)


def multiply(left: int, right: int) -> int:
    """The product, at most MAX."""
    return min(MAX, left * right)


def scale(size: int, factor: float) -> int:
    """`size * factor` rounded up."""
    product = math.ceil(float(size) * factor)
    return MAX if product >= 2.0**64 else product


class Size(NamedTuple):
    """How many characters, elements or entries a value has: at least `low`, at most `high`."""

    low: int
    high: int

    def plus(self, other: Size) -> Size:
        """Bounds of the sum."""
        return Size(add(self.low, other.low), add(self.high, other.high))

    def times(self, other: Size) -> Size:
        """Bounds of the product."""
        return Size(multiply(self.low, other.low), multiply(self.high, other.high))

    def union(self, other: Size) -> Size:
        """Bounds that hold for either."""
        return Size(min(self.low, other.low), max(self.high, other.high))


UNKNOWN = Size(0, MAX)
ONE = Size(1, 1)


def exactly(size: int) -> Size:
    """A size that is known."""
    return Size(size, size)


class Entries(NamedTuple):
    """Sizes of what a list or map literal holds."""

    container: str
    key: Size
    value: Size

    def union(self, other: Entries) -> Entries:
        """Bounds that hold for the entries of either."""
        return Entries(self.container, self.key.union(other.key), self.value.union(other.value))


@dataclass(frozen=True, slots=True)
class Shape:
    """Limits that the API sets to a part of a device: entries or characters, and the shapes below it."""

    limit: int = 0
    fields: dict[str, Shape] = field(default_factory=dict)
    key: Shape | None = None
    element: Shape | None = None


# ResourceSlice's limits: 63 characters a driver or domain, 32 an id, 64 a string; 32 attributes and capacities together.
_ATTRIBUTE = Shape(64)
_DOMAIN, _IDENT = Shape(63), Shape(32)
_DEVICE = Shape(
    fields={
        "driver": Shape(63),
        "allowMultipleAllocations": Shape(1),
        "attributes": Shape(32, key=_DOMAIN, element=Shape(32, key=_IDENT, element=_ATTRIBUTE)),
        "capacity": Shape(32, key=_DOMAIN, element=Shape(32, key=_IDENT, element=Shape(0))),
    }
)


def device_size(path: tuple[str, ...]) -> Size | None:
    """The size of what a path such as ("device", "attributes", "@values", "model") leads to; None when nothing is known."""
    if not path or path[0] != "device":
        return None
    shape: Shape | None = _DEVICE
    for name in path[1:]:
        if shape is None:
            return None
        shape = _below(shape, name)
    return None if shape is None else Size(0, shape.limit)


def _below(shape: Shape, name: str) -> Shape | None:
    if name in ("@items", "@values"):
        return shape.element
    if name == "@keys":
        return shape.key
    known = shape.fields.get(name)
    # Every attribute has the same limit, whatever its name.
    return _ATTRIBUTE if known is None and shape.element is _ATTRIBUTE else known
