"""Pods and what each level of Pod Security refuses of them: asked of the check, and of a real API server."""

from __future__ import annotations

from typing import Any

Part = dict[str, Any]
STRICT: Part = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}

MIGHTY: Part = {"privileged": True, "allowPrivilegeEscalation": True}


def pod(container: Part | None = None, security: Part | None = None, **spec: Any) -> Part:
    """A pod that Restricted admits, with differences: of its container, of that one's security context (None leaves one out), of itself."""
    context = {key: value for key, value in {**STRICT, **(security or {})}.items() if value is not None}
    return {"containers": [{"name": "engine", "image": "engine:v1", "securityContext": context, **(container or {})}], **spec}


ENGINE = "of container engine"
# name: (pod, what Baseline refuses, what Restricted refuses besides)
CASES: dict[str, tuple[Part, list[str], list[str]]] = {
    "nothing special": (pod(), [], []),
    "no security context": (
        {"containers": [{"name": "engine", "image": "engine:v1"}]},
        [],
        [f"{what} {ENGINE}" for what in ("allowPrivilegeEscalation", "capabilities that are not dropped")]
        + [f"{what} that is not set {ENGINE}" for what in ("runAsNonRoot", "seccompProfile")],
    ),
    "what the pod sets holds for its containers": (
        pod(
            security={"runAsNonRoot": None, "seccompProfile": None},
            securityContext={"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        ),
        [],
        [],
    ),
    "RDMA": (pod(security={"capabilities": {"add": ["IPC_LOCK"], "drop": ["ALL"]}}), [f"capability IPC_LOCK {ENGINE}"], []),
    "a capability of Baseline": (pod(security={"capabilities": {"add": ["CHOWN"], "drop": ["ALL"]}}), [], [f"capability CHOWN {ENGINE}"]),
    "a low port": (pod(security={"capabilities": {"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]}}), [], []),
    "the host's network": (pod(hostNetwork=True), ["hostNetwork"], []),
    "the host's processes": (pod(hostPID=True), ["hostPID"], []),
    "a folder of the host": (
        pod(volumes=[{"name": "models", "hostPath": {"path": "/models"}}]), ["hostPath of volume models"], [],
    ),
    "a network file system": (pod(volumes=[{"name": "w", "nfs": {"server": "nfs", "path": "/w"}}]), [], ["nfs of volume w"]),
    "an image as volume": (pod(volumes=[{"name": "w", "image": {"reference": "w:v1"}}]), [], []),
    "privileged": (
        pod(security={"privileged": True, "allowPrivilegeEscalation": None}),
        [f"privileged {ENGINE}"],
        [f"allowPrivilegeEscalation {ENGINE}"],
    ),
    "a port of the host": (pod({"ports": [{"containerPort": 80, "hostPort": 80}]}), [f"hostPort 80 {ENGINE}"], []),
    "no seccomp": (pod(security={"seccompProfile": {"type": "Unconfined"}}), [f"seccompProfile {ENGINE}"], []),
    "no AppArmor for the pod": (pod(securityContext={"appArmorProfile": {"type": "Unconfined"}}), ["appArmorProfile"], []),
    "SELinux of the host": (pod(security={"seLinuxOptions": {"type": "spc_t"}}), [f"seLinuxOptions {ENGINE}"], []),
    "root by number": (pod(security={"runAsUser": 0}), [], [f"runAsUser 0 {ENGINE}"]),
    "a safe sysctl": (pod(securityContext={"sysctls": [{"name": "net.ipv4.tcp_rmem", "value": "1 2 3"}]}), [], []),
    "another sysctl": (pod(securityContext={"sysctls": [{"name": "net.core.somaxconn", "value": "1"}]}), ["sysctl net.core.somaxconn"], []),
    "a probe of another host": (
        pod({"readinessProbe": {"httpGet": {"port": 80, "host": "example.com"}}}), [f"host of readinessProbe {ENGINE}"], [],
    ),
    "an init container counts too": (
        pod(initContainers=[{"name": "fetch", "image": "fetch:v1", "securityContext": {**STRICT, **MIGHTY}}]),
        ["privileged of container fetch"],
        ["allowPrivilegeEscalation of container fetch"],
    ),
}  # fmt: skip
