"""Pod Security Standards: what of a pod a namespace's level refuses.

The rules are those of Kubernetes 1.37's pod-security-admission, policy `latest`. Its relaxations for pods in a user namespace and for
Windows are left out: such a pod is refused here and would be admitted there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Part = Mapping[str, Any]

_CAPABILITIES = frozenset(
    (
        "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP",
        "SETUID", "SYS_CHROOT",
    )
)  # fmt: skip
_SYSCTLS = frozenset(
    (
        "kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_local_reserved_ports", "net.ipv4.ip_unprivileged_port_start",
        "net.ipv4.ping_group_range", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes",
        "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_notsent_lowat", "net.ipv4.tcp_rmem", "net.ipv4.tcp_slow_start_after_idle",
        "net.ipv4.tcp_syncookies", "net.ipv4.tcp_wmem",
    )
)  # fmt: skip
_SELINUX = frozenset(("", "container_engine_t", "container_init_t", "container_kvm_t", "container_t"))
_VOLUMES = frozenset(("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected", "secret"))
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def refused(spec: Part, level: str) -> list[str]:
    """What of a pod spec `level` (Privileged, Baseline, Restricted) refuses, each with where it stands; sorted."""
    if level == "Privileged":
        return []
    found = [*_baseline_pod(spec)]
    for container in _containers(spec):
        found += [f"{what} of container {container.get('name')}" for what in _baseline(container)]
    if level == "Restricted":
        found += _restricted(spec)
    return sorted(set(found))


def _containers(spec: Part) -> list[Part]:
    return [container for kind in ("initContainers", "containers") for container in spec.get(kind) or ()]


def _baseline_pod(spec: Part) -> Iterator[str]:
    yield from (field for field in ("hostNetwork", "hostPID", "hostIPC") if spec.get(field))
    yield from (f"hostPath of volume {volume.get('name')}" for volume in spec.get("volumes") or () if "hostPath" in volume)
    security: Part = spec.get("securityContext") or {}
    yield from (f"sysctl {one.get('name')}" for one in security.get("sysctls") or () if one.get("name") not in _SYSCTLS)
    yield from _profiles(security)


def _baseline(container: Part) -> Iterator[str]:
    security: Part = container.get("securityContext") or {}
    if security.get("privileged"):
        yield "privileged"
    yield from (f"capability {name}" for name in _added(security) if name not in _CAPABILITIES)
    yield from (f"hostPort {port['hostPort']}" for port in container.get("ports") or () if port.get("hostPort"))
    if security.get("procMount", "Default") != "Default":
        yield "procMount"
    yield from _profiles(security)
    actions = {**{probe: container.get(probe) or {} for probe in _PROBES}, **(container.get("lifecycle") or {})}
    for name, action in actions.items():
        yield from (f"host of {name}" for kind in ("httpGet", "tcpSocket") if (action.get(kind) or {}).get("host"))


def _profiles(security: Part) -> Iterator[str]:
    """What of AppArmor, seccomp and SELinux is switched off or chosen, in the security context of a pod or of a container."""
    yield from (field for field in ("appArmorProfile", "seccompProfile") if (security.get(field) or {}).get("type") == "Unconfined")
    selinux: Part = security.get("seLinuxOptions") or {}
    if selinux.get("type", "") not in _SELINUX or selinux.get("user") or selinux.get("role"):
        yield "seLinuxOptions"


def _restricted(spec: Part) -> Iterator[str]:
    pod: Part = spec.get("securityContext") or {}
    for volume in spec.get("volumes") or ():
        yield from (f"{source} of volume {volume.get('name')}" for source in volume if source not in ("name", *_VOLUMES))
    if pod.get("runAsUser") == 0:
        yield "runAsUser 0"
    for container in _containers(spec):
        yield from (f"{what} of container {container.get('name')}" for what in _restricted_container(container, pod))


def _restricted_container(container: Part, pod: Part) -> Iterator[str]:
    security: Part = container.get("securityContext") or {}
    if security.get("allowPrivilegeEscalation") is not False:
        yield "allowPrivilegeEscalation"
    if "ALL" not in ((security.get("capabilities") or {}).get("drop") or ()):
        yield "capabilities that are not dropped"
    yield from (f"capability {name}" for name in _added(security) if name != "NET_BIND_SERVICE")
    if security.get("runAsNonRoot", pod.get("runAsNonRoot")) is not True:
        yield "runAsNonRoot that is not set"
    if security.get("runAsUser") == 0:
        yield "runAsUser 0"
    if not (security.get("seccompProfile") or pod.get("seccompProfile")):
        yield "seccompProfile that is not set"


def _added(security: Part) -> list[str]:
    return [str(name) for name in (security.get("capabilities") or {}).get("add") or ()]
