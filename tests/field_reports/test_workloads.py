"""What went wrong elsewhere with pods that start, scale and are replaced, and with files that users copy. Named by entry."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import builders as b
from tests.run import modelfleet, repository

Object = dict[str, Any]


def objects(root: Path, *documents: Object, unit: str = "model/ml/chat") -> list[Object]:
    """What a unit of the cluster `east` holds, placed and rendered as by hand."""
    repository(root, b.settings(), b.hardware("h100"), *documents)
    assert modelfleet(root, "place").code == 0
    result = modelfleet(root, "generate", "--cluster", "east", "--unit", unit)
    assert result.code == 0, result.err
    return [one for one in yaml.safe_load_all(result.out) if one]


def one(found: list[Object], kind: str) -> Object:
    (only,) = (manifest for manifest in found if manifest["kind"] == kind)
    return only


def engine_of(deployment: Object) -> Object:
    return next(c for c in deployment["spec"]["template"]["spec"]["containers"] if c["name"] == "engine")


def test_p22_an_update_of_a_full_pool_takes_a_pod_before_it_adds_one(tmp_path: Path) -> None:
    full = b.deployment("chat", b.engine(b.request(count=8)), replicas=2)
    strategy = one(objects(tmp_path, b.cluster("east", b.pool(nodes=2)), full), "Deployment")["spec"]["strategy"]
    assert strategy == {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


def test_p22_a_pod_more_is_asked_for_in_so_many_words(tmp_path: Path) -> None:
    room = b.deployment("chat", replicas=2)
    room["spec"]["rollout"] = {"maxSurge": 1, "maxUnavailable": 0}
    strategy = one(objects(tmp_path, b.cluster("east"), room), "Deployment")["spec"]["strategy"]
    assert strategy["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}


@pytest.mark.parametrize(("declared", "seconds"), [({"startupTimeout": "20m"}, 1200), ({}, 1800)])
def test_p25_no_probe_kills_a_model_that_loads(tmp_path: Path, declared: dict[str, str], seconds: int) -> None:
    found = one(objects(tmp_path, b.cluster("east"), b.deployment("chat", serving=declared)), "Deployment")
    engine = engine_of(found)
    assert engine["startupProbe"]["failureThreshold"] * engine["startupProbe"]["periodSeconds"] == seconds
    assert "initialDelaySeconds" not in engine["livenessProbe"] and "readinessProbe" in engine
    assert found["spec"]["progressDeadlineSeconds"] > seconds


def test_d07_a_gpu_limit_beside_a_device_request_is_refused(tmp_path: Path) -> None:
    member = b.engine()
    member["members"][0]["template"]["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": 1}}
    root = repository(tmp_path, b.settings(), b.hardware("h100"), b.cluster("east"), b.deployment("chat", member))
    result = modelfleet(root, "check")
    assert result.code == 1
    assert "error[PodConflict]" in result.err


def scaled(**more: Any) -> Object:
    rules = {"minReplicas": 1, "maxReplicas": 4, "triggers": [{"type": "RequestsWaiting", "target": "4"}], **more}
    found = b.deployment("chat", replicas=None)
    found["spec"].pop("replicas", None)
    found["spec"]["scaling"] = rules
    return found


def test_k01_a_scaler_asks_for_what_the_engine_exports_and_for_its_own_model_alone(tmp_path: Path) -> None:
    declared = scaled()
    declared["spec"]["template"]["spec"]["serving"] = {"modelName": "qwen"}
    found = objects(tmp_path, b.cluster("east"), declared)
    query = one(found, "ScaledObject")["spec"]["triggers"][0]["metadata"]["query"]
    workload = one(found, "Deployment")["metadata"]["name"]
    assert query == f'sum(vllm:num_requests_waiting{{namespace="ml",model_name="qwen",workload="{workload}"}})'


def test_k03_nothing_wakes_a_model_by_its_own_metric(tmp_path: Path) -> None:
    root = repository(tmp_path, b.settings(), b.hardware("h100"), b.cluster("east"), scaled(minReplicas=0, wake="OnRequest"))
    result = modelfleet(root, "check")
    assert result.code == 1
    assert "wake OnRequest needs a trigger of type RequestsInFlight" in result.err


def test_k03_what_a_missing_answer_means_is_always_said(tmp_path: Path) -> None:
    signals = [{"type": "RequestsInFlight", "target": "2"}, {"type": "RequestsWaiting", "target": "4"}]
    declared = scaled(minReplicas=0, wake="OnRequest", triggers=signals)
    found = one(objects(tmp_path, b.cluster("east"), declared), "ScaledObject")["spec"]["triggers"]
    assert {t["name"]: t["metadata"]["ignoreNullValues"] for t in found} == {
        "requests-in-flight": "true",
        "requests-waiting": "true",
        "wake": "true",
    }


def test_k05_the_number_that_a_scaler_owns_is_handed_over(tmp_path: Path) -> None:
    fixed = {**b.deployment("fixed", replicas=1), "metadata": {"name": "fixed", "namespace": "ml"}}
    repository(tmp_path, b.settings(), b.hardware("h100"), b.cluster("east"), scaled(), fixed)
    assert modelfleet(tmp_path, "place").code == 0
    root = [one for one in yaml.safe_load_all(modelfleet(tmp_path, "generate", "--root").out) if one]
    template = one([m for m in root if m["metadata"]["name"] == "east"], "ApplicationSet")["spec"]["template"]["spec"]
    owners = {(rule["group"], rule["kind"]): "keda-operator" in rule["managedFieldsManagers"] for rule in template["ignoreDifferences"]}
    assert owners == {("apps", "Deployment"): True, ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): True}
    assert "RespectIgnoreDifferences=true" in template["syncPolicy"]["syncOptions"]


TRANSFER = '--kv-transfer-config={"kv_connector":"NixlConnector","kv_role":"kv_both","a": {"b": [1, 2]}}'


def test_f01_a_pair_of_phases_with_two_kinds_of_device(tmp_path: Path) -> None:
    nic = b.gpu("nic", 16, driver="nic.example.com", deviceClassName="nic.example.com", product="ConnectX-7")
    requests = [
        b.request(count=8, products=["NVIDIA H100 80GB HBM3"]),
        b.request("nic", count=16, products=["ConnectX-7"]),
    ]
    phases = []
    for name, phase, port in (("prefill", "Prefill", "--port=8000"), ("decode", "Decode", "--port=8001")):
        declared = b.engine(*requests, name=name) | {"phase": phase}
        declared["members"][0]["template"]["spec"]["containers"][0]["args"] += [port, TRANSFER]
        phases.append(declared)
    pair = b.deployment("chat", *phases, serving={"mode": "PrefillDecode"})
    cluster = b.cluster("east", b.pool("both", nodes=2, hardware="both"), gateway={"inferencePools": True})
    found = objects(tmp_path, b.hardware("both", b.gpu(), nic), cluster, pair)
    engines = {
        m["metadata"]["labels"]["modelfleet.io/engine"]: m for m in found if m["kind"] == "Deployment" and "chat-" in m["metadata"]["name"]
    }
    for deployment in engines.values():
        assert engine_of(deployment)["args"][-1] == TRANSFER
    claimed = [
        [r["exactly"]["count"] for r in m["spec"]["spec"]["devices"]["requests"]] for m in found if m["kind"] == "ResourceClaimTemplate"
    ]
    assert claimed == [[8, 16], [8, 16]]
    sidecar = engines["decode"]["spec"]["template"]["spec"]["initContainers"][0]
    assert ([p["containerPort"] for p in sidecar["ports"]], sidecar["args"][1]) == ([8000], "--vllm-port=8001")
    assert [p["containerPort"] for p in engine_of(engines["decode"])["ports"]] == [8001]


def test_f03_two_models_on_one_cluster_never_count_for_each_other(tmp_path: Path) -> None:
    other = scaled()
    other["metadata"]["name"] = "talk"
    queries = []
    for unit in ("model/ml/chat", "model/ml/talk"):
        found = objects(tmp_path, b.cluster("east"), scaled(), other, unit=unit)
        queries.append(one(found, "ScaledObject")["spec"]["triggers"][0]["metadata"]["query"])
    assert [re.findall(r'model_name="([^"]+)"', query) for query in queries] == [["ml/chat"], ["ml/talk"]]
    assert all(query.startswith("sum(") and 'namespace="ml"' in query for query in queries)


def test_f04_a_parallel_size_that_claims_do_not_bear_out_is_said(tmp_path: Path) -> None:
    member = b.engine(b.request(count=2))
    member["members"][0]["template"]["spec"]["containers"][0]["args"] += ["--tensor-parallel-size=4"]
    root = repository(tmp_path, b.settings(), b.hardware("h100"), b.cluster("east"), b.deployment("chat", member))
    assert modelfleet(root, "place").code == 0
    assert "warning[ParallelSize]: engine `main` runs on 4 devices" in modelfleet(root, "check").err


def test_f07_each_knob_of_a_spot_service_has_its_field(tmp_path: Path) -> None:
    up = {"policies": [{"type": "Pods", "value": 2, "periodSeconds": 120}], "stabilizationWindowSeconds": 90}
    declared = scaled(behavior={"scaleUp": up}, minReplicas=2, triggers=[{"type": "RequestsRunning", "target": "8"}])
    declared["spec"]["placement"] = {"spot": "Allow", "prefer": [{"weight": 1, "matchLabels": {"topology.kubernetes.io/region": "eu"}}]}
    declared["spec"]["template"]["spec"]["serving"] = {"startupTimeout": "20m"}
    cluster = b.cluster("east", b.pool(spot=True), location={"region": "eu"})
    spec = one(objects(tmp_path, cluster, declared), "ScaledObject")["spec"]
    scale_up = spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]["scaleUp"]
    assert (spec["minReplicaCount"], spec["maxReplicaCount"], spec["triggers"][0]["metadata"]["threshold"]) == (2, 4, "8")
    assert scale_up == {**up, "selectPolicy": "Max"}


def test_f08_braces_and_dollars_of_other_renderers_pass_untouched(tmp_path: Path) -> None:
    member = b.engine()
    container = member["members"][0]["template"]["spec"]["containers"][0]
    container["args"] += ["--chat-template={{ messages }}", "{{name}}", "$(HOME)", "${X}"]
    found = one(objects(tmp_path, b.cluster("east"), b.deployment("chat", member)), "Deployment")
    assert engine_of(found)["args"] == container["args"]
