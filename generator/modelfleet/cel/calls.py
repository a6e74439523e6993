"""Which overload of a function a call means, decided by the types of its arguments when they are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .errors import NO_OVERLOAD, EvalError
from .library import Implementation, Overload
from .scope import Evaluator, Frame
from .values import Map, Value, name_of

# Characters or list elements for one step: Kubernetes counts a tenth for each character.
_PER_STEP = 10


def _size(value: Value) -> int:
    return len(value) if isinstance(value, str | bytes | list | Map) else 0


def _sizes(arguments: Sequence[Value]) -> int:
    return sum(map(_size, arguments))


def _replaced(arguments: Sequence[Value]) -> int:
    text, old, new = (len(str(a)) for a in arguments[:3])
    return (text // max(1, old) + 1) * new + text


def _joined(arguments: Sequence[Value]) -> int:
    items, separator = arguments[0], str(arguments[1]) if len(arguments) > 1 else ""
    return sum(_size(item) + len(separator) for item in items) if isinstance(items, list) else 0


def _flattened(arguments: Sequence[Value]) -> int:
    items = arguments[0]
    return sum(1 + _size(item) for item in items) * _PER_STEP if isinstance(items, list) else 0


def _quadratic(arguments: Sequence[Value]) -> int:
    """Every element of one list is compared with every one of the other (or of the same)."""
    return max(1, _size(arguments[0])) * max(1, _size(arguments[-1])) * _PER_STEP


def _range(arguments: Sequence[Value]) -> int:
    return max(0, int(arguments[0])) * _PER_STEP if isinstance(arguments[0], int) else 0


# What a call costs, in tenths of a step, found before it is made; by default the size of its arguments.
_COSTS: dict[str, Callable[[Sequence[Value]], int]] = {
    "replace": _replaced,
    "join": _joined,
    "flatten": _flattened,
    "lists.range": _range,
    **dict.fromkeys(("distinct", "sets.contains", "sets.equivalent", "sets.intersects"), _quadratic),
}


class Dispatch:
    """The overloads that a call may mean. Mutable: it remembers which one given types of arguments chose."""

    def __init__(self, function: str, overloads: tuple[Overload, ...]) -> None:
        self.name = overloads[0].name if overloads else function
        self.overloads = overloads
        self.cost = _COSTS.get(self.name, _sizes)
        self.chosen: dict[tuple[type, ...], Implementation] = {}

    def of(self, operands: list[Evaluator]) -> Evaluator:
        """An evaluator that calls the function with what `operands` give."""

        def run(frame: Frame) -> Value:
            arguments = [operand(frame) for operand in operands]
            frame.spend(1 + self.cost(arguments) // _PER_STEP)
            return self._implementation(arguments)(*arguments)

        return run

    def _implementation(self, arguments: list[Value]) -> Implementation:
        key = tuple(map(type, arguments))
        found = self.chosen.get(key)
        if found is None:
            found = self.chosen[key] = self._choose([name_of(a) for a in arguments])
        return found

    def _choose(self, names: list[str]) -> Implementation:
        for overload in self.overloads:
            if overload.call is not None and _takes(overload.kinds, names):
                return overload.call
        raise EvalError(self._problem(names))

    def _problem(self, names: list[str]) -> str:
        """In Kubernetes' words, where it has more than the bare ones."""
        if self.name == "size":
            return f"{NO_OVERLOAD}: size"
        named = self.name[0].isalpha() and len(self.overloads) == 1 and self.name not in ("contains", "endsWith", "startsWith", "matches")
        return f"{NO_OVERLOAD}: {self.name}({', '.join(names)})" if named else NO_OVERLOAD


def _takes(kinds: tuple[str, ...], names: list[str]) -> bool:
    return len(kinds) == len(names) and all(k in ("*", n) for k, n in zip(kinds, names, strict=True))
