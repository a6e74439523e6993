"""The health checks of argocd/install, run as Argo CD runs them: Lua 5.1 with the base and table libraries alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from lupa import lua51

ROOT = Path(__file__).parent.parent
PREFIX = "resource.customizations.health."
CHECKS = {
    key.removeprefix(PREFIX): text for key, text in yaml.safe_load((ROOT / "argocd/install/health-checks.yaml").read_text())["data"].items()
}
# Argo CD opens package, base, table and an os of its own. These are what Lua has besides.
ABSENT = ("coroutine", "debug", "io", "math", "os", "string")


def health(check: str, obj: dict[str, Any]) -> tuple[str, str]:
    """(status, message) of `obj`."""
    runtime = lua51.LuaRuntime(unpack_returned_tuples=True, register_eval=False, register_builtins=False)
    runtime.execute('getmetatable("").__index = nil')  # methods of strings come from the string library
    for name in ABSENT:
        runtime.globals()[name] = None
    runtime.globals()["obj"] = runtime.table_from(obj, recursive=True)
    result = runtime.execute(CHECKS[check])
    assert set(result) <= {"status", "message"}, "Argo CD reads these two fields"
    return result["status"], result["message"]


def condition(kind: str, status: str = "True", message: str = "", generation: int = 3) -> dict[str, Any]:
    """A condition as Kubernetes writes it."""
    return {
        "type": kind,
        "status": status,
        "reason": f"Because{kind}",
        "message": message,
        "observedGeneration": generation,
        "lastTransitionTime": "2026-11-30T10:00:00Z",
    }


def lws(wanted: int | None = 2, /, **status: Any) -> dict[str, Any]:
    spec = {"leaderWorkerTemplate": {"size": 2}} | ({} if wanted is None else {"replicas": wanted})
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "deepseek-main-0f3a", "namespace": "research", "generation": 3},
        "spec": spec,
        "status": {"observedGeneration": 3, "hpaPodSelector": "leaderworkerset.sigs.k8s.io/worker-index=0"} | status,
    }


AVAILABLE = [
    condition("Progressing", "False", "Replicas are progressing"),
    condition("Available", "True", "All replicas are ready"),
    condition("UpdateInProgress", "False", "Rolling Upgrade is in progress"),
]
LOADING = [condition("Progressing", "True", "Replicas are progressing"), condition("Available", "False", "All replicas are ready")]
UPDATING = [condition("UpdateInProgress", "True"), condition("Progressing", "True"), condition("Available", "False")]


def pool(*parents: dict[str, Any], **status: Any) -> dict[str, Any]:
    return {
        "apiVersion": "inference.networking.k8s.io/v1",
        "kind": "InferencePool",
        "metadata": {"name": "model-qwen3-8b", "namespace": "search", "generation": 3},
        "spec": {"selector": {"matchLabels": {"app": "qwen3-8b"}}, "targetPorts": [{"number": 8000}]},
        "status": ({"parents": list(parents)} if parents else {}) | status,
    }


def parent(name: str, *conditions: dict[str, Any]) -> dict[str, Any]:
    return {"parentRef": {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": name}, "conditions": list(conditions)}


RESOLVED = condition("ResolvedRefs", "True", "References are resolved")


def claim(owner: str = "", **status: Any) -> dict[str, Any]:
    owners = [{"apiVersion": "v1", "kind": "Pod", "name": owner, "uid": "1b2c", "controller": True}] if owner else []
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "qwen3-8b-gpu-x7k2p", "namespace": "search"} | ({"ownerReferences": owners} if owners else {}),
        "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com", "count": 1}}]}},
        **({"status": status} if status else {}),
    }


GPU = {"driver": "gpu.nvidia.com", "pool": "node-7", "device": "gpu-3"}
ALLOCATION = {"devices": {"results": [GPU | {"request": "gpu"}]}}
RESERVED = [{"resource": "pods", "name": "qwen3-8b-main-5f9", "uid": "1b2c"}]


def route(*conditions: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "aigateway.envoyproxy.io/v1beta1",
        "kind": "AIGatewayRoute",
        "metadata": {"name": "models", "namespace": "search", "generation": 3},
        "spec": {"parentRefs": [{"name": "fleet"}], "rules": []},
        **({"status": {"conditions": list(conditions)}} if conditions else {}),
    }


LWS = "leaderworkerset.x-k8s.io_LeaderWorkerSet"
POOL = "inference.networking.k8s.io_InferencePool"
CLAIM = "resource.k8s.io_ResourceClaim"
ROUTE = "aigateway.envoyproxy.io_AIGatewayRoute"

CASES = {
    "a set is healthy when all groups are ready": (
        LWS,
        lws(2, replicas=2, readyReplicas=2, updatedReplicas=2, conditions=AVAILABLE),
        ("Healthy", "2 of 2 groups ready"),
    ),
    "a set without a number has one group": (
        LWS,
        lws(None, readyReplicas=1, conditions=AVAILABLE),
        ("Healthy", "1 of 1 groups ready"),
    ),
    "a set is progressing while a group loads": (
        LWS,
        lws(readyReplicas=1, conditions=LOADING),
        ("Progressing", "1 of 2 groups ready"),
    ),
    "a set is progressing before the controller has written anything": (
        LWS,
        {k: v for k, v in lws().items() if k != "status"},
        ("Progressing", "0 of 2 groups ready"),
    ),
    "a set that rolls out says so": (
        LWS,
        lws(readyReplicas=2, updatedReplicas=1, conditions=UPDATING),
        ("Progressing", "rolling out: 2 of 2 groups ready"),
    ),
    "old conditions do not count for a new spec": (
        LWS,
        lws(observedGeneration=2, readyReplicas=2, conditions=AVAILABLE),
        ("Progressing", "the controller has not seen the newest spec"),
    ),
    "a set at zero is suspended, though its controller calls it available": (
        LWS,
        lws(0, conditions=AVAILABLE),
        ("Suspended", "scaled to zero"),
    ),
    "a set on its way to zero is progressing": (
        LWS,
        lws(0, replicas=2, conditions=AVAILABLE),
        ("Progressing", "2 groups are stopping"),
    ),
    "a pool is healthy when its gateway accepted it": (
        POOL,
        pool(parent("fleet", condition("Accepted"), RESOLVED)),
        ("Healthy", "accepted by every gateway"),
    ),
    "a pool without a gateway is progressing": (POOL, pool(), ("Progressing", "no gateway uses it yet")),
    "a pool that a controller has not looked at is progressing": (
        POOL,
        pool(parent("default", condition("Accepted", "Unknown", "Waiting for controller"))),
        ("Progressing", "0 of 1 gateways accepted it"),
    ),
    "a pool whose picker is missing is degraded": (
        POOL,
        pool(parent("fleet", condition("Accepted"), condition("ResolvedRefs", "False", "Service model-qwen3-8b-epp not found"))),
        ("Degraded", "fleet: Service model-qwen3-8b-epp not found"),
    ),
    "one refusing gateway of two degrades a pool": (
        POOL,
        pool(parent("internal", condition("Accepted"), RESOLVED), parent("public", condition("Accepted", "False", "not supported"))),
        ("Degraded", "public: not supported"),
    ),
    "a refusal of an older generation is not held against a pool": (
        POOL,
        pool(parent("fleet", condition("Accepted", "False", "no", generation=2))),
        ("Progressing", "0 of 1 gateways accepted it"),
    ),
    "a refusal without a message gives its reason": (
        POOL,
        pool(parent("fleet", {"type": "Accepted", "status": "False", "reason": "NotSupportedByParent"})),
        ("Degraded", "fleet: NotSupportedByParent"),
    ),
    "an allocated claim is healthy": (
        CLAIM,
        claim("qwen3-8b-main-5f9", allocation=ALLOCATION, reservedFor=RESERVED),
        ("Healthy", "allocated, used by 1"),
    ),
    "an allocated claim that nobody uses is healthy": (CLAIM, claim(allocation=ALLOCATION), ("Healthy", "allocated, used by 0")),
    "a pod's claim without devices is progressing": (
        CLAIM,
        claim("qwen3-8b-main-5f9"),
        ("Progressing", "pod qwen3-8b-main-5f9 waits for devices"),
    ),
    "a claim of its own that nobody uses is suspended": (CLAIM, claim(), ("Suspended", "not allocated: no pod uses it")),
    "a claim with a broken device is degraded": (
        CLAIM,
        claim("qwen3-8b-main-5f9", allocation=ALLOCATION, devices=[GPU | {"conditions": [condition("Ready", "False", "Xid 79")]}]),
        ("Degraded", "node-7/gpu-3: Xid 79"),
    ),
    "a claim with a working device is healthy": (
        CLAIM,
        claim(allocation=ALLOCATION, reservedFor=RESERVED, devices=[GPU | {"conditions": [condition("Ready")]}]),
        ("Healthy", "allocated, used by 1"),
    ),
    "an accepted route is healthy": (
        ROUTE,
        route(condition("Accepted", message="AI Gateway Route reconciled successfully")),
        ("Healthy", "AI Gateway Route reconciled successfully"),
    ),
    "a refused route is degraded": (
        ROUTE,
        route(condition("NotAccepted", message="AIServiceBackend search/main not found")),
        ("Degraded", "AIServiceBackend search/main not found"),
    ),
    "an accepted condition that is false is a refusal too": (
        ROUTE,
        route(condition("Accepted", "False", "no such gateway")),
        ("Degraded", "no such gateway"),
    ),
    "a route that its controller has not seen is progressing": (ROUTE, route(), ("Progressing", "the controller has not answered")),
    "a route is progressing while the answer is to its former spec": (
        ROUTE,
        route(condition("NotAccepted", generation=2)),
        ("Progressing", "the controller has not answered"),
    ),
}


@pytest.mark.parametrize(("check", "obj", "expected"), CASES.values(), ids=CASES)
def test_health(check: str, obj: dict[str, Any], expected: tuple[str, str]) -> None:
    assert health(check, obj) == expected


def test_every_check_has_cases_for_what_it_can_say() -> None:
    said = {check: {expected[0] for c, _, expected in CASES.values() if c == check} for check in CHECKS}
    assert said == {
        LWS: {"Healthy", "Progressing", "Suspended"},
        POOL: {"Healthy", "Progressing", "Degraded"},
        CLAIM: {"Healthy", "Progressing", "Degraded", "Suspended"},
        ROUTE: {"Healthy", "Progressing", "Degraded"},
    }


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_survives_an_object_that_has_a_name_alone(check: str) -> None:
    """The first seconds of an object's life: an error in the script would show as Unknown."""
    assert health(check, {"metadata": {"name": "x", "generation": 1}})[0] in {"Progressing", "Suspended"}
