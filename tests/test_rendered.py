"""`delivery: Rendered`: plain YAML in Git, and Applications that read it without the plugin."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.builders import cluster, deployment, entry, hardware, placement, pool, settings
from tests.run import modelfleet, repository, tree
from tests.test_base import commit, committed

FLEET = [hardware("h100"), cluster("east", pool(nodes=8)), cluster("west", pool(nodes=8))]


def rendered_fleet() -> dict[str, object]:
    found = settings()
    found["spec"]["argocd"]["delivery"] = "Rendered"
    return found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A fleet with one model, and its tree."""
    found = committed(tmp_path, rendered_fleet(), *FLEET, deployment("chat", replicas=1), placement("chat", entry("east", 1)))
    assert generate(found) == 0
    return found


def generate(root: Path, *flags: str) -> int:
    return modelfleet(root, "generate", "-o", str(root / "rendered"), *flags).code


def unit(root: Path, name: str) -> list[str]:
    """Files of a unit of east."""
    return [path.removeprefix(f"east/{name}/") for path in tree(root / "rendered") if path.startswith(f"east/{name}/")]


def test_applications_read_the_folders_of_their_units(root: Path) -> None:
    found = yaml.safe_load((root / "rendered/root/applicationset-east.yaml").read_text())["spec"]
    source = {"path": "rendered/east/{{.unit}}", "repoURL": "https://git.example.com/acme/fleet.git", "targetRevision": "main"}
    assert found["template"]["spec"]["source"] == source
    for element in found["generators"][0]["list"]["elements"]:
        assert element["paths"] == f"/rendered/east/{element['unit']}"
        assert list((root / "rendered/east" / element["unit"]).glob("*.yaml"))


def test_a_tree_that_is_not_what_is_declared_is_found(root: Path) -> None:
    assert generate(root, "--check") == 0
    repository(root, deployment("chat", replicas=2), placement("chat", entry("east", 2)))
    assert generate(root, "--check") == 3
    assert generate(root) == 0 and generate(root, "--check") == 0


def test_what_is_not_recorded_is_not_in_the_tree(root: Path) -> None:
    """What CI writes must not depend on a place that nobody reviewed."""
    before = tree(root / "rendered")
    repository(root, deployment("talk"))
    assert generate(root) == 0 and tree(root / "rendered") == before


def test_what_went_leaves_its_report_until_nothing_is_recorded(root: Path) -> None:
    """An Application without its folder could not prune the last objects."""
    for step in ([], ["--finish"]):
        assert modelfleet(root, "remove", "ModelDeployment", "ml/chat", *step).code == 0
        assert generate(root) == 0
        commit(root)
    (report,) = unit(root, "model/ml/chat")
    assert report.startswith("configmap-modelfleet-report")
    assert generate(root, "--check") == 0
    assert modelfleet(root, "remove", "ModelDeployment", "ml/chat", "--finish").code == 0
    assert generate(root) == 0 and unit(root, "model/ml/chat") == [] and generate(root, "--check") == 0


def test_files_of_others_in_the_tree_stay(root: Path) -> None:
    (root / "rendered/east/base/ours.txt").write_text("ours")
    assert generate(root) == 0 and unit(root, "base").count("ours.txt") == 1
