"""From a checked tree to a function of a device: each node becomes a closure.

Error values of CEL are exceptions here; only `&&`, `||` and the state of a loop hold on to them, as in Kubernetes.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..api.semver import Semver
from . import access
from .advice import pattern_problem
from .calls import Dispatch
from .check import Checked
from .errors import NO_OVERLOAD, Aborted, EvalError, Refused
from .numbers import CONVERSIONS
from .scope import Evaluator, Frame
from .tree import ACCUMULATOR, Call, Fold, Ident, ListNode, Literal, MapNode, Node, Select, walk
from .values import NONE, Kind, Map, Optional, Value, contains, name_of


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

    def step(self, node: Node) -> Step:
        match node:
            case Literal():
                return _constant(node.value)
            case Ident():
                return self._ident(node)
            case Select():
                return self._select(node)
            case Call():
                return self._call(node)
            case ListNode():
                return self._list(node)
            case MapNode():
                return self._map(node)
        assert isinstance(node, Fold)
        return Step(self._fold(node))

    def _ident(self, node: Ident) -> Step:
        for name, slot in reversed(self.scopes if not node.name.startswith(".") else []):
            if name == node.name:
                return Step(_variable(slot))
        name = node.name.removeprefix(".")
        return Step(lambda f: f.device) if name == "device" else _constant(Kind(name))

    def _select(self, node: Select) -> Step:
        operand, field = self.step(node.operand).run, node.field
        if node.test:
            return Step(lambda f: access.has(operand(f), field))
        return Step(lambda f: access.get(operand(f), field))

    def _call(self, node: Call) -> Step:
        special = getattr(self, _SPECIAL.get(node.function, "_plain"))
        return special(node)  # type: ignore[no-any-return]

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
        return Step(lambda f: _logical(f, terms, decisive=False))

    def _or(self, node: Call) -> Step:
        terms = [self.step(a).run for a in node.args]
        return Step(lambda f: _logical(f, terms, decisive=True))

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
        operand, key = (self.step(a).run for a in node.args)
        return Step(lambda f: access.get(operand(f), key(f)))

    def _optional_index(self, node: Call) -> Step:
        operand, key = (self.step(a).run for a in node.args)
        return Step(lambda f: access.get_optional(operand(f), key(f)))

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
        items = self.step(collection)
        if not items.constant or not isinstance(collection, ListNode):
            return self._plain(node)
        values = items.run(_NOTHING)
        assert isinstance(values, list)
        return self._in_set(node, values) if all(isinstance(v, str | int | float) for v in values) else self._plain(node)

    def _in_set(self, node: Call, values: list[Value]) -> Step:
        """Membership in a list of constants, which Kubernetes looks up by hash; a version has none there."""
        wanted = self.step(node.args[0]).run

        def run(frame: Frame) -> Value:
            value = wanted(frame)
            if isinstance(value, Semver | bytes):
                raise Aborted(f"internal error: runtime error: hash of unhashable type {name_of(value)}")
            frame.spend(1 + len(values) // 10)
            return contains(values, value)

        return Step(run)

    def _add(self, node: Call) -> Step:
        left, right = node.args
        if isinstance(left, Ident) and left.name == ACCUMULATOR and isinstance(right, ListNode):
            return Step(_append(self.step(left).run, self.step(right).run))
        return self._plain(node)

    def _list(self, node: ListNode) -> Step:
        steps = [self.step(e) for e in node.elements]
        runs, optional = [s.run for s in steps], node.optional
        if optional:
            return Step(lambda f: _optional_list(f, runs, optional))
        if all(s.constant for s in steps):
            values = [run(_NOTHING) for run in runs]
            return Step(lambda f: list(values), constant=True)
        return Step(lambda f: [run(f) for run in runs])

    def _map(self, node: MapNode) -> Step:
        pairs = [(self.step(e.key), self.step(e.value), e.optional) for e in node.entries]
        constant = all(k.constant and v.constant for k, v, _ in pairs)
        return Step(lambda f: _map_value(f, [(k.run, v.run, o) for k, v, o in pairs]), constant)

    def _slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def _fold(self, node: Fold) -> Evaluator:
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
            items, variables = _items(source(frame), len(slots)), frame.variables
            variables[accumulator] = _held(init, frame)
            for values in items:
                for slot, value in zip(slots, values, strict=True):
                    variables[slot] = value
                frame.spend(cost)
                if not always and condition(frame) is not True:
                    break
                variables[accumulator] = _held(step, frame)
            return result(frame)

        return run


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


def _variable(slot: int) -> Evaluator:
    def run(frame: Frame) -> Value:
        value = frame.variables[slot]
        if isinstance(value, EvalError):
            raise value
        return value

    return run


def _held(step: Evaluator, frame: Frame) -> Value:
    """The value of a step, or its error: a loop goes on with it."""
    try:
        return step(frame)
    except EvalError as error:
        return error


def _logical(frame: Frame, terms: list[Evaluator], decisive: bool) -> bool:
    """`&&` (decisive: False) and `||` (True): one decisive term decides whatever the others are."""
    problem: EvalError | None = None
    for term in terms:
        try:
            value = term(frame)
        except EvalError as error:
            problem = problem or error
            continue
        if value is decisive:
            return decisive
        if not isinstance(value, bool):
            problem = problem or EvalError(NO_OVERLOAD)
    if problem is not None:
        raise problem
    return not decisive


def _append(accumulator: Evaluator, item: Evaluator) -> Evaluator:
    """Adds to the list that only the loop sees, in place: a copy for each element would be quadratic."""

    def run(frame: Frame) -> Value:
        collected, added = accumulator(frame), item(frame)
        assert isinstance(collected, list) and isinstance(added, list)
        collected += added
        return collected

    return run


def _optional_list(frame: Frame, runs: list[Evaluator], optional: frozenset[int]) -> list[Value]:
    values: list[Value] = []
    for index, run in enumerate(runs):
        value = run(frame)
        if index in optional:
            if not isinstance(value, Optional):
                raise EvalError("cannot initialize optional list element from non-optional value")
            if value is NONE:
                continue
            value = value.value
        values.append(value)
    return values


def _map_value(frame: Frame, entries: list[tuple[Evaluator, Evaluator, bool]]) -> Map:
    pairs: list[tuple[Value, Value]] = []
    for key_run, value_run, optional in entries:
        key, value = key_run(frame), value_run(frame)
        if optional:
            if not isinstance(value, Optional):
                raise EvalError("cannot initialize optional entry from non-optional value")
            if value is NONE:
                pairs = [pair for pair in pairs if pair[0] != key]
                continue
            value = value.value
        pairs.append((key, value))
    return Map(pairs)


def _items(source: Value, count: int) -> list[tuple[Value, ...]]:
    """What a loop's variables are set to, round by round."""
    if isinstance(source, list):
        return list(enumerate(source)) if count == 2 else [(item,) for item in source]
    if isinstance(source, Map):
        return list(source.pairs()) if count == 2 else [(key,) for key in source.keys()]
    raise EvalError(f"got '{type(source).__name__}', expected iterable type")
