"""The pod of a workload: the user's template, and what modelfleet owns of it.

What the user wrote stays as it is: arguments, commands, probes, security settings, volumes, sidecars. Owned are the pool's node
labels, the tolerations of its nodes' taints, the claim, modelfleet's own labels and variables; the rest below is a default for
what the user left open.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import names
from . import claims, configs, defaults, images, mounts, phases, versions
from .environment import environment, transfer, variables
from .members import Pod
from .probes import probes

Part = dict[str, Any]

# Long enough for gateways and kube-proxy to stop sending before the engine stops listening.
_PRE_STOP_SECONDS = 15
_GPU_TAINT: Part = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}


def pod_template(pod: Pod) -> Part:
    """The pod template of a Deployment, or of a role of a gang."""
    workload = pod.workload
    template, stamped = workload.deployment.spec.template.metadata, workload.cluster.spec.placement.metadata.labels
    metadata: Part = {"labels": {**template.labels, **pod.metadata.labels, **stamped, **pod.labels}}
    if notes := {**template.annotations, **pod.metadata.annotations}:
        metadata["annotations"] = notes
    return {"metadata": metadata, "spec": pod_spec(pod)}


def pod_spec(pod: Pod) -> Part:
    """The pod spec, with the API server's defaults written out."""
    workload, written = pod.workload, configs.with_names(pod.workload, pod.spec)
    sidecar = phases.routing_sidecar(pod)
    native = sidecar is not None and "restartPolicy" in sidecar
    spec: Part = {
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": workload.grace_seconds,
        **written,
        "containers": [_container(pod, container) for container in written["containers"]],
        "nodeSelector": {**(written.get("nodeSelector") or {}), **workload.pool.node_selector},
        "securityContext": _pod_security(written),
    }
    if sidecar and not native:
        spec["containers"].append(sidecar)
    before = [*([sidecar] if sidecar and native else []), *mounts.wait(pod)]
    if before or "initContainers" in written:
        spec["initContainers"] = [*before, *(_container(pod, container) for container in written.get("initContainers") or ())]
    if not (written.get("serviceAccountName") or written.get("serviceAccount")):
        spec.setdefault("automountServiceAccountToken", False)
    _spread(pod, spec)
    _add(spec, written, "tolerations", _tolerations(pod))
    _add(spec, written, "resourceClaims", claims.pod_claims(pod))
    _add(spec, written, "volumes", [*mounts.volume(pod), *_volumes(pod)])
    _add(spec, written, "imagePullSecrets", mounts.pull_secrets(pod))
    return defaults.pod_spec(images.pod(workload.cluster, spec))


def _add(spec: Part, written: Mapping[str, Any], key: str, ours: list[Part]) -> None:
    """Our items of a list after the user's, those that the user does not have."""
    given = list(written.get(key) or ())
    if added := [item for item in ours if item not in given]:
        spec[key] = given + added


def _container(pod: Pod, written: Part) -> Part:
    """A container; the one named `engine` gets the claim, the files, and where callers come to it port, probes and a pause."""
    engine = written.get("name") == names.ENGINE_CONTAINER
    found = dict(written)
    more = [*mounts.variables(pod), *transfer(pod)] if engine else []
    if env := environment(written, variables(pod), always=engine, more=more):
        found["env"] = env
    if not engine:
        return found
    if pod.answers:
        found["ports"] = _ports(pod, written)
        found |= {key: value for key, value in probes(pod).items() if key not in written}
        found |= {key: value for key, value in _lifecycle(pod).items() if key not in written}
    found["securityContext"] = _security(pod.spec, written)
    if given := [*mounts.mount(pod, written), *_shared_memory_mount(written)]:
        found["volumeMounts"] = [*(written.get("volumeMounts") or ()), *given]
    if resources := claims.resources(pod, written.get("resources") or {}):
        found["resources"] = resources
    return found


def _ports(pod: Pod, written: Part) -> list[Part]:
    """The user's ports; the serving port is among them and has a name."""
    ports = [dict(port) for port in written.get("ports") or ()]
    ours = next((port for port in ports if pod.serves(port)), None)
    if ours is None:
        ours = {"containerPort": pod.port}
        ports.append(ours)
    ours.setdefault("name", pod.port_name)
    return ports


def _lifecycle(pod: Pod) -> Part:
    """A pause before the engine is told to stop; of a shorter time than that the half, and none of less than two seconds."""
    grace = pod.spec.get("terminationGracePeriodSeconds", pod.workload.grace_seconds)
    seconds = _PRE_STOP_SECONDS if grace > _PRE_STOP_SECONDS else grace // 2
    if not seconds:
        return {}
    if pod.workload.cluster.version < versions.SLEEP:
        return {"lifecycle": {"preStop": {"exec": {"command": ["sleep", str(seconds)]}}}}
    return {"lifecycle": {"preStop": {"sleep": {"seconds": seconds}}}}


def _pod_security(written: Mapping[str, Any]) -> Part:
    return {"seccompProfile": {"type": "RuntimeDefault"}, **(written.get("securityContext") or {})}


def _security(pod: Mapping[str, Any], written: Part) -> Part:
    """No new privileges and no capabilities; non-root is asked for only where the user names such a uid: most images run as root."""
    given = written.get("securityContext") or {}
    found: Part = {"capabilities": {"drop": ["ALL"]}, **given}
    if not given.get("privileged") and "CAP_SYS_ADMIN" not in ((given.get("capabilities") or {}).get("add") or ()):
        found.setdefault("allowPrivilegeEscalation", False)
    outer = pod.get("securityContext") or {}
    if given.get("runAsUser", outer.get("runAsUser")) and "runAsNonRoot" not in outer:
        found.setdefault("runAsNonRoot", True)
    return found


def _shared_memory_mount(written: Part) -> list[Part]:
    """A mount at /dev/shm, unless the user mounts something there."""
    paths = {str(mount.get("mountPath", "")).rstrip("/") for mount in written.get("volumeMounts") or ()}
    return [] if "/dev/shm" in paths else [{"name": names.SHARED_MEMORY, "mountPath": "/dev/shm"}]  # noqa: S108  a mount path


def _volumes(pod: Pod) -> list[Part]:
    """Shared memory for the processes of an engine: 2Gi for each device, at least 2Gi, inside the pod's memory limit."""
    mounted = {mount.get("name") for c in _all_containers(pod.spec) for mount in c.get("volumeMounts") or ()}
    if not _shared_memory_mount(pod.engine) and names.SHARED_MEMORY not in mounted:
        return []
    size = f"{2 * max(1, pod.most_devices)}Gi"
    return [{"name": names.SHARED_MEMORY, "emptyDir": {"medium": "Memory", "sizeLimit": size}}]


def _all_containers(spec: Mapping[str, Any]) -> list[Part]:
    return [*spec["containers"], *(spec.get("initContainers") or ())]


def _tolerations(pod: Pod) -> list[Part]:
    """What the pool's nodes carry, and the taint that GPU nodes usually carry: a claim adds no toleration by itself.

    A gang has it for its members without devices too: they stand on the same pool. A pool's or cluster's own `taints` keep replicas
    away in placement and are on no node: a taint added there restarts no pod.
    """
    found: list[Part] = []
    for taint in pod.workload.pool.node_taints:
        match: Mapping[str, str] = {"operator": "Equal", "value": taint.value} if taint.value else {"operator": "Exists"}
        found.append({"key": taint.key, **match, "effect": taint.effect})
    if (pod.most_devices or pod.workload.gang) and _GPU_TAINT not in found:
        found.append(dict(_GPU_TAINT))
    return found


def _spread(pod: Pod, spec: Part) -> None:
    """Spreads the pods over nodes; under Packed, draws them to nodes that other models use."""
    if pod.workload.settings.placement.accounting == "Packed":
        spec["affinity"] = _packed(spec.get("affinity") or {})
    elif "topologySpreadConstraints" not in spec:
        constraint = {"maxSkew": 1, "topologyKey": names.LABEL_HOSTNAME, "whenUnsatisfiable": "ScheduleAnyway"}
        spec["topologySpreadConstraints"] = [{**constraint, "labelSelector": {"matchLabels": pod.workload.selector}}]


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
