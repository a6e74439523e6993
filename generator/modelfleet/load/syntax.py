"""What is refused before a value is looked at: characters, anchors, aliases, tags, depth; and YAML errors in our words."""

from __future__ import annotations

import re

import yaml

from .. import codes
from ..diagnostics import Location, Report

# Control characters; line breaks of YAML 1.1 that 1.2 does not know; marks that make an editor show another order of letters.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]")
_CONSTRUCT = re.compile(r"(?:^|[\s\[{,])[&*!]")
_MAX_SHOWN = 5  # of one kind in one file; the rest are alike


def refused_characters(relative: str, text: str, report: Report) -> bool:
    """Reports characters that no declaration needs; True if there is one."""
    for count, match in enumerate(_UNPRINTABLE.finditer(text)):
        if count == _MAX_SHOWN:
            break
        line = text.count("\n", 0, match.start()) + 1
        column = match.start() - text.rfind("\n", 0, match.start())
        message, hint = f"the character U+{ord(match[0]):04X} cannot stand in a declaration", "remove it"
        report.add(codes.UNPRINTABLE, message, Location(relative, line, column), hint)
    return _UNPRINTABLE.search(text) is not None


def refused_constructs(relative: str, text: str, report: Report) -> bool:
    """Reports anchors, aliases and tags; True if there is one."""
    if not _CONSTRUCT.search(text):
        return False
    before = len(report.found)
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        mark = event.start_mark
        assert mark is not None
        where = Location(relative, mark.line + 1, mark.column + 1)
        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        if isinstance(event, yaml.AliasEvent):
            report.add(codes.ALIAS, f"the alias `*{anchor}` is refused", where, "write the value out")
        elif anchor:
            report.add(codes.ALIAS, f"the anchor `&{anchor}` is refused", where, "write the value out where it is used")
        elif tag is not None:
            report.add(codes.TAG, f"the tag `{tag}` is refused", where, "leave the tag out; quote a string")
    return len(report.found) > before


def say(relative: str, text: str, error: yaml.YAMLError, report: Report) -> None:
    """The diagnostic of a YAML error."""
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    where = Location(relative, mark.line + 1, mark.column + 1) if mark else Location(relative)
    if "maximum nesting depth" in problem:
        report.add(codes.TOO_DEEP, "nested too deep to be read", where, "flatten it")
        return
    begin, context = getattr(error, "context_mark", None), str(getattr(error, "context", None) or "")
    opened = f"{begin.line + 1}:{begin.column + 1}" if begin and ("parsing a flow" in context or "quoted" in context) else ""
    told = f" ({context}{f' that begins at {opened}' if opened else ''})" if context else ""
    report.add(codes.YAML_SYNTAX, problem + told, where, _hint(text, problem, where, opened))


# Words of libyaml, and what to do about them.
_HINTS = {
    "cannot start any token": "quote the text: a plain one cannot begin with {char}",
    "mapping values are not allowed": 'quote the text if it holds ": ", or indent this line as the ones it belongs to',
    "escape": "write the character itself, or \\\\ for a backslash",
}


def _hint(text: str, problem: str, where: Location, opened: str) -> str:
    lines = text.split("\n")
    line = lines[where.line - 1] if 0 < where.line <= len(lines) else ""
    if "\t" in line[: where.column]:
        return "indent with spaces: YAML takes no tabs"
    if re.search(r"^(<{7}|={7}|>{7})( |$)", text, re.M):
        return "resolve the merge conflict: lines of <<<<<<<, ======= or >>>>>>> are left"
    for words, hint in _HINTS.items():
        if words in problem:
            return hint.replace("{char}", line[where.column - 1 : where.column])
    if opened:
        return f"close what is opened at {opened}"
    if "expected" in problem:
        return "indent this line as the ones it belongs to, and write `key: value` or `- item`"
    return "compare this line with the ones above it"
