"""What to write instead, for the mistakes that people make in selectors, and the checks that only look at the shape."""

from __future__ import annotations

from difflib import get_close_matches

from ..api.quantity import TOO_LONG, Quantity
from .differences import FORMAT_CLAUSE, FORMAT_TEMPLATE, UNSUPPORTED, hint_for
from .errors import EvalError, Refused
from .formatting import CLAUSE_TYPES, clauses
from .tree import Call, ListNode, Literal, MapNode, Node, walk
from .types import DEVICE_FIELDS, DYN, QUANTITY, SEMVER, Type
from .values import Value

_ORDER = {"_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">="}
_SAMPLES = {QUANTITY: 'quantity("40Gi")', SEMVER: 'semver("9.0.0")'}


def literal_quantity(node: Call) -> None:
    """Refused for a quantity that Kubernetes reads and that is out of all proportion here."""
    argument = node.args[0] if node.function in ("quantity", "isQuantity") and node.args else None
    try:
        if isinstance(argument, Literal) and isinstance(argument.value, str):
            Quantity.parse(argument.value)
    except ValueError as reason:
        if str(reason) == TOO_LONG:
            raise Refused("SelectorNotSupported", TOO_LONG, argument.start if argument else node.start) from None


def supported(name: str, node: Call) -> None:
    """Refused for a function that Kubernetes has and this dialect has not."""
    what = UNSUPPORTED.get(name)
    if what is not None:
        raise Refused("SelectorNotSupported", f"`{name}` is not supported: {what}", node.start, hint_for(what))


def boolean(type_: Type) -> str:
    """A comparison that makes a value of this type true or false."""
    return {"int": "compare it, as in `... > 0`", "string": 'compare it, as in `... == "a"`', "optional_type": "add `.orValue(false)`"}.get(
        type_.name, "compare it with something"
    )


def undeclared(name: str, known: list[str]) -> str:
    """What a name that is not declared may stand for."""
    if name in DEVICE_FIELDS:
        return f"did you mean `device.{name}`?"
    close = get_close_matches(name, known, n=1)
    return f"did you mean `{close[0]}`?" if close else 'an attribute is device.attributes["domain"].name'


def no_field(name: str) -> str:
    """What a device has instead of a field of this name."""
    if name == "name":
        return "a device has no name here; select by its attributes"
    close = get_close_matches(name, DEVICE_FIELDS, n=1)
    return f"did you mean `{close[0]}`?" if close else f'known: {", ".join(DEVICE_FIELDS)}; write device.attributes["domain"].{name}'


def no_selection(type_: Type, name: str) -> str:
    """How to read `name` of a value that has no fields."""
    return f"write {name}()" if type_ == SEMVER and name in ("major", "minor", "patch") else ""


def loop(type_: Type) -> str:
    """What to do with a value that is no collection."""
    return "an attribute holds one value; compare it directly" if type_.name == "any" else ""


def no_overload(node: Call, name: str, member: bool, types: list[Type]) -> tuple[str, str]:
    """(message, hint) for a call that fits no overload."""
    names = [str(t) for t in types]
    if name in _ORDER:
        return f"`{_ORDER[name]}` does not order {names[0]} and {names[1]}", _order_hint(_ORDER[name], types)
    if name in ("_==_", "_!=_"):
        return f"{names[0]} cannot be compared with {names[1]}", _equal_hint(types)
    if not name[0].isalpha():
        return f"`{name.strip('_@').replace('_', ' ')}` is not defined for {' and '.join(names)}", _operand_hint(types)
    if member:
        shown = f"{names[0]} has no function {name}({', '.join(names[1:])})"
        return shown, _member_hint(name, types)
    return f"{name}() does not take ({', '.join(names)})", ""


def _order_hint(sign: str, types: list[Type]) -> str:
    known = next((t for t in types if t in _SAMPLES), None)
    return f"write .compareTo({_SAMPLES[known]}) {sign} 0" if known is not None else ""


def _equal_hint(types: list[Type]) -> str:
    known = next((t for t in types if t in _SAMPLES), None)
    return f"compare it with {_SAMPLES[known]}" if known is not None else _operand_hint(types)


def _operand_hint(types: list[Type]) -> str:
    return "add .orValue(...) to the optional value" if any(t.name == "optional_type" for t in types) else ""


def _member_hint(name: str, types: list[Type]) -> str:
    if name == "sign" and types[0] == QUANTITY:
        return "write sign(...)"
    known = _SAMPLES.get(types[0])
    if known is not None and name in ("compareTo", "isGreaterThan", "isLessThan"):
        return f"write .{name}({known})"
    return _operand_hint(types[:1])


def homogeneous(root: Node, types: dict[Node, Type]) -> None:
    """Refused for a list or map literal of several types, unless it is among the arguments of format()."""
    exempt = {n for call in walk(root) if isinstance(call, Call) and call.function == "format" for n in walk(call) if n is not call}
    for node in walk(root):
        if node in exempt:
            continue
        if isinstance(node, ListNode):
            _same(node.elements, [types[e] for e in node.elements], node.optional)
        elif isinstance(node, MapNode):
            optional = frozenset(i for i, e in enumerate(node.entries) if e.optional)
            _same(tuple(e.key for e in node.entries), [types[e.key] for e in node.entries], frozenset())
            _same(tuple(e.value for e in node.entries), [types[e.value] for e in node.entries], optional)


def _same(nodes: tuple[Node, ...], types: list[Type], optional: frozenset[int]) -> None:
    for index in sorted(optional):
        if not types[index].params:
            # The API server's own check fails on this one with a fault of its own.
            raise Refused("SelectorType", "`?` needs an optional value, this is dynamic", nodes[index].start, "write optional.of(...)")
    inner = [t.params[0] if i in optional else t for i, t in enumerate(types)]
    for node, type_ in zip(nodes, inner, strict=True):
        if type_ != inner[0]:
            message = f"expected type {inner[0]} but found {type_}"
            raise Refused("SelectorType", message, node.start, "entries are all of one type; dyn() mixes them")


def formats(root: Node, types: dict[Node, Type]) -> None:
    """Refused for a regular expression that is none, and for a format() that is not supported."""
    for node in walk(root):
        if not isinstance(node, Call):
            continue
        if node.function == "format" and node.target is not None:
            _format(node, node.target, types)
        literal_quantity(node)
        if node.function == "matches" and node.args:
            # The first argument, as in Kubernetes: of the global function that is the text, not the pattern.
            pattern_problem(node.args[0], node.args[0].value if isinstance(node.args[0], Literal) else None)


def pattern_problem(argument: Node, value: Value) -> None:
    """Refused for a constant that is no regular expression."""
    from .strings import pattern

    try:
        if isinstance(value, str):
            pattern(value)
    except EvalError as reason:
        raise Refused("SelectorType", f"invalid regular expression: {reason}", argument.start) from None


def _format(node: Call, template: Node, types: dict[Node, Type]) -> None:
    if not isinstance(template, Literal) or not isinstance(template.value, str):
        raise Refused("SelectorNotSupported", f"not supported: {FORMAT_TEMPLATE}", node.start, hint_for(FORMAT_TEMPLATE))
    found, arguments = clauses(template.value), node.args[0]
    if any(c not in CLAUSE_TYPES for c in found):
        raise Refused("SelectorType", "unknown clause in the template of format()", template.start, "use %s, %d, %x, %o or %b")
    literal = isinstance(arguments, ListNode) and not arguments.optional
    if literal and isinstance(arguments, ListNode) and len(arguments.elements) != len(found):
        message = f"the template has {len(found)} clauses and {len(arguments.elements)} arguments"
        raise Refused("SelectorType", message, node.start)
    if not literal or "f" in found or "e" in found or "%." in template.value.replace("%%", ""):
        raise Refused("SelectorNotSupported", f"not supported: {FORMAT_CLAUSE}", template.start, hint_for(FORMAT_CLAUSE))
    assert isinstance(arguments, ListNode)
    for clause, argument in zip(found, arguments.elements, strict=True):
        _clause(clause, argument, types[argument])


def _clause(clause: str, argument: Node, type_: Type) -> None:
    if type_ == DYN or (clause == "s" and type_.name in ("list", "map")):
        raise Refused("SelectorNotSupported", f"not supported: {FORMAT_CLAUSE}", argument.start, hint_for(FORMAT_CLAUSE))
    if type_.name not in CLAUSE_TYPES[clause]:
        raise Refused("SelectorType", f"%{clause} does not take a {type_}", argument.start, "convert it, as in string(...)")
