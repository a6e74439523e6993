"""`remove` and `drain`: what each commit writes, what --finish refuses, and that nothing is left half done."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import API, cluster, deployment, entry, hardware, placement, pool, settings
from tests.run import modelfleet, tree
from tests.test_base import commit, committed, said

FLEET = [settings(), hardware("h100"), cluster("east", pool(nodes=8)), cluster("west", pool(nodes=8))]
PRUNING = [settings(removal="Prune"), *FLEET[1:]]
CHAT = f"""# The chat model.
apiVersion: {API}
kind: ModelDeployment
metadata: {{name: chat, namespace: ml}}
spec:
  replicas: 2  # two, see the incident of May
  template:
    spec:
      engines:
      - name: main
        members:
        - nodeSelector: {{devices: [{{name: gpu, memory: {{atLeast: 1Gi}}}}]}}
          template: {{spec: {{containers: [{{name: engine, image: 'vllm/vllm-openai:v0.33.0'}}]}}}}
"""
SCALED = CHAT.replace(
    "  replicas: 2  # two, see the incident of May\n",
    "  # by day and night\n  scaling:\n    maxReplicas: 4\n    triggers:\n    - {type: RequestsWaiting, target: '4'}\n",
)
SERVICE = f"apiVersion: {API}\nkind: ModelService\nmetadata: {{name: talk, namespace: ml}}\nspec:\n  endpoints: [{{deployment: chat}}]\n"
CACHE = f"""apiVersion: {API}
kind: ModelCache
metadata:
  # weights
  name: qwen
  namespace: ml
spec: {{source: HuggingFace, huggingFace: {{repo: a/b, sizeGiB: 9}}}}
"""


def fleet(root: Path, *manifests: dict[str, object], text: str = CHAT) -> Path:
    return committed(root, *(manifests or (*FLEET, placement("chat", entry("east", 2)))), texts={"models__ml__chat": text})


def model(root: Path) -> str:
    return (root / "models/ml/chat.yaml").read_text()


def test_a_deployment_is_taken_away_in_steps_of_one_command(tmp_path: Path) -> None:
    root = fleet(tmp_path)
    first = modelfleet(root, "remove", "ModelDeployment", "ml/chat")
    assert first.out.splitlines() == [
        "ml/chat: east 2 -> 1 (h100) retiring",
        "next: merge, wait until it is synced, then modelfleet remove ModelDeployment ml/chat --finish",
    ]
    assert model(root) == CHAT.replace("replicas: 2 ", "replicas: 0 ")
    assert said(root) == []
    early = modelfleet(root, "remove", "deployment", "ml/chat", "--finish")
    assert early.code == 1 and "does not retire yet where Argo CD reads" in early.err
    commit(root)
    second = modelfleet(root, "remove", "deployment", "ml/chat", "--finish")
    assert second.out.splitlines()[0] == "ml/chat: east 1 dropped"
    assert said(root) == []
    early = modelfleet(root, "remove", "deployment", "ml/chat", "--finish")
    assert early.code == 1 and "is still recorded where Argo CD reads" in early.err
    commit(root)
    assert modelfleet(root, "remove", "deployment", "ml/chat", "--finish").out == "ml/chat: its files are deleted\n"
    assert not (root / "models/ml/chat.yaml").exists() and not (root / "placements/ml/chat.yaml").exists()
    assert said(root) == []


def test_scaling_goes_and_comments_stay(tmp_path: Path) -> None:
    held = {**entry("east", 2), "minimum": 1, "maximum": 4}
    root = fleet(tmp_path, *FLEET, placement("chat", held), text=SCALED)
    assert modelfleet(root, "remove", "ModelDeployment", "ml/chat").code == 0
    assert (
        model(root)
        == SCALED[: SCALED.index("  scaling:")].replace("spec:\n", "spec:\n  replicas: 0\n") + SCALED[SCALED.index("  template:") :]
    )


def test_what_serves_is_not_dropped(tmp_path: Path) -> None:
    root = fleet(tmp_path)
    refused = modelfleet(root, "remove", "ModelDeployment", "ml/chat", "--finish")
    assert refused.code == 1 and "error[NotFinished]: `ml/chat` serves on east and does not retire" in refused.err


def test_too_many_at_once_change_no_file(tmp_path: Path) -> None:
    root = fleet(tmp_path, *FLEET, placement("chat", entry("east", 4)), text=CHAT.replace("replicas: 2 ", "replicas: 4 "))
    before = tree(root)
    refused = modelfleet(root, "remove", "ModelDeployment", "ml/chat")
    assert refused.code == 1 and "modelfleet remove ModelDeployment ml/chat --allow-removals" in refused.err
    assert tree(root) == before
    assert modelfleet(root, "remove", "ModelDeployment", "ml/chat", "--allow-removals").code == 0
    assert said(root) == []


def test_what_others_name_is_not_deleted(tmp_path: Path) -> None:
    root = fleet(tmp_path, *FLEET, placement("chat", wanted=0), text=CHAT.replace("replicas: 2 ", "replicas: 0 "))
    (root / "models/ml/talk.yaml").write_text(SERVICE)
    commit(root)
    before = tree(root)
    refused = modelfleet(root, "remove", "ModelDeployment", "ml/chat", "--finish")
    assert refused.code == 1 and "error[UnknownTarget]" in refused.err
    assert tree(root) == before


def test_a_fleet_that_prunes_needs_one_commit(tmp_path: Path) -> None:
    root = fleet(tmp_path, *PRUNING, placement("chat", entry("east", 2)))
    assert modelfleet(root, "remove", "ModelDeployment", "ml/chat").out.splitlines()[-1] == "ml/chat: its files are deleted"
    assert not (root / "models/ml/chat.yaml").exists() and said(root) == []


MARKED = {
    "a cache": (
        "ModelCache",
        "ml/qwen",
        "models/ml/qwen.yaml",
        CACHE,
        "metadata:\n  annotations: {modelfleet.io/remove: approved}\n  # weights",
    ),
    "a service": (
        "service",
        "ml/talk",
        "models/ml/talk.yaml",
        SERVICE,
        "metadata: {name: talk, namespace: ml, annotations: {modelfleet.io/remove: approved}}",
    ),
}


@pytest.mark.parametrize(("kind", "name", "path", "text", "marked"), MARKED.values(), ids=MARKED)
def test_anything_else_is_marked_and_then_deleted(tmp_path: Path, kind: str, name: str, path: str, text: str, marked: str) -> None:
    root = fleet(tmp_path)
    (root / path).write_text(text)
    commit(root)
    early = modelfleet(root, "remove", kind, name, "--finish")
    assert early.code == 1 and "is not approved where Argo CD reads" in early.err
    assert modelfleet(root, "remove", kind, name).code == 0
    assert marked in (root / path).read_text() and said(root) == []
    early = modelfleet(root, "remove", kind, name, "--finish")
    assert early.code == 1 and "merge the commit that approves it" in early.err
    commit(root)
    assert modelfleet(root, "remove", kind, name, "--finish").code == 0
    assert not (root / path).exists() and said(root) == []


def test_a_cluster_is_drained_before_it_is_removed(tmp_path: Path) -> None:
    root = fleet(tmp_path)
    held = modelfleet(root, "remove", "cluster", "east")
    assert held.code == 1 and "cluster `east` has recorded replicas of ml/chat" in held.err and "modelfleet drain east" in held.err
    drained = modelfleet(root, "drain", "east")
    assert drained.out.splitlines()[0] == "ml/chat: east 2 (h100) retiring, west 2 (h100)" and said(root) == []
    assert "modelfleet.io/drain" in (root / "fleet/inferencecluster-east.yaml").read_text()
    assert modelfleet(root, "drain", "east", "--finish").code == 1
    commit(root)
    assert modelfleet(root, "drain", "east", "--finish").out.splitlines()[0] == "ml/chat: west 2 (h100), east 2 dropped"
    commit(root)
    assert modelfleet(root, "drain", "east", "--finish").out == "east is empty; modelfleet remove InferenceCluster east takes it away\n"
    assert modelfleet(root, "remove", "cluster", "east").code == 0
    commit(root)
    assert modelfleet(root, "remove", "cluster", "east", "--finish").out == "InferenceCluster east: deleted\n"
    assert said(root) == []


def test_draining_without_room_needs_its_loss_to_be_accepted(tmp_path: Path) -> None:
    root = fleet(tmp_path, *FLEET[:3], placement("chat", entry("east", 2)))
    assert "0 of 2 placed" in modelfleet(root, "drain", "east").out
    commit(root)
    refused = modelfleet(root, "drain", "east", "--finish")
    assert refused.code == 1 and "0 of 2 replicas are recorded besides what retires" in refused.err
    assert modelfleet(root, "drain", "east", "--finish", "--accept-loss", "ml/chat").code == 0


def test_a_drain_that_takes_too_much_changes_no_file(tmp_path: Path) -> None:
    root = fleet(tmp_path, *FLEET, placement("chat", entry("east", 4)), text=CHAT.replace("replicas: 2 ", "replicas: 4 "))
    before = tree(root)
    refused = modelfleet(root, "drain", "east")
    assert refused.code == 1 and "modelfleet drain east --allow-removals" in refused.err and tree(root) == before


def test_a_file_that_cannot_be_edited_is_left_alone(tmp_path: Path) -> None:
    root = fleet(tmp_path)
    text = SERVICE.replace(
        "metadata: {name: talk, namespace: ml}",
        "metadata:\n  name: talk\n  namespace: ml\n  annotations:\n    modelfleet.io/remove: |\n      not yet\n    a: b",
    )
    (root / "models/ml/talk.yaml").write_text(text)
    refused = modelfleet(root, "remove", "ModelService", "ml/talk")
    assert refused.code == 1 and "error[CannotEdit]" in refused.err
    assert (root / "models/ml/talk.yaml").read_text() == text


WRONG = {
    "a kind that is none": (["remove", "Pod", "ml/chat"], 2, "`Pod` cannot be removed by this command"),
    "a name that is none": (["remove", "ModelDeployment", "ml/chta"], 1, "no ModelDeployment is named `ml/chta`"),
    "a cluster that is none": (["drain", "esat"], 1, "no InferenceCluster is named `esat`"),
    "a loss without finishing": (["drain", "east", "--accept-loss", "ml/chat"], 2, "--accept-loss is for --finish"),
    "what is not drained": (["drain", "east", "--finish"], 1, "cluster `east` is not drained"),
}


@pytest.mark.parametrize(("arguments", "code", "text"), WRONG.values(), ids=WRONG)
def test_what_is_refused(tmp_path: Path, arguments: list[str], code: int, text: str) -> None:
    result = modelfleet(fleet(tmp_path), *arguments)
    assert result.code == code and text in result.err


def test_no_toleration_matches_a_drain(tmp_path: Path) -> None:
    tolerant = deployment(replicas=2, tolerations=[{"operator": "Exists"}])
    root = committed(tmp_path, *FLEET, tolerant, placement("chat", entry("east", 2)))
    assert modelfleet(root, "drain", "east").out.splitlines()[0] == "ml/chat: east 2 (h100) retiring, west 2 (h100)"
