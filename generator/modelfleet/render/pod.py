"""The pod of a workload: the user's template, and what modelfleet owns of it.

What the user wrote stays as it is: arguments, commands, probes, security settings, volumes, sidecars. Owned are the pool's node
labels, the tolerations of its nodes' taints, the claim, modelfleet's own labels and variables; the rest below is a default for
what the user left open.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import names
from . import claims, defaults
from .environment import environment, variables
from .probes import probes
from .workload import Workload

Part = dict[str, Any]

# Long enough for gateways and kube-proxy to stop sending before the engine stops listening.
_PRE_STOP_SECONDS = 15
_GPU_TAINT: Part = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}


def pod_template(workload: Workload) -> Part:
    """The pod template of a Deployment."""
    template, member = workload.deployment.spec.template.metadata, workload.member.template.metadata
    metadata: Part = {"labels": {**template.labels, **member.labels, **workload.labels}}
    if notes := {**template.annotations, **member.annotations}:
        metadata["annotations"] = notes
    return {"metadata": metadata, "spec": pod_spec(workload)}


def pod_spec(workload: Workload) -> Part:
    """The pod spec, with the API server's defaults written out."""
    written = workload.member.template.spec
    spec: Part = {
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": workload.grace_seconds,
        **written,
        "containers": [_container(workload, container) for container in written["containers"]],
        "nodeSelector": {**(written.get("nodeSelector") or {}), **workload.pool.node_selector},
        "securityContext": _pod_security(written),
    }
    if "initContainers" in written:
        spec["initContainers"] = [_container(workload, container) for container in written["initContainers"] or ()]
    if not (written.get("serviceAccountName") or written.get("serviceAccount")):
        spec.setdefault("automountServiceAccountToken", False)
    _spread(workload, spec)
    ours = {"tolerations": _tolerations(workload), "resourceClaims": claims.pod_claims(workload), "volumes": _volumes(workload)}
    for key, items in ours.items():
        given = list(written.get(key) or ())
        if added := [item for item in items if item not in given]:
            spec[key] = given + added
    return defaults.pod_spec(spec)


def _container(workload: Workload, written: Part) -> Part:
    """A container; the one named `engine` gets the claim, the port, probes and a security context."""
    engine = written.get("name") == names.ENGINE_CONTAINER
    found = dict(written)
    if env := environment(written, variables(workload), always=engine):
        found["env"] = env
    if not engine:
        return found
    found["ports"] = _ports(workload, written)
    found |= {key: value for key, value in probes(workload).items() if key not in written}
    found.setdefault("lifecycle", {"preStop": _pause(workload)})
    found["securityContext"] = _security(workload.member.template.spec, written)
    if mount := _shared_memory_mount(written):
        found["volumeMounts"] = [*(written.get("volumeMounts") or ()), mount]
    if resources := claims.resources(workload, written.get("resources") or {}):
        found["resources"] = resources
    return found


def _ports(workload: Workload, written: Part) -> list[Part]:
    """The user's ports; the serving port is among them and has a name."""
    ports = [dict(port) for port in written.get("ports") or ()]
    ours = next((port for port in ports if port.get("containerPort") == workload.serving.port), None)
    if ours is None:
        ours = {"containerPort": workload.serving.port}
        ports.append(ours)
    ours.setdefault("name", workload.port_name)
    return ports


def _pause(workload: Workload) -> Part:
    if workload.cluster.version < (1, 30):
        return {"exec": {"command": ["sleep", str(_PRE_STOP_SECONDS)]}}
    return {"sleep": {"seconds": _PRE_STOP_SECONDS}}


def _pod_security(written: Part) -> Part:
    return {"seccompProfile": {"type": "RuntimeDefault"}, **(written.get("securityContext") or {})}


def _security(pod: Part, written: Part) -> Part:
    """No new privileges and no capabilities; non-root is asked for only where the user names such a uid: most images run as root."""
    given = written.get("securityContext") or {}
    found: Part = {"capabilities": {"drop": ["ALL"]}, **given}
    if not given.get("privileged"):
        found.setdefault("allowPrivilegeEscalation", False)
    outer = pod.get("securityContext") or {}
    if given.get("runAsUser", outer.get("runAsUser")) and "runAsNonRoot" not in outer:
        found.setdefault("runAsNonRoot", True)
    return found


def _shared_memory_mount(written: Part) -> Part | None:
    """A mount at /dev/shm, unless the user mounts something there."""
    paths = {str(mount.get("mountPath", "")).rstrip("/") for mount in written.get("volumeMounts") or ()}
    return None if "/dev/shm" in paths else {"name": names.SHARED_MEMORY, "mountPath": "/dev/shm"}  # noqa: S108  a mount path


def _volumes(workload: Workload) -> list[Part]:
    """Shared memory for the processes of an engine: 2Gi for each device, at least 2Gi, inside the pod's memory limit."""
    engine = next(c for c in workload.member.template.spec["containers"] if c.get("name") == names.ENGINE_CONTAINER)
    if _shared_memory_mount(engine) is None:
        return []
    size = f"{2 * max(1, workload.device_count)}Gi"
    return [{"name": names.SHARED_MEMORY, "emptyDir": {"medium": "Memory", "sizeLimit": size}}]


def _tolerations(workload: Workload) -> list[Part]:
    """What the pool's nodes carry, and the taint that GPU nodes usually carry: a claim adds no toleration by itself.

    A pool's or cluster's own `taints` keep replicas away in placement and are on no node: a taint added there restarts no pod.
    """
    found: list[Part] = []
    for taint in workload.pool.node_taints:
        match: Mapping[str, str] = {"operator": "Equal", "value": taint.value} if taint.value else {"operator": "Exists"}
        found.append({"key": taint.key, **match, "effect": taint.effect})
    if workload.device_count and _GPU_TAINT not in found:
        found.append(dict(_GPU_TAINT))
    return found


def _spread(workload: Workload, spec: Part) -> None:
    """Spreads the pods over nodes; under Packed, draws them to nodes that other models use."""
    if workload.settings.placement.accounting == "Packed":
        spec["affinity"] = _packed(spec.get("affinity") or {})
    elif "topologySpreadConstraints" not in spec:
        constraint = {"maxSkew": 1, "topologyKey": names.LABEL_HOSTNAME, "whenUnsatisfiable": "ScheduleAnyway"}
        spec["topologySpreadConstraints"] = [{**constraint, "labelSelector": {"matchLabels": workload.selector}}]


def _packed(affinity: Mapping[str, Any]) -> Part:
    term = {
        "labelSelector": {"matchLabels": {names.LABEL_MANAGED_BY: names.MANAGED_BY}},
        "namespaceSelector": {},
        "topologyKey": names.LABEL_HOSTNAME,
    }
    pods = dict(affinity.get("podAffinity") or {})
    key = "preferredDuringSchedulingIgnoredDuringExecution"
    pods[key] = [*(pods.get(key) or ()), {"weight": 100, "podAffinityTerm": term}]
    return {**affinity, "podAffinity": pods}
