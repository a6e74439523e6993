"""From a checked tree to a function of a device: each node becomes a closure.

Error values of CEL are exceptions here; only `&&`, `||` and the state of a loop hold on to them, as in Kubernetes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..api.semver import Semver
from . import access
from .advice import pattern_problem
from .calls import Dispatch
from .check import Checked
from .errors import NO_OVERLOAD, EvalError, Refused
from .loops import append, held, items, logical, map_value, optional_list, variable
from .numbers import CONVERSIONS
from .scope import Evaluator, Frame
from .tree import ACCUMULATOR, Call, Fold, Ident, ListNode, Literal, MapNode, Node, Select, walk
from .values import NONE, Kind, Map, Optional, Value, contains, unhashable


@dataclass(frozen=True, slots=True)
class Step:
    """A compiled node. constant: its value is the same for every device."""

    run: Evaluator
    constant: bool = False


def compile_tree(root: Node, checked: Checked) -> tuple[Evaluator, int]:
    """(evaluator, number of variables). Refused for a constant conversion that fails, as Kubernetes refuses it."""
    compiler = _Compiler(checked)
    return compiler.step(root).run, compiler.slots


class _Compiler:
    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        self.slots = 0
        self.scopes: list[tuple[str, int]] = []
        self.done: dict[Node, Step] = {}

    def step(self, node: Node) -> Step:
        """`node` compiled, once."""
        if node in self.done:
            return self.done[node]
        handlers: dict[type[Node], Callable[[Any], Step]] = {
            Literal: lambda literal: _constant(literal.value),
            Ident: self._ident,
            Select: self._select,
            Call: self._call,
            ListNode: self._list,
            MapNode: self._map,
            Fold: self._fold,
        }
        return self.done.setdefault(node, handlers[type(node)](node))

    def _ident(self, node: Ident) -> Step:
        for name, slot in reversed(self.scopes if not node.name.startswith(".") else []):
            if name == node.name:
                return Step(variable(slot))
        name = node.name.removeprefix(".")
        return Step(lambda f: f.device) if name == "device" else _constant(Kind(name))

    def _select(self, node: Select) -> Step:
        operand, field = self.step(node.operand).run, node.field
        if node.test:
            return Step(lambda f: access.has(operand(f), field))
        return Step(lambda f: access.get(operand(f), field))

    def _call(self, node: Call) -> Step:
        handler: Callable[[Call], Step] = getattr(self, _SPECIAL.get(node.function, "_plain"))
        return handler(node)

    def _plain(self, node: Call) -> Step:
        operands = node.args if node in self.checked.namespaced else node.operands
        steps = [self.step(operand) for operand in operands]
        dispatch = Dispatch(node.function, self.checked.overloads[node])
        runs = [s.run for s in steps]
        step = Step(dispatch.of(runs))
        if node.function in ("matches", "find", "findAll") and len(steps) > 1 and steps[1].constant:
            pattern_problem(operands[1], runs[1](_NOTHING))
        if node.function in CONVERSIONS and len(steps) == 1 and steps[0].constant:
            return self._folded(node, step)
        return step

    def _folded(self, node: Call, step: Step) -> Step:
        try:
            return _constant(step.run(Frame(Map(), [])))
        except EvalError as reason:
            raise Refused("SelectorType", str(reason), node.start) from None

    def _and(self, node: Call) -> Step:
        terms = [self.step(a).run for a in node.args]
        return Step(lambda f: logical(f, terms, decisive=False))

    def _or(self, node: Call) -> Step:
        terms = [self.step(a).run for a in node.args]
        return Step(lambda f: logical(f, terms, decisive=True))

    def _conditional(self, node: Call) -> Step:
        condition, yes, no = (self.step(a).run for a in node.args)

        def run(frame: Frame) -> Value:
            chosen = condition(frame)
            if chosen is True:
                return yes(frame)
            if chosen is False:
                return no(frame)
            raise EvalError(NO_OVERLOAD)

        return Step(run)

    def _index(self, node: Call) -> Step:
        operand, key = self.step(node.args[0]).run, self._key(node)
        return Step(lambda f: access.get(operand(f), key(f)))

    def _optional_index(self, node: Call) -> Step:
        operand, key = self.step(node.args[0]).run, self._key(node)
        return Step(lambda f: access.get_optional(operand(f), key(f)))

    def _key(self, node: Call) -> Evaluator:
        """The index; Refused for a constant that can be none."""
        step = self.step(node.args[1])
        try:
            if step.constant:
                access.valid_key(step.run(_NOTHING))
        except EvalError as reason:
            raise Refused("SelectorType", str(reason), node.args[1].start) from None
        return step.run

    def _not_false(self, node: Call) -> Step:
        operand = self.step(node.args[0]).run

        def run(frame: Frame) -> Value:
            try:
                return operand(frame) is not False
            except EvalError:
                return True

        return Step(run)

    def _or_else(self, node: Call) -> Step:
        """`or` and `orValue` of optional values: the other one is evaluated only when it is needed."""
        assert node.target is not None
        first, other = self.step(node.target).run, self.step(node.args[0]).run
        whole = node.function == "or"

        def run(frame: Frame) -> Value:
            value = first(frame)
            if not isinstance(value, Optional):
                raise EvalError(NO_OVERLOAD)
            if value is NONE:
                return other(frame)
            return value if whole else value.value

        return Step(run)

    def _in(self, node: Call) -> Step:
        collection = node.args[1]
        if isinstance(collection, ListNode) and not collection.elements:
            return _constant(False)  # Kubernetes does not even look at what is sought
        listed = self.step(collection)
        if not listed.constant or not isinstance(collection, ListNode):
            return self._plain(node)
        values = listed.run(_NOTHING)
        assert isinstance(values, list)
        return self._in_set(node, values) if all(isinstance(v, str | int | float) for v in values) else self._plain(node)

    def _in_set(self, node: Call, values: list[Value]) -> Step:
        """Membership in a list of constants, which Kubernetes looks up by hash; a version has none there."""
        wanted = self.step(node.args[0]).run

        def run(frame: Frame) -> Value:
            value = wanted(frame)
            if isinstance(value, Semver | bytes):
                raise unhashable(value)
            frame.spend(1 + len(values) // 10)
            return contains(values, value)

        return Step(run)

    def _add(self, node: Call) -> Step:
        left, right = node.args
        if isinstance(left, Ident) and left.name == ACCUMULATOR and isinstance(right, ListNode):
            return Step(append(self.step(left).run, self.step(right).run))
        return self._plain(node)

    def _list(self, node: ListNode) -> Step:
        steps = [self.step(e) for e in node.elements]
        runs, optional = [s.run for s in steps], node.optional
        if optional:
            return Step(lambda f: optional_list(f, runs, optional))
        if all(s.constant for s in steps):
            values = [run(_NOTHING) for run in runs]
            return Step(lambda f: list(values), constant=True)
        return Step(lambda f: [run(f) for run in runs])

    def _map(self, node: MapNode) -> Step:
        pairs = [(self.step(e.key), self.step(e.value), e.optional) for e in node.entries]
        constant = all(k.constant and v.constant for k, v, _ in pairs)
        return Step(lambda f: map_value(f, [(k.run, v.run, o) for k, v, o in pairs]), constant)

    def _slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def _fold(self, node: Fold) -> Step:
        source, init = self.step(node.source).run, self.step(node.init).run
        accumulator, slots = self._slot(), [self._slot() for _ in node.variables]
        depth = len(self.scopes)
        self.scopes.append((node.accumulator, accumulator))
        self.scopes += zip(node.variables, slots, strict=True)
        condition, step = self.step(node.condition).run, self.step(node.step).run
        del self.scopes[depth + 1 :]
        result = self.step(node.result).run
        del self.scopes[depth:]
        cost = 1 + sum(1 for part in (node.condition, node.step) for _ in walk(part))
        always = isinstance(node.condition, Literal) and node.condition.value is True

        def run(frame: Frame) -> Value:
            rounds, variables = items(source(frame), len(slots)), frame.variables
            variables[accumulator] = held(init, frame)
            for values in rounds:
                for slot, value in zip(slots, values, strict=True):
                    variables[slot] = value
                frame.spend(cost)
                if not always and condition(frame) is not True:
                    break
                variables[accumulator] = held(step, frame)
            return result(frame)

        return Step(run)


_SPECIAL = {
    "_&&_": "_and",
    "_||_": "_or",
    "_?_:_": "_conditional",
    "_[_]": "_index",
    "_[?_]": "_optional_index",
    "_?._": "_optional_index",
    "@not_strictly_false": "_not_false",
    "or": "_or_else",
    "orValue": "_or_else",
    "@in": "_in",
    "_+_": "_add",
}
_NOTHING = Frame(Map(), [])


def _constant(value: Value) -> Step:
    return Step(lambda f: value, constant=True)
