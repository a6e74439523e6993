"""The plans of the story's pull requests, beside this file as they stand in the comment; `make golden` rewrites them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run import modelfleet
from tests.story.story import CHAPTERS, begin, branch, end
from tests.test_base import git

HERE = Path(__file__).parent


def plan(root: Path) -> str:
    done = modelfleet(root, "plan", "--base", "main", "--format", "markdown")
    assert done.code == 0, done.err
    return re.sub(r"\([0-9a-f]{8}\)", "(COMMIT)", done.out)


def golden(name: str, text: str) -> None:
    path = HERE / f"{name}.md"
    if os.environ.get("MODELFLEET_GOLDEN") == "write":
        path.write_text(text)
    assert text == path.read_text()


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[str, set[str]]]]:
    """Of each chapter its plan, and the deployments whose records or declared numbers it touches, as Git tells them."""
    root = begin(tmp_path_factory.mktemp("story") / "fleet")
    found = {}
    for number, chapter in enumerate(CHAPTERS, 1):
        branch(root, chapter)
        touched = set(git(root, "diff", "--name-only", "main", "--", "placements").splitlines())
        found[f"{number}-{chapter.name}"] = (plan(root), {path.removeprefix("placements/").removesuffix(".yaml") for path in touched})
        if chapter.name == "the-same-device":
            found["10-on-the-queue"] = queued(root)
        end(root, chapter)
    yield found


def queued(root: Path) -> tuple[str, set[str]]:
    """The second of the two that take the same device, as the merge queue sees it: on main with the first."""
    git(root, "checkout", "-q", "main")
    git(root, "merge", "-q", "--no-edit", "the-last-devices")
    git(root, "checkout", "-q", "--detach")
    git(root, "merge", "-q", "--no-edit", "the-same-device")
    refused = modelfleet(root, "check", "--base", "main", "-q")
    assert refused.code == 1 and "error[NewlyOvercommitted]: pool `l4` of cluster `gke-us-east4`" in refused.err
    return plan(root), {"support/classify"}


NAMES = [*(f"{number}-{chapter.name}" for number, chapter in enumerate(CHAPTERS, 1)), "10-on-the-queue"]


@pytest.mark.parametrize("name", NAMES)
def test_a_plan(story: dict[str, tuple[str, set[str]]], name: str) -> None:
    golden(name, story[name][0])


@pytest.mark.parametrize("name", NAMES)
def test_a_plan_names_what_it_touches(story: dict[str, tuple[str, set[str]]], name: str) -> None:
    text, touched = story[name]
    head = text.split("#### Objects")[0]
    assert [ref for ref in touched if f"`{ref}`" not in head] == []


def test_each_of_the_two_is_green_alone(tmp_path: Path) -> None:
    root = begin(tmp_path / "fleet")
    for chapter in CHAPTERS:
        branch(root, chapter)
        expected = 0 if chapter.name != "node-lost" else None
        done = modelfleet(root, "check", "--base", "main", "-q")
        assert expected is None or done.code == 0, f"{chapter.name}: {done.err}"
        end(root, chapter)


def test_there_is_a_plan_for_every_chapter() -> None:
    assert {path.stem for path in HERE.glob("*.md")} == set(NAMES)
