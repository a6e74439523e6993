"""`check --base REF`: what a change takes away, and what it must not change."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.builders import API, cluster, deployment, engine, entry, hardware, placement, pool, request, settings
from tests.run import modelfleet, repository
from tests.written import HEAD, write

Manifest = dict[str, object]
FLEET = [settings(), hardware("h100"), cluster("east", pool(nodes=8)), cluster("west", pool(nodes=8))]
CHAT = [deployment(replicas=4), placement("chat", entry("east", 2), entry("west", 2))]
TEAM: Manifest = {"apiVersion": API, "kind": "Team", "metadata": {"name": "search"}, "spec": {"namespaces": ["search"]}}
APPROVED_TEAM = {**TEAM, "metadata": {"name": "search", "annotations": {"modelfleet.io/remove": "approved"}}}


def git(root: Path, *arguments: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", "-C", str(root), *who, *arguments], check=True, capture_output=True, text=True).stdout.strip()


def committed(root: Path, *manifests: Manifest, texts: Mapping[str, str] | None = None) -> Path:
    """A repository of `manifests`, and of `texts` as in `repository`, in one commit."""
    repository(root, *manifests, **(texts or {}))
    git(root, "init", "-q")
    return commit(root)


def commit(root: Path, message: str = "a") -> Path:
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)
    return root


def said(root: Path, base: str = "HEAD") -> list[str]:
    """Code and message of what `check --base` says."""
    lines = modelfleet(root, "check", "--base", base, "-q").err.splitlines()
    return [line.split(": ", 1)[1] for line in lines if ": error[" in line]


CHANGES: dict[str, tuple[list[Manifest], list[Manifest], list[str]]] = {
    "nothing": (CHAT, CHAT, []),
    "one replica less, where two are always allowed": (
        CHAT,
        [deployment(replicas=3), placement("chat", entry("east", 2), entry("west", 1))],
        [],
    ),
    "an entry that retires": (
        CHAT,
        [deployment(replicas=2), placement("chat", entry("east", 2), entry("west", 2, retiring=True, replaced=2))],
        [],
    ),
    "an entry that is gone": (
        CHAT,
        [deployment(replicas=2), placement("chat", entry("east", 2))],
        ["error[UnretiredRemoval]: its entry of `ml/chat` on west is gone (2 replicas) and was not retiring"],
    ),
    "an entry that is gone and was retiring": (
        [deployment(replicas=2), placement("chat", entry("east", 2), entry("west", 2, retiring=True, replaced=2))],
        [deployment(replicas=2), placement("chat", entry("east", 2))],
        [],
    ),
    "an entry that is gone from a fleet that prunes": (
        [settings(removal="Prune"), *CHAT],
        [settings(removal="Prune"), deployment(replicas=2), placement("chat", entry("east", 2))],
        [],
    ),
    "a fleet that prunes from now on": (
        CHAT,
        [settings(removal="Prune"), deployment(replicas=2), placement("chat", entry("east", 2))],
        ["error[UnretiredRemoval]: its entry of `ml/chat` on west is gone (2 replicas) and was not retiring"],
    ),
    "a model and its record that are gone": (
        CHAT,
        [],
        [
            "error[TooManyRemovals]: 4 of 4 recorded replicas are retired or dropped at once; 2 are allowed",
            "error[UnretiredRemoval]: the record of `ml/chat` on east is gone (2 replicas) and was not retiring",
            "error[UnretiredRemoval]: the record of `ml/chat` on west is gone (2 replicas) and was not retiring",
        ],
    ),
    "more removals than are allowed": (
        CHAT,
        [deployment(replicas=1), placement("chat", entry("east", 1), entry("west", 2, retiring=True, replaced=1))],
        ["error[TooManyRemovals]: 3 of 4 recorded replicas are retired or dropped at once; 2 are allowed"],
    ),
    "more removals than are allowed, approved": (
        CHAT,
        [
            deployment(replicas=1),
            placement("chat", entry("east", 1), entry("west", 2, retiring=True, replaced=1))
            | {"metadata": {"name": "chat", "namespace": "ml", "annotations": {"modelfleet.io/remove": "approved"}}},
        ],
        [],
    ),
    "a team that is gone": (
        [TEAM],
        [],
        ["error[UnapprovedRemoval]: Team `search` is gone, and its removal was not approved before"],
    ),
    "a team that is gone from a fleet that prunes": ([settings(removal="Prune"), TEAM], [settings(removal="Prune")], []),
    "a team that is gone, approved before": ([APPROVED_TEAM], [], []),
    "a team that is renamed": (
        [TEAM],
        [{**TEAM, "metadata": {"name": "find"}}],
        ["error[UnapprovedRemoval]: Team `search` is gone, and its removal was not approved before"],
    ),
    "a destination that moves under what runs": (
        CHAT,
        [*CHAT, cluster("west", pool(nodes=8), destination={"name": "other"})],
        ["error[Immutable]: cluster `west` has recorded replicas, and its destination was another"],
    ),
    "a destination that moves under nothing": (
        FLEET,
        [cluster("west", pool(nodes=8), destination={"name": "other"})],
        [],
    ),
    "a stack that changes": (
        FLEET,
        [cluster("west", pool(nodes=8), stack="Dynamo")],
        ["error[Immutable]: spec.stack of cluster `west` was Standard and never changes"],
    ),
}


@pytest.mark.parametrize(("before", "after", "expected"), CHANGES.values(), ids=CHANGES)
def test_a_change(tmp_path: Path, before: list[Manifest], after: list[Manifest], expected: list[str]) -> None:
    root = committed(tmp_path, *FLEET, *before)
    for path in tmp_path.rglob("*.yaml"):
        path.unlink()
    repository(root, *FLEET, *after)
    assert said(root) == expected


def test_a_gateway_stays_on_its_cluster(tmp_path: Path) -> None:
    def door(where: str) -> Mapping[str, str]:
        return {"fleet/door.yaml": f"{HEAD}kind: InferenceGateway\nmetadata: {{name: door}}\nspec: {{clusterName: {where}}}\n"}

    root = committed(tmp_path, *FLEET)
    write(root, door("east"), fleet=False)
    commit(root)
    write(root, door("west"), fleet=False)
    assert said(root) == ["error[Immutable]: spec.clusterName of gateway `door` was east and never changes"]


def test_the_mode_stays_while_replicas_are_recorded(tmp_path: Path) -> None:
    def engines(**more: str) -> list[Manifest]:
        found = [engine(request(), name=name) | ({"phase": phase} if more else {}) for name, phase in (("a", "Prefill"), ("b", "Decode"))]
        found[1]["members"][0]["template"]["spec"]["containers"][0]["args"].append("--port=8001")
        return found

    choices = {name: {"pool": "h100", "devices": {"gpu": "gpu"}} for name in ("a", "b")}
    record = placement("chat", {"cluster": "east", "engines": choices, "count": 1, "minimum": 1})
    east = cluster("east", pool(nodes=8), gateway={"inferencePools": True})
    root = committed(tmp_path, *FLEET, east, deployment("chat", *engines()), record)
    repository(root, deployment("chat", *engines(apart="yes"), serving={"mode": "PrefillDecode"}))
    assert said(root) == ["error[StillRecorded]: serving.mode of `ml/chat` was Unified, and 1 entries are recorded"]


def test_what_others_merged_since_does_not_count(tmp_path: Path) -> None:
    """The base is where the branch left, not the tip: a record that came later to main is not taken away here."""
    root = committed(tmp_path, *FLEET)
    git(root, "checkout", "-q", "-b", "mine")
    git(root, "checkout", "-q", "main")
    repository(root, *CHAT)
    commit(root)
    git(root, "checkout", "-q", "mine")
    assert said(root, "main") == []


def test_a_fleet_in_a_folder_of_a_repository(tmp_path: Path) -> None:
    repository(tmp_path / "fleets" / "acme", *FLEET, *CHAT)
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    (tmp_path / "fleets/acme/placements/ml/chat.yaml").unlink()
    assert any("UnretiredRemoval" in line for line in said(tmp_path / "fleets" / "acme"))


def test_a_linked_work_tree(tmp_path: Path) -> None:
    root = committed(tmp_path / "first", *FLEET, *CHAT)
    git(root, "worktree", "add", "-q", str(tmp_path / "second"))
    assert said(tmp_path / "second") == []


def refusal(root: Path, base: str) -> tuple[int, str]:
    result = modelfleet(root, "check", f"--base={base}")
    return result.code, result.err.splitlines()[0] if result.err else ""


def test_a_base_that_begins_with_a_dash_is_no_flag_for_git(tmp_path: Path) -> None:
    root = committed(tmp_path, *FLEET)
    assert refusal(root, "--upload-pack=x") == (4, "command line: error[Base]: `--upload-pack=x` is not a commit: it begins with a dash")


def test_a_base_that_is_not_there(tmp_path: Path) -> None:
    root = committed(tmp_path, *FLEET)
    assert refusal(root, "origin/main") == (4, "command line: error[Base]: there is no commit `origin/main` in this clone")


def test_no_git_at_all(tmp_path: Path) -> None:
    root = repository(tmp_path, *FLEET)
    assert refusal(root, "main") == (4, f"command line: error[Base]: {root} is not in a Git work tree")


def test_a_shallow_clone_without_the_common_history(tmp_path: Path) -> None:
    first = committed(tmp_path / "first", *FLEET)
    git(first, "checkout", "-q", "-b", "mine")
    commit(first, "mine")
    git(first, "checkout", "-q", "main")
    commit(first, "theirs")
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", "--branch=mine", first.as_uri(), "second")
    said_ = "command line: error[Base]: `origin/main` and HEAD have no commit in common: this clone is shallow"
    assert refusal(tmp_path / "second", "origin/main") == (4, said_)
