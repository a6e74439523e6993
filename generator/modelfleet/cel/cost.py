"""The worst-case cost of a selector, as the API server estimates it before it takes one.

The numbers are cel-go's and Kubernetes': the same expression has the same cost here, and above the limit both refuse it.
Only maxima are kept of costs, minima too of sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .check import Checked
from .errors import Refused
from .estimates import Argument, function_cost
from .library import Overload
from .sizes import MAX, ONE, UNKNOWN, Entries, Size, add, device_size, exactly, multiply
from .tree import Call, Fold, Ident, ListNode, Literal, MapNode, Node, Select
from .types import Type

# CELSelectorExpressionMaxCost.
LIMIT = 1_000_000
_LIST, _MAP = 10, 30
_SCALARS = ("bool", "double", "int", "uint", "duration", "timestamp")
_HINTS = {
    "optional_type": "the size of an optional value is not known here: test with has() and use the attribute itself",
    "kubernetes.Quantity": "write .compareTo(quantity(...)) == 0, or != 0",
    "kubernetes.Semver": "write .compareTo(semver(...)) == 0, or != 0",
}

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Local:
    """A variable of a loop: where its values come from and how large they are."""

    path: Path
    size: Size | None
    entries: Entries | None = None


@dataclass(slots=True)
class _Estimate:
    """Mutable while the tree is walked."""

    checked: Checked
    paths: dict[Node, Path] = field(default_factory=dict)
    sizes: dict[Node, Size] = field(default_factory=dict)
    entries: dict[Node, Entries] = field(default_factory=dict)
    scopes: list[tuple[str, _Local]] = field(default_factory=list)
    costs: dict[Node, int] = field(default_factory=dict)
    # The first call whose cost alone is above the limit, for the message.
    culprit: Node | None = None

    def cost(self, node: Node) -> int:
        """The worst case of `node`, found once."""
        if node in self.costs:
            return self.costs[node]
        handlers: dict[type[Node], Callable[[Any], int]] = {
            Literal: lambda _: 0,
            Ident: self._ident,
            Select: self._select,
            Call: self._call,
            ListNode: self._list,
            MapNode: self._map,
            Fold: lambda fold: self._bind(fold) if _is_bind(fold) else self._fold(fold),
        }
        total = handlers[type(node)](node)
        if total > LIMIT and self.culprit is None and isinstance(node, Call):
            self.culprit = node
        self.costs[node] = total
        return total

    def _ident(self, node: Ident) -> int:
        self.paths[node] = self._path(node)
        return 1

    def _type(self, node: Node) -> Type:
        return self.checked.types[node]

    def _local(self, name: str) -> _Local | None:
        return next((local for known, local in reversed(self.scopes) if known == name), None)

    def _path(self, node: Node) -> Path:
        if isinstance(node, Ident):
            local = self._local(node.name)
            return (node.name.removeprefix("."),) if local is None else local.path
        return self.paths.get(node, ())

    def _select(self, node: Select) -> int:
        total = self.cost(node.operand)
        if node.test:
            return total
        self.paths[node] = (*self._path(node.operand), node.field)
        type_ = self._type(node.operand)
        return total + 1 if type_.name in ("map", "kubernetes.DRADevice") or type_.variable else total

    def _call(self, node: Call) -> int:
        if node.function == "dyn":
            total = add(1, self.cost(node.args[0]))
            self._copy(node, node.args[0])
            return total
        member = node.target is not None and node not in self.checked.namespaced
        costs = [self.cost(a) for a in node.args]
        arguments = [self._argument(a) for a in node.args]
        total, target = 0, None
        if member and node.target is not None:
            total, target = self.cost(node.target), self._argument(node.target)
        if node.function in ("_&&_", "_||_"):
            return add(total, min(MAX, sum(costs)))
        if node.function == "_?_:_":
            return self._conditional(node, costs)
        return add(total, self._overloads(node, target, arguments, min(MAX, sum(costs))))

    def _overloads(self, node: Call, target: Argument | None, arguments: list[Argument], before: int) -> int:
        """The dearest of the overloads that the call may mean, with `before` for its arguments."""
        dearest, size = 0, None
        name = self.checked.namespaced.get(node, node.function)
        for overload in self.checked.overloads.get(node, (None,)):
            cost, result = function_cost(name, overload, target, arguments)
            dearest = max(dearest, add(cost, before))
            if result is not None:
                size = result if size is None else size.union(result)
            size = self._indexed(node, overload, size) or self._size(node)
        if size is not None:
            self.sizes[node] = size
        if node.function == "_+_":
            self._joined(node, node.args[0], node.args[1])
        return dearest

    def _indexed(self, node: Call, overload: Overload | None, size: Size | None) -> Size | None:
        """Of `a[i]`: where it leads; the size of an entry of a literal."""
        if node.function != "_[_]" or overload is None or overload.args[0].name not in ("list", "map"):
            return size
        step = "@items" if overload.args[0].name == "list" else "@values"
        self.paths[node] = (*self._path(node.args[0]), step)
        entries = self._entries(node.args[0])
        return None if entries is None else entries.value

    def _conditional(self, node: Call, costs: list[int]) -> int:
        self.sizes[node] = self._known(node.args[1]).union(self._known(node.args[2]))
        self._joined(node, node.args[1], node.args[2])
        return add(costs[0], max(costs[1], costs[2]))

    def _joined(self, node: Node, left: Node, right: Node) -> None:
        one, other = self._entries(left), self._entries(right)
        if one is not None and other is not None:
            self.entries[node] = one.union(other)

    def _list(self, node: ListNode) -> int:
        total, item = _LIST, Size(0 if not node.elements else MAX, 0)
        for element in node.elements:
            total = add(total, self.cost(element))
            item = item.union(self._known(element))
        self.entries[node] = Entries("list", ONE, item)
        return total

    def _map(self, node: MapNode) -> int:
        total = _MAP
        key = value = Size(0 if not node.entries else MAX, 0)
        for entry in node.entries:
            total = add(total, add(self.cost(entry.key), self.cost(entry.value)))
            key, value = key.union(self._known(entry.key)), value.union(self._known(entry.value))
        self.entries[node] = Entries("map", key, value)
        return total

    def _bind(self, node: Fold) -> int:
        total = add(self.cost(node.source), self.cost(node.init))
        self._push_value(node.accumulator, node.init)
        total = add(total, self.cost(node.result))
        self.scopes.pop()
        self._copy(node, node.result)
        return total

    def _fold(self, node: Fold) -> int:
        total = add(self.cost(node.source), self.cost(node.init))
        self._push_value(node.accumulator, node.init)
        self._push_variables(node)
        condition, step = self.cost(node.condition), self.cost(node.step)
        del self.scopes[-len(node.variables) :]
        total = add(total, self.cost(node.result))
        self.scopes.pop()
        rounds = self._known(node.source)
        self._fold_size(node, rounds)
        return add(total, multiply(rounds.high, add(condition, step)))

    def _fold_size(self, node: Fold, rounds: Size) -> None:
        if isinstance(node.init, Literal):
            self._keep(node, self._size(node.init))
        elif isinstance(node.init, ListNode | MapNode):
            self.sizes[node] = rounds
            entries = self._entries(node.step)
            if entries is not None:
                self.entries[node] = entries

    def _push_value(self, name: str, value: Node) -> None:
        self.scopes.append((name, _Local(self._path(value), self._size(value), self._entries(value))))

    def _push_variables(self, node: Fold) -> None:
        entries, path = self._entries(node.source), self._path(node.source)
        container = self._type(node.source).name if entries is None else entries.container
        key = _Local((*path, "@indices" if container == "list" else "@keys"), entries.key if entries else None)
        value = _Local((*path, "@items" if container == "list" else "@values"), entries.value if entries else None)
        if len(node.variables) == 2:
            self.scopes += [(node.variables[0], key), (node.variables[1], value)]
        else:
            self.scopes.append((node.variables[0], value if container == "list" else key))

    def _argument(self, node: Node) -> Argument:
        path = self._path(node)
        return Argument(node, self._type(node), self._size(node), () if path and path[0] in ("@result", "__result__") else path)

    def _known(self, node: Node) -> Size:
        return self._size(node) or UNKNOWN

    def _keep(self, node: Node, size: Size | None) -> None:
        if size is not None:
            self.sizes[node] = size

    def _copy(self, node: Node, source: Node) -> None:
        self._keep(node, self._size(source))
        entries = self._entries(source)
        if entries is not None:
            self.entries[node] = entries

    def _size(self, node: Node) -> Size | None:
        if node in self.sizes:
            return self.sizes[node]
        found = _literal_size(node) or device_size(self._path(node))
        if found is not None:
            self.sizes[node] = found
            return found
        if _scalar(self._type(node)):
            return ONE
        local = self._local(node.name) if isinstance(node, Ident) else None
        return None if local is None else local.size

    def _entries(self, node: Node) -> Entries | None:
        if node in self.entries:
            return self.entries[node]
        local = self._local(node.name) if isinstance(node, Ident) else None
        return None if local is None else local.entries


def _literal_size(node: Node) -> Size | None:
    match node:
        case Literal():
            return exactly(len(node.value)) if isinstance(node.value, str | bytes) else ONE
        case ListNode():
            return exactly(len(node.elements))
        case MapNode():
            return exactly(len(node.entries))
    return None


def _scalar(type_: Type) -> bool:
    return type_.name in _SCALARS or (type_.name == "optional_type" and _scalar(type_.params[0]))


def _is_bind(node: Fold) -> bool:
    empty = isinstance(node.source, ListNode) and not node.source.elements
    return empty and isinstance(node.condition, Literal) and node.condition.value is False and node.accumulator != "__result__"


def estimate(root: Node, checked: Checked) -> int:
    """The worst-case cost of `root`; Refused (SelectorTooLarge) when it is above the limit."""
    walk = _Estimate(checked)
    cost = walk.cost(root)
    if cost <= LIMIT:
        return cost
    node = walk.culprit or root
    what = "it is unbounded" if cost >= MAX // 2**16 else f"{cost:,} units"
    message = f"the API server refuses this: its worst case costs more than {LIMIT:,} units ({what})"
    raise Refused("SelectorTooLarge", message, node.start, _hint(node, checked))


def _hint(node: Node, checked: Checked) -> str:
    if not isinstance(node, Call):
        return "use fewer or shorter loops"
    if node.function in ("_==_", "_!=_"):
        if any(isinstance(a, Call) and a.function == "type" for a in node.args):
            return "test what the value is used for instead of its type"
        return next((_HINTS[n] for n in (checked.types[a].name for a in node.args) if n in _HINTS), "compare values of bounded size")
    optional = [o for o in node.operands if o in checked.types and checked.types[o].name == "optional_type"]
    if optional or any(isinstance(o, Call) and o.function in ("orValue", "value") for o in node.operands):
        return _HINTS["optional_type"]
    return "use the attribute itself, whose length is bounded, or a literal"
