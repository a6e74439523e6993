"""What a fleet repository runs in a forge: the workflows' own shell lines are run, and their rules are judged."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.test_base import commit, git

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "fleet-repo-example"
WORKFLOWS = sorted((EXAMPLE / ".github" / "workflows").glob("*.yaml"))


def loaded(path: Path) -> dict[str, Any]:
    found = yaml.safe_load(path.read_text())
    assert isinstance(found, dict)
    return found


def step(workflow: str, job: str, name: str) -> str:
    """The shell lines of a step of that name, or id."""
    steps = loaded(EXAMPLE / ".github" / "workflows" / workflow)["jobs"][job]["steps"]
    return str(next(found["run"] for found in steps if name in (found.get("name"), found.get("id"))))


def run(script: str, root: Path, shell: str = "bash -e", **environment: str) -> subprocess.CompletedProcess[str]:
    """The lines as a runner runs them, with our program on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    who = {f"GIT_{role}_{what}": "a@example.com" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    everything = os.environ | who | {"PATH": path} | environment
    return subprocess.run([*shell.split(), "-c", script], cwd=root, env=everything, capture_output=True, text=True, check=False)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of the example as a runner has it: a branch `mine` that began at origin/main."""
    origin = tmp_path / "origin"
    shutil.copytree(EXAMPLE, origin)
    git(origin, "init", "-q")
    commit(origin)
    git(tmp_path, "clone", "-q", str(origin), "clone")
    git(tmp_path / "clone", "checkout", "-q", "-b", "mine")
    return tmp_path / "clone"


def change(root: Path, old: str, new: str, path: str = "models/support/qwen3-32b.yaml") -> None:
    text = (root / path).read_text()
    assert old in text
    (root / path).write_text(text.replace(old, new))


def outputs(root: Path) -> dict[str, str]:
    files = {name: root.parent / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for path in files.values():
        path.write_text("")
    return {name: str(path) for name, path in files.items()} | {"BASE": git(root, "rev-parse", "origin/main")}


def test_github_checks_a_change_at_its_lines(clone: Path) -> None:
    environment = outputs(clone)
    assert run(step("fleet.yaml", "check", "Check"), clone, **environment).returncode == 0
    change(clone, "replicas: 2", "replicas: 4")
    done = run(step("fleet.yaml", "check", "Check"), clone, **environment)
    assert done.returncode == 1 and "::error file=models/support/qwen3-32b.yaml,title=PlacementOutdated" in done.stdout
    change(clone, "replicas: 4", "replica: 4")
    done = run(step("fleet.yaml", "check", "Check"), clone, **environment)
    assert done.returncode == 1 and "::error file=models/support/qwen3-32b.yaml,title=UnknownField" in done.stdout


@pytest.mark.parametrize(("edited", "said"), [(False, "edited=false\n"), (True, "edited=true\n")], ids=["as placed", "edited by hand"])
def test_github_tells_records_that_were_edited(clone: Path, edited: bool, said: str) -> None:
    change(clone, "replicas: 2", "replicas: 3")
    run("modelfleet place", clone)
    if edited:
        change(clone, "count: 3\n    minimum: 3", "count: 2\n    minimum: 2", "placements/support/qwen3-32b.yaml")
        change(clone, "wanted: 3", "wanted: 3\n  shortfall: {missing: 1, summary: by hand}", "placements/support/qwen3-32b.yaml")
    environment = outputs(clone)
    assert run(step("fleet.yaml", "check", "records"), clone, **environment).returncode == 0
    assert Path(environment["GITHUB_OUTPUT"]).read_text() == said


def test_github_demands_records_of_the_author(clone: Path) -> None:
    (clone / "placements/support/qwen3-32b.yaml").unlink()
    done = run(step("fleet.yaml", "check", "Check"), clone, **outputs(clone))
    assert done.returncode == 1 and "title=UnretiredRemoval" in done.stdout


def test_github_makes_the_plan_in_every_form(clone: Path) -> None:
    change(clone, "replicas: 2", "replicas: 3")
    environment = outputs(clone)
    assert run(step("fleet.yaml", "plan", "Plan"), clone, **environment).returncode == 0
    assert sorted(path.name for path in (clone / "plan").iterdir()) == ["plan.html", "plan.json", "plan.markdown"]
    said = (clone / "plan/plan.markdown").read_text()
    assert (
        said.startswith("<!-- modelfleet plan -->\n### modelfleet plan: 1 resized")
        and said == Path(environment["GITHUB_STEP_SUMMARY"]).read_text()
    )


def test_github_says_that_there_is_no_plan_of_what_is_wrong(clone: Path) -> None:
    change(clone, "replicas: 2", "replica: 3")
    assert run(step("fleet.yaml", "plan", "Plan"), clone, **outputs(clone)).returncode == 0
    assert (clone / "plan/plan.markdown").read_text().startswith("<!-- modelfleet plan -->\n### modelfleet plan: refused\n")


@pytest.mark.parametrize(
    ("check", "records", "code"),
    [
        ("success", "skipped", 0),
        ("success", "success", 0),
        ("success", "failure", 1),
        ("success", "cancelled", 1),
        ("failure", "skipped", 1),
    ],
)
def test_github_requires_one_check(tmp_path: Path, check: str, records: str, code: int) -> None:
    script = next(found["run"] for found in loaded(WORKFLOWS[0])["jobs"]["fleet"]["steps"])
    assert run(script, tmp_path, CHECK=check, RECORDS=records).returncode == code


def test_the_bot_records_placements_and_nothing_else(clone: Path) -> None:
    """What the deciding job hands over is taken below placements/ alone, whatever else its patch holds."""
    change(clone, "replicas: 2", "replicas: 3")
    commit(clone)
    git(clone, "push", "-q", "origin", "mine")
    assert run(step("place.yaml", "decide", "place"), clone, **outputs(clone)).returncode == 0
    patch = (clone / "placements.patch").read_text()
    git(clone, "reset", "-q", "--hard")
    hostile = "diff --git a/models/x.yaml b/models/x.yaml\nnew file mode 100644\n--- /dev/null\n+++ b/models/x.yaml\n@@ -0,0 +1 @@\n+x: 1\n"
    (clone.parent / "placements.patch").write_text(patch + hostile)
    environment = {"RUNNER_TEMP": str(clone.parent), "BRANCH": "mine", "TOKEN": "t", "REPOSITORY": str(clone.parent / "origin")}
    done = run(step("place.yaml", "record", "Commit"), clone, **environment)
    assert done.returncode == 0, done.stderr
    assert (
        git(clone.parent / "origin", "show", "--name-only", "--format=%s", "mine")
        == "Record placements\n\nplacements/support/qwen3-32b.yaml"
    )


def gitlab(job: str) -> str:
    """The shell lines of a job, but for the installation."""
    found = loaded(EXAMPLE / ".gitlab-ci.yml")
    lines = [*found[".modelfleet"]["before_script"][1:], *found[job]["script"]]
    return "\n".join(lines)


def test_gitlab_checks_and_plans(clone: Path) -> None:
    assert run(gitlab("check"), clone, shell="bash -eo pipefail", CI_COMMIT_BEFORE_SHA="0" * 40).returncode == 0
    change(clone, "replicas: 2", "replicas: 3")
    run("modelfleet place", clone)
    environment = {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "CI_COMMIT_BEFORE_SHA": "0" * 40}
    for job, code in (("check", 0), ("records", 0), ("plan", 0)):
        done = run(gitlab(job), clone, shell="bash -eo pipefail", **environment)
        assert done.returncode == code, f"{job}: {done.stdout}{done.stderr}"
    assert "1 resized" in (clone / "plan/plan.markdown").read_text()
    change(clone, "count: 3", "count: 2", "placements/support/qwen3-32b.yaml")
    change(clone, "minimum: 3", "minimum: 2", "placements/support/qwen3-32b.yaml")
    assert run(gitlab("records"), clone, shell="bash -eo pipefail", **environment).returncode == 3


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_and_rights_are_few(path: Path) -> None:
    """Each action by its commit, each job with the rights that it names; only two jobs may write, and they run nothing of ours."""
    for line in re.findall(r"uses: .*", path.read_text()):
        assert re.fullmatch(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line
    workflow = loaded(path)
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        assert "permissions" in job and "timeout-minutes" in job
        runs = "\n".join(found.get("run", "") for found in job["steps"])
        writes = "write" in str(job["permissions"]) or "create-github-app-token" in str(job["steps"])
        assert not (writes and re.search(r"(?m)^\s*(modelfleet|pip|python\S*) ", runs)), name
        assert "${{" not in runs, f"{name} puts what others wrote into a shell line"


def test_zizmor_finds_nothing() -> None:
    program = Path(sys.executable).parent / "zizmor"
    done = subprocess.run([program, "--offline", "--persona=pedantic", *WORKFLOWS], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "No findings" in done.stdout + done.stderr, done.stdout


def test_the_pre_commit_hooks_run_where_declarations_change(clone: Path) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    used = loaded(EXAMPLE / ".pre-commit-config.yaml")["repos"][0]["hooks"]
    assert [hook["id"] for hook in hooks] == [hook["id"] for hook in used] == ["modelfleet-check", "modelfleet-place"]
    for hook in hooks:
        assert {"id", "name", "description", "entry", "language", "files", "pass_filenames", "require_serial"} == set(hook)
        for path in ("fleet/fleet.yaml", "fleets/acme/models/a/b.yml", "placements/a/b.json"):
            assert re.search(hook["files"], path)
        for path in ("README.md", "charts/models.yaml", "rendered/east/base/namespace-x.yaml"):
            assert not re.search(hook["files"], path)
        assert run(hook["entry"], clone).returncode == 0


def test_everything_has_an_owner() -> None:
    lines = [line.split() for line in (EXAMPLE / ".github/CODEOWNERS").read_text().splitlines() if line and not line.startswith("#")]
    patterns = [pattern for pattern, *owners in lines if owners]
    assert patterns[0] == "*" and len(patterns) == len(lines)
    for pattern in patterns[1:]:
        assert (EXAMPLE / pattern.strip("/")).is_dir(), pattern
    for folder in ("models", "placements"):
        assert {f"/{folder}/{path.name}/" for path in (EXAMPLE / folder).iterdir()} <= set(patterns)
