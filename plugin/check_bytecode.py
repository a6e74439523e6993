"""Fails when a module has no bytecode that Python will use on a read-only file system, and names it.

usage: check_bytecode.py [--skip NAME]... FOLDER...    (folders named NAME are not looked into)
"""

from __future__ import annotations

import argparse
import sys
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path

UNCHECKED_HASH = 1  # PEP 552: valid whatever the source's time and content


def problem(source: Path) -> str:
    """What is wrong with the bytecode of `source`; empty when nothing is."""
    cache = Path(cache_from_source(str(source)))
    if not cache.is_file():
        return "has no bytecode"
    header = cache.read_bytes()[:8]
    if header[:4] != MAGIC_NUMBER:
        return "has bytecode of another Python"
    if int.from_bytes(header[4:], "little") != UNCHECKED_HASH:
        return "has bytecode that is compared with the source's time"
    return ""


def sources(folder: Path, skip: list[str]) -> list[Path]:
    """All modules below `folder`, sorted, but those below a folder named in `skip`."""
    found = (path for path in folder.rglob("*.py") if not set(path.relative_to(folder).parts[:-1]) & set(skip))
    return sorted(found)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--skip", action="append", default=[])
    parser.add_argument("folder", nargs="+", type=Path)
    arguments = parser.parse_args()
    modules = [path for folder in arguments.folder for path in sources(folder, arguments.skip)]
    bad = [f"{path} {text}" for path in modules if (text := problem(path))]
    if not modules:
        bad.append("no module was found")
    sys.stderr.write("".join(f"{line}\n" for line in bad[:20]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
