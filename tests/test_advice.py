"""Advice: a deployment and where it is recorded, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest
from modelfleet import load, validate
from modelfleet.advice import check_advice
from modelfleet.diagnostics import Report
from modelfleet.emit import document
from modelfleet.resolve import resolve

from tests import builders as b
from tests.render.builders import cache as cache_spec

GOOD = ["--served-model-name=$(MODELFLEET_SERVED_MODEL_NAME)", "--shutdown-timeout=60"]


def said(*documents: dict[str, Any]) -> dict[str, str]:
    """Message by code of all that is said."""
    report = Report()
    read = []
    for number, one in enumerate(documents):
        folder = {"ModelDeployment": "models/ml", "ModelCache": "models/ml", "Placement": "placements/ml"}.get(one["kind"], "fleet")
        read += load.parse(f"{folder}/{number}.yaml", document(one), report)
    resources = validate.validate(read, report)
    fleet = resolve(resources, "0.1.0", report)
    assert fleet is not None and not report.errors, report.found
    check_advice(resources, fleet, report)
    return {found.code.name: found.message for found in report.sorted()}


def of(
    *args: str, count: int = 1, serving: Any = None, where: Any = None, record: Any = None, pod: Any = None, **container: Any
) -> dict[str, str]:
    """What is said of one engine with these arguments on one cluster, without what `of()` alone is told."""
    engine = {"name": "engine", "image": "vllm/vllm-openai:v0.33.0", "args": [*GOOD, *args], **container}
    main = b.engine(b.request(count=count))
    main["members"][0]["template"]["spec"] = {"containers": [engine], **(pod or {})}
    declared = b.deployment("chat", main, serving=serving, replicas=2) if serving else b.deployment("chat", main, replicas=2)
    return said(b.settings(), b.hardware("h100"), where or b.cluster("east"), declared, record or b.placement("chat", b.entry("east", 2)))


CASES: list[tuple[str, Any, dict[str, str]]] = [
    ("nothing is wrong", lambda: of(), {}),
    (
        "requests are aborted",
        lambda: of(args=[GOOD[0]]),
        {"NoDrain": "without --shutdown-timeout vLLM aborts the requests under way when a pod stops"},
    ),
    ("a shell's script is read", lambda: of(args=[], command=["sh", "-c", f"exec vllm serve m {GOOD[0]} {GOOD[1]}"]), {}),
    (
        "another name",
        lambda: of(args=["--served-model-name", "qwen", "--shutdown-timeout=9"]),
        {"ServedModelNameNotPassed": "the engine answers to `qwen`, and callers and scalers ask for `ml/chat`"},
    ),
    ("one of several names", lambda: of(args=["--served-model-name", "qwen", "ml/chat", "--shutdown-timeout=9"]), {}),
    (
        "no name at all",
        lambda: of(args=["--model=Qwen/Qwen3-8B", "--shutdown-timeout=9"]),
        {"ServedModelNameNotPassed": "the engine answers to `Qwen/Qwen3-8B`, and callers and scalers ask for `ml/chat`"},
    ),
    ("the path is the name", lambda: of(args=["--model=m", "--shutdown-timeout=9"], serving={"modelName": "m"}), {}),
    ("another engine's arguments are its own", lambda: of(args=["--port", "30000"], image="lmsysorg/sglang:v0.5"), {}),
    (
        "an image without a tag",
        lambda: of(image="registry:5000/vllm"),
        {"ImageNotPinned": "`registry:5000/vllm` has no tag: two pods may run two versions"},
    ),
    (
        "the tag latest, of an init container",
        lambda: of(pod={"initContainers": [{"name": "i", "image": "busybox:latest"}]}),
        {"ImageNotPinned": "`busybox:latest` has the tag latest: two pods may run two versions"},
    ),
    ("a digest needs no tag", lambda: of(image="vllm@sha256:" + "0" * 64), {}),
    (
        "more devices than are claimed",
        lambda: of("--tensor-parallel-size=4", count=2),
        {"ParallelSize": "engine `main` runs on 4 devices (tensor 4 x pipeline 1 x data 1) and claims 2"},
    ),
    (
        "fewer",
        lambda: of("-tp", "2", count=8),
        {"ParallelSize": "engine `main` runs on 2 devices (tensor 2 x pipeline 1 x data 1) and claims 8"},
    ),
    ("all of them", lambda: of("--tensor-parallel-size=$(MODELFLEET_DEVICE_COUNT)", count=8), {}),
    ("tensor times data", lambda: of("-tp=4", "-dp=2", count=8), {}),
    (
        "every share is one pod",
        lambda: of(record=b.placement("chat", b.entry("east", 1), wanted=2)),
        {"UpdateStopsModel": "an update stops all of engine `main` at once: each share has as many pods as may be unavailable"},
    ),
    (
        "a newer field",
        lambda: of(pod={"volumes": [{"name": "w", "image": {"reference": "w:v1"}}]}),
        {"FieldTooNew": "`image` needs Kubernetes 1.35; cluster east has 1.34"},
    ),
    (
        "a picker without pools",
        lambda: of(serving={"picker": "EndpointPicker"}),
        {"NoPicker": "the gateway of cluster east routes to no InferencePool"},
    ),
]


@pytest.mark.parametrize(("found", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_advice(found: Any, expected: dict[str, str]) -> None:
    assert found() == expected


def test_no_secret_is_ever_shown() -> None:
    assert "letmein" not in str(of(env=[{"name": "PASSWORD", "value": "letmein"}]))


def test_a_gang_is_counted_as_a_whole() -> None:
    def gang(size: int) -> dict[str, Any]:
        args = [*GOOD, "--tensor-parallel-size=8", f"--pipeline-parallel-size={size}"]
        template = {"spec": {"containers": [{"name": "engine", "image": "vllm:v1", "args": args}]}}
        selector = {"devices": [b.request(count=8)]}
        members = [{"role": "Leader", "nodeSelector": selector, "template": template}, {"role": "Worker", "nodeSelector": selector}]
        return {"name": "main", "members": members}

    devices = {"Leader/gpu": "gpu", "Worker/gpu": "gpu"}
    record = b.placement("chat", {"cluster": "east", "engines": {"main": {"pool": "h100", "devices": devices}}, "count": 2, "minimum": 2})
    known = (b.settings(), b.hardware("h100"), b.cluster("east"))
    assert said(*known, b.deployment("chat", gang(2), replicas=2), record) == {}
    found = said(*known, b.deployment("chat", gang(3), replicas=2), record)
    assert found == {"ParallelSize": "engine `main` runs on 24 devices (tensor 8 x pipeline 3 x data 1) and claims 16"}


@pytest.mark.parametrize(
    ("serving", "codes"), [({}, ["ColdStart"]), ({"picker": "EndpointPicker"}, ["WakeUnseen", "NoPicker", "ColdStart"])]
)
def test_a_model_that_sleeps(serving: dict[str, Any], codes: list[str]) -> None:
    triggers = [{"type": "RequestsInFlight", "target": "2"}]
    scaling = {"minReplicas": 0, "maxReplicas": 2, "wake": "OnRequest", "triggers": triggers}
    record = b.placement("chat", {**b.entry("east", 2), "minimum": 0, "maximum": 2}, wanted=2)
    declared = b.deployment("chat", scaling=scaling, serving=serving) if serving else b.deployment("chat", scaling=scaling)
    declared["spec"].pop("replicas", None)
    assert list(said(b.settings(), b.hardware("h100"), b.cluster("east"), declared, record)) == codes


def test_phases_need_pools() -> None:
    engines = [{**b.engine(), "name": name, "phase": phase, "copies": 2} for name, phase in (("p", "Prefill"), ("d", "Decode"))]
    entry = {**b.entry("east", 1), "engines": {name: {"pool": "h100", "devices": {"gpu": "gpu"}} for name in ("p", "d")}}
    declared = b.deployment("chat", *engines, serving={"mode": "PrefillDecode"})
    found = said(b.settings(), b.hardware("h100"), b.cluster("east"), declared, b.placement("chat", entry))
    assert set(found) == {"DecodePort", "NoPhases"}
    engines[1]["members"][0]["template"]["spec"]["containers"][0]["args"].append("--port=8000")
    declared = b.deployment("chat", *engines, serving={"mode": "PrefillDecode"})
    assert "DecodePort" in said(b.settings(), b.hardware("h100"), b.cluster("east"), declared, b.placement("chat", entry))


@pytest.mark.parametrize(
    ("source", "block", "fields", "code"),
    [
        ("HuggingFace", "huggingFace", {"repo": "a/b"}, "NoCacheStorage"),
        ("OCI", "oci", {"image": "m:v1"}, "FieldTooNew"),
        ("PersistentVolumeClaim", "persistentVolumeClaim", {"claimName": "w"}, ""),
    ],
)
def test_a_cache_and_what_its_cluster_lacks(source: str, block: str, fields: dict[str, Any], code: str) -> None:
    spec = cache_spec(source, block, **fields).model_dump(by_alias=True, exclude_none=True)
    one = {"apiVersion": "modelfleet.io/v1alpha1", "kind": "ModelCache", "metadata": {"name": "m", "namespace": "ml"}, "spec": spec}
    declared = b.deployment("chat", replicas=2)
    declared["spec"]["template"]["spec"]["modelCacheRef"] = {"name": "m"}
    found = said(b.settings(), b.hardware("h100"), b.cluster("east"), one, declared, b.placement("chat", b.entry("east", 2)))
    assert "".join(found) == code
