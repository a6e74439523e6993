"""Where `generate -o` writes: never among the declarations, never through a link."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import cluster, deployment, entry, hardware, placement, settings
from tests.run import modelfleet, repository, tree

FILE = "east/base/gateway-modelfleet.yaml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    declared = [settings(), hardware("h100"), cluster("east"), deployment(), placement("chat", entry())]
    repository(tmp_path / "work/fleet-repo", *declared)
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "work/fleet-repo"


@pytest.mark.parametrize(
    ("folder", "why"),
    [
        ("fleet", "is in fleet/"),
        ("fleet/clusters", "is in fleet/"),
        ("models", "is in models/"),
        ("models/ml/new", "is in models/"),
        ("placements/ml", "is in placements/"),
        (".", "holds fleet/"),
        ("..", "holds fleet/"),
        ("../..", "holds fleet/"),
        ("rendered/../models", "is in models/"),
        ("../linked/models", "is in models/"),
        (".git/hooks", "is in .git/"),
    ],
)
@pytest.mark.parametrize("check", [[], ["--check"]], ids=["write", "check"])
def test_a_folder_with_declarations_is_refused(root: Path, folder: str, why: str, check: list[str]) -> None:
    (root.parent / "linked").symlink_to(root)
    before = tree(root)
    result = modelfleet(root, "generate", "-o", str(root / folder), *check)
    assert (result.code, result.out) == (1, "")
    assert "error[OutputFolder]" in result.err and why in result.err
    assert tree(root) == before


@pytest.mark.parametrize("folder", ["rendered", "build/deep/tree", "fleets", "../elsewhere"])
def test_any_other_folder_is_taken(root: Path, folder: str) -> None:
    assert modelfleet(root, "generate", "-o", str(root / folder)).code == 0
    assert (root / folder / FILE).is_file()


def _link(place: Path, target: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)


@pytest.mark.parametrize("link", ["east", "east/base", FILE, ".modelfleet"])
def test_nothing_is_written_through_a_link(root: Path, link: str) -> None:
    out, target = root / "rendered", root.parent.parent / "elsewhere"
    _link(out / link, target if "." not in link else target / "kept.yaml")
    (target / "kept.yaml").write_text("mine")
    result = modelfleet(root, "generate", "-o", str(out))
    assert (result.code, result.out) == (1, "") and f"{link} is a symbolic link" in result.err
    assert tree(target) == {"kept.yaml": b"mine"}


def test_nothing_stale_is_removed_through_a_link(root: Path) -> None:
    out, target = root / "rendered", root.parent.parent / "elsewhere"
    _link(out / "gone", target)
    (target / "kept.yaml").write_text("mine")
    (out / ".modelfleet").write_text("gone/kept.yaml\n")
    assert modelfleet(root, "generate", "-o", str(out)).code == 1
    assert tree(target) == {"kept.yaml": b"mine"}


def test_a_link_to_the_whole_tree_is_the_users_choice(root: Path) -> None:
    target = root.parent.parent / "elsewhere"
    _link(root / "rendered", target)
    assert modelfleet(root, "generate", "-o", str(root / "rendered")).code == 0
    assert (target / FILE).is_file()


def test_migrate_writes_through_no_link_either(root: Path) -> None:
    target = root.parent.parent / "elsewhere"
    (root / "fleet").rename(target / "fleet")
    (root / "fleet").symlink_to(target / "fleet")
    old = "apiVersion: modelplane.ai/v1alpha1\nkind: InferenceClass\nmetadata: {name: old}\nspec: {devices: [{name: a, driver: a.b}]}\n"
    (root / "old.yaml").write_text(old)
    before = tree(target)
    result = modelfleet(root, "migrate", str(root))
    assert result.code == 1 and "symbolic links" in result.out and tree(target) == before
    assert (root / "old.yaml").read_text() == old
