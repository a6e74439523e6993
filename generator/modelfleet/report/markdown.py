"""A Change as GitHub-flavoured Markdown that fits a comment: diffs and long tables are folded, then shortened, never cut in the middle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..diagnostics import printable
from .change import Change
from .sections import Fold, Section, Table, sections

LIMIT = 65_536  # characters of a comment on GitHub; bytes are counted, which are never fewer
MARK = "<!-- modelfleet plan -->"  # by which a workflow finds the comment that it updates
_SPECIAL = re.compile(r"([\\`*_\[\]<|~&])")  # what is markup within a line


@dataclass(frozen=True, slots=True)
class Detail:
    """How much is shown. rows: of a table; folds: diffs; lines: of a diff; folded: tables with more rows are folded."""

    rows: int
    folds: int
    lines: int
    folded: int = 15


# From all of it down to what always fits.
LEVELS = (
    Detail(2000, 2000, 2000),
    Detail(1000, 400, 200),
    Detail(400, 120, 120),
    Detail(200, 60, 80),
    Detail(100, 25, 60),
    Detail(60, 0, 0),
    Detail(25, 0, 0),
    Detail(10, 0, 0),
    Detail(3, 0, 0),
)
CELL = 400  # characters of a cell
CELL_SHORT = 120  # where rows were left out already


def markdown(change: Change, limit: int = LIMIT) -> str:
    """As much of the change as fits `limit` bytes, whole rows and whole diffs."""
    found = sections(change)
    shown = ""
    for detail in LEVELS:
        shown = "\n".join(_lines(change, found, detail)) + "\n"
        if len(shown.encode()) <= limit:
            return shown
    return shown


def _lines(change: Change, found: tuple[Section, ...], detail: Detail) -> Iterator[str]:
    yield MARK
    yield f"### modelfleet plan: {escape(change.headline) if found else 'nothing would change'}"
    yield ""
    yield f"{code(change.before)} → {code(change.after)}"
    for section in found:
        icon = {"alarm": "🛑 ", "risk": "⚠️ "}.get(section.level, "")
        yield from ("", f"#### {icon}{escape(section.title)}", "")
        yield from _section(section, detail)


def _section(section: Section, detail: Detail) -> Iterator[str]:
    if section.said:
        yield from (f"{escape(section.said[:1].upper() + section.said[1:])}.", "")
    for found in section.tables:
        yield from _table(found, detail)
    folds = section.folds[: detail.folds]
    for fold in folds:
        yield from _fold(fold, detail)
    if len(folds) < len(section.folds):
        yield from (f"_{len(section.folds) - len(folds)} of {len(section.folds)} diffs are left out here; the HTML report has them._", "")


def _table(found: Table, detail: Detail) -> Iterator[str]:
    shown = found.rows[: detail.rows]
    folded = len(shown) > detail.folded and found.head[0] != "What"  # what must be seen is never folded
    if folded:
        yield from ("<details>", f"<summary>{len(found.rows)} rows</summary>", "")
    yield f"| {' | '.join(escape(word) for word in found.head)} |"
    yield f"| {' | '.join('---:' if i in found.right else '---' for i in range(len(found.head)))} |"
    width = CELL if detail.rows > 200 else CELL_SHORT
    for row in shown:
        yield f"| {' | '.join(_cell(cell, i in found.code, width) for i, cell in enumerate(row))} |"
    yield ""
    if folded:
        yield from ("</details>", "")
    if len(shown) < len(found.rows):
        yield from (f"_{len(found.rows) - len(shown)} more of {len(found.rows)} rows are in the HTML report._", "")


def _cell(text: str, is_code: bool, width: int) -> str:
    short = text if len(text) <= width else f"{text[: width - 1]}…"
    return code(short) if is_code and short else escape(short)


def _fold(fold: Fold, detail: Detail) -> Iterator[str]:
    lines = fold.diff.split("\n")
    shown = [printable(line) for line in lines[: detail.lines]]
    fence = "`" * max(3, 1 + max((len(run) for line in shown for run in re.findall(r"`+", line)), default=0))
    yield from ("<details>", f"<summary>{html(fold.title)}</summary>", "", f"{fence}diff", *shown)
    if len(shown) < len(lines):
        yield f"# {len(lines) - len(shown)} of {len(lines)} lines are left out here"
    yield from (fence, "", "</details>", "")


def code(text: str) -> str:
    """A code span that holds any text, also in a table's cell."""
    clean = printable(text).replace("|", "\\|")
    fence = "`" * (1 + max((len(run) for run in re.findall(r"`+", clean)), default=0))
    pad = " " if clean.startswith("`") or clean.endswith("`") else ""
    return f"{fence}{pad}{clean}{pad}{fence}"


def escape(text: str) -> str:
    """Text as it is, in a table's cell too: no markup, no link, nobody called by name."""
    return _SPECIAL.sub(r"\\\1", printable(text)).replace("@", "@\u2060").replace("://", ":\u2060//")


def html(text: str) -> str:
    """Text inside a tag."""
    for char, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("@", "@\u2060")):
        text = text.replace(char, name)
    return printable(text.replace("\n", " "))
