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
  image: registry.example.com/proxy@sha256:aa0000000000000000000000000000000000000000000000000000000000aaaa
  ports: [{containerPort: 9000, name: metrics, protocol: TCP}]
- name: engine
  image: vllm/vllm-openai:v0.33.0
  imagePullPolicy: IfNotPresent
  args: ["--model=m"]
  env:
  - {name: TOKEN, valueFrom: {secretKeyRef: {name: hf, key: token, optional: true}}}
  - {name: CPUS, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1}}}
  resources: {requests: {cpu: 4, memory: 20Gi, ephemeral-storage: "1.5e9"}, limits: {cpu: 4.5, memory: "22G"}}
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

OURS = "could be modelfleet's own: names that begin with `modelfleet-` are for what it adds"
# What the API server asks of values: a sentence, what follows the engine's image, what is said, the hint.
RULES = [
    (
        "a volume of modelfleet's name", "volumes: [{name: modelfleet-cache, emptyDir: {}}]",
        f"4:18 PodConflict: the volume `modelfleet-cache` {OURS}", "rename yours",
    ),
    (
        "an init container of modelfleet's name", "initContainers: [{name: modelfleet-wait, image: x}]",
        f"4:25 PodConflict: the container `modelfleet-wait` {OURS}", "rename yours",
    ),
    (
        "a sidecar of modelfleet's name", "initContainers: [{name: modelfleet-routing, image: x, restartPolicy: Always}]",
        f"4:25 PodConflict: the container `modelfleet-routing` {OURS}", "rename yours",
    ),
    (
        "a claim of modelfleet's prefix", "resourceClaims: [{name: modelfleet-nic, resourceClaimName: a}]",
        f"4:25 PodConflict: the claim `modelfleet-nic` {OURS}", "rename yours",
    ),
    (
        "the files of a cache that there is none of", "  volumeMounts: [{name: modelfleet-cache, mountPath: /a}]",
        "4:25 UnknownVolume: the pod has no volume named `modelfleet-cache`", "volumes: [{name: modelfleet-cache, emptyDir: {}}]",
    ),
    (
        "a variable that is set twice", "  env: [{name: A, value: x}, {name: A, value: z}]",
        "4:30 DuplicateItem: name `A` stands twice in `env`", "rename or remove one",
    ),
    (
        "two mounts at one path", "  volumeMounts: [{name: a, mountPath: /a}, {name: b, mountPath: /a}]\nvolumes: [{name: a}, {name: b}]",
        "4:44 DuplicateItem: mountPath `/a` stands twice in `volumeMounts`", "rename or remove one",
    ),
    (
        "one port twice", "  ports: [{containerPort: 80}, {containerPort: 80, protocol: TCP}]",
        "4:32 DuplicateItem: containerPort `80`, protocol `TCP` stands twice in `ports`", "rename or remove one",
    ),
    ("two protocols of a port", "  ports: [{containerPort: 80}, {containerPort: 80, protocol: UDP}]", "", ""),
    (
        "two ports of one name", "  ports: [{containerPort: 80, name: a}, {containerPort: 81, name: a}]",
        "4:67 DuplicateItem: the container has two ports named `a`", "rename one",
    ),
    (
        "a port's name of 16 characters", "  ports: [{containerPort: 80, name: metrics-of-vllm1}]",
        "4:37 BadName: `metrics-of-vllm1` is not a port's name: at most 15 lower-case letters, digits and `-`", "http",
    ),
    (
        "a port that is none", "  ports: [{containerPort: 99999}]",
        "4:27 OutOfRange: `containerPort` must be 1 to 65535, not 99999", "containerPort: 65535",
    ),
    (
        "more asked for than allowed", "  resources: {requests: {cpu: 5}, limits: {cpu: 1}}",
        "4:31 OutOfRange: the request of `cpu` is above its limit `1`", "limits: {cpu: 5}",
    ),
    ("the same in another unit", "  resources: {requests: {cpu: 1000m}, limits: {cpu: 1}}", "", ""),
    (
        "a fraction of a byte", "  resources: {limits: {memory: 1500m}}",
        "4:32 BadQuantity: `1500m` of `memory` is not a whole number", "memory: 1",
    ),
    (
        "a resource that is none", "  resources: {limits: {gpu: 1}}",
        "4:24 BadName: `gpu` is no resource of a container", "cpu, memory or example.com/device",
    ),
    (
        "a claim that the pod does not have", "  resources: {claims: [{name: nope}]}",
        "4:31 UnknownReference: the pod has no claim named `nope`", "known: `devices`",
    ),
    (
        "a deadline", "activeDeadlineSeconds: 5",
        "4:1 UnknownField: a pod of a model cannot set `activeDeadlineSeconds`: the pods of a workload take none",
        "remove activeDeadlineSeconds",
    ),
    (
        "an ephemeral container", "ephemeralContainers: []",
        "4:1 UnknownField: a pod of a model cannot set `ephemeralContainers`: they are added to a running pod",
        "remove ephemeralContainers",
    ),
    (
        "a time below zero", "terminationGracePeriodSeconds: -5",
        "4:32 OutOfRange: `terminationGracePeriodSeconds` must be 0 to 2147483647, not -5", "terminationGracePeriodSeconds: 0",
    ),
    (
        "a key that is none", 'nodeSelector: {"bad key!": x}',
        "4:16 BadName: `bad key!` is not a key of labels and annotations", "example.com/key",
    ),
    (
        "a label value with a blank", "nodeSelector: {key: x y}",
        "4:21 BadName: `x y` is not a label value: letters, digits, `-`, `_` and `.`", "us-east4",
    ),
    (
        "a value and its source", "  env: [{name: A, value: x, valueFrom: {secretKeyRef: {name: a, key: b}}}]",
        "4:29 OneOf: only one of value and valueFrom can be set", "keep valueFrom",
    ),
    (
        "a source that does not exist", "  env: [{name: A, valueFrom: {foo: 1}}]",
        "4:31 UnknownField: `foo` is not a field of ModelDeployment.AT.containers[0].env[0].valueFrom",
        "known: `configMapKeyRef`, `fieldRef`, `fileKeyRef`, `resourceFieldRef`, `secretKeyRef`",
    ),
    (
        "two sources of a volume", "volumes: [{name: a, emptyDir: {}, configMap: {name: b}}]",
        "4:35 OneOf: a volume has one source, not emptyDir and configMap", "remove configMap",
    ),
    (
        "an operator that does not exist", "tolerations: [{key: a, operator: Foo}]",
        "4:34 UnknownValue: `operator` cannot be `Foo`", "known: `Equal`, `Exists`",
    ),
    (
        "an image with blanks", "- {name: b, image: a b c}",
        "4:20 BadValue: `a b c` is not the reference of an image", "registry.example.com/vllm:v0.33.0",
    ),
    (
        "an empty value", "hostNetwork:",
        "4:13 WrongType: `hostNetwork` is empty", "give it a value, or remove the key",
    ),
    (
        "a field of the future", "evictionResponders: []",
        "4:1 UnknownField: a pod of a model cannot set `evictionResponders`: no Kubernetes has it switched on by itself",
        "remove evictionResponders",
    ),
    (
        "a probe of an init container", "initContainers: [{name: a, image: x, livenessProbe: {exec: {command: [a]}}}]",
        "4:38 Contradiction: an init container that ends has no livenessProbe", "restartPolicy: Always makes it a sidecar",
    ),
    (
        "two ways of probing", "  startupProbe: {exec: {command: [a]}, grpc: {port: 1}}",
        "4:17 OneOf: exactly one of exec, grpc, httpGet, tcpSocket must be set, not exec and grpc", "keep exec",
    ),
    (
        "an expression without values", "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: a, labelSelector: {matchExpressions: [{key: a, operator: In}]}}]}}",
        "4:127 MissingField: operator In needs values", "values: [...]",
    ),
    (
        "privileges that contradict each other", "  securityContext: {privileged: true, allowPrivilegeEscalation: false}",
        "4:39 Contradiction: allowPrivilegeEscalation: false contradicts privileged: true", "remove one of the two",
    ),
    (
        "a path that leaves its volume", "  volumeMounts: [{name: a, mountPath: /a, subPath: ../../etc}]\nvolumes: [{name: a}]",
        "4:52 BadValue: `../../etc` is not a path below its folder: no `/` before it and no `..` in it", "models/qwen",
    ),
]  # fmt: skip

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
        "another accelerator in a sidecar", ENGINE + "- {name: a, image: x, resources: {limits: {habana.ai/gaudi: 1}}}\n",
        [
            "4:44 PodConflict: `habana.ai/gaudi` is asked for a second time; the device request stands at models/ml/chat.yaml:10:36"
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
        [f"4:18 PodConflict: the volume `modelfleet-shm` {OURS} -> rename yours"],
    ),
    *((name, f"{ENGINE}{spec}\n", [f"{line} -> {hint}"] if line else []) for name, spec, line, hint in RULES),
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


@pytest.mark.parametrize(
    ("env", "wanted"),
    [
        ("{name: A, valueFrom: {foo: 1}}", "error[UnknownField]: `foo` is not a field"),
        ("{name: A, valueFrom: {}}", "error[OneOf]: exactly one of"),
        ("{name: A, valueFrom: {fieldRef: {fieldPath: x}}}", "error[UnknownValue]: `fieldPath` cannot be `x`"),
        ("{name: A-1 B, value: x}", "is not the name of a variable"),
        ("{name: 1A, value: x}", "error[BadName]: `1A` is not the name of a variable"),
        ("{name: A, valueFrom: {secretKeyRef: {name: a, key: b}}}", ""),
    ],
)
def test_a_variable_of_an_alternative_is_one_of_a_pod(env: str, wanted: str) -> None:
    declared = BEFORE.replace(
        "      - name: main\n", f"      - name: main\n        alternatives: [{{name: b, members: [{{env: [{env}]}}]}}]\n"
    )
    report = Report()
    documents = [load.parse(f"fleet/{n}.yaml", b.as_yaml(value), report)[0] for n, value in enumerate((b.settings(), b.hardware()))]
    documents += load.parse("models/ml/chat.yaml", declared + "              containers: [{name: engine, image: x}]\n", report)
    resources = validate(documents, report)
    if not report.errors:
        fleet = resolve(resources, "0.1.0", report)
        assert fleet is not None
        pods.check_pods(resources, fleet, report)
    assert wanted in text(report.sorted()) if wanted else not report.found


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
