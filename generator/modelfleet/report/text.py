"""A Change as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import printable
from .change import Change
from .sections import Section, Table, sections
from .table import table

ROWS = 60  # of a table
NOTES = ("What", "Note")  # first heads of tables that read better as lines
NOTHING = "nothing would change"


def text(change: Change, diffs: bool = False, rows: int = ROWS) -> str:
    """The sections, each under its title; diffs: the objects' too."""
    found = sections(change)
    lines = [f"{change.before} -> {change.after}", change.headline if found else NOTHING]
    for section in found:
        lines += ["", section.title, *_section(section, diffs, rows)]
    return "\n".join(printable_lines(lines)) + "\n"


def printable_lines(lines: list[str]) -> list[str]:
    """What users wrote cannot steer the terminal."""
    return [printable(line) for text in lines for line in text.split("\n")]


def _section(section: Section, diffs: bool, rows: int) -> Iterator[str]:
    if section.said:
        yield f"  {section.said}"
    for found in section.tables:
        shown = found.rows[:rows]
        yield from (f"  {line}" for line in (_notes(shown) if found.head[0] in NOTES else _table(found, shown)))
        if len(shown) < len(found.rows):
            yield f"  ... and {len(found.rows) - len(shown)} more (--format html or json has all)"
    for fold in section.folds if diffs else ():
        yield from ("", fold.title, *fold.diff.split("\n"))
    if section.folds and not diffs:
        yield "  (-v shows every diff)"


def _table(found: Table, rows: tuple[tuple[str, ...], ...]) -> list[str]:
    return table([head.upper() for head in found.head], [tuple(printable(cell) for cell in row) for row in rows], found.right).split("\n")


def _notes(rows: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    """`Leaving fleet: 4 of 11 replicas leave their place`, and below it what one can do."""
    for row in rows:
        yield row[0] if len(row) == 1 else f"{row[0]} {row[1]}: {row[2]}"
        if len(row) > 3 and row[3]:
            yield f"  hint: {row[3]}"
