"""How a code is defined: what is wrong, why it matters, how to mend it, an example."""

from __future__ import annotations

from ..diagnostics import Code, Severity

ALL: dict[str, Code] = {}


def _code(severity: Severity, name: str, what: str, why: str, fix: str, example: str = "") -> Code:
    ALL[name] = Code(name, severity, what, why, fix, example)
    return ALL[name]


def error(name: str, what: str, why: str, fix: str, example: str = "") -> Code:
    return _code(Severity.ERROR, name, what, why, fix, example)


def warning(name: str, what: str, why: str, fix: str, example: str = "") -> Code:
    return _code(Severity.WARNING, name, what, why, fix, example)


def notice(name: str, what: str, why: str, fix: str, example: str = "") -> Code:
    return _code(Severity.NOTICE, name, what, why, fix, example)
