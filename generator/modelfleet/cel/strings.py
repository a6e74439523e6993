"""Functions on strings: cel-go's extension (version 2), and regular expressions by RE2, which never backtracks."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from .errors import EvalError
from .formatting import formatted
from .values import Value

# What Go's TrimSpace removes.
_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_UPPER = {code: code - 32 for code in range(ord("a"), ord("z") + 1)}
_QUOTED = str.maketrans({char: "\\" + letter for char, letter in zip('\a\b\f\n\r\t\v\\"', 'abfnrtv\\"', strict=True)})


def _out_of_range(index: int) -> EvalError:
    return EvalError(f"index out of range: {index}")


def _char_at(text: str, index: int) -> str:
    if not 0 <= index <= len(text):
        raise _out_of_range(index)
    return text[index : index + 1]


def _index_of(text: str, part: str, offset: int = 0) -> int:
    if offset < 0:
        raise _out_of_range(offset)
    return min(offset, len(text)) if not part else text.find(part, offset)


def _last_index_of(text: str, part: str) -> int:
    return len(text) if not part else text.rfind(part)


def _last_index_from(text: str, part: str, offset: int) -> int:
    if offset < 0:
        raise _out_of_range(offset)
    if not part:
        return min(offset, len(text))
    return -1 if offset >= len(text) else text.rfind(part, 0, offset + len(part))


def _substring(text: str, start: int) -> str:
    if not 0 <= start <= len(text):
        raise _out_of_range(start)
    return text[start:]


def _substring_range(text: str, start: int, end: int) -> str:
    if start > end:
        raise EvalError(f"invalid substring range. start: {start}, end: {end}")
    for index in (start, end):
        if not 0 <= index <= len(text):
            raise _out_of_range(index)
    return text[start:end]


def _count(limit: int) -> int:
    """A limit as Python takes it: negative for none; more than any text has is none too."""
    return limit if 0 <= limit < 2**31 else -1


def _replace(text: str, old: str, new: str, limit: int = -1) -> str:
    return text.replace(old, new, _count(limit))


def _split(text: str, separator: str, limit: int = -1) -> list[Value]:
    limit = _count(limit)
    if limit == 0:
        return []
    if separator:
        return list(text.split(separator, limit - 1 if limit > 0 else -1))
    if 0 < limit < len(text):
        return [*text[: limit - 1], text[limit - 1 :]]
    return list(text)


def _join(items: list[Value], separator: str = "") -> str:
    for item in items:
        if not isinstance(item, str):
            raise EvalError(f"join: invalid input: {item}")
    return separator.join(str(item) for item in items)


@lru_cache(maxsize=512)
def pattern(source: str) -> Any:
    """The compiled expression; EvalError when RE2 refuses it."""
    import re2  # type: ignore[import-untyped]

    if re.search(r"(?<!\\)(?:\\\\)*\\C", source):
        raise EvalError("error parsing regexp: invalid escape sequence: `\\C`")  # RE2 has it, Go has not
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(source, options)
    except re2.error as reason:
        raise EvalError(f"error parsing regexp: {_reason(reason)}") from None


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else ""
    return reason.decode() if isinstance(reason, bytes) else str(reason)


def _matches(text: str, source: str) -> bool:
    return pattern(source).search(text) is not None


def _find(text: str, source: str) -> str:
    found = pattern(source).search(text)
    return "" if found is None else str(found[0])


def _find_all(text: str, source: str, limit: int = -1) -> list[Value]:
    """All matches that do not overlap; an empty one directly after another is left out, as in Go."""
    found: list[Value] = []
    compiled, position, previous_end = pattern(source), 0, -1
    while position <= len(text) and (limit < 0 or len(found) < limit):
        match = compiled.search(text, position)
        if match is None:
            break
        start, end = match.span()
        if start != end or start != previous_end:
            found.append(match[0])
        previous_end = end
        position = end if end > start else end + 1
    return found


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "size(string) int": len,
    "string.size() int": len,
    "size(bytes) int": len,
    "bytes.size() int": len,
    "string.contains(string) bool": lambda a, b: b in a,
    "string.endsWith(string) bool": lambda a, b: a.endswith(b),
    "string.startsWith(string) bool": lambda a, b: a.startswith(b),
    "matches(string, string) bool": _matches,
    "string.matches(string) bool": _matches,
    "string.find(string) string": _find,
    "string.findAll(string) list<string>": _find_all,
    "string.findAll(string, int) list<string>": _find_all,
    "string.charAt(int) string": _char_at,
    "string.indexOf(string) int": _index_of,
    "string.indexOf(string, int) int": _index_of,
    "string.lastIndexOf(string) int": _last_index_of,
    "string.lastIndexOf(string, int) int": _last_index_from,
    "string.lowerAscii() string": lambda a: a.translate(_LOWER),
    "string.upperAscii() string": lambda a: a.translate(_UPPER),
    "string.replace(string, string) string": _replace,
    "string.replace(string, string, int) string": _replace,
    "string.split(string) list<string>": _split,
    "string.split(string, int) list<string>": _split,
    "string.substring(int) string": _substring,
    "string.substring(int, int) string": _substring_range,
    "string.trim() string": lambda a: a.strip(_SPACE),
    "list<string>.join() string": _join,
    "list<string>.join(string) string": _join,
    "strings.quote(string) string": lambda a: '"' + a.translate(_QUOTED) + '"',
    "string.format(list<dyn>) string": formatted,
}
