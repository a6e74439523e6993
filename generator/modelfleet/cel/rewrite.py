"""Source of Kubernetes' dialect to source that cel-python's grammar reads.

Two things are rewritten, both on tokens, so never inside a string or a comment:
- every literal becomes a string of its index (`"7"`): cel-python's lexer reads some literals differently from cel-go;
- optional syntax and trailing commas, which that grammar lacks, become calls with marked names:
  `a.?b` is `a.opt_select("n")`, `a[?i]` is `a.opt_index(i)`, `[?e]` is `[opt_entry(e)]`, `{?k: v}` is `{opt_entry(k): v}`.
The names are known by their place, so a user's own `opt_select` stays what it is.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from .errors import Refused
from .lexer import Token, literal, tokens
from .values import Value

_LITERALS = ("int", "uint", "float", "string", "bytes")
_WORDS = {"true": True, "false": False, "null": None}
_OPENERS = {"(": ")", "[": "]", "{": "}"}
# Brackets within brackets; cel-go stops at 250 levels of everything together.
_MAX_OPEN = 100


@dataclass(slots=True)
class Rewritten:
    """Mutable while it is built.

    starts: offset of each token in `source`; origins: offset of the same token in the expression.
    literals: their values, by index; marked: offsets in `source` of the names that stand for optional syntax.
    """

    source: str = ""
    starts: list[int] = field(default_factory=list)
    origins: list[int] = field(default_factory=list)
    literals: list[Value] = field(default_factory=list)
    marked: set[int] = field(default_factory=set)

    def put(self, text: str, origin: int) -> None:
        """Appends one token."""
        self.starts.append(len(self.source))
        self.origins.append(origin)
        self.source += text + " "

    def mark(self, name: str, origin: int) -> None:
        """Appends the start of a call that stands for optional syntax."""
        self.marked.add(len(self.source))
        self.put(name, origin)
        self.put("(", origin)

    def value(self, value: Value, origin: int) -> None:
        """Appends a literal by its index."""
        self.literals.append(value)
        self.put(f'"{len(self.literals) - 1}"', origin)

    def token_at(self, offset: int) -> int:
        """Index of the token at `offset` of the source."""
        return bisect_right(self.starts, offset) - 1

    def origin(self, offset: int, before: int = 0) -> int:
        """Where the token at `offset` of the source stands in the expression, or the one `before` tokens earlier."""
        return self.origins[max(0, self.token_at(offset) - before)]


@dataclass(slots=True)
class _Bracket:
    """An open bracket. index: it follows an operand. optional: a `?` entry is open; ternaries: `?` that wait for their `:`."""

    opener: str
    index: bool
    closer: str
    optional: bool = False
    ternaries: int = 0


def rewrite(expression: str) -> Rewritten:
    """The rewritten source; Refused (SelectorSyntax) for text that is no token, `<end>` handled by the parser."""
    return _Rewriter(list(tokens(expression))).run()


class _Rewriter:
    def __init__(self, found: list[Token]) -> None:
        self.tokens = found
        self.out = Rewritten()
        self.open: list[_Bracket] = [_Bracket("", False, "")]
        self.at = 0

    def run(self) -> Rewritten:
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.kind in _LITERALS:
                self.out.value(literal(token), token.start)
            elif token.kind == "ident":
                self._word(token)
            else:
                self._operator(token)
            self.at += 1
        return self.out

    def _peek(self, ahead: int) -> Token | None:
        index = self.at + ahead
        return self.tokens[index] if 0 <= index < len(self.tokens) else None

    def _after_operand(self, back: int = 1) -> bool:
        """Whether the token `back` before ends an operand, so that `[` indexes it and `-` subtracts from it."""
        previous = self._peek(-back)
        if previous is None or previous.text == "in":
            return False
        return previous.kind != "op" or previous.text in ")]}"

    def _word(self, token: Token) -> None:
        if token.text != "in" and self._after_operand():
            # Said here because cel-python's lexer would read `1 in5` as `1 in 5`.
            raise Refused("SelectorSyntax", "an operator is missing before this", token.start)
        if token.text in _WORDS:
            self.out.value(_WORDS[token.text], token.start)
        else:
            self.out.put(token.text, token.start)

    def _operator(self, token: Token) -> None:
        text = token.text
        if text in _OPENERS:
            self._opening(token)
        elif text in ")]}":
            self._closing(token)
        elif text == "-":
            self._minus(token)
        elif text == ".":
            self._dot(token)
        elif text == "?":
            self._question(token)
        elif text == ":":
            self._colon(token)
        elif text == ",":
            self._comma(token)
        else:
            self.out.put(text, token.start)

    def _opening(self, token: Token) -> None:
        if len(self.open) > _MAX_OPEN:
            raise Refused("SelectorTooLarge", "the expression is nested too deeply", token.start)
        index = token.text == "[" and self._after_operand()
        following = self._peek(1)
        if index and following is not None and following.text == "?" and following.kind == "op":
            self.out.put(".", token.start)
            self.out.mark("opt_index", token.start)
            self.open.append(_Bracket("[", True, ")"))
            self.at += 1
            return
        self.out.put(token.text, token.start)
        self.open.append(_Bracket(token.text, index, _OPENERS[token.text]))

    def _closing(self, token: Token) -> None:
        bracket = self.open[-1]
        if not bracket.opener or _OPENERS[bracket.opener] != token.text:
            raise Refused("SelectorSyntax", f"unexpected `{token.text}`", token.start)
        self.open.pop()
        self._end_entry(bracket, token)
        self.out.put(bracket.closer, token.start)

    def _end_entry(self, bracket: _Bracket, token: Token) -> None:
        if bracket.optional:
            self.out.put(")", token.start)
            bracket.optional = False

    def _minus(self, token: Token) -> None:
        """A sign directly before a number belongs to it (so that the least int can be written), but not in `--1`."""
        following, previous = self._peek(1), self._peek(-1)
        doubled = previous is not None and previous.text == "-" and previous.kind == "op" and not self._after_operand(2)
        if following is not None and following.kind in ("int", "float") and not self._after_operand() and not doubled:
            self.out.value(literal(following, negative=True), token.start)
            self.at += 1
            return
        self.out.put("-", token.start)

    def _dot(self, token: Token) -> None:
        self.out.put(".", token.start)
        question, name = self._peek(1), self._peek(2)
        if question is not None and question.text == "in":
            raise Refused("SelectorSyntax", "`in` cannot be the name of a field", question.start, 'write ["in"]')
        if question is None or question.text != "?" or question.kind != "op":
            return
        if name is None or name.kind != "ident" or name.text in _WORDS or name.text == "in":
            raise Refused("SelectorSyntax", "`.?` needs the name of a field", question.start)
        self.out.mark("opt_select", token.start)
        self.out.value(name.text, name.start)
        self.out.put(")", name.start)
        self.at += 2

    def _question(self, token: Token) -> None:
        bracket, previous = self.open[-1], self._peek(-1)
        starts_entry = previous is not None and previous.kind == "op" and previous.text in (bracket.opener, ",")
        if starts_entry and bracket.opener in ("[", "{") and not bracket.index:
            self.out.mark("opt_entry", token.start)
            bracket.optional, bracket.ternaries = True, 0
            return
        bracket.ternaries += 1
        self.out.put("?", token.start)

    def _colon(self, token: Token) -> None:
        bracket = self.open[-1]
        if bracket.ternaries:
            bracket.ternaries -= 1
        elif bracket.opener == "{":
            self._end_entry(bracket, token)
        self.out.put(":", token.start)

    def _comma(self, token: Token) -> None:
        bracket, following = self.open[-1], self._peek(1)
        self._end_entry(bracket, token)
        trailing = following is not None and following.text in ("]", "}") and following.kind == "op"
        if not (trailing and bracket.opener in ("[", "{") and not bracket.index):
            self.out.put(",", token.start)
