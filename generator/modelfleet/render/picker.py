"""The endpoint picker of a deployment: it tells the gateway which pod has a request's prefix cached, or least to do.

One picker stands for each deployment on a cluster. Without it the gateway chooses by itself (FailOpen): a picker that is down makes
answers slower, not absent. Its metrics need no token: the port is reached from inside the cluster alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .. import names
from ..resolve.fleet import Cluster, Deployment
from . import defaults, images, sync
from .members import flag, words
from .metadata import metadata
from .sync import Removal
from .unit import Manifest

Part = dict[str, Any]

IMAGE = "ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.9.0"
POOL_GROUP = "inference.networking.k8s.io"

_RBAC = "rbac.authorization.k8s.io"
_OLD_GROUP = "inference.networking.x-k8s.io"
_READ = ["get", "list", "watch"]
_RULES: list[Part] = [
    {"apiGroups": [""], "resources": ["pods"], "verbs": _READ},
    {"apiGroups": [POOL_GROUP], "resources": ["inferencepools"], "verbs": _READ},
    {"apiGroups": [_OLD_GROUP, "llm-d.ai"], "resources": ["inferencemodelrewrites", "inferenceobjectives"], "verbs": _READ},
]

_GRPC, _HEALTH, _METRICS = 9002, 9003, 9090
_FOLDER, _FILE = "/config", "picker.yaml"
_GRACE_SECONDS = 130  # answers that it has begun to route
_BLOCK_SIZE = 16  # vLLM's default


def uses_picker(deployment: Deployment, cluster: Cluster) -> bool:
    """Whether a picker chooses on this cluster: the deployment asks for it, and the gateway can route to a pool."""
    return deployment.spec.template.spec.serving.picks and cluster.spec.gateway.inference_pools


def inference_pool(deployment: Deployment, cluster: Cluster, removal: Removal, *, wave: int, retiring: bool) -> Manifest:
    """The pods that answer, of all engines, and who picks among them."""
    reference = {
        "name": names.picker(deployment.namespace, deployment.name),
        "failureMode": "FailOpen",
        "group": "",
        "kind": "Service",
        "port": {"number": _GRPC},
    }
    return {
        "apiVersion": f"{POOL_GROUP}/v1",
        "kind": "InferencePool",
        "metadata": metadata(
            names.service(deployment.namespace, deployment.name),
            deployment.namespace,
            labels=names.common_labels(deployment.namespace, deployment.name, cluster.name),
            annotations=sync.annotations_of("InferencePool", removal, retiring=retiring, wave=wave),
        ),
        "spec": {
            "appProtocol": "http",
            "endpointPickerRef": reference,
            "selector": {"matchLabels": {names.LABEL_DEPLOYMENT: deployment.name, names.LABEL_SERVING: "true"}},
            "targetPorts": [{"number": deployment.spec.template.spec.serving.port}],
        },
    }


def picker(deployment: Deployment, cluster: Cluster, removal: Removal, *, retiring: bool) -> Iterator[Manifest]:
    """Account, rights, configuration, pod and Service of the picker."""
    config = json.dumps(configuration(deployment), indent=2) + "\n"  # which is YAML too
    name = names.picker(deployment.namespace, deployment.name)

    def part(api: str, kind: str, **rest: Any) -> Manifest:
        labels = names.common_labels(deployment.namespace, deployment.name, cluster.name)
        notes = sync.annotations_of(kind, removal, retiring=retiring)
        return {
            "apiVersion": api,
            "kind": kind,
            "metadata": metadata(name, deployment.namespace, labels=labels, annotations=notes),
            **rest,
        }

    account = {"kind": "ServiceAccount", "name": name, "namespace": deployment.namespace}
    yield part("v1", "ServiceAccount", automountServiceAccountToken=False)
    yield part(f"{_RBAC}/v1", "Role", rules=_RULES)
    yield part(f"{_RBAC}/v1", "RoleBinding", roleRef={"apiGroup": _RBAC, "kind": "Role", "name": name}, subjects=[account])
    yield part("v1", "ConfigMap", data={_FILE: config})
    yield part("apps/v1", "Deployment", spec=_deployment(deployment, cluster, name, config))
    port = {"name": "grpc", "appProtocol": "kubernetes.io/h2c", "port": _GRPC, "protocol": "TCP", "targetPort": _GRPC}
    yield part("v1", "Service", spec=defaults.service({"ports": [port], "selector": _selector(name)}))


def configuration(deployment: Deployment) -> Part:
    """The picker's plugins: the longest cached prefix counts twice, the queue once; a prompt is read apart when enough of it is new."""
    scorers: list[Part] = [
        {"pluginRef": "prefix-cache-scorer", "weight": 2},
        {"pluginRef": "queue-scorer", "weight": 1},
        {"pluginRef": "max-score-picker"},
    ]
    cached = {"autoTune": False, "blockSizeTokens": _block_size(deployment), "lruCapacityPerServer": 31250, "maxPrefixBlocksToMatch": 256}
    plugins: list[Part] = [
        {"type": "approx-prefix-cache-producer", "parameters": cached},
        {"type": "prefix-cache-scorer"},
        {"type": "queue-scorer"},
        {"type": "max-score-picker"},
    ]
    profiles: list[Part] = [{"name": "default", "plugins": scorers}]
    if deployment.spec.template.spec.serving.mode == "PrefillDecode":
        decider = "prefix-based-pd-decider"
        plugins += [{"type": kind} for kind in ("disagg-headers-handler", "prefill-filter", "decode-filter")]
        plugins.append({"type": decider, "parameters": {"nonCachedTokens": 16}})
        plugins.append({"type": "disagg-profile-handler", "parameters": {"deciders": {"prefill": decider}}})
        profiles = [{"name": phase, "plugins": [{"pluginRef": f"{phase}-filter"}, *scorers]} for phase in ("prefill", "decode")]
    else:
        plugins.append({"type": "single-profile-handler"})
    return {"apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig", "plugins": plugins, "schedulingProfiles": profiles}


def _block_size(deployment: Deployment) -> int:
    """Tokens of a block of the engine's cache, as its arguments say; of several engines the one that decodes."""
    engine = next((e for e in deployment.engines if e.phase == "Decode"), deployment.engines[0])
    front = next(member for member in engine.members if member.role != "Worker")
    container = next(c for c in front.template.spec["containers"] if c.get("name") == names.ENGINE_CONTAINER)
    said = flag(words(container), "--block-size", "--page-size")
    return int(said) if said and said.isascii() and said.isdigit() else _BLOCK_SIZE


def _selector(name: str) -> dict[str, str]:
    return {names.LABEL_WORKLOAD: name}


def _deployment(deployment: Deployment, cluster: Cluster, name: str, config: str) -> Part:
    labels = {names.LABEL_MANAGED_BY: names.MANAGED_BY, names.LABEL_CLUSTER: cluster.name, names.LABEL_ROLE: names.PICKER}
    labels |= _selector(name)
    template = {"metadata": {"labels": labels, "annotations": {names.ANNOTATION_CONFIG: names.digest(config)}}}
    return {
        "progressDeadlineSeconds": 600,
        "replicas": 0 if deployment.spec.suspend else 1,
        "revisionHistoryLimit": 10,
        "selector": {"matchLabels": _selector(name)},
        "strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}, "type": "RollingUpdate"},
        "template": {**template, "spec": _pod(deployment, cluster, name)},
    }


def _pod(deployment: Deployment, cluster: Cluster, name: str) -> Part:
    health = {"grpc": {"port": _HEALTH, "service": "inference-extension"}, "periodSeconds": 10, "timeoutSeconds": 5}
    arguments = {
        "pool-name": names.service(deployment.namespace, deployment.name),
        "pool-namespace": deployment.namespace,
        "pool-group": POOL_GROUP,
        "config-file": f"{_FOLDER}/{_FILE}",
        "grpc-port": str(_GRPC),
        "grpc-health-port": str(_HEALTH),
        "metrics-endpoint-auth": "false",
        "tracing": "false",  # by default it sends spans to a collector beside it
        "zap-encoder": "json",
    }
    container: Part = {
        "name": "picker",
        "image": IMAGE,
        "args": [f"--{flag_}={value}" for flag_, value in arguments.items()],
        "livenessProbe": {**health, "failureThreshold": 5, "initialDelaySeconds": 5},
        "ports": [{"name": n, "containerPort": p} for n, p in (("grpc", _GRPC), ("health", _HEALTH), ("metrics", _METRICS))],
        "readinessProbe": health,
        "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}, "limits": {"memory": "2Gi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "readOnlyRootFilesystem": True},
        "volumeMounts": [{"name": "config", "mountPath": _FOLDER, "readOnly": True}],
    }
    spec: Part = {
        "automountServiceAccountToken": True,
        "containers": [container],
        "enableServiceLinks": False,
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "serviceAccountName": name,
        "terminationGracePeriodSeconds": _GRACE_SECONDS,
        "volumes": [{"name": "config", "configMap": {"name": name}}],
    }
    return defaults.pod_spec(images.pod(cluster, spec))
