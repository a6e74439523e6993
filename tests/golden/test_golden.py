"""Scenarios: a fleet repository in, everything that `check` and `generate` say of it out.

Each folder holds `repo/` and, written by `make golden`, `check.txt` (what `check` says, with its exit code) and, where
nothing is refused, `tree/` (what `generate -o` writes).
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.run import modelfleet, tree

HERE = Path(__file__).parent
SCENARIOS = sorted(path.name for path in HERE.iterdir() if (path / "repo").is_dir())


def _said(repo: Path) -> str:
    result = modelfleet(repo, "check", "--all", "-v")
    return f"{result.err}{result.out}exit {result.code}\n"


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name: str, tmp_path: Path) -> None:
    folder = HERE / name
    said = _said(folder / "repo")
    made = modelfleet(folder / "repo", "generate", "-o", str(tmp_path / "tree"))
    found = tree(tmp_path / "tree") if made.code == 0 else {}
    found.pop(".modelfleet", None)
    if os.environ.get("MODELFLEET_GOLDEN") == "write":
        (folder / "check.txt").write_text(said)
        shutil.rmtree(folder / "tree", ignore_errors=True)
        for path, content in found.items():
            file = folder / "tree" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    assert said == (folder / "check.txt").read_text()
    assert found == (tree(folder / "tree") if (folder / "tree").is_dir() else {})


def test_there_are_scenarios() -> None:
    assert SCENARIOS
