"""What closures share while they run: variables, loops, logic with errors, and literals with optional entries."""

from __future__ import annotations

from .errors import NO_OVERLOAD, EvalError
from .scope import Evaluator, Frame
from .values import NONE, Map, Optional, Value


def variable(slot: int) -> Evaluator:
    """Reads a variable; an error that a loop held is raised again."""

    def run(frame: Frame) -> Value:
        value = frame.variables[slot]
        if isinstance(value, EvalError):
            raise value
        return value

    return run


def held(step: Evaluator, frame: Frame) -> Value:
    """The value of a step, or its error: a loop goes on with it."""
    try:
        return step(frame)
    except EvalError as error:
        return error


def logical(frame: Frame, terms: list[Evaluator], decisive: bool) -> bool:
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


def append(accumulator: Evaluator, item: Evaluator) -> Evaluator:
    """Adds to the list that only the loop sees, in place: a copy for each element would be quadratic."""

    def run(frame: Frame) -> Value:
        collected, added = accumulator(frame), item(frame)
        assert isinstance(collected, list) and isinstance(added, list)
        collected += added
        return collected

    return run


def optional_list(frame: Frame, runs: list[Evaluator], optional: frozenset[int]) -> list[Value]:
    """A list literal of which some entries are written `?e`."""
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


def map_value(frame: Frame, entries: list[tuple[Evaluator, Evaluator, bool]]) -> Map:
    """A map literal from (key, value, whether it is written `?k`)."""
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


def items(source: Value, count: int) -> list[tuple[Value, ...]]:
    """What a loop's variables are set to, round by round."""
    if isinstance(source, list):
        return list(enumerate(source)) if count == 2 else [(item,) for item in source]
    if isinstance(source, Map):
        return list(source.pairs()) if count == 2 else [(key,) for key, _ in source.pairs()]
    raise EvalError(f"got '{type(source).__name__}', expected iterable type")
