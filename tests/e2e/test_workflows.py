"""The example's workflows under actionlint."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

WORKFLOWS = sorted((Path(__file__).parents[2] / "fleet-repo-example" / ".github" / "workflows").glob("*.yaml"))

pytestmark = pytest.mark.e2e


def lint(tools: Path, *files: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([tools / "actionlint", "-no-color", "-shellcheck=", *files], capture_output=True, text=True, check=False)


def test_actionlint_finds_nothing(tools: Path, tmp_path: Path) -> None:
    if not (tools / "actionlint").exists():
        pytest.skip("actionlint is not among the tools: make e2e E2E_TOOLS=actionlint")
    done = lint(tools, *WORKFLOWS)
    assert (done.returncode, done.stdout) == (0, "")
    broken = tmp_path / "broken.yaml"
    broken.write_text(WORKFLOWS[0].read_text().replace("needs.check.outputs.edited", "needs.check.outputs.edit"))
    assert lint(tools, broken).returncode == 1, "it sees a mistake"
