"""Macros: calls that stand for a loop or a test, expanded as cel-go expands them."""

from __future__ import annotations

from collections.abc import Callable

from .errors import Refused
from .tree import ACCUMULATOR, Call, Fold, Ident, ListNode, Literal, Node, Select

_RESERVED = (ACCUMULATOR, "__result__")
_MAP_HINT = "list the keys with map() or filter() and look the values up"


def expand(call: Call) -> Node:
    """What `call` stands for: itself unless it is a macro. Refused for a macro with wrong arguments."""
    if call.target is None:
        return _has(call) if (call.function, len(call.args)) == ("has", 1) else call
    if call.function == "bind" and len(call.args) == 3 and isinstance(call.target, Ident) and call.target.name == "cel":
        return bind(call.start, _name(call.args[0]), call.args[1], call.args[2])
    if call.function in ("transformMap", "transformMapEntry") and len(call.args) in (3, 4):
        raise Refused("SelectorNotSupported", f"`{call.function}` is not supported", call.start, _MAP_HINT)
    macro = _RECEIVERS.get((call.function, len(call.args)))
    return call if macro is None else macro(call, call.target)


def _has(call: Call) -> Node:
    argument = call.args[0]
    if not isinstance(argument, Select):
        raise Refused("SelectorSyntax", "has() takes a field selection", argument.start, 'write has(device.attributes["domain"].name)')
    return Select(call.start, argument.operand, argument.field, test=True)


def bind(start: int, name: str, value: Node, body: Node) -> Fold:
    """`body` with `name` standing for `value`: a loop over nothing, as in cel-go."""
    return Fold(start, ListNode(start, ()), ("#unused",), name, value, Literal(start, False), Ident(start, name), body)


def _name(argument: Node) -> str:
    if not isinstance(argument, Ident) or argument.name.startswith("."):
        raise Refused("SelectorSyntax", "the variable must be a simple name", argument.start)
    return argument.name


def _variables(arguments: tuple[Node, ...]) -> tuple[str, ...]:
    names = tuple(_name(argument) for argument in arguments)
    for name, argument in zip(names, arguments, strict=True):
        if name in _RESERVED:
            raise Refused("SelectorSyntax", "the variable overwrites the accumulator", argument.start)
    if len(set(names)) < len(names):
        raise Refused("SelectorSyntax", f"two variables are named `{names[0]}`", arguments[-1].start)
    return names


def _accumulator(start: int) -> Ident:
    return Ident(start, ACCUMULATOR)


def _call(start: int, function: str, *args: Node) -> Call:
    return Call(start, function, args)


def _all(call: Call, target: Node) -> Node:
    at, names = call.start, _variables(call.args[:-1])
    condition = _call(at, "@not_strictly_false", _accumulator(at))
    step = _call(at, "_&&_", _accumulator(at), call.args[-1])
    return Fold(at, target, names, ACCUMULATOR, Literal(at, True), condition, step, _accumulator(at))


def _exists(call: Call, target: Node) -> Node:
    at, names = call.start, _variables(call.args[:-1])
    condition = _call(at, "@not_strictly_false", _call(at, "!_", _accumulator(at)))
    step = _call(at, "_||_", _accumulator(at), call.args[-1])
    return Fold(at, target, names, ACCUMULATOR, Literal(at, False), condition, step, _accumulator(at))


def _exists_one(call: Call, target: Node) -> Node:
    at, names = call.start, _variables(call.args[:-1])
    counted = _call(at, "_+_", _accumulator(at), Literal(at, 1))
    step = _call(at, "_?_:_", call.args[-1], counted, _accumulator(at))
    result = _call(at, "_==_", _accumulator(at), Literal(at, 1))
    return Fold(at, target, names, ACCUMULATOR, Literal(at, 0), Literal(at, True), step, result)


def _collect(call: Call, target: Node, names: tuple[str, ...], keep: Node | None, item: Node) -> Fold:
    at = call.start
    step: Node = _call(at, "_+_", _accumulator(at), ListNode(at, (item,)))
    if keep is not None:
        step = _call(at, "_?_:_", keep, step, _accumulator(at))
    return Fold(at, target, names, ACCUMULATOR, ListNode(at, ()), Literal(at, True), step, _accumulator(at))


def _map(call: Call, target: Node) -> Node:
    keep = call.args[1] if len(call.args) == 3 else None
    return _collect(call, target, _variables(call.args[:1]), keep, call.args[-1])


def _filter(call: Call, target: Node) -> Node:
    return _collect(call, target, _variables(call.args[:1]), call.args[1], call.args[0])


def _transform_list(call: Call, target: Node) -> Node:
    keep = call.args[2] if len(call.args) == 4 else None
    return _collect(call, target, _variables(call.args[:2]), keep, call.args[-1])


def _opt_map(call: Call, target: Node) -> Node:
    return _on_value(call, target, lambda body: _call(call.start, "optional.of", body))


def _opt_flat_map(call: Call, target: Node) -> Node:
    return _on_value(call, target, lambda body: body)


def _on_value(call: Call, target: Node, wrap: Callable[[Node], Node]) -> Node:
    at, name = call.start, _name(call.args[0])
    body = bind(at, name, Call(at, "value", (), target), call.args[1])
    return _call(at, "_?_:_", Call(at, "hasValue", (), target), wrap(body), _call(at, "optional.none"))


def _sort_by(call: Call, target: Node) -> Node:
    at, name = call.start, "@sortBy"
    if not isinstance(target, ListNode | Select | Ident | Fold | Call):
        raise Refused("SelectorSyntax", "sortBy can only be applied to a list", target.start)
    keys = _map(call, Ident(at, name))
    return bind(at, name, target, Call(at, "@sortByAssociatedKeys", (keys,), Ident(at, name)))


_RECEIVERS: dict[tuple[str, int], Callable[[Call, Node], Node]] = {
    ("all", 2): _all,
    ("all", 3): _all,
    ("exists", 2): _exists,
    ("exists", 3): _exists,
    ("exists_one", 2): _exists_one,
    ("exists_one", 3): _exists_one,
    ("existsOne", 3): _exists_one,
    ("map", 2): _map,
    ("map", 3): _map,
    ("filter", 2): _filter,
    ("transformList", 3): _transform_list,
    ("transformList", 4): _transform_list,
    ("optMap", 2): _opt_map,
    ("optFlatMap", 2): _opt_flat_map,
    ("sortBy", 2): _sort_by,
}
MACROS = frozenset({"has", "bind", *(name for name, _ in _RECEIVERS)})
