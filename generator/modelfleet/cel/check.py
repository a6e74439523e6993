"""Kubernetes' type check of a selector, after cel-go's checker: what is wrong before any device is looked at.

Attributes are of a dynamic type, so much of what they are used for is only known when a device is there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from . import advice
from .differences import UNSUPPORTED
from .errors import Refused
from .library import Overload, table
from .macros import MACROS
from .tree import ACCUMULATOR, Call, Fold, Ident, ListNode, Literal, MapNode, Node, Select
from .types import (
    ANY,
    BOOL,
    BYTES,
    DEVICE,
    DEVICE_FIELDS,
    DOUBLE,
    DYN,
    ERROR,
    INT,
    NULL,
    STRING,
    UINT,
    Bindings,
    Type,
    list_of,
    map_of,
    most_general,
    optional_of,
    type_of,
)  # fmt: skip
from .values import Uint

_TYPE_NAMES = {
    **{name: type_of(Type(name)) for name in ("bool", "int", "uint", "double", "string", "bytes", "null_type")},
    "list": type_of(list_of(DYN)),
    "map": type_of(map_of(DYN, DYN)),
    "type": type_of(type_of(DYN)),
    "optional_type": type_of(optional_of(DYN)),
}
_LITERALS: dict[type, Type] = {bool: BOOL, int: INT, Uint: UINT, float: DOUBLE, str: STRING, bytes: BYTES, type(None): NULL}


@dataclass(slots=True)
class Checked:
    """What the check found: the type of each node and the overloads that each call may mean at run time."""

    types: dict[Node, Type] = field(default_factory=dict)
    overloads: dict[Call, tuple[Overload, ...]] = field(default_factory=dict)
    # A member call of a namespaced function (`sets.contains(a, b)`) by the name of that function.
    namespaced: dict[Call, str] = field(default_factory=dict)


def check(root: Node) -> Checked:
    """Types of all nodes; Refused (SelectorType or SelectorNotSupported) at the first mistake."""
    checker = _Checker()
    checker.visit(root)
    found = checker.found
    for node in found.types:
        found.types[node] = checker.bindings.resolve(found.types[node], final=True)
    advice.homogeneous(root, found.types)
    advice.formats(root, found.types)
    result = found.types[root]
    if result not in (BOOL, ANY):
        raise Refused("SelectorType", f"a selector is true or false, this is of type {result}", root.start, advice.boolean(result))
    return found


class _Checker:
    def __init__(self) -> None:
        self.found = Checked()
        self.bindings = Bindings()
        self.scopes: list[dict[str, Type]] = []

    def visit(self, node: Node) -> Type:
        """The type of `node`, found once."""
        # A macro may use its receiver twice; nested, it would be visited 2^n times.
        known = self.found.types.get(node)
        return known if known is not None else self.found.types.setdefault(node, self._type(node))

    def _type(self, node: Node) -> Type:
        handlers: dict[type[Node], Callable[[Any], Type]] = {
            Literal: lambda literal: _LITERALS[type(literal.value)],
            Ident: self._ident,
            Select: self._select,
            Call: self._call,
            ListNode: self._list,
            MapNode: self._map,
            Fold: self._fold,
        }
        return handlers[type(node)](node)

    def _ident(self, node: Ident) -> Type:
        if not node.name.startswith("."):
            for scope in reversed(self.scopes):
                if node.name in scope:
                    return scope[node.name]
        name = node.name.removeprefix(".")
        if name == "device":
            return DEVICE
        if name in _TYPE_NAMES:
            return _TYPE_NAMES[name]
        known = [*_TYPE_NAMES, "device", *(n for scope in self.scopes for n in scope if n != ACCUMULATOR)]
        raise Refused("SelectorType", f"`{name}` is not declared", node.start, advice.undeclared(name, known))

    def _select(self, node: Select) -> Type:
        type_ = self._field(node, node.operand, node.field)
        return BOOL if node.test else self.bindings.resolve(type_)

    def _field(self, node: Node, operand: Node, name: str) -> Type:
        """Type of `operand.name`, optional when the operand is."""
        operand_type = self.bindings.resolve(self.visit(operand))
        optional = operand_type.name == "optional_type"
        target = operand_type.params[0] if optional else operand_type
        type_ = self._field_of(node, target, name)
        return optional_of(type_) if optional else type_

    def _field_of(self, node: Node, target: Type, name: str) -> Type:
        if target.name == "map":
            return target.params[1]
        if target == DEVICE:
            if name not in DEVICE_FIELDS:
                raise Refused("SelectorType", f"a device has no field `{name}`", node.start, advice.no_field(name))
            return DEVICE_FIELDS[name]
        if target.variable:
            self.bindings.attempt([DYN], [target])
        elif not target.is_open:
            raise Refused("SelectorType", f"a {target} has no fields", node.start, advice.no_selection(target, name))
        return DYN

    def _call(self, node: Call) -> Type:
        if node.function == "_?._":
            operand, name = node.args
            assert isinstance(name, Literal)
            self.visit(name)
            type_ = self._field(node, operand, str(name.value))
            return type_ if self._is_optional(operand) else optional_of(type_)
        function, member = self._function(node)
        arguments = [self.visit(argument) for argument in node.args]
        if member and node.target is not None:
            arguments.insert(0, self.visit(node.target))
        return self._resolve(node, function, member, arguments)

    def _function(self, node: Call) -> tuple[str, bool]:
        """(name, whether it is called on a receiver); Refused for a function that does not exist or is not supported."""
        name, member = node.function, node.target is not None
        if node.target is not None:
            qualified = _qualified(node.target, node.function)
            if qualified in table() or qualified in UNSUPPORTED:
                name, member = qualified, False
                self.found.namespaced[node] = qualified
        advice.supported(name, node)
        if name not in table():
            close = get_close_matches(node.function, [n for n in (*table(), *MACROS) if n[0].isalpha()], n=1)
            hint = f"did you mean `{close[0]}`?" if close else ""
            raise Refused("SelectorType", f"there is no function `{node.function}`", node.start, hint)
        return name, member

    def _is_optional(self, node: Node) -> bool:
        return self.bindings.resolve(self.found.types[node]).name == "optional_type"

    def _resolve(self, node: Call, name: str, member: bool, arguments: list[Type]) -> Type:
        """The result of the overloads that the arguments fit; they narrow what type variables stand for, one after another."""
        result: Type | None = None
        fitting: list[Overload] = []
        for overload in table()[name]:
            if overload.member != member:
                continue
            if name in ("_&&_", "_||_"):
                return self._logical(node, overload, arguments)
            *wanted, returned = self.bindings.instantiate([*overload.args, overload.result])
            if not self.bindings.attempt(arguments, wanted):
                continue
            fitting.append(overload)
            returned = self.bindings.resolve(returned)
            if result is None:
                result = returned
            elif not result.is_dyn and returned != result:
                result = DYN
        if result is None:
            types = [self.bindings.resolve(a, final=True) for a in arguments]
            message, hint = advice.no_overload(node, name, member, types)
            raise Refused("SelectorType", message, node.start, hint)
        self.found.overloads[node] = tuple(fitting)
        return result

    def _logical(self, node: Call, overload: Overload, arguments: list[Type]) -> Type:
        for argument, type_ in zip(node.args, arguments, strict=True):
            if not self.bindings.attempt([type_], [BOOL]):
                shown = self.bindings.resolve(type_, final=True)
                raise Refused("SelectorType", f"expected a bool but found {shown}", argument.start, advice.boolean(shown))
        self.found.overloads[node] = (overload,)
        return BOOL

    def _list(self, node: ListNode) -> Type:
        joined: Type | None = None
        for index, element in enumerate(node.elements):
            type_ = self._entry(element, index in node.optional)
            joined = self._join(joined, type_)
        return list_of(joined or self.bindings.new())

    def _entry(self, node: Node, optional: bool) -> Type:
        """Type of an element; of what is in it when it was written with `?`."""
        type_ = self.visit(node)
        if not optional:
            return type_
        resolved = self.bindings.resolve(type_)
        if resolved.name == "optional_type":
            return resolved.params[0]
        if not resolved.is_dyn:
            raise Refused("SelectorType", f"`?` needs an optional value, this is of type {resolved}", node.start)
        return type_

    def _map(self, node: MapNode) -> Type:
        key: Type | None = None
        value: Type | None = None
        for entry in node.entries:
            key = self._join(key, self.visit(entry.key))
            value = self._join(value, self._entry(entry.value, entry.optional))
        return map_of(key or self.bindings.new(), value or self.bindings.new())

    def _join(self, previous: Type | None, current: Type) -> Type:
        if previous is None:
            return current
        if self.bindings.attempt([previous], [current]):
            return most_general(previous, current)
        return DYN  # refused afterwards, unless it is for format()

    def _fold(self, node: Fold) -> Type:
        self.visit(node.source)
        accumulator = self.visit(node.init)
        self.scopes.append({node.accumulator: accumulator})
        self.scopes.append(dict(zip(node.variables, self._elements(node), strict=True)))
        self._expect(node.condition, BOOL)
        self._expect(node.step, accumulator)
        self.scopes.pop()
        result = self.visit(node.result)
        self.scopes.pop()
        return self.bindings.resolve(result)

    def _expect(self, node: Node, wanted: Type) -> None:
        type_ = self.visit(node)
        if not self.bindings.attempt([wanted], [type_]):
            shown, expected = (self.bindings.resolve(t, final=True) for t in (type_, wanted))
            raise Refused("SelectorType", f"expected type {expected} but found {shown}", node.start)

    def _elements(self, node: Fold) -> tuple[Type, ...]:
        """Types of the loop's variables."""
        source = self.bindings.resolve(self.found.types[node.source])
        two = len(node.variables) == 2
        if source.name == "list":
            return (INT, source.params[0]) if two else source.params
        if source.name == "map":
            return source.params if two else source.params[:1]
        if source.variable or source in (DYN, ERROR):
            self.bindings.attempt([DYN], [source])
            return (DYN, DYN) if two else (DYN,)
        raise Refused("SelectorType", f"a loop needs a list or a map, this is of type {source}", node.source.start, advice.loop(source))


def _qualified(target: Node, name: str) -> str:
    """`a.b.name` for a target of plain names, else an empty string."""
    parts = [name]
    while isinstance(target, Select) and not target.test:
        parts.append(target.field)
        target = target.operand
    return ".".join(reversed([*parts, target.name.removeprefix(".")])) if isinstance(target, Ident) else ""
