"""Pod templates: what the API server would refuse, and what modelfleet owns, each at its line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from modelfleet import load, pods
from modelfleet.diagnostics import Report, text
from modelfleet.resolve import resolve
from modelfleet.validate import validate

from tests import builders as b

BEFORE = """apiVersion: modelfleet.io/v1alpha1
kind: ModelDeployment
metadata: {name: chat, namespace: ml}
spec:
  template:
    spec:
      engines:
      - name: main
        members:
        - nodeSelector: {devices: [{name: gpu, memory: {atLeast: 1Gi}}]}
          template:
            spec:
"""
START = BEFORE.count("\n") + 1  # the first line of the pod spec


def said(spec: str, *others: dict[str, Any]) -> list[str]:
    """All that is said of a pod spec; lines are counted from its first."""
    report = Report()
    declared = [b.settings(), b.hardware(), *(others or (b.cluster(),))]
    documents = [load.parse(f"fleet/{n}.yaml", b.as_yaml(value), report)[0] for n, value in enumerate(declared)]
    indented = "".join(f"              {line}\n" for line in spec.strip("\n").splitlines())
    documents += load.parse("models/ml/chat.yaml", BEFORE + indented, report)
    resources = validate(documents, report)
    fleet = resolve(resources, "0.1.0", report)
    assert fleet is not None, text(report.sorted())
    if not report.errors:
        pods.check_pods(resources, fleet, report)
    lines = [f"{d.location} {d.code.name}: {d.message} -> {d.hint}" for d in report.sorted()]
    lines = [re.sub(r"(is not a Kubernetes quantity): .* ->", r"\1 ->", line) for line in lines]  # the reason is Quantity's own
    return [re.sub(r"^models/ml/chat.yaml:(\d+):(\d+)", lambda m: f"{int(m[1]) - START + 1}:{int(m[2]) - 14}", line) for line in lines]


GOOD = """
initContainers:
- {name: fetch, image: busybox, restartPolicy: Always, command: [sleep, "1"]}
containers:
- name: sidecar
  image: registry.example.com/proxy@sha256:aa
  ports: [{containerPort: 9000, name: metrics, protocol: TCP}]
- name: engine
  image: vllm/vllm-openai:v0.33.0
  imagePullPolicy: IfNotPresent
  args: ["--model=m"]
  env:
  - {name: TOKEN, valueFrom: {secretKeyRef: {name: hf, key: token, optional: true}}}
  - {name: CPUS, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1}}}
  resources: {requests: {cpu: 4, memory: 20Gi, ephemeral-storage: "1.5e9"}, limits: {cpu: 0.5, memory: "20G"}}
  securityContext: {runAsUser: 1000, capabilities: {add: [IPC_LOCK]}}
  readinessProbe: {httpGet: {path: /health, port: http, scheme: HTTP}}
  livenessProbe: {httpGet: {path: /health, port: 8000}}
  volumeMounts: [{name: weights, mountPath: /weights, subPath: a}, {name: modelfleet-shm, mountPath: /tmp/shm}]
volumes:
- {name: weights, emptyDir: {sizeLimit: 200Gi}}
- {name: template, configMap: {name: chat, items: [{key: a, path: b}]}}
nodeSelector: {kubernetes.io/arch: amd64}
serviceAccountName: vllm
terminationGracePeriodSeconds: 30
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}
tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 30}]
topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {a: b}}}]
"""
ENGINE = "containers:\n- name: engine\n  image: x\n"

CASES = [
    ("a whole pod with everything", GOOD, []),
    (
        "a field that is nearly right", ENGINE + "  imagePulPolicy: Always\n",
        ["4:3 UnknownField: `imagePulPolicy` is not a field of ModelDeployment.AT.containers[0] -> did you mean `imagePullPolicy`?"],
    ),
    (
        "Python's spelling", ENGINE + "  image_pull_policy: Always\n",
        ["4:3 UnknownField: `image_pull_policy` is Python's spelling -> did you mean `imagePullPolicy`?"],
    ),
    (
        "a field of the pod that does not exist", ENGINE + "volums: []\n",
        ["4:1 UnknownField: `volums` is not a field of ModelDeployment.AT -> did you mean `volumes`?"],
    ),
    (
        "a number as text", ENGINE + 'terminationGracePeriodSeconds: "30"\n',
        ['4:32 WrongType: `AT.terminationGracePeriodSeconds` must be a whole number, not the text "30" -> write 30 without quotes'],
    ),
    (
        "text as a number", ENGINE + "  env: [{name: A, value: 1.50}]\n",
        ['4:26 WrongType: `AT.containers[0].env[0].value` must be text, not the number 1.50 -> write "1.50"'],
    ),
    (
        "one instead of a list", ENGINE + "  args: --model=m\n",
        ['4:9 WrongType: `AT.containers[0].args` must be a list, not the text "--model=m" -> write `- ` before each item'],
    ),
    (
        "a port that is neither number nor name", ENGINE + "  readinessProbe: {httpGet: {port: [1]}}\n",
        ["4:36 WrongType: `AT.containers[0].readinessProbe.httpGet.port` must be a whole number, not a list -> write a whole number"],
    ),
    (
        "a port without its number", ENGINE + "  ports: [{name: a}]\n",
        ["4:11 MissingField: `AT.containers[0].ports[0].containerPort` is required -> add `containerPort:`"],
    ),
    (
        "a container without an image", ENGINE + "- name: sidecar\n",
        ["4:3 MissingField: container `sidecar` needs an image -> add `image:`"],
    ),
    (
        "an amount that is no quantity", ENGINE + "  resources: {limits: {memory: 80 Gigs}}\n",
        ["4:32 BadQuantity: `80 Gigs` is not a Kubernetes quantity -> write a quantity such as 80Gi or 500m"],
    ),
    (
        "an amount below zero", ENGINE + "  resources: {requests: {cpu: -1}}\n",
        ["4:31 BadQuantity: `-1` is below zero -> write an amount from 0 up"],
    ),
    (
        "a size that is no quantity", ENGINE + "volumes: [{name: a, emptyDir: {sizeLimit: 1GB}}]\n",
        ["4:43 BadQuantity: `1GB` is not a Kubernetes quantity -> write a quantity such as 80Gi or 500m"],
    ),
    (
        "a word that is none of the known ones", ENGINE + "  imagePullPolicy: always\n",
        ["4:20 UnknownValue: `imagePullPolicy` cannot be `always` -> did you mean `Always`?"],
    ),
    (
        "pods that are not restarted", ENGINE + "restartPolicy: Never\n",
        ["4:16 UnknownValue: `restartPolicy` cannot be `Never` -> known: `Always`"],
    ),
    (
        "a container's name in upper case", ENGINE + "- {name: Side_car, image: x}\n",
        ["4:10 BadName: `Side_car` is not a DNS label: lower-case letters, digits and `-` -> my-name"],
    ),
    (
        "two containers of one name", "initContainers: [{name: a, image: x}]\n" + ENGINE + "- {name: a, image: x}\n",
        ["1:25 DuplicateItem: the pod has two containers named `a`; first at models/ml/chat.yaml:17:24 -> rename or remove one"],
    ),
    (
        "two volumes of one name", ENGINE + "volumes:\n- {name: a, emptyDir: {}}\n- {name: a, emptyDir: {}}\n",
        ["6:10 DuplicateItem: the pod has two volumes named `a`; first at models/ml/chat.yaml:17:24 -> rename or remove one"],
    ),
    (
        "a mount of a volume that is not there",
        ENGINE + "  volumeMounts: [{name: weigths, mountPath: /w}]\nvolumes: [{name: weights, emptyDir: {}}]\n",
        ["4:25 UnknownVolume: the pod has no volume named `weigths` -> did you mean `weights`?"],
    ),
    (
        "a claim of modelfleet's name", ENGINE + "resourceClaims: [{name: devices, resourceClaimName: mine}]\n",
        [
            "4:25 PodConflict: the claim `devices` is made by modelfleet, from the device requests at models/ml/chat.yaml:10:25"
            " -> rename or remove yours"
        ],
    ),
    (
        "a claim of another name is the user's own", ENGINE + "resourceClaims: [{name: nic, resourceClaimName: mine}]\n", [],
    ),
    (
        "a GPU as a limit", ENGINE + "  resources: {limits: {nvidia.com/gpu: 1}}\n",
        [
            "4:24 PodConflict: `nvidia.com/gpu` is asked for a second time; the device request stands at models/ml/chat.yaml:10:36"
            " -> remove it: modelfleet adds what the request needs"
        ],
    ),
    (
        "another accelerator in a sidecar", ENGINE + "- {name: a, image: x, resources: {requests: {habana.ai/gaudi: 1}}}\n",
        [
            "4:46 PodConflict: `habana.ai/gaudi` is asked for a second time; the device request stands at models/ml/chat.yaml:10:36"
            " -> remove it: modelfleet adds what the request needs"
        ],
    ),
    ("a network device is no accelerator", ENGINE + "  resources: {limits: {rdma/hca: 1}}\n", []),
    (
        "the node label of a pool", ENGINE + "nodeSelector: {modelfleet.io/pool: h100}\n",
        [
            "4:16 PodConflict: the node label `modelfleet.io/pool` is what pools are told apart by: fleet/2.yaml:7:5"
            " -> clusterSelector, or nodeSelector.devices"
        ],
    ),
    (
        "one node", ENGINE + "nodeName: n1\n",
        [
            "4:1 PodConflict: nodeName binds every pod to one node; the pool is chosen for the device requests at models/ml/chat.yaml:10:25"
            " -> remove nodeName"
        ],
    ),
    (
        "the volume at /dev/shm", ENGINE + "volumes: [{name: modelfleet-shm, emptyDir: {}}]\n",
        ["4:18 PodConflict: the volume `modelfleet-shm` is modelfleet's own, mounted at /dev/shm -> rename yours"],
    ),
    (
        "several mistakes at once", ENGINE + "  imagePullPolicy: no-never\n  argz: []\n  resources: {limits: {cpu: 1x}}\n",
        [
            "4:20 UnknownValue: `imagePullPolicy` cannot be `no-never` -> did you mean `Never`?",
            "5:3 UnknownField: `argz` is not a field of ModelDeployment.AT.containers[0] -> did you mean `args`?",
            "6:29 BadQuantity: `1x` is not a Kubernetes quantity -> write a quantity such as 80Gi or 500m",
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_said_of_a_pod(spec: str, wanted: list[str]) -> None:
    assert said(spec) == [line.replace("AT", "spec.template.spec.engines[0].members[0].template.spec") for line in wanted]


def test_a_label_of_the_cloud_that_a_pool_selects_by_is_the_pools() -> None:
    gke = b.cluster("gke", b.pool(nodeSelector={"cloud.google.com/gke-nodepool": "h100"}))
    found = said(ENGINE + "nodeSelector: {cloud.google.com/gke-nodepool: h100, kubernetes.io/arch: arm64}\n", gke)
    assert len(found) == 1 and found[0].startswith("4:16 PodConflict: the node label `cloud.google.com/gke-nodepool`")


def test_a_resource_that_some_class_hands_out_counts_as_a_device() -> None:
    vendor = b.gpu(claim="ExtendedResource", resourceName="example.com/card")
    found = said(ENGINE + "  resources: {limits: {example.com/card: 1}}\n", b.hardware("card", vendor), b.cluster())
    assert [line.split(":")[0] + line.split(" ")[1] for line in found] == ["4PodConflict:"]


WRONG: list[Any] = ["x", 7, 1.5, True, None, [], {}, ["x"], {"x": "y"}, [None], [[1]], {"x": None}]


def _places(value: Any, loc: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for step in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*loc, step)
        yield from _places(value[step], (*loc, step))


def test_any_value_in_any_place_is_refused_or_taken_and_never_an_exception() -> None:
    whole = yaml.safe_load(GOOD)
    for loc in _places(whole):
        for wrong in WRONG:
            changed = yaml.safe_load(GOOD)
            parent = changed
            for step in loc[:-1]:
                parent = parent[step]
            parent[loc[-1]] = wrong
            if _has_engine(changed):
                said(b.as_yaml(changed))


def _has_engine(spec: Any) -> bool:
    """What the API itself asks of a pod spec."""
    containers = spec.get("containers")
    engines = [c for c in containers if isinstance(c, dict) and c.get("name") == "engine"] if isinstance(containers, list) else []
    return len(engines) == 1 and isinstance(engines[0].get("image"), str)


PEERS = os.environ.get("MODELFLEET_PEERS")


@pytest.mark.skipif(not PEERS, reason="MODELFLEET_PEERS names no folder with other projects' examples")
def test_the_templates_of_modelplane_pass() -> None:
    found = []
    for path in sorted(Path(PEERS or "").rglob("*.yaml")):
        try:
            documents = list(yaml.load_all(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))
        except yaml.YAMLError:
            continue
        for document in documents:
            if isinstance(document, dict) and document.get("kind") == "ModelDeployment" and "modelplane" in str(document.get("apiVersion")):
                for engine in document["spec"]["template"]["spec"]["engines"]:
                    found += [member["template"]["spec"] for member in engine["members"] if "template" in member]
    assert len(found) > 10
    for spec in found:
        assert said(b.as_yaml(spec)) == [], b.as_yaml(spec)
