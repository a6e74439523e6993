"""What the example renders is accepted by a real API server, without a warning, and a second sync changes nothing."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from tests.e2e import cluster
from tests.e2e.judge import Manifest, judge, kinds, read

pytestmark = pytest.mark.e2e

EXAMPLE = Path(__file__).resolve().parents[2] / "fleet-repo-example"
ROOT = "root"
# Argo CD's ApplicationSet controller knows its finalizer by this name alone, so every one of its users gets this.
FINALIZER = (
    'warning: 299 - "metadata.finalizers: \\"resources-finalizer.argocd.argoproj.io\\": prefer a domain-qualified finalizer name '
    'including a path (/) to avoid accidental conflicts with other finalizer writers"'
)


def declared_clusters() -> list[str]:
    """The names of the InferenceClusters of the example."""
    documents = [document for path in sorted(EXAMPLE.glob("fleet/**/*.yaml")) for document in yaml.safe_load_all(path.read_text())]
    return sorted(document["metadata"]["name"] for document in documents if document and document["kind"] == "InferenceCluster")


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `modelfleet generate` writes for the example, as a user runs it."""
    folder = tmp_path_factory.mktemp("generated") / "tree"
    command = [sys.executable, "-m", "modelfleet", "--repo", str(EXAMPLE), "generate", "-o", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def verdict(tools: Path, manifests: Sequence[Manifest], *prepared: str) -> list[str]:
    """The judgement of a cluster that holds the CustomResourceDefinitions the manifests are of, and some namespaces."""
    with cluster.start(tools) as started:
        started.install(tools / "crds", kinds(manifests))
        for name in prepared:
            started.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        return judge(started, manifests)


def test_the_tree_has_a_folder_for_each_cluster_and_nothing_but_manifests(tree: Path) -> None:
    shown = [path for path in tree.rglob("*") if not path.name.startswith(".")]
    assert sorted(path.name for path in shown if path.parent == tree) == sorted([*declared_clusters(), ROOT])
    assert [path for path in shown if path.is_file() and path.suffix != ".yaml"] == []


@pytest.mark.parametrize("name", declared_clusters())
def test_a_cluster_accepts_its_units(tools: Path, tree: Path, name: str) -> None:
    manifests = read(tree / name)
    assert manifests
    assert verdict(tools, manifests) == []


def test_the_hub_accepts_the_root(tools: Path, tree: Path) -> None:
    manifests = read(tree / ROOT)
    assert {manifest.object["kind"] for manifest in manifests} == {"AppProject", "ApplicationSet"}
    # Argo CD's own namespace is there before its root Application is.
    namespaces = {manifest.object["metadata"]["namespace"] for manifest in manifests}
    expected = [f"{manifest}: {FINALIZER}" for manifest in manifests if manifest.object["kind"] == "ApplicationSet"]
    assert verdict(tools, manifests, *namespaces) == expected
