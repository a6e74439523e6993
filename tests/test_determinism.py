"""Same commit, same bytes: whatever the order of files, the locale, the hash seed, and whether there is a .git."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent / "fleet-repo-example"


def _generate(root: Path, python: str = sys.executable, **environment: str) -> bytes:
    command = [python, "-m", "modelfleet", "--repo", str(root), "generate"]
    done = subprocess.run(command, capture_output=True, env=os.environ | environment, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.fixture(scope="module")
def expected() -> bytes:
    return _generate(EXAMPLE, PYTHONHASHSEED="0")


def _copy(to: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, to / "repo", ignore=shutil.ignore_patterns("README.md", ".vscode")))


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "1"},
        {"PYTHONHASHSEED": "4242"},
        {"LC_ALL": "C"},
        {"LC_ALL": "C.UTF-8", "LANG": "tr_TR.UTF-8"},
        {"TZ": "Asia/Tokyo"},
    ],
    ids=str,
)
def test_the_environment_changes_nothing(expected: bytes, environment: dict[str, str]) -> None:
    assert _generate(EXAMPLE, **environment) == expected


def test_a_copy_without_git_gives_the_same(tmp_path: Path, expected: bytes) -> None:
    root = _copy(tmp_path)
    assert not (root / ".git").exists()
    assert _generate(root) == expected


@pytest.mark.parametrize("seed", range(3))
def test_names_and_order_of_files_do_not_matter(tmp_path: Path, expected: bytes, seed: int) -> None:
    """Every file but fleet.yaml gets another name, in another folder below its own."""
    root, shuffle = _copy(tmp_path), random.Random(seed)
    files = [p for p in sorted(root.rglob("*.yaml")) if p.name != "fleet.yaml"]
    shuffle.shuffle(files)
    for index, path in enumerate(files):
        deeper = path.parent / f"d{shuffle.randrange(3)}"
        deeper.mkdir(exist_ok=True)
        path.rename(deeper / f"{shuffle.randrange(10**6)}-{index}.yml")
    assert _generate(root) == expected


def test_all_declarations_in_one_file_give_the_same(tmp_path: Path, expected: bytes) -> None:
    root = _copy(tmp_path)
    folders = [root / "fleet", *(root / "models").iterdir(), *(root / "placements").iterdir()]
    for folder in folders:
        files = [p for p in sorted(folder.rglob("*.yaml"), reverse=True) if p.name != "fleet.yaml"]
        text = "---\n".join(p.read_text() if p.read_text().endswith("\n") else p.read_text() + "\n" for p in files)
        for path in files:
            path.unlink()
        (folder / "all.yaml").write_text(text)
    assert _generate(root) == expected


@pytest.mark.parametrize("version", ["3.12", "3.13", "3.14"])
def test_another_python_gives_the_same(expected: bytes, version: str) -> None:
    python = shutil.which(f"python{version}")
    probe = [python or "", "-c", "import pydantic, yaml, click, celpy, modelfleet"]
    if python is None or subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip(f"no Python {version} with the dependencies is at hand")
    assert _generate(EXAMPLE, python) == expected
