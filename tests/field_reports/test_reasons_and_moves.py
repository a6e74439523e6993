"""What went wrong elsewhere when something could not be placed, was lost, or was updated. Named by entry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from modelfleet.place.place import place

from tests import builders as b
from tests.run import modelfleet, repository, tree

H100, L4 = b.hardware("h100"), b.hardware("l4", b.gpu(count=1, memory="23034Mi", product="NVIDIA L4"))


def manifests(root: Path, *flags: str) -> list[dict[str, Any]]:
    result = modelfleet(root, "generate", *flags)
    assert result.code == 0, result.err
    return list(yaml.safe_load_all(result.out))


def test_p04_a_lost_cluster_moves_nothing_and_is_no_longer_routed_to(tmp_path: Path) -> None:
    fleet = [b.settings(), H100, b.cluster("north"), b.cluster("west")]
    record = b.placement("chat", b.entry("east", 1), b.entry("west", 1))
    root = repository(tmp_path, *fleet, b.cluster("east"), b.deployment(replicas=2), record)
    before, workload = manifests(root, "--recorded"), ("--cluster", "east", "--unit", "model/ml/chat")
    models = manifests(root, "--recorded", *workload)
    repository(root, b.cluster("east", state="Offline"))
    assert modelfleet(root, "place").out == "every record is up to date\n"
    assert manifests(root, "--recorded", *workload) == models
    names = [{(m["kind"], m["metadata"]["name"]) for m in found} for found in (before, manifests(root, "--recorded"))]
    named = names[0] - names[1]
    assert named <= {("HTTPRoute", name) for _, name in named}
    assert "1 on h100  no       Offline: the cluster is Offline" in modelfleet(root, "explain", "ml/chat").out


OTHERS = [b.deployment("code", replicas=2), b.placement("code", b.entry("north", 1), b.entry("west", 1))]
CHAT = [b.deployment(replicas=2), b.placement("chat", b.entry("east", 1), b.entry("west", 1))]


def test_p04_a_cluster_given_up_has_its_own_replicas_placed_again_and_nothing_else_changes(tmp_path: Path) -> None:
    fleet = [b.settings(), H100, b.cluster("north"), b.cluster("west")]
    root = repository(tmp_path / "repo", *fleet, b.cluster("east"), *OTHERS, *CHAT)
    before, after = tmp_path / "before", tmp_path / "after"
    assert modelfleet(root, "generate", "--recorded", "-o", str(before)).code == 0
    repository(root, b.cluster("east", state="Lost"))
    assert modelfleet(root, "place").out == "ml/chat: east 1 (h100), north 1 (h100), west 1 (h100)\n"
    assert modelfleet(root, "generate", "--recorded", "-o", str(after)).code == 0
    was, now = tree(before), tree(after)
    changed = {path for path in {*was, *now} if was.get(path) != now.get(path)}
    said = {path for path in changed if "/configmap-modelfleet-report" in path or path.startswith(("root/", ".modelfleet"))}
    assert {path.split("/")[0] for path in changed - said} <= {"east", "north"}, sorted(changed)
    assert all("chat" in path or "routes" in path for path in changed - said), sorted(changed)


def test_p04_a_cluster_gone_from_git_retires_its_own_entries_alone(tmp_path: Path) -> None:
    found = b.fleet(H100, b.cluster("north"), b.cluster("west"), *OTHERS, *CHAT)
    placements = place(found, found.placements).placements
    assert placements[("ml", "code")] == found.placements[("ml", "code")]
    entries = [(e.cluster, e.count, e.retiring, e.replaced) for e in placements[("ml", "chat")].replicas]
    assert entries == [("east", 1, True, 1), ("north", 1, False, 0), ("west", 1, False, 0)]
    root = repository(tmp_path, b.settings(), H100, b.cluster("north"), b.cluster("west"), *OTHERS, *CHAT)
    refused = modelfleet(root, "check")
    assert refused.code == 1 and "error[ClusterGone]: cluster `east` is not declared" in refused.err


FIVE = [
    b.cluster("cpu", b.pool("l4")),
    b.cluster("full", b.pool(nodes=1), labels={"tier": "prod"}),
    b.cluster("lab-a", labels={"tier": "test"}),
    b.cluster("lab-b", labels={"tier": "test"}),
    b.cluster("team", taints=[{"key": "team", "value": "x", "effect": "NoSchedule"}]),
]
WANTS = b.engine(b.request(count=4, memory={"atLeast": "40Gi"}))
NOT_LAB = {"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["test"]}]}
PROD = {"matchLabels": {"tier": "prod"}}
HELD = [b.deployment("big", b.engine(b.request(count=8)), clusterSelector=PROD), b.placement("big", b.entry("full", 1))]
SUMMARY = "0/5 clusters can take another: 2 SelectorMismatch, 1 InsufficientDevices, 1 NoMatchingClass, 1 UntoleratedTaint"
VERDICTS = {
    "cpu": ("NoMatchingClass", "request `gpu` wants memory of at least 40Gi; gpu of l4: memory is 23034Mi"),
    "full": ("InsufficientDevices", "pool h100: needs 4 gpu, 0 of 8 free; held by ml/big 8"),
    "lab-a": ("SelectorMismatch", "its labels do not match clusterSelector"),
    "lab-b": ("SelectorMismatch", "its labels do not match clusterSelector"),
    "team": ("UntoleratedTaint", "taint team:NoSchedule is not tolerated"),
}


def test_p06_every_cluster_says_why_not_and_everything_says_the_same(tmp_path: Path) -> None:
    declared = [H100, L4, *FIVE, *HELD, b.deployment("chat", WANTS, replicas=3, clusterSelector=NOT_LAB)]
    shortfall = place(b.fleet(*declared), b.fleet(*declared).placements).shortfalls[("ml", "chat")]
    assert {r.cluster: (r.reason, r.text) for r in shortfall.refusals} == VERDICTS
    root = repository(tmp_path, b.settings(), *declared)
    placed = modelfleet(root, "place")
    assert placed.out == "ml/chat: no replicas; 0 of 3 placed\n" and f"  {SUMMARY}\n" in placed.err
    assert f"  {SUMMARY}\n" in modelfleet(root, "check").err
    explained = json.loads(modelfleet(root, "explain", "ml/chat", "--format", "json").out)
    assert explained["summary"] == SUMMARY
    assert {c["cluster"]: (c["reason"], c["text"]) for c in explained["clusters"]} == VERDICTS
    assert yaml.safe_load((root / "placements/ml/chat.yaml").read_text())["spec"]["shortfall"] == {"missing": 3, "summary": SUMMARY}


def test_p06_the_application_carries_the_summary(tmp_path: Path) -> None:
    declared = [b.settings(), H100, b.cluster("east", b.pool(nodes=1)), b.deployment("chat", b.engine(b.request(count=8)), replicas=2)]
    root = repository(tmp_path, *declared)
    modelfleet(root, "place")
    said = modelfleet(root, "generate", "--root").out
    assert "1 of 2" in said and "0/1 clusters can take another: 1 InsufficientDevices" in said


def test_p08_each_cluster_lists_the_secret_that_staging_needs_and_no_value_is_written(tmp_path: Path) -> None:
    source = {"repo": "meta-llama/Llama-3.1-8B", "sizeGiB": 50, "authSecret": {"name": "hf", "key": "token"}}
    spec = {"source": "HuggingFace", "huggingFace": source}
    cache = {"apiVersion": b.API, "kind": "ModelCache", "metadata": {"name": "llama", "namespace": "ml"}, "spec": spec}
    model = b.deployment(replicas=3)
    model["spec"]["template"]["spec"]["modelCacheRef"] = {"name": "llama"}
    root = repository(tmp_path, b.settings(), H100, *(b.cluster(name) for name in "abc"), model, models__ml__llama=yaml.safe_dump(cache))
    assert modelfleet(root, "place").out == "ml/chat: a 1 (h100), b 1 (h100), c 1 (h100)\n"
    for name in "abc":
        found = manifests(root, "--cluster", name, "--unit", "caches/ml")
        assert [m["data"]["prerequisites"] for m in found if m["kind"] == "ConfigMap"] == ["secret ml/hf, key token\n"]
        assert not [m for m in found if m["kind"] == "Secret"]
        (job,) = (m for m in found if m["kind"] == "Job")
        environment = job["spec"]["template"]["spec"]["containers"][0]["env"]
        (token,) = (e for e in environment if e["name"] == "HF_TOKEN")
        assert token == {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}}


def workload(root: Path) -> dict[str, Any]:
    found = manifests(root, "--recorded", "--cluster", "east", "--unit", "model/ml/chat")
    return next(m for m in found if m["kind"] == "Deployment")


UPDATES = [
    ("P22: on a full pool an update replaces pods, and never waits for room", {}, 4, {"maxSurge": 0, "maxUnavailable": 1}),
    ("P22: a surge is charged before it is used", {"maxSurge": 1, "maxUnavailable": 0}, 3, {"maxSurge": 1, "maxUnavailable": 0}),
]


@pytest.mark.parametrize(("rollout", "count", "strategy"), [case[1:] for case in UPDATES], ids=[case[0] for case in UPDATES])
def test_updates(tmp_path: Path, rollout: dict[str, int], count: int, strategy: dict[str, int]) -> None:
    model = b.deployment("chat", b.engine(b.request(count=2)), replicas=4, rollout=rollout)
    root = repository(tmp_path, b.settings(), H100, b.cluster("east", b.pool(nodes=1)), model)
    modelfleet(root, "place")
    spec = workload(root)["spec"]
    assert (spec["replicas"], spec["strategy"]) == (count, {"type": "RollingUpdate", "rollingUpdate": strategy})


@pytest.mark.parametrize(
    ("serving", "seconds"),
    [
        pytest.param({"startupTimeout": "20m"}, 1200, id="P25: the start-up probe waits as long as loading may take"),
        pytest.param({}, 1800, id="P25: without a word on loading it waits half an hour"),
    ],
)
def test_probes(tmp_path: Path, serving: dict[str, str], seconds: int) -> None:
    record = b.placement("chat", b.entry("east", 1))
    root = repository(tmp_path, b.settings(), H100, b.cluster("east"), b.deployment(serving=serving), record)
    (engine,) = workload(root)["spec"]["template"]["spec"]["containers"]
    startup, liveness, readiness = (engine[f"{kind}Probe"] for kind in ("startup", "liveness", "readiness"))
    assert startup["failureThreshold"] * startup["periodSeconds"] == seconds
    assert not [p for p in (startup, liveness, readiness) if "initialDelaySeconds" in p]
    assert startup["httpGet"] == liveness["httpGet"] == readiness["httpGet"]
