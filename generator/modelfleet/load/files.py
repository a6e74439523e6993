"""The declaration files of a repository, and the text of one."""

from __future__ import annotations

import gc
import json
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .. import codes
from ..diagnostics import Location, Report
from .document import Document
from .parse import parse

MAX_BYTES = 4 * 1024 * 1024
SUFFIXES = (".yaml", ".yml", ".json")

_MANY_OBJECTS = 500_000  # from here on a later collection would cost more than what it could free
# What JSON spells with two escapes and YAML with one.
_PAIR = re.compile(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


@contextmanager
def uncollected() -> Iterator[None]:
    """While thousands of documents are read, the garbage collector would walk them again and again; none is in a cycle."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if gc.get_count()[0] > _MANY_OBJECTS:
            gc.freeze()
        if was:
            gc.enable()


def files(root: Path, folders: Sequence[str], report: Report) -> list[tuple[str, Path]]:
    """The declaration files under `folders` of `root`, as (relative path, path), sorted; names of others are ignored."""
    found: list[tuple[str, Path]] = []
    for folder in folders:
        for path in _walk(root, root / folder, report):
            relative = _relative(root, path)
            if path.is_symlink():
                report.add(codes.SYMLINK, "a symbolic link is not followed", Location(relative), "put the file itself here")
            elif path.is_dir():
                report.add(codes.NOT_A_FILE, "a directory has the name of a declaration file", Location(relative), "rename it")
            else:
                found.append((relative, path))
    return sorted(found)


def folders(root: Path, folder: str) -> frozenset[str]:
    """Names of the folders in a folder of `root`; nothing in them is opened."""
    try:
        return frozenset(p.name for p in (root / folder).iterdir() if p.is_dir() and not p.is_symlink() and not p.name.startswith("."))
    except OSError:
        return frozenset()


def _relative(root: Path, path: Path) -> str:
    """The path as people read it; a name that is not UTF-8 keeps its other letters."""
    return path.relative_to(root).as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _walk(root: Path, folder: Path, report: Report) -> Iterator[Path]:
    if folder.is_symlink():
        yield folder
        return
    if not folder.is_dir():
        return
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        relative = _relative(root, folder)
        report.add(codes.UNREADABLE, f"the folder cannot be read: {error.strerror}", Location(relative), f"ls -ld {relative}")
        return
    seen: dict[str, str] = {}
    for path in entries:
        if path.name.startswith("."):
            continue
        if path.name.endswith(SUFFIXES) or path.is_dir():
            first = seen.setdefault(path.name.casefold(), path.name)
            if first != path.name:
                message = f"`{path.name}` and `{first}` differ only in upper and lower case"
                report.add(codes.SAME_BUT_FOR_CASE, message, Location(_relative(root, path)), "rename one: many file systems keep only one")
        if path.name.endswith(SUFFIXES) or path.is_symlink():
            yield path
        elif path.is_dir():
            yield from _walk(root, path, report)


def read(relative: str, path: Path, report: Report) -> list[Document]:
    """The documents of one file; an empty list and diagnostics if it cannot be read."""
    raw = _bytes(relative, path, report)
    return [] if raw is None else decoded(relative, raw, report)


def decoded(relative: str, raw: bytes, report: Report) -> list[Document]:
    """The documents of a file's content; `relative` says whether it is JSON."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        start = raw.rfind(b"\n", 0, error.start) + 1
        column = len(raw[start : error.start].decode("utf-8", "replace")) + 1
        where = Location(relative, raw.count(b"\n", 0, error.start) + 1, column)
        report.add(codes.NOT_UTF8, f"the file is not UTF-8 text: byte 0x{raw[error.start]:02x}", where, f"iconv -t UTF-8 {relative}")
        return []
    if relative.endswith(".json"):
        if not _is_json(relative, text, report):
            return []
        text = _as_yaml(text)
    return parse(relative, text, report)


def _bytes(relative: str, path: Path, report: Report) -> bytes | None:
    here = Location(relative)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            report.add(codes.NOT_A_FILE, "this is not a regular file", here, "put a file here, or rename it")
            return None
        if status.st_size > MAX_BYTES:
            size = f"{status.st_size / 1024 / 1024:.1f} MiB, more than {MAX_BYTES // 1024 // 1024}"
            report.add(codes.FILE_TOO_LARGE, f"the file has {size}", here, "split it")
            return None
        return path.read_bytes()
    except OSError as error:
        report.add(codes.UNREADABLE, f"cannot be read: {error.strerror}", here, f"ls -l {relative}")
        return None


def _is_json(relative: str, text: str, report: Report) -> bool:
    try:
        json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        where = Location(relative, error.lineno, error.colno)
        report.add(codes.YAML_SYNTAX, f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:]}", where, "mend it, or name the file .yaml")
        return False
    except (RecursionError, ValueError):
        return True  # too deep or a number too long: the YAML reader says where
    return True


def _as_yaml(text: str) -> str:
    """JSON that a YAML reader takes: tabs stand between values only, so a blank keeps every column."""
    return _PAIR.sub(_join, text.replace("\t", " "))


def _join(match: re.Match[str]) -> str:
    high, low = int(match[2], 16), int(match[3], 16)
    return f"{match[1]}\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08x}"
