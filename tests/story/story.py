"""The branches of the story. Each begins at main; some are merged, and the next begins there."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.run import modelfleet
from tests.test_base import commit, git

EXAMPLE = Path(__file__).parents[2] / "fleet-repo-example"
TEAM = """\
apiVersion: modelfleet.io/v1alpha1
kind: Team
metadata: {name: research}
spec:
  namespaces: [research]
  quota:
  - {name: h200, classes: [h200-8x], devices: 8}
"""
SMALL = """\
apiVersion: modelfleet.io/v1alpha1
kind: ModelDeployment
metadata: {name: NAME, namespace: NAMESPACE}
spec:
  replicas: NUMBER
  template:
    spec:
      engines:
      - name: main
        members:
        - nodeSelector:
            devices:
            - {name: gpu, products: [NVIDIA L4]}
          template:
            spec:
              containers:
              - name: engine
                image: vllm/vllm-openai:v0.33.0
                args: [--model=Qwen/Qwen3-Reranker-4B, --served-model-name=$(MODELFLEET_SERVED_MODEL_NAME), --shutdown-timeout=60]
"""


@dataclass(frozen=True)
class Chapter:
    """A branch. told: what happens, for people. merged: whether main has it afterwards."""

    name: str
    told: str
    make: Callable[[Path], None]
    merged: bool = True


def begin(root: Path) -> Path:
    """The example's fleet in one commit, without a model."""
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns("models", "placements", "teams", "README.md", ".*"))
    git(root, "init", "-q")
    return commit(root, "The fleet")


def branch(root: Path, chapter: Chapter) -> None:
    """Makes the branch of a chapter; the work tree stands on it afterwards."""
    git(root, "checkout", "-q", "-b", chapter.name, "main")
    chapter.make(root)
    commit(root, chapter.told)


def end(root: Path, chapter: Chapter) -> None:
    """Back on main, with the branch merged if it is."""
    git(root, "checkout", "-q", "main")
    if chapter.merged:
        git(root, "merge", "-q", "--no-edit", chapter.name)


def take(root: Path, *namespaces: str) -> None:
    """The example's models of these namespaces, and their records."""
    for folder in ("models", "placements"):
        for namespace in namespaces:
            shutil.copytree(EXAMPLE / folder / namespace, root / folder / namespace)


def run(root: Path, *arguments: str) -> None:
    done = modelfleet(root, *arguments)
    assert done.code == 0, done.err


def edit(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text()
    assert old in text, f"{path} has no `{old}`"
    (root / path).write_text(text.replace(old, new, 1))


def small(root: Path, namespace: str, name: str, replicas: int) -> None:
    """A model that only L4s can run, placed."""
    text = SMALL.replace("NAMESPACE", namespace).replace("NAME", name).replace("NUMBER", str(replicas))
    (root / f"models/{namespace}/{name}.yaml").write_text(text)
    run(root, "place", f"{namespace}/{name}")


def canary(root: Path) -> None:
    """The next version beside the one that serves, with one request of twenty."""
    text = (root / "models/search/qwen3-8b.yaml").read_text()
    start, rest = text.split("  scaling:\n")[0], text.split("  template:\n", 1)[1]
    spec = f"{start}  replicas: 1\n  template:\n{rest}"
    spec = spec.replace("name: qwen3-8b,", "name: qwen3-8b-next,").replace("v0.33.0", "v0.34.0")
    spec = spec.replace("    spec:\n      engines:", "    spec:\n      serving: {modelName: search/qwen3-8b}\n      engines:", 1)
    (root / "models/search/qwen3-8b-next.yaml").write_text(spec)
    edit(
        root,
        "models/search/rewrite.yaml",
        "{deployment: qwen3-8b}",
        "{deployment: qwen3-8b, weight: 95}\n  - {deployment: qwen3-8b-next, weight: 5}",
    )
    run(root, "place")


def node_lost(root: Path) -> None:
    edit(root, "fleet/clusters/rack-fra1.yaml", "nodeCount: 2}", "nodeCount: 2, unavailable: [{nodes: 1, reason: board replaced}]}")


def over_quota(root: Path) -> None:
    edit(root, "models/research/gpt-oss-120b.yaml", "replicas: 1", "replicas: 2")
    run(root, "place")


def team(root: Path) -> None:
    (root / "fleet/teams").mkdir()
    (root / "fleet/teams/research.yaml").write_text(TEAM)


CHAPTERS = (
    Chapter("first-model", "The search team's first model", lambda root: take(root, "search")),
    Chapter("the-others", "The other teams follow", lambda root: take(root, "research", "support")),
    Chapter("canary", "A canary of the next version", canary, merged=False),
    Chapter("drain", "Everything off gke-us-east4", lambda root: run(root, "drain", "gke-us-east4", "--allow-removals"), merged=False),
    Chapter("node-lost", "A node of the rack has died", node_lost, merged=False),
    Chapter("the-team", "The research team gets a quota", team),
    Chapter("over-quota", "A second replica that the quota does not allow", over_quota, merged=False),
    Chapter("the-last-devices", "Two replicas on the last two L4", lambda root: small(root, "search", "rerank", 2), merged=False),
    Chapter("the-same-device", "Another model on one of the last two L4", lambda root: small(root, "support", "classify", 1), merged=False),
)
