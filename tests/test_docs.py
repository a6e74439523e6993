"""The documents are run: every command and every declaration in them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from modelfleet import codes
from modelfleet.api import KINDS
from modelfleet.diagnostics import Report, text
from modelfleet.load import parse
from modelfleet.validate import validate

ROOT = Path(__file__).parent.parent
READMES = sorted(p for p in (ROOT / "README.md", *ROOT.glob("*/README.md")) if p.parent.name not in ("tests", ".venv"))
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A fenced block. kind: sh is run, text and diff hold lines that the command before must print, yaml declares."""

    kind: str
    body: str


def blocks(path: Path) -> list[Block]:
    return [Block(kind, body) for kind, body in _FENCE.findall(path.read_text())]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of the work tree as a new user has it after `make example`."""
    root = tmp_path_factory.mktemp("clone") / "modelfleet"
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("the tutorial compares with Git, and this is no Git work tree")
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"]
    for command in (["init"], ["add", "-A"], ["commit", "-m", "start"]):
        subprocess.run(["git", *identity, *command], cwd=root, capture_output=True, check=True)
    run("modelfleet --repo fleet-repo-example generate -o build/example", root)
    return root


def run(script: str, root: Path) -> tuple[int, str]:
    """Exit code of the last command, and everything printed, as a person sees it."""
    kept = [line for line in script.splitlines() if not re.match(r"(make |git clone|cd |\. \.venv)", line)]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "GIT_PAGER": "cat", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["bash", "-c", "\n".join(kept)], cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return done.returncode, done.stdout


def test_the_tutorial_from_first_to_last_line(checkout: Path) -> None:
    printed = ""
    for block in blocks(ROOT / "fleet-repo-example/README.md"):
        if block.kind == "sh":
            wanted = re.search(r"# exits (\d+)\s*$", block.body)
            code, printed = run(block.body, checkout)
            assert code == (int(wanted[1]) if wanted else 0), f"{block.body}\n{printed}"
        elif block.kind in ("text", "diff"):
            for line in block.body.splitlines():
                assert line.strip() in ("", "...") or line.strip() in printed, f"`{line}` is not in\n{printed}"


@pytest.mark.parametrize("path", READMES, ids=lambda p: str(p.relative_to(ROOT)))
def test_declarations_in_documents_are_valid(path: Path) -> None:
    for block in blocks(path):
        if block.kind != "yaml":
            continue
        for value in yaml.safe_load_all(block.body):
            if isinstance(value, dict) and str(value.get("apiVersion", "")).startswith("modelfleet.io/") and "spec" in value:
                report = Report()
                kind = value["kind"]
                folder = KINDS[kind][1]
                namespace = value["metadata"].get("namespace")
                name = f"{folder}/{namespace}/x.yaml" if namespace else f"{folder}/x.yaml"
                validate(parse(name, yaml.safe_dump(value), report), report)
                assert not report.errors, f"{path}: {text(report.sorted())}"


def test_every_code_that_a_document_names_exists() -> None:
    known = set(codes.ALL)
    for path in READMES:
        for name in re.findall(r"(?:error|warning|notice)\[(\w+)\]", path.read_text()):
            assert name in known, f"{path} names {name}"


def test_every_command_is_in_the_readmes() -> None:
    from modelfleet.cli import COMMANDS

    texts = "".join(path.read_text() for path in READMES)
    assert [name for name in COMMANDS if f"modelfleet {name}" not in texts] == []
