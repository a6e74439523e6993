"""The expression tree: what cel-go calls the AST, after macros are expanded.

Nodes are compared by identity. `start` is an offset into the expression, where Kubernetes would point for a mistake.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .values import Value

ACCUMULATOR = "@result"


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """What all nodes have."""

    start: int


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Node):
    """A constant."""

    value: Value


@dataclass(frozen=True, slots=True, eq=False)
class Ident(Node):
    """A variable or the name of a type; a leading dot skips local variables."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Select(Node):
    """`operand.field`; test: has(operand.field)."""

    operand: Node
    field: str
    test: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    """A function by name or an operator by cel-go's name (`_==_`); target is the receiver of a member call."""

    function: str
    args: tuple[Node, ...]
    target: Node | None = None

    @property
    def operands(self) -> tuple[Node, ...]:
        """Receiver and arguments."""
        return self.args if self.target is None else (self.target, *self.args)


@dataclass(frozen=True, slots=True, eq=False)
class ListNode(Node):
    """optional: indices of the entries written `?e`."""

    elements: tuple[Node, ...]
    optional: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Entry(Node):
    """One entry of a map literal; optional: written `?key: value`."""

    key: Node
    value: Node
    optional: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MapNode(Node):
    """A map literal."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Fold(Node):
    """Every macro over a collection, and cel.bind: `accumulator` starts as `init` and becomes `step` while `condition` holds.

    variables: (element or key), or (index or key, value). Its value is `result`.
    """

    source: Node
    variables: tuple[str, ...]
    accumulator: str
    init: Node
    condition: Node
    step: Node
    result: Node


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below."""
    match node:
        case Select():
            return (node.operand,)
        case Call():
            return node.operands
        case ListNode():
            return node.elements
        case MapNode():
            return tuple(part for entry in node.entries for part in (entry.key, entry.value))
        case Fold():
            return (node.source, node.init, node.condition, node.step, node.result)
    return ()


def walk(root: Node) -> Iterator[Node]:
    """Every node, a node shared by two parents once."""
    seen: set[Node] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            yield node
            stack.extend(children(node))


def depth(root: Node) -> int:
    """Levels of nesting; without recursion, and a shared node is looked at once."""
    levels: dict[Node, int] = {}
    stack = [root]
    while stack:
        below = children(stack[-1])
        waiting = [child for child in below if child not in levels]
        stack += waiting
        if not waiting:
            levels[stack.pop()] = 1 + max((levels[child] for child in below), default=0)
    return levels[root]
