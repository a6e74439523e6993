"""A Change for a terminal: the same sections, in colour and as wide as the window. Only here is rich imported."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table as RichTable
from rich.text import Text

from ..diagnostics import printable
from .change import Change
from .sections import Section, Table, sections
from .text import NOTES, NOTHING, ROWS

COLORS = {
    "added": "green", "filled": "green", "starts": "green", "moved": "cyan", "resized": "cyan", "scales": "cyan", "restarts": "yellow",
    "short": "red", "removed": "red", "stops": "red", "orphaned": "red",
}  # fmt: skip
_TITLES = {"alarm": "bold red", "risk": "bold yellow", "": "bold"}


def terminal(change: Change, width: int, diffs: bool = False) -> str:
    """ANSI text of at most `width` columns."""
    console = Console(width=width, force_terminal=True, color_system="standard", highlight=False, legacy_windows=False)
    with console.capture() as shown:
        _print(console, change, diffs)
    return shown.get()


def _print(console: Console, change: Change, diffs: bool) -> None:
    found = sections(change)
    console.print(Text(f"{change.before} -> {change.after}", style="dim"))
    console.print(Text(change.headline if found else NOTHING, style="bold"))
    for section in found:
        console.print()
        console.print(Text(section.title, style=_TITLES[section.level]))
        _section(console, section, diffs)


def _section(console: Console, section: Section, diffs: bool) -> None:
    if section.said:
        console.print(Padding(Text(section.said), (0, 0, 0, 2)))
    for found in section.tables:
        if found.head[0] in NOTES:
            for row in found.rows[:ROWS]:
                console.print(Padding(_note(row), (0, 0, 0, 2)))
        else:
            console.print(Padding(_table(found), (0, 0, 0, 2)))
        if (more := len(found.rows) - ROWS) > 0:
            console.print(Text(f"  ... and {more} more (--format html or json has all)", style="dim"))
    for fold in section.folds if diffs else ():
        console.print(Text(f"\n{printable(fold.title)}", style="bold"))
        lines = "\n".join(printable(line) for line in fold.diff.split("\n"))
        console.print(Syntax(lines, "diff", theme="ansi_dark", background_color="default", word_wrap=True))
    if section.folds and not diffs:
        console.print(Text("  (-v shows every diff)", style="dim"))


def _note(row: tuple[str, ...]) -> Text:
    """The word and what it is about stand out; below them what one can do."""
    clean = [printable(cell) for cell in row]
    if len(clean) == 1:
        return Text(clean[0])
    hint = f"\n  hint: {clean[3]}" if len(clean) > 3 and clean[3] else ""
    return Text.assemble((clean[0], "bold"), " ", (clean[1], "cyan"), f": {clean[2]}", (hint, "green"))


def _table(found: Table) -> RichTable:
    shown = RichTable(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for index, head in enumerate(found.head):
        shown.add_column(head.upper(), justify="right" if index in found.right else "left", no_wrap=index in found.right, overflow="fold")
    for row in found.rows[:ROWS]:
        shown.add_row(*(Text(printable(cell), style=COLORS.get(cell, "")) for cell in row))
    return shown
