"""Diagnostics for machines (GitHub annotations, JSON, SARIF 2.1.0) and for a terminal (with the line and a caret).

`prefix` leads from the folder where the reader of the output stands (the root of the Git checkout) to the fleet
repository, for readers that open files by path.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from . import __version__, codes
from .diagnostics import Diagnostic, Severity, printable
from .redact import redacted

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "note"}
_COLORS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTICE: "blue"}
_WIDTH = 160  # of a source line; a longer one is cut around the caret
_ENDS = frozenset(" \t,]}#")


def github(found: Sequence[Diagnostic], prefix: str = "") -> str:
    """Workflow commands: GitHub shows each at its line of the pull request."""
    return "".join(_command(d, prefix) + "\n" for d in found)


def _command(diagnostic: Diagnostic, prefix: str) -> str:
    where = diagnostic.location
    fields = {"file": prefix + where.path, "title": diagnostic.code.name}
    if where.line:
        fields |= {"line": str(where.line), "col": str(where.column)}
    text = "\n".join([diagnostic.message, *diagnostic.details, *([f"hint: {diagnostic.hint}"] if diagnostic.hint else [])])
    escaped = ",".join(f"{key}={_escaped(value, ',:')}" for key, value in fields.items())
    return f"::{diagnostic.severity.word} {escaped}::{_escaped(text)}"


def _escaped(text: str, more: str = "") -> str:
    for char in "%\r\n" + more:
        text = text.replace(char, f"%{ord(char):02X}")
    return printable(text)


def as_json(found: Sequence[Diagnostic]) -> str:
    """One JSON object: `version` (of this form, 1), `counts` by severity, and `diagnostics` in order.

    Each has code, severity (error, warning, notice), message, path, line and column (from 1; 0: the whole file), hint and
    details (further lines). Fields are only ever added.
    """
    counts = {severity.word: sum(1 for d in found if d.severity is severity) for severity in Severity}
    return json.dumps({"version": 1, "counts": counts, "diagnostics": [_object(d) for d in found]}, indent=2) + "\n"


def _object(diagnostic: Diagnostic) -> dict[str, Any]:
    where = diagnostic.location
    return {
        "code": diagnostic.code.name,
        "severity": diagnostic.severity.word,
        "message": diagnostic.message,
        "path": where.path,
        "line": where.line,
        "column": where.column,
        "hint": diagnostic.hint,
        "details": list(diagnostic.details),
    }


def sarif(found: Sequence[Diagnostic], prefix: str = "") -> str:
    """A SARIF 2.1.0 log of one run, for code scanning; its rules are the codes that were found."""
    rules = sorted({d.code for d in found}, key=lambda code: code.name)
    index = {code: number for number, code in enumerate(rules)}
    driver = {"name": "modelfleet", "version": __version__, "rules": [_rule(code) for code in rules]}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": [_result(d, index[d.code], prefix) for d in found]}
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: Any) -> dict[str, Any]:
    return {
        "id": code.name,
        "shortDescription": {"text": code.what},
        "fullDescription": {"text": f"{code.what} {code.why}"},
        "help": {"text": code.fix},
        "defaultConfiguration": {"level": _LEVELS[code.severity]},
    }


def _result(diagnostic: Diagnostic, rule: int, prefix: str) -> dict[str, Any]:
    where = diagnostic.location
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(prefix + where.path)}}
    if where.line:
        place["region"] = {"startLine": where.line, "startColumn": where.column}
    text = "\n".join([diagnostic.message, *diagnostic.details, *([f"hint: {diagnostic.hint}"] if diagnostic.hint else [])])
    return {
        "ruleId": diagnostic.code.name,
        "ruleIndex": rule,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }


def terminal(found: Sequence[Diagnostic], root: Path | None, limit: int | None = None) -> str:
    """As text, in colour, each with its line of the file under `root` and a caret below the value."""
    shown = found if limit is None else found[:limit]
    secret = {(d.location.path, d.location.line + near) for d in found if d.code is codes.WRITTEN_SECRET for near in (-1, 0, 1)}
    blocks = [_block(d, None if (d.location.path, d.location.line) in secret else root) for d in shown]
    if len(shown) < len(found):
        blocks.append(f"... and {len(found) - len(shown)} more (--all shows them)")
    return "\n".join(blocks)


def _block(diagnostic: Diagnostic, root: Path | None) -> str:
    color = _COLORS[diagnostic.severity]
    word = click.style(f"{diagnostic.severity.word}[{diagnostic.code.name}]", fg=color, bold=True)
    lines = [f"{click.style(printable(str(diagnostic.location)), bold=True)}: {word}: {printable(diagnostic.message)}"]
    lines += [f"{click.style(head, fg='cyan')}{rest}" for head, rest in _excerpt(diagnostic, root)]
    lines += [f"  {printable(line)}" for line in diagnostic.details]
    if diagnostic.hint:
        lines.append(f"  {click.style('hint:', fg='green')} {printable(diagnostic.hint)}")
    return "\n".join(lines)


def _excerpt(diagnostic: Diagnostic, root: Path | None) -> list[tuple[str, str]]:
    """(margin, text) of the source line and of its caret; nothing if the file cannot be shown."""
    where = diagnostic.location
    source = _lines(root / where.path) if root and where.line else ()
    if where.line > len(source) or not where.line:
        return []
    line = source[where.line - 1].rstrip("\r")
    if redacted(line) != line:
        return []
    start = min(where.column - 1, len(line))
    end = _end(line, start)
    cut = max(0, end - _WIDTH) if end > _WIDTH else 0
    begin = min(cut, start)
    before, marked, after = line[begin:start], line[start:end][:_WIDTH], line[end : begin + _WIDTH]
    margin = f"  {where.line} | "
    below = " " * _columns(before) + "^" * max(1, _columns(marked))
    return [(margin, printable(before + marked + after).replace("\\t", " ")), (" " * (len(margin) - 2) + "| ", below)]


def _end(line: str, start: int) -> int:
    """Where the word at `start` ends; a quoted one at its quote."""
    if line[start : start + 1] in ("'", '"'):
        close = line.find(line[start], start + 1)
        return close + 1 if close > 0 else len(line)
    end = start
    while end < len(line) and line[end] not in _ENDS and line[end : end + 2] not in (": ", ":"):
        end += 1
    return max(end, min(start + 1, len(line)))


def _columns(text: str) -> int:
    """Columns that a terminal takes for `text`: East Asian letters take two, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


@lru_cache(maxsize=64)
def _lines(path: Path) -> tuple[str, ...]:
    try:
        return tuple(path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff").split("\n"))
    except OSError:
        return ()
