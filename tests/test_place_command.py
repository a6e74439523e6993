"""The two-commit ways of `place`: what it refuses, what it needs a base for, what it writes."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.builders import cluster, deployment, engine, entry, hardware, placement, pool, request, settings
from tests.run import modelfleet, repository

FLEET = [settings(), hardware("h100"), cluster("east"), cluster("west")]


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def commit(root: Path, message: str = "change") -> None:
    if not (root / ".git").exists():
        git(root, "init")
    git(root, "add", "-A")
    git(root, "commit", "-m", message)


def entries(root: Path, name: str = "chat") -> list[tuple[str, int, bool]]:
    spec = yaml.safe_load((root / f"placements/ml/{name}.yaml").read_text())["spec"]
    return [(e["cluster"], e["count"], e.get("retiring", False)) for e in spec["replicas"]]


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """Two replicas on east, which was drained since the last commit: they retire and have successors on west."""
    root = repository(tmp_path, *FLEET, deployment(replicas=2), placement("chat", entry("east", 2)))
    commit(root)
    repository(root, cluster("east", taints=[{"key": "maintenance", "effect": "NoExecute"}]))
    assert modelfleet(root, "place").out == "ml/chat: east 2 (h100) retiring, west 2 (h100)\n"
    return root


def test_what_retires_is_dropped_once_argo_cd_has_seen_it_retire(moved: Path) -> None:
    early = modelfleet(moved, "place", "--finish")
    assert (early.code, early.out) == (1, "") and "does not retire yet where Argo CD reads" in early.err
    commit(moved)
    assert modelfleet(moved, "place", "--finish").out == "ml/chat: west 2 (h100), east 2 dropped\n"
    assert entries(moved) == [("west", 2, False)]
    assert modelfleet(moved, "check").code == 0
    assert modelfleet(moved, "place", "--finish").out == "every record is up to date\n"


def test_finishing_needs_the_loss_of_replicas_to_be_accepted_by_name(tmp_path: Path) -> None:
    east = cluster("east", pool(nodes=1), taints=[{"key": "maintenance", "effect": "NoExecute"}])
    root = repository(
        tmp_path,
        settings(),
        hardware("h100"),
        east,
        deployment("chat", engine(request(count=8))),
        placement("chat", entry("east", 1, retiring=True), wanted=1),
    )
    commit(root)
    refused = modelfleet(root, "place", "--finish", "ml/chat")
    assert refused.code == 1 and "0 of 1 replicas are recorded besides what retires" in refused.err
    assert "--accept-loss ml/chat" in refused.err
    assert modelfleet(root, "place", "--finish", "ml/chat", "--accept-loss", "ml/chat").code == 0
    assert entries(root) == []


def test_finishing_without_git_says_what_is_missing(tmp_path: Path) -> None:
    root = repository(tmp_path, *FLEET, deployment(), placement("chat", entry("east", 1)))
    result = modelfleet(root, "place", "--finish")
    assert (result.code, result.out) == (4, "") and "not in a Git work tree" in result.err


def test_one_change_takes_away_only_so_many_replicas(tmp_path: Path) -> None:
    drained = [cluster(name, taints=[{"key": "maintenance", "effect": "NoExecute"}]) for name in ("east", "west")]
    root = repository(
        tmp_path,
        settings(),
        hardware("h100"),
        *drained,
        cluster("north", pool(nodes=9)),
        deployment(replicas=4),
        placement("chat", entry("east", 2), entry("west", 2)),
    )
    refused = modelfleet(root, "place")
    assert (refused.code, refused.out) == (1, "") and "4 of 4 recorded replicas would retire or go at once; 2 may" in refused.err
    assert entries(root) == [("east", 2, False), ("west", 2, False)]
    assert modelfleet(root, "place", "--allow-removals").code == 0
    assert entries(root) == [("east", 2, True), ("north", 4, False), ("west", 2, True)]
    annotations = yaml.safe_load((root / "placements/ml/chat.yaml").read_text())["metadata"]["annotations"]
    assert annotations == {"modelfleet.io/remove": "approved"}


def test_records_are_compared_with_what_placing_gives_from_the_base(tmp_path: Path) -> None:
    root = repository(tmp_path, *FLEET, deployment(replicas=2), placement("chat", entry("east", 2)))
    commit(root)
    assert modelfleet(root, "place", "--check", "--base", "HEAD").out == "every record is what placing gives\n"
    repository(root, deployment(replicas=3))
    modelfleet(root, "place")
    assert modelfleet(root, "place", "--check", "--base", "HEAD").code == 0
    repository(root, placement("chat", entry("east", 3)))
    assert modelfleet(root, "check").code == 0
    edited = modelfleet(root, "place", "--check", "--base", "HEAD")
    assert edited.code == 3 and "warning[PlacementEdited]: `ml/chat` is recorded otherwise than placing gives" in edited.err


def test_finishing_is_what_placing_gives(moved: Path) -> None:
    commit(moved)
    modelfleet(moved, "place", "--finish")
    assert modelfleet(moved, "place", "--check", "--base", "main").out == "every record is what placing gives\n"


def test_finishing_with_a_loss_is_an_edit(tmp_path: Path) -> None:
    """Whoever accepts the loss has chosen: the platform team looks at it."""
    record = placement("chat", entry("east", 2, retiring=True), wanted=2, shortfall={"missing": 2, "summary": "0/1 clusters"})
    drained = cluster("east", taints=[{"key": "maintenance", "effect": "NoExecute"}])
    root = repository(tmp_path, settings(), hardware("h100"), drained, deployment(replicas=2), record)
    commit(root)
    assert modelfleet(root, "place", "--finish", "--accept-loss", "ml/chat").code == 0
    assert modelfleet(root, "place", "--check", "--base", "main").code == 3


def test_a_branch_that_only_origin_has(moved: Path, tmp_path: Path) -> None:
    """In a clone of a pull request there is no `main`; and what is committed on one's own `main` has not reached Argo CD."""
    origin = tmp_path / "origin.git"
    git(moved, "clone", "--bare", str(moved), str(origin))
    commit(moved)
    git(moved, "push", str(origin), "HEAD:main")
    git(moved, "clone", str(origin), str(tmp_path / "clone"))
    git(tmp_path / "clone", "checkout", "-b", "mine")
    git(tmp_path / "clone", "branch", "-D", "main")
    assert modelfleet(tmp_path / "clone", "check", "--base", "main").code == 0
    assert modelfleet(tmp_path / "clone", "place", "--finish").out == "ml/chat: west 2 (h100), east 2 dropped\n"


def test_what_is_only_committed_here_has_not_reached_argo_cd(moved: Path, tmp_path: Path) -> None:
    git(moved, "clone", "--bare", str(moved), str(tmp_path / "origin.git"))
    git(moved, "remote", "add", "origin", str(tmp_path / "origin.git"))
    git(moved, "fetch", "origin")
    commit(moved)
    early = modelfleet(moved, "place", "--finish")
    assert early.code == 1 and "does not retire yet where Argo CD reads" in early.err
    git(moved, "push", "origin", "HEAD:main")
    assert modelfleet(moved, "place", "--finish").code == 0


REFS = {
    "": "modelfleet check --base origin/main",
    "HEAD~99": "name a branch, a tag or a commit: origin/main",
    "@{u}": "name a branch, a tag or a commit: origin/main",
    "HEAD:fleet": "name a branch, a tag or a commit: origin/main",
    "@{foo}": "name a branch, a tag or a commit: origin/main",
    "a b": "name a branch, a tag or a commit: origin/main",
    "release/1.2": "git fetch origin release/1.2",
    "origin/main": "git fetch origin main",
}


@pytest.mark.parametrize(("ref", "hint"), REFS.items(), ids=REFS)
def test_a_ref_that_leads_nowhere(tmp_path: Path, ref: str, hint: str) -> None:
    root = repository(tmp_path, *FLEET)
    commit(root)
    result = modelfleet(root, "check", "--base", ref)
    assert result.code == 4 and "error[Base]" in result.err and f"hint: {hint}\n" in result.err


def test_two_changes_that_took_the_same_devices_are_refused_together(tmp_path: Path) -> None:
    root = repository(tmp_path, settings(), hardware("h100"), cluster("east", pool(nodes=1)), deployment("one", engine(request(count=8))))
    commit(root)
    repository(root, placement("one", entry("east", 1)), deployment("two", engine(request(count=8))), placement("two", entry("east", 1)))
    result = modelfleet(root, "check", "--base", "HEAD")
    assert result.code == 1 and "error[NewlyOvercommitted]" in result.err
    commit(root)
    later = modelfleet(root, "check", "--base", "HEAD")
    assert later.code == 0 and "warning[Overcommitted]" in later.err


def test_giving_up_moves_what_holds_too_much(tmp_path: Path) -> None:
    root = repository(
        tmp_path,
        settings(),
        hardware("h100"),
        cluster("east", pool(nodes=1)),
        cluster("west"),
        deployment("one"),
        placement("one", entry("east", 8), wanted=8),
        deployment("two"),
        placement("two", entry("east", 1)),
    )
    repository(root, deployment("one", replicas=8))
    assert modelfleet(root, "place", "--give-up", "ml/two").out == "ml/two: east 1 (h100) retiring, west 1 (h100)\n"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--base", "HEAD"], "--base is for --check"),
        (["--accept-loss", "ml/chat"], "--accept-loss is for --finish"),
        (["--finish", "--allow-removals"], "--allow-removals is for the first commit"),
        (["--check", "--base", "HEAD", "ml/chat"], "a name has no meaning beside it"),
        (["--check", "--base", "HEAD", "--finish"], "--finish has no meaning beside it"),
        (["--check", "--base", "HEAD", "--all"], "--all has no meaning beside it"),
        (["--check", "--base", "HEAD", "--give-up", "ml/chat"], "--give-up has no meaning beside it"),
        (["--check", "--base", "HEAD", "--allow-removals"], "--allow-removals has no meaning beside it"),
    ],
)
def test_flags_that_do_not_go_together(tmp_path: Path, flags: list[str], said: str) -> None:
    result = modelfleet(repository(tmp_path, *FLEET, deployment()), "place", *flags)
    assert result.code == 2 and said in result.err


def test_capacity_is_a_table(tmp_path: Path) -> None:
    root = repository(
        tmp_path,
        settings(),
        hardware("h100", cost="80"),
        cluster("east", pool(nodes=2)),
        deployment(replicas=3),
        placement("chat", entry("east", 3)),
    )
    assert modelfleet(root, "capacity").out == (
        "CLUSTER  POOL  CLASS  GROUP  NODES  DEVICES  USED  FREE  USABLE  STRANDED  HEADROOM  COST/H  NOTES\n"
        "east     h100  h100   gpu        2       16     3    13      13         0         0   30.00  held by ml/chat 3\n"
        "\n"
        "30.00 USD an hour\n"
    )


def test_reverting_a_move_is_refused_while_its_replicas_run_and_the_revert_of_a_finish_is_not(moved: Path) -> None:
    commit(moved, "move")
    git(moved, "tag", "moved")
    git(moved, "revert", "--no-edit", "HEAD")
    assert entries(moved) == [("east", 2, False)]
    refused = modelfleet(moved, "check", "--base", "moved")
    assert refused.code == 1 and "error[UnretiredRemoval]: its entry of `ml/chat` on west is gone (2 replicas)" in refused.err
    edited = modelfleet(moved, "place", "--check", "--base", "moved")
    assert edited.code == 3 and "than placing gives: east 2 (h100) retiring, west 2 (h100)" in edited.err
    git(moved, "reset", "--hard", "moved")
    modelfleet(moved, "place", "--finish")
    commit(moved, "finish")
    git(moved, "tag", "finished")
    git(moved, "revert", "--no-edit", "HEAD")
    assert entries(moved) == [("east", 2, True), ("west", 2, False)]
    assert modelfleet(moved, "check", "--base", "finished").code == 0
    git(moved, "reset", "--hard", "finished")
    git(moved, "revert", "--no-edit", "HEAD", "HEAD~1")
    assert entries(moved) == [("east", 2, False)]
    assert "error[UnretiredRemoval]" in modelfleet(moved, "check", "--base", "finished").err


@pytest.mark.parametrize("annotations", [{}, {"modelfleet.io/remove": "approved"}], ids=["as it is", "although the record is approved"])
def test_retiring_and_dropping_in_one_change_is_refused(moved: Path, annotations: dict[str, str]) -> None:
    git(moved, "checkout", "-b", "work")
    commit(moved, "retire")
    assert "does not retire yet where Argo CD reads" in modelfleet(moved, "place", "--finish").err
    dropped = placement("chat", entry("west", 2))
    dropped["metadata"]["annotations"] = annotations
    repository(moved, dropped)
    commit(moved, "drop")
    refused = modelfleet(moved, "check", "--base", "main")
    assert refused.code == 1 and "error[UnretiredRemoval]: its entry of `ml/chat` on east is gone (2 replicas)" in refused.err


def drained(tmp_path: Path) -> Path:
    """Eight replicas on a cluster that was drained in the work tree of branch `work`."""
    root = repository(tmp_path, *FLEET, deployment(replicas=8), placement("chat", entry("east", 8)))
    commit(root)
    git(root, "checkout", "-b", "work")
    return repository(root, cluster("east", taints=[{"key": "maintenance", "effect": "NoExecute"}]))


def test_an_approved_removal_passes_the_check_and_is_what_placing_gives(tmp_path: Path) -> None:
    root = drained(tmp_path)
    assert modelfleet(root, "place", "--check").code == 3
    assert entries(root) == [("east", 8, False)]
    assert modelfleet(root, "place", "--allow-removals").out == "ml/chat: east 8 (h100) retiring, west 8 (h100)\n"
    assert modelfleet(root, "check", "--base", "main").code == 0
    assert modelfleet(root, "place", "--check", "--base", "main").out == "every record is what placing gives\n"


def test_a_removal_written_by_hand_is_counted_unless_it_is_approved(tmp_path: Path) -> None:
    root = drained(tmp_path)
    moved = [entry("east", 8, retiring=True, replaced=8), entry("west", 8)]
    repository(root, placement("chat", *moved))
    refused = modelfleet(root, "check", "--base", "main")
    assert refused.code == 1 and "8 of 8 recorded replicas are retired or dropped at once; 2 are allowed" in refused.err
    approved = placement("chat", *moved)
    approved["metadata"]["annotations"] = {"modelfleet.io/remove": "approved"}
    repository(root, approved)
    assert modelfleet(root, "check", "--base", "main").code == 0


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["check", "--base", "HEAD~1"], "there is no commit `HEAD~1` in this clone"),
        (["place", "--check", "--base", "HEAD~1"], "there is no commit `HEAD~1` in this clone"),
        (["place", "--finish"], "there is no commit `release` in this clone"),
    ],
)
def test_a_shallow_clone_says_what_to_fetch(tmp_path: Path, flags: list[str], said: str) -> None:
    followed = settings()
    followed["spec"]["argocd"]["targetRevision"] = "release"
    record = placement("chat", entry("east", 1, retiring=True), entry("west", 2))
    origin = repository(tmp_path / "origin", followed, *FLEET[1:], deployment(replicas=2), record)
    commit(origin)
    git(origin, "branch", "release")
    repository(origin, deployment(replicas=2, priority=1))
    commit(origin)
    git(tmp_path, "clone", "--depth", "1", f"file://{origin}", "clone")
    result = modelfleet(tmp_path / "clone", *flags)
    assert (result.code, result.out) == (4, "") and said in result.err and "git fetch --unshallow" in result.err


def test_what_a_shallow_clone_has_can_be_compared(tmp_path: Path) -> None:
    origin = repository(tmp_path / "origin", *FLEET, deployment(replicas=2), placement("chat", entry("east", 2)))
    commit(origin)
    git(tmp_path, "clone", "--depth", "1", f"file://{origin}", "clone")
    assert modelfleet(tmp_path / "clone", "place", "--check", "--base", "origin/main").out == "every record is what placing gives\n"


STILL_THERE = [
    ("a renamed pool", cluster("east", pool("other", hardware="h100")), "pool `h100` of east is recorded and no longer declared"),
    ("a renamed engine", deployment("chat", engine(name="other"), replicas=2), "engine `main` is recorded on east and no longer declared"),
]


@pytest.mark.parametrize(("change", "said"), [case[1:] for case in STILL_THERE], ids=[case[0] for case in STILL_THERE])
def test_what_a_record_names_stays_declared(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    root = repository(tmp_path, *FLEET, deployment(replicas=2), placement("chat", entry("east", 2)))
    repository(root, change)
    for command in (["check"], ["place"], ["place", "--check"]):
        result = modelfleet(root, *command)
        assert result.code == 1 and f"error[StillRecorded]: {said}" in result.err


def test_giving_up_without_room_elsewhere_retires_nothing_twice_and_says_who_is_short(tmp_path: Path) -> None:
    root = repository(
        tmp_path, settings(), hardware("h100"), cluster("east", pool(nodes=1)), deployment(replicas=9), placement("chat", entry("east", 9))
    )
    given = modelfleet(root, "place", "--give-up", "ml/chat", "--allow-removals")
    assert given.out == "ml/chat: east 9 (h100) retiring; 0 of 9 placed\n"
    assert modelfleet(root, "place", "--check").out == "every record is up to date\n"
