"""From an expression to its tree: cel-python's grammar reads the rewritten source, its parse tree is folded into nodes.

The parse tree has a level for each precedence; left-recursive chains are unrolled in loops, so that a long `a || b || c`
or `x.y.z` costs no Python stack.
"""

from __future__ import annotations

from typing import Any

from .errors import Refused
from .macros import expand
from .rewrite import Rewritten, rewrite
from .tree import Call, Entry, Ident, ListNode, Literal, MapNode, Node, Select

_RESERVED = frozenset("as break const continue else for function if import let loop package namespace return var void while".split())
_BINARY = {
    "relation_lt": "_<_", "relation_le": "_<=_", "relation_gt": "_>_", "relation_ge": "_>=_",
    "relation_eq": "_==_", "relation_ne": "_!=_", "relation_in": "@in",
    "addition_add": "_+_", "addition_sub": "_-_",
    "multiplication_mul": "_*_", "multiplication_div": "_/_", "multiplication_mod": "_%_",
}  # fmt: skip
_MESSAGE = "messages cannot be built in a selector"
_TOO_DEEP = "the expression is nested too deeply"
# Parentheses, brackets and calls within each other; cel-go stops at 250 of one kind.
MAX_NESTING = 100


def parse(expression: str) -> Node:
    """The tree of `expression`, macros expanded. Refused: SelectorSyntax, SelectorNotSupported or SelectorTooLarge."""
    rewritten = rewrite(expression)
    return _Builder(rewritten).expression(_tree(rewritten, len(expression)))


def _tree(rewritten: Rewritten, end: int) -> Any:
    from celpy.celparser import CELParseError, CELParser

    try:
        return CELParser().parse(rewritten.source)
    except CELParseError as error:
        token = getattr(error.__context__, "token", None)
        if token is None or token.type == "$END":
            raise Refused("SelectorSyntax", "the expression ends too early", end) from None
        position = rewritten.origin(int(error.column or 1) - 1)
        raise Refused("SelectorSyntax", "this cannot stand here", position) from None


class _Builder:
    def __init__(self, rewritten: Rewritten) -> None:
        self.source = rewritten
        self.level = 0

    def _origin(self, tree: Any, before: int = 0) -> int:
        """Where `tree` starts in the expression, or the token `before` tokens earlier (an operator, a parenthesis)."""
        offset = tree.start_pos if hasattr(tree, "start_pos") else tree.meta.start_pos
        return self.source.origin(offset, before)

    def expression(self, tree: Any) -> Node:
        """An `expr` of the grammar."""
        self.level += 1
        if self.level > MAX_NESTING:
            raise Refused("SelectorTooLarge", _TOO_DEEP, self._origin(tree))
        if len(tree.children) == 1:
            node = self._logical(tree.children[0], "_||_")
        else:
            condition, yes, no = tree.children
            parts = (self._logical(condition, "_||_"), self._logical(yes, "_||_"), self.expression(no))
            node = Call(self._origin(yes, 1), "_?_:_", parts)
        self.level -= 1
        return node

    def _logical(self, tree: Any, operator: str) -> Node:
        """`conditionalor` or `conditionaland`: one call with all terms."""
        terms = []
        while len(tree.children) == 2:
            terms.append(tree.children[1])
            tree = tree.children[0]
        terms.append(tree.children[0])
        nodes = [self._logical(t, "_&&_") if operator == "_||_" else self._binary(t) for t in reversed(terms)]
        return nodes[0] if len(nodes) == 1 else Call(self._origin(terms[-2], 1), operator, tuple(nodes))

    def _binary(self, tree: Any) -> Node:
        """`relation`, `addition` or `multiplication`: left-associative chains."""
        chain = []
        while len(tree.children) == 2:
            left, right = tree.children
            chain.append((_BINARY[left.data], right))
            tree = left.children[0]
        inner = tree.children[0]
        node = self._unary(inner) if inner.data == "unary" else self._binary(inner)
        for operator, right in reversed(chain):
            operand = self._unary(right) if right.data == "unary" else self._binary(right)
            node = Call(self._origin(right, 1), operator, (node, operand))
        return node

    def _unary(self, tree: Any) -> Node:
        operators = []
        while len(tree.children) == 2:
            operators.append(tree.children[0])
            tree = tree.children[1]
        if len({o.data for o in operators}) > 1:
            raise Refused("SelectorSyntax", "`!` and `-` cannot be mixed", self._origin(operators[1]), "use parentheses")
        node = self._member(tree.children[0])
        if len(operators) % 2 == 0:
            return node
        return Call(self._origin(operators[0]), "!_" if operators[0].data == "unary_not" else "-_", (node,))

    def _member(self, tree: Any) -> Node:
        chain = []
        while True:
            inner = tree.children[0]
            if inner.data == "primary":
                break
            chain.append(inner)
            tree = inner.children[0]
        node = self._primary(inner.children[0])
        for step in reversed(chain):
            node = self._step(step, node)
        return node

    def _step(self, tree: Any, node: Node) -> Node:
        if tree.data == "member_dot":
            name = tree.children[1]
            return Select(self._origin(name, 1), node, str(name))
        if tree.data == "member_index":
            index = tree.children[1]
            return Call(self._origin(index, 1), "_[_]", (node, self.expression(index)))
        if tree.data == "member_object":
            raise self._message(node, tree)
        name, arguments = tree.children[1], self._arguments(tree.children[2:])
        if name.start_pos in self.source.marked:
            return self._optional(str(name), self._origin(name), node, arguments)
        start = self.source.origins[self.source.token_at(name.start_pos) + 1]
        return expand(Call(start, str(name), arguments, node))

    def _optional(self, name: str, start: int, node: Node, arguments: tuple[Node, ...]) -> Node:
        if len(arguments) != 1:
            raise Refused("SelectorSyntax", "an optional index takes one expression", start)
        return Call(start, "_?._" if name == "opt_select" else "_[?_]", (node, *arguments))

    def _message(self, node: Node, tree: Any) -> Refused:
        if isinstance(node, Ident | Select):
            return Refused("SelectorType", _MESSAGE, node.start)
        return Refused("SelectorSyntax", "`{` cannot stand here", self._origin(tree))

    def _arguments(self, trees: list[Any]) -> tuple[Node, ...]:
        return tuple(self.expression(t) for t in trees[0].children) if trees else ()

    def _primary(self, tree: Any) -> Node:
        start = self._origin(tree)
        match tree.data:
            case "literal":
                return Literal(start, self.source.literals[int(tree.children[0].strip('"'))])
            case "paren_expr":
                return self.expression(tree.children[0])
            case "ident" | "dot_ident":
                return Ident(start, self._name(tree))
            case "ident_arg" | "dot_ident_arg":
                return self._function(tree)
            case "list_lit":
                return self._list(tree, start)
        return self._map(tree, start)

    def _name(self, tree: Any) -> str:
        token = tree.children[0]
        if str(token) in _RESERVED:
            raise Refused("SelectorSyntax", f"`{token}` is a reserved word", self._origin(token))
        return ("." if tree.data.startswith("dot") else "") + str(token)

    def _function(self, tree: Any) -> Node:
        name, token = self._name(tree), tree.children[0]
        if token.start_pos in self.source.marked:
            raise Refused("SelectorSyntax", "`?` cannot stand here", self._origin(token))
        start = self.source.origins[self.source.token_at(token.start_pos) + 1]
        return expand(Call(start, name, self._arguments(tree.children[1:])))

    def _entry(self, tree: Any) -> tuple[Node, bool]:
        """An element or key, and whether it was written with `?`."""
        inner = tree
        while len(inner.children) == 1 and hasattr(inner.children[0], "data"):
            inner = inner.children[0]
        marked = inner.data == "ident_arg" and inner.children[0].start_pos in self.source.marked
        return (self.expression(inner.children[1].children[0]), True) if marked else (self.expression(tree), False)

    def _list(self, tree: Any, start: int) -> Node:
        entries = [self._entry(t) for t in tree.children[0].children] if tree.children else []
        return ListNode(start, tuple(node for node, _ in entries), frozenset(i for i, (_, opt) in enumerate(entries) if opt))

    def _map(self, tree: Any, start: int) -> Node:
        parts = tree.children[0].children if tree.children else []
        entries = []
        for key_tree, value_tree in zip(parts[::2], parts[1::2], strict=True):
            key, optional = self._entry(key_tree)
            entries.append(Entry(self._origin(value_tree, 1), key, self.expression(value_tree), optional))
        return MapNode(start, tuple(entries))
