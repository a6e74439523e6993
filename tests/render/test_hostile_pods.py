"""Whatever a pod template holds: its declaration is refused, or every unit of it is rendered. Never an exception in between."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from modelfleet import emit, render
from modelfleet.render.unit import UnitId
from pydantic import ValidationError

from . import builders as b

WHOLE: dict[str, Any] = yaml.safe_load("""
initContainers:
- {name: fetch, image: busybox, restartPolicy: Always, command: [sleep, "1"], env: [{name: A, value: x}]}
containers:
- name: engine
  image: vllm/vllm-openai:v0.33.0
  command: [vllm]
  args: ["--port=8001"]
  env:
  - {name: TOKEN, valueFrom: {secretKeyRef: {name: hf, key: token, optional: true}}}
  - {name: CPUS, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1}}}
  envFrom: [{configMapRef: {name: chat}}, {secretRef: {name: a}}]
  ports: [{containerPort: 8000, name: api, protocol: TCP}]
  resources: {requests: {cpu: 4, memory: 20Gi}, limits: {cpu: 0.5}, claims: [{name: nic}]}
  securityContext: {runAsUser: 1000, privileged: false, capabilities: {add: [IPC_LOCK]}}
  lifecycle: {preStop: {exec: {command: [sleep, "5"]}}}
  readinessProbe: {httpGet: {path: /health, port: http}}
  livenessProbe: {exec: {command: [a]}}
  startupProbe: {grpc: {port: 1}}
  volumeMounts: [{name: weights, mountPath: /dev/shm}]
volumes:
- {name: weights, emptyDir: {sizeLimit: 200Gi}}
- {name: template, configMap: {name: chat, items: [{key: a, path: b}]}}
- {name: all, projected: {sources: [{serviceAccountToken: {path: a}}, {downwardAPI: {items: [{path: a, fieldRef: {fieldPath: b}}]}}]}}
- {name: down, downwardAPI: {items: [{path: a, resourceFieldRef: {resource: b}}]}}
- {name: image, image: {reference: "a:1"}}
- {name: host, hostPath: {path: /a}}
nodeSelector: {kubernetes.io/arch: amd64}
serviceAccountName: vllm
imagePullSecrets: [{name: a}]
resourceClaims: [{name: nic, resourceClaimTemplateName: a}]
securityContext: {runAsUser: 1000, seccompProfile: {type: Unconfined}}
affinity:
  podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: a}}]}
tolerations: [{key: a, operator: Exists, effect: NoExecute}]
topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: ScheduleAnyway}]
""")
WRONG: list[Any] = ["x", 7, 1.5, True, None, [], {}, ["x"], {"x": "y"}, [None], [[1]], [{}], {"x": None}, {"x": [1]}, "1E999999999"]


def places(value: Any, loc: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to everything in `value`."""
    for step in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*loc, step)
        yield from places(value[step], (*loc, step))


def changed(loc: tuple[Any, ...], wrong: Any) -> dict[str, Any]:
    """The whole pod with another value at `loc`."""
    found = copy.deepcopy(WHOLE)
    parent: Any = found
    for step in loc[:-1]:
        parent = parent[step]
    parent[loc[-1]] = wrong
    return found


def deployments(spec: Any) -> Iterator[Any]:
    """The pod as a plain engine with a cache, and as one that decodes."""
    template = {"metadata": {"annotations": {"note": "x"}}, "spec": spec}
    yield b.deployment(b.engine(template=template), cache="qwen")
    serving = {"mode": "PrefillDecode"}
    yield b.deployment(b.engine("p", phase="Prefill"), b.engine("d", template, phase="Decode"), serving=serving)


@pytest.mark.parametrize("loc", list(places(WHOLE)), ids=lambda loc: ".".join(map(str, loc)))
def test_a_value_in_any_place_is_refused_or_rendered(loc: tuple[Any, ...]) -> None:
    for wrong in WRONG:
        try:
            found = list(deployments(changed(loc, wrong)))
        except ValidationError:
            continue
        for declared in found:
            everything(declared)


def everything(declared: Any) -> None:
    """All units of a deployment as text."""
    engines = {engine.name: {"pool": "h100", "devices": {"gpu": "gpu"}} for engine in declared.engines}
    mirror = b.cluster(images={"rewrite": [{"from": "docker.io/vllm", "to": "mirror.example.com"}]}, gateway={"inferencePools": True})
    cache = b.cache("HuggingFace", "huggingFace", repo="Qwen/Qwen3-8B")
    fleet = b.fleet(declared, clusters=(mirror,), caches={"qwen": cache}, config_maps=[b.config_map("chat", data={"a": "b"})])
    plan = b.plan({declared.key: b.placement(b.entry(engines=engines))})
    for kind in ("model/search/qwen", "routes/search", "caches/search"):
        unit = render.render_unit(fleet, plan, UnitId("east", kind))
        assert emit.to_yaml(unit) and emit.to_json([unit])


def test_the_pod_itself_is_taken() -> None:
    for declared in deployments(WHOLE):
        everything(declared)
