"""Runs the command line in this process, as `main` would, and a fleet repository to run it in."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelfleet.cli import main
from modelfleet.emit import document

FOLDERS = {"ModelDeployment": "models", "Placement": "placements"}


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


@contextlib.contextmanager
def _environment(changes: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(changes)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def modelfleet(root: Path, *arguments: str, **environment: str) -> Result:
    """Exit code, stdout and stderr of `modelfleet --repo ROOT ARGUMENTS`."""
    out, err, argv = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["modelfleet", "--repo", str(root), *arguments]
    code = 0
    try:
        with _environment(environment), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as exit_:
        code = int(exit_.code or 0)
    finally:
        sys.argv = argv
    return Result(code, out.getvalue(), err.getvalue())


def repository(root: Path, *manifests: dict[str, Any], **texts: str) -> Path:
    """A fleet repository of `manifests`, each in its own file; `texts`: further files, `/` written as `__`."""
    for manifest in manifests:
        kind, metadata = manifest["kind"], manifest["metadata"]
        folder = root / FOLDERS.get(kind, "fleet") / metadata.get("namespace", "")
        name = "fleet" if kind == "Fleet" else f"{kind.lower()}-{metadata['name']}"
        if kind == "Placement":
            name = metadata["name"]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.yaml").write_text(document(manifest), encoding="utf-8")
    for name, text in texts.items():
        path = root / (name.replace("__", "/") + ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def tree(root: Path) -> dict[str, bytes]:
    """Every file below `root`, by relative path."""
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}
