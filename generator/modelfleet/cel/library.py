"""Every function and operator of the dialect: its signatures as Kubernetes declares them, each with what it does.

A signature reads `receiver.name(arguments) result` or `name(arguments) result`; capital letters are type variables.
Order matters where a call fits several: the first gives the result's type.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from . import lists, numbers, objects, strings
from .types import Type, read, split
from .values import Value

Implementation = Callable[..., Value]

# What the evaluator does itself, because not every operand is evaluated.
_LAZY: tuple[str, ...] = (
    "_?_:_(bool, A, A) A",
    "_&&_(bool, bool) bool",
    "_||_(bool, bool) bool",
    "@not_strictly_false(bool) bool",
    "optional<V>.or(optional<V>) optional<V>",
    "optional<V>.orValue(V) V",
    "_[_](list<A>, int) A",
    "_[_](map<A, B>, A) B",
    "_[_](optional<list<V>>, int) optional<V>",
    "_[_](optional<map<K, V>>, K) optional<V>",
    "_[?_](list<V>, int) optional<V>",
    "_[?_](optional<list<V>>, int) optional<V>",
    "_[?_](map<K, V>, K) optional<V>",
    "_[?_](optional<map<K, V>>, K) optional<V>",
)
# There are no times here, but null may stand for one, so these decide which calls with null pass the type check.
_TIMED: tuple[str, ...] = (
    *(f"_{op}_({t}, {t}) bool" for op in ("<", "<=", ">", ">=") for t in ("timestamp", "duration")),
    "_+_(duration, duration) duration",
    "_+_(duration, timestamp) timestamp",
    "_+_(timestamp, duration) timestamp",
    "_-_(duration, duration) duration",
    "_-_(timestamp, duration) timestamp",
    "_-_(timestamp, timestamp) duration",
    *(f"{result}({t}) {result}" for result in ("int", "string") for t in ("duration", "timestamp")),
    "list<duration>.sum() duration",
    *(f"list<{t}>.{name}() {t}" for name in ("max", "min") for t in ("duration", "timestamp")),
    *(f"list<{t}>.isSorted() bool" for t in ("duration", "timestamp")),
    *(f"list<{t}>.sort() list<{t}>" for t in ("duration", "timestamp")),
    *(f"list<T>.@sortByAssociatedKeys(list<{t}>) list<T>" for t in ("duration", "timestamp")),
)
_LIBRARIES = (numbers.FUNCTIONS, strings.FUNCTIONS, lists.FUNCTIONS, objects.FUNCTIONS)

_SIGNATURE = re.compile(r"(?:(?P<target>[\w<>, ]+)\.(?=[@\w]+\())?(?P<name>[^(]+)\((?P<args>.*)\) (?P<result>.+)")


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature. member: the first argument is the receiver."""

    name: str
    member: bool
    args: tuple[Type, ...]
    result: Type
    call: Implementation | None

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of the argument types at run time; `*` takes any value."""
        return tuple("*" if t.variable or t.is_open else t.name for t in self.args)


def _overload(signature: str, call: Implementation | None) -> Overload:
    found = _SIGNATURE.fullmatch(signature)
    assert found is not None, signature
    args = [read(part) for part in split(found["args"])]
    target, name = found["target"], found["name"]
    if target is not None and target in ("optional", "sets", "strings", "lists"):  # namespaces, not receivers
        target, name = None, f"{target}.{name}"
    if target is not None:
        args.insert(0, read(target))
    return Overload(name, target is not None, tuple(args), read(found["result"]), call)


@cache
def table() -> dict[str, tuple[Overload, ...]]:
    """The overloads of each function by name."""
    grouped: dict[str, list[Overload]] = {}
    signatures: list[tuple[str, Implementation | None]] = [(s, None) for s in _LAZY]
    signatures += [pair for library in _LIBRARIES for pair in library.items()]
    signatures += [(s, None) for s in _TIMED]
    for signature, call in signatures:
        overload = _overload(signature, call)
        grouped.setdefault(overload.name, []).append(overload)
    return {name: tuple(overloads) for name, overloads in grouped.items()}
