"""From an expression to its tree: cel-python's grammar reads the rewritten source, its parse tree is folded into nodes.

The parse tree has a level for each precedence; left-recursive chains are unrolled in loops, so that a long `a || b || c`
or `x.y.z` costs no Python stack.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import Refused
from .macros import expand
from .rewrite import Rewritten, rewrite
from .tree import Call, Entry, Ident, ListNode, Literal, MapNode, Node, Select

_RESERVED = frozenset(
    ("as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package", "namespace", "return", "var",
     "void", "while")
)  # fmt: skip
_BINARY = {
    "relation_lt": "_<_", "relation_le": "_<=_", "relation_gt": "_>_", "relation_ge": "_>=_",
    "relation_eq": "_==_", "relation_ne": "_!=_", "relation_in": "@in",
    "addition_add": "_+_", "addition_sub": "_-_",
    "multiplication_mul": "_*_", "multiplication_div": "_/_", "multiplication_mod": "_%_",
}  # fmt: skip
_MEMBERS = ("member_dot", "member_dot_arg", "member_index", "member_object")
_MESSAGE = "messages cannot be built in a selector"
_TOO_DEEP = "the expression is nested too deeply"
# Levels of the parse tree that only pass on what stands below them.
_LEVELS = frozenset(
    ("expr", "conditionalor", "conditionaland", "relation", "addition", "multiplication", "unary", "member", "primary", "paren_expr")
)
# Operands within each other; cel-go stops at 250 of one kind.
MAX_NESTING = 100


def parse(expression: str) -> Node:
    """The tree of `expression`, macros expanded. Refused: SelectorSyntax, SelectorNotSupported or SelectorTooLarge."""
    rewritten = rewrite(expression)
    return _Builder(rewritten).node(_tree(rewritten, len(expression)))


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


def _inner(tree: Any) -> Any:
    """The first tree from `tree` down that says something."""
    while len(tree.children) == 1 and tree.data in _LEVELS:
        tree = tree.children[0]
    return tree


class _Builder:
    def __init__(self, rewritten: Rewritten) -> None:
        self.source = rewritten
        self.level = 0
        self.handlers: dict[str, Callable[[Any], Node]] = {
            "expr": self._conditional,
            "conditionalor": self._logical,
            "conditionaland": self._logical,
            "relation": self._binary,
            "addition": self._binary,
            "multiplication": self._binary,
            "unary": self._unary,
            "literal": self._literal,
            "ident": self._ident,
            "dot_ident": self._ident,
            "ident_arg": self._function,
            "dot_ident_arg": self._function,
            "list_lit": self._list,
            "map_lit": self._map,
        }

    def _origin(self, tree: Any, before: int = 0) -> int:
        """Where `tree` starts in the expression, or the token `before` tokens earlier (an operator, a parenthesis)."""
        offset = tree.start_pos if hasattr(tree, "start_pos") else tree.meta.start_pos
        return self.source.origin(offset, before)

    def node(self, tree: Any) -> Node:
        """What a tree of the grammar stands for."""
        tree = _inner(tree)
        self.level += 1
        if self.level > MAX_NESTING:
            raise Refused("SelectorTooLarge", _TOO_DEEP, self._origin(tree))
        found = self.handlers.get(tree.data, self._member)(tree)
        self.level -= 1
        return found

    def _conditional(self, tree: Any) -> Node:
        condition, yes, no = tree.children
        return Call(self._origin(yes, 1), "_?_:_", (self.node(condition), self.node(yes), self.node(no)))

    def _logical(self, tree: Any) -> Node:
        """One call with all terms."""
        kind, terms = tree.data, []
        while tree.data == kind and len(tree.children) == 2:
            terms.append(tree.children[1])
            tree = tree.children[0]
        terms.append(tree)
        operator = "_||_" if kind == "conditionalor" else "_&&_"
        return Call(self._origin(terms[-2], 1), operator, tuple(self.node(term) for term in reversed(terms)))

    def _binary(self, tree: Any) -> Node:
        """`relation`, `addition` or `multiplication`: left-associative chains."""
        chain = []
        while len(tree.children) == 2:
            left, right = tree.children
            chain.append((_BINARY[left.data], right))
            tree = left.children[0]
        node = self.node(tree)
        for operator, right in reversed(chain):
            node = Call(self._origin(right, 1), operator, (node, self.node(right)))
        return node

    def _unary(self, tree: Any) -> Node:
        operators = []
        while len(tree.children) == 2:
            operators.append(tree.children[0])
            tree = tree.children[1]
        if len({o.data for o in operators}) > 1:
            raise Refused("SelectorSyntax", "`!` and `-` cannot be mixed", self._origin(operators[1]), "use parentheses")
        node = self.node(tree)
        if len(operators) % 2 == 0:
            return node
        return Call(self._origin(operators[0]), "!_" if operators[0].data == "unary_not" else "-_", (node,))

    def _member(self, tree: Any) -> Node:
        chain = []
        while tree.data in _MEMBERS:
            chain.append(tree)
            tree = tree.children[0]
            tree = tree.children[0] if tree.data == "member" else tree
        node = self.node(tree)
        for step in reversed(chain):
            node = self._step(step, node)
        return node

    def _step(self, tree: Any, node: Node) -> Node:
        if tree.data == "member_dot":
            name = tree.children[1]
            return Select(self._origin(name, 1), node, str(name))
        if tree.data == "member_index":
            index = tree.children[1]
            return Call(self._origin(index, 1), "_[_]", (node, self.node(index)))
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
        root = node
        while isinstance(root, Select):
            root = root.operand
        if isinstance(root, Ident):
            known = root.name.removeprefix(".") == "google"
            return Refused("SelectorNotSupported" if known else "SelectorType", _MESSAGE, node.start)
        return Refused("SelectorSyntax", "`{` cannot stand here", self._origin(tree))

    def _arguments(self, trees: list[Any]) -> tuple[Node, ...]:
        return tuple(self.node(t) for t in trees[0].children) if trees else ()

    def _literal(self, tree: Any) -> Node:
        return Literal(self._origin(tree), self.source.literals[int(tree.children[0].strip('"'))])

    def _ident(self, tree: Any) -> Node:
        return Ident(self._origin(tree), self._name(tree))

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
        call = Call(start, name, self._arguments(tree.children[1:]))
        # A leading dot only says that the name is global, but it hides a macro.
        return Call(start, name[1:], call.args) if name.startswith(".") else expand(call)

    def _entry(self, tree: Any) -> tuple[Node, bool]:
        """An element or key, and whether it was written with `?`."""
        inner = _inner(tree)
        marked = inner.data == "ident_arg" and inner.children[0].start_pos in self.source.marked
        if not marked:
            return self.node(tree), False
        if len(inner.children) == 1:
            raise Refused("SelectorSyntax", "an expression is missing after `?`", self._origin(inner))
        return self.node(inner.children[1].children[0]), True

    def _list(self, tree: Any) -> Node:
        entries = [self._entry(t) for t in tree.children[0].children] if tree.children else []
        optional = frozenset(i for i, (_, marked) in enumerate(entries) if marked)
        return ListNode(self._origin(tree), tuple(node for node, _ in entries), optional)

    def _map(self, tree: Any) -> Node:
        parts = tree.children[0].children if tree.children else []
        entries = []
        for key_tree, value_tree in zip(parts[::2], parts[1::2], strict=True):
            key, optional = self._entry(key_tree)
            entries.append(Entry(self._origin(value_tree, 1), key, self.node(value_tree), optional))
        return MapNode(self._origin(tree), tuple(entries))
