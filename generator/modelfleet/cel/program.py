"""A compiled selector and its answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from .check import check
from .cost import estimate
from .device import Answer, Device, Name
from .errors import Aborted, EvalError, Refused, SelectorError
from .evaluate import compile_tree
from .names import read_names
from .parse import parse
from .scope import Evaluator, Frame, device_map
from .tree import depth

# Kubernetes' limit on the text of a selector (CELSelectorExpressionMaxLength), in bytes.
MAX_LENGTH = 10 * 1024
# Levels of nesting; each costs Python some frames.
MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Program:
    """A selector that compiled.

    attributes, capacity: (domain, id) of what it reads by literal names. cost: the API server's estimate of its worst case.
    """

    expression: str
    attributes: frozenset[Name]
    capacity: frozenset[Name]
    cost: int
    _run: Evaluator = field(repr=False, compare=False)
    _variables: int = field(repr=False, compare=False)

    def evaluate(self, device: Device) -> Answer:
        """Whether `device` matches; a failing evaluation does not match and says why."""
        try:
            result = self._run(Frame(device_map(device), [None] * self._variables))
        except (EvalError, Aborted) as error:
            return Answer(False, str(error))
        if not isinstance(result, bool):
            return Answer(False, _not_bool(result))
        return Answer(result)


def _not_bool(value: object) -> str:
    from .values import name_of

    name = name_of(value)
    return f"CEL result of type {name} could not be converted to bool"


@lru_cache(maxsize=4096)
def compile_selector(expression: str) -> Program:
    """The program of `expression`; SelectorError when Kubernetes would refuse it, or when it is not supported."""
    try:
        if len(expression.encode(errors="surrogatepass")) > MAX_LENGTH:
            raise Refused("SelectorTooLarge", f"a selector is at most {MAX_LENGTH} bytes long", 0, "split it into several selectors")
        root = parse(expression)
        if depth(root) > MAX_DEPTH:
            raise Refused("SelectorTooLarge", f"the expression is nested more than {MAX_DEPTH} levels deep", 0)
        checked = check(root)
        run, variables = compile_tree(root, checked)
        cost = estimate(root, checked)
    except Refused as refused:
        raise refused.located(expression) from None
    except RecursionError:
        raise SelectorError("SelectorTooLarge", "the expression is nested too deeply", 1, 1) from None
    attributes, capacity = read_names(root)
    return Program(expression, attributes, capacity, cost, run, variables)
