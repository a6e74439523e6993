"""What is said of a user's mistake: a place, a code, one sentence, a hint.

A mistake of the user is a `Diagnostic`; a mistake of ours is an exception. Diagnostics are values: stages return
them, the command line decides what they mean for the exit code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum


class Severity(IntEnum):
    """Order of printing: errors first."""

    ERROR = 0
    WARNING = 1
    NOTICE = 2

    @property
    def word(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of mistake, documented once.

    name: CamelCase, stable. what: what is wrong. why: what it would cost. fix: what to do. example: wrong YAML.
    """

    name: str
    severity: Severity
    what: str
    why: str
    fix: str
    example: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a file: path relative to the fleet repository, line and column from 1; 0 means the whole file."""

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path


_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def printable(text: str) -> str:
    """`text` with control characters as escapes."""
    return _CONTROL.sub(lambda match: _SHORT.get(match[0]) or f"\\u{ord(match[0]):04x}", text)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake. details: further lines (a summary by reason); hint: something one can type or do."""

    code: Code
    message: str
    location: Location
    hint: str = ""
    details: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """What a message quotes may hold a secret, whatever the mistake is."""
        from .redact import redacted  # its patterns take a while to compile

        for name in ("message", "hint"):
            object.__setattr__(self, name, redacted(getattr(self, name)))
        object.__setattr__(self, "details", tuple(map(redacted, self.details)))

    @property
    def severity(self) -> Severity:
        return self.code.severity

    @property
    def order(self) -> tuple[Severity, Location, str, str]:
        """Sort key: severity, then place, code and text."""
        return (self.code.severity, self.location, self.code.name, self.message)

    def line(self) -> str:
        """All of it on one line."""
        hint = f" (hint: {self.hint})" if self.hint else ""
        return printable(f"{self.location}: {self.severity.word}[{self.code.name}]: {self.message}{hint}")

    def text(self) -> str:
        """As people read it: the first line says it all; what the user wrote cannot break it or steer the terminal."""
        lines = [f"{self.location}: {self.severity.word}[{self.code.name}]: {self.message}"]
        lines += [f"  {line}" for line in self.details]
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(map(printable, lines))


@dataclass(slots=True)
class Report:
    """The diagnostics of a run. Mutable: stages add to it, nothing else holds state between stages."""

    found: list[Diagnostic] = field(default_factory=list)

    def add(self, code: Code, message: str, location: Location, hint: str = "", details: Sequence[str] = ()) -> None:
        self.found.append(Diagnostic(code, message, location, hint, tuple(details)))

    def extend(self, found: Iterable[Diagnostic]) -> None:
        self.found.extend(found)

    @property
    def errors(self) -> list[Diagnostic]:
        return [d for d in self.found if d.severity is Severity.ERROR]

    def sorted(self) -> list[Diagnostic]:
        return sorted(set(self.found), key=lambda d: d.order)


def text(found: Sequence[Diagnostic], limit: int | None = None) -> str:
    """The diagnostics as people read them; `limit`: how many are shown before they are counted."""
    shown = found if limit is None else found[:limit]
    blocks = [d.text() for d in shown]
    if len(shown) < len(found):
        blocks.append(f"... and {len(found) - len(shown)} more (--all shows them)")
    return "\n".join(blocks)


def summary(found: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`, or an empty string."""
    counts: dict[Severity, int] = {}
    for diagnostic in found:
        counts[diagnostic.severity] = counts.get(diagnostic.severity, 0) + 1
    return ", ".join(f"{counts[s]} {s.word}{'s' if counts[s] > 1 else ''}" for s in sorted(counts))


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint naming the known word that `word` most resembles, or listing a few."""
    import difflib  # only a mistake needs it

    words = sorted(set(known))
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.6) or [w for w in words if w.lower() == word.lower()]
    if close:
        return f"did you mean `{close[0]}`?"
    if not words:
        return ""
    return "known: " + ", ".join(f"`{w}`" for w in words[:12]) + (" ..." if len(words) > 12 else "")
