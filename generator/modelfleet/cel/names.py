"""The attributes and capacities that a selector reads by literal names."""

from __future__ import annotations

from .device import Name
from .tree import Call, Fold, Ident, Literal, Node, Select, children

_MAPS = ("attributes", "capacity")
# What a node is: a field of the device, or one domain of it.
_Path = tuple[str, ...]


def read_names(root: Node) -> tuple[frozenset[Name], frozenset[Name]]:
    """((domain, id) of attributes, of capacities). Names that are computed are not among them; presence tests are."""
    found: dict[str, set[Name]] = {name: set() for name in _MAPS}
    _visit(root, {}, found)
    return frozenset(found["attributes"]), frozenset(found["capacity"])


def _visit(node: Node, bound: dict[str, _Path], found: dict[str, set[Name]]) -> None:
    path = _path(node, bound)
    if len(path) == 3:
        found[path[0]].add((path[1], path[2]))
    if isinstance(node, Call) and node.function == "@in" and isinstance(node.args[0], Literal):
        container = _path(node.args[1], bound)
        if len(container) == 2:
            found[container[0]].add((container[1], str(node.args[0].value)))
    if isinstance(node, Fold):
        _visit(node.source, bound, found)
        _visit(node.init, bound, found)
        hidden = {name: path for name, path in bound.items() if name not in node.variables}
        inner = {**hidden, node.accumulator: _path(node.init, bound)}
        for part in (node.condition, node.step, node.result):
            _visit(part, inner, found)
        return
    for child in children(node):
        _visit(child, bound, found)


def _path(node: Node, bound: dict[str, _Path]) -> _Path:
    """("attributes" or "capacity", domain, id) as far as `node` reaches, () for anything else."""
    operand, key = _access(node)
    if operand is None:
        return bound.get(node.name, ()) if isinstance(node, Ident) else ()
    if isinstance(operand, Ident) and operand.name.removeprefix(".") == "device" and "device" not in bound:
        return (key,) if key in _MAPS else ()
    container = _path(operand, bound)
    return (*container, key) if container and len(container) < 3 and key is not None else ()


def _access(node: Node) -> tuple[Node | None, str | None]:
    """(what is accessed, the literal key or None)."""
    if isinstance(node, Select):
        return node.operand, node.field
    if isinstance(node, Call) and node.function in ("_[_]", "_[?_]", "_?._"):
        key = node.args[1]
        return node.args[0], str(key.value) if isinstance(key, Literal) else None
    return None, None
