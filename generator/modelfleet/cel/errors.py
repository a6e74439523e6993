"""What can go wrong with a selector: it is refused, or a device makes it fail."""

from __future__ import annotations

from typing import Literal

Refusal = Literal["SelectorSyntax", "SelectorType", "SelectorNotSupported", "SelectorTooLarge"]


class SelectorError(ValueError):
    """A selector that cannot be used: a user's mistake.

    code: name of the diagnostic. line, column: the place within the expression, from 1. hint: what to write instead, or empty.
    """

    def __init__(self, code: Refusal, message: str, line: int, column: int, hint: str = "") -> None:
        super().__init__(message)
        self.code: Refusal = code
        self.message = message
        self.line = line
        self.column = column
        self.hint = hint


class Refused(Exception):
    """A `SelectorError` before its place is known as line and column: `position` is an offset into the expression."""

    def __init__(self, code: Refusal, message: str, position: int, hint: str = "") -> None:
        super().__init__(message)
        self.code: Refusal = code
        self.message = message
        self.position = position
        self.hint = hint

    def located(self, expression: str) -> SelectorError:
        """The same with line and column."""
        before = expression[: max(0, self.position)]
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        return SelectorError(self.code, self.message, line, column, self.hint)


class EvalError(Exception):
    """An error value of CEL: `&&`, `||` and the quantifiers may absorb it."""


class Aborted(Exception):
    """An evaluation that cannot go on, such as one whose work is used up: nothing absorbs it."""


NO_OVERLOAD = "no such overload"
