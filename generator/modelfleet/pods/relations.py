"""What the API server asks of several fields of a pod together: functions by class of the kubernetes package.

Source: pkg/apis/core/validation of Kubernetes. Values of wrong types are not looked at: the package's models say those.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .. import codes
from .amounts import claim, resource_ref, resources
from .fields import Finding, Loc
from .scheduling import label_keys, requirement, spread, terms, toleration

Part = Mapping[str, Any]

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_ENV_FIELDS = re.compile(
    r"metadata\.(name|namespace|uid|(labels|annotations)\['[^']+'\])|spec\.(nodeName|serviceAccountName)|status\.(hostIPs?|podIPs?)"
)
_FILE_FIELDS = re.compile(r"metadata\.(name|namespace|uid|labels|annotations|(labels|annotations)\['[^']+'\])")
_WHOLE = 10**9  # billionths


def of(kind: str, value: Part, loc: Loc) -> Iterator[Finding]:
    """What is wrong with a part of class `kind` at `loc` as a whole."""
    if rule := _RULES.get(kind):
        yield from rule(value, loc)


def _field_ref(value: Part, loc: Loc) -> Iterator[Finding]:
    path, variable = value.get("fieldPath"), "items" not in loc
    if isinstance(path, str) and not (_ENV_FIELDS if variable else _FILE_FIELDS).fullmatch(path):
        hint = "metadata.name, metadata.labels['key'], spec.nodeName or status.podIP" if variable else "metadata.labels or metadata.name"
        yield Finding((*loc, "fieldPath"), codes.UNKNOWN_VALUE, f"`fieldPath` cannot be `{path}`", hint)


def _projected(value: Part, loc: Loc) -> Iterator[Finding]:
    """Files of all sources land in one folder."""
    seen = set()
    for index, source in enumerate(value.get("sources") or ()):
        for kind, part in source.items() if isinstance(source, Mapping) else ():
            if not isinstance(part, Mapping):
                continue
            items = part.get("items") if isinstance(part.get("items"), list) else [part]
            for item in items or ():
                path = item.get("path") if isinstance(item, Mapping) else None
                if path and path in seen:
                    message = f"two files of the volume have the path `{path}`"
                    yield Finding((*loc, "sources", index, kind), codes.DUPLICATE_ITEM, message, "another path")
                seen.add(path)


def _variable(value: Part, loc: Loc) -> Iterator[Finding]:
    if value.get("value") and "valueFrom" in value:
        message = "only one of value and valueFrom can be set"
        yield Finding((*loc, "valueFrom"), codes.ONE_OF, message, "keep valueFrom", key=True)


def _mount(value: Part, loc: Loc) -> Iterator[Finding]:
    if value.get("subPath") and value.get("subPathExpr"):
        yield Finding((*loc, "subPathExpr"), codes.ONE_OF, "only one of subPath and subPathExpr can be set", "keep subPath", key=True)
    alone = value.get("readOnly") is True and value.get("mountPropagation", "None") == "None"
    if value.get("recursiveReadOnly", "Disabled") != "Disabled" and not alone:
        message = "recursiveReadOnly needs readOnly: true, and no mountPropagation"
        yield Finding((*loc, "recursiveReadOnly"), codes.CONTRADICTION, message, "readOnly: true", key=True)


def _profile(value: Part, loc: Loc) -> Iterator[Finding]:
    """Of seccomp and AppArmor: a file belongs to Localhost and to nothing else."""
    local = value.get("type") == "Localhost"
    if local and not value.get("localhostProfile"):
        yield Finding(loc, codes.MISSING_FIELD, "type Localhost needs a localhostProfile", "localhostProfile: profiles/vllm.json")
    if not local and "localhostProfile" in value:
        message = "localhostProfile has no meaning without type Localhost"
        yield Finding((*loc, "localhostProfile"), codes.CONTRADICTION, message, "type: Localhost", key=True)


def _security(value: Part, loc: Loc) -> Iterator[Finding]:
    added = value.get("capabilities", {}).get("add") if isinstance(value.get("capabilities"), Mapping) else None
    admin = "CAP_SYS_ADMIN" in (added or ())
    if value.get("allowPrivilegeEscalation") is False and (value.get("privileged") is True or admin):
        message = f"allowPrivilegeEscalation: false contradicts {'CAP_SYS_ADMIN' if admin else 'privileged: true'}"
        yield Finding((*loc, "allowPrivilegeEscalation"), codes.CONTRADICTION, message, "remove one of the two", key=True)


def _exec(value: Part, loc: Loc) -> Iterator[Finding]:
    if not value.get("command"):
        yield Finding(loc, codes.MISSING_FIELD, "`command` is required", "add `command:`")


def _container(value: Part, loc: Loc) -> Iterator[Finding]:
    yield from _port_names(value, loc)
    yield from _probe_limits(value, loc)
    if loc[0] == "initContainers" and value.get("restartPolicy") != "Always":
        for key in ("lifecycle", *_PROBES):
            if key in value:
                message = f"an init container that ends has no {key}"
                yield Finding((*loc, key), codes.CONTRADICTION, message, "restartPolicy: Always makes it a sidecar", key=True)
    security = value.get("securityContext")
    privileged = isinstance(security, Mapping) and security.get("privileged") is True
    for index, mount in enumerate(value.get("volumeMounts") or ()):
        if isinstance(mount, Mapping) and mount.get("mountPropagation") == "Bidirectional" and not privileged:
            at = (*loc, "volumeMounts", index, "mountPropagation")
            yield Finding(at, codes.CONTRADICTION, "Bidirectional is for privileged containers", "HostToContainer")


def _port_names(value: Part, loc: Loc) -> Iterator[Finding]:
    seen = set()
    for index, port in enumerate(value.get("ports") or ()):
        name = port.get("name") if isinstance(port, Mapping) else None
        if isinstance(name, str) and name in seen:
            at = (*loc, "ports", index, "name")
            yield Finding(at, codes.DUPLICATE_ITEM, f"the container has two ports named `{name}`", "rename one")
        seen.add(name)
        if isinstance(port, Mapping) and "hostIP" in port and "hostPort" not in port:
            at = (*loc, "ports", index, "hostIP")
            yield Finding(at, codes.CONTRADICTION, "hostIP has no meaning without hostPort", "remove hostIP", key=True)


def _probe_limits(value: Part, loc: Loc) -> Iterator[Finding]:
    for kind in _PROBES:
        probe = value.get(kind)
        if not isinstance(probe, Mapping):
            continue
        if kind != "readinessProbe" and probe.get("successThreshold", 1) != 1:
            yield Finding(
                (*loc, kind, "successThreshold"), codes.OUT_OF_RANGE, f"successThreshold of a {kind} must be 1", "successThreshold: 1"
            )
        if kind == "readinessProbe" and "terminationGracePeriodSeconds" in probe:
            at = (*loc, kind, "terminationGracePeriodSeconds")
            yield Finding(at, codes.CONTRADICTION, "a readinessProbe ends nothing", "remove it", key=True)


def _pod(value: Part, loc: Loc) -> Iterator[Finding]:
    dns = value.get("dnsConfig") or {}
    if value.get("dnsPolicy") == "None" and not (isinstance(dns, Mapping) and dns.get("nameservers")):
        yield Finding((*loc, "dnsPolicy"), codes.MISSING_FIELD, "dnsPolicy None needs nameservers", "dnsConfig: {nameservers: [10.0.0.10]}")
    yield from _host_network(value, loc)
    shared = [key for key in ("hostNetwork", "hostPID", "hostIPC") if value.get(key) is True]
    if value.get("hostUsers") is False and shared:
        yield Finding((*loc, "hostUsers"), codes.CONTRADICTION, f"hostUsers: false contradicts {shared[0]}: true", "remove one of the two")
    if value.get("shareProcessNamespace") is True and value.get("hostPID") is True:
        message = "shareProcessNamespace contradicts hostPID: true"
        yield Finding((*loc, "shareProcessNamespace"), codes.CONTRADICTION, message, "remove one of the two")
    account, old = value.get("serviceAccountName"), value.get("serviceAccount")
    if account and old and account != old:
        message = "serviceAccount is the old name of serviceAccountName, and says another account"
        yield Finding((*loc, "serviceAccount"), codes.CONTRADICTION, message, "remove serviceAccount")


def _host_network(value: Part, loc: Loc) -> Iterator[Finding]:
    """On the node's own network a port is the node's."""
    if value.get("hostNetwork") is not True:
        return
    for kind in ("containers", "initContainers"):
        for c, container in enumerate(value.get(kind) or ()):
            for p, port in enumerate(container.get("ports") or () if isinstance(container, Mapping) else ()):
                if isinstance(port, Mapping) and port.get("hostPort", port.get("containerPort")) != port.get("containerPort"):
                    message = "hostPort must be containerPort where hostNetwork is true"
                    yield Finding((*loc, kind, c, "ports", p, "hostPort"), codes.CONTRADICTION, message, "remove hostPort")
    security = value.get("securityContext")
    for index, item in enumerate((security.get("sysctls") or ()) if isinstance(security, Mapping) else ()):
        if isinstance(item, Mapping) and str(item.get("name")).replace("/", ".").startswith("net."):
            at = (*loc, "securityContext", "sysctls", index, "name")
            yield Finding(at, codes.CONTRADICTION, "the network's settings are the node's where hostNetwork is true", "remove it")


_RULES: Mapping[str, Callable[[Part, Loc], Iterator[Finding]]] = {
    "V1AppArmorProfile": _profile,
    "V1Container": _container,
    "V1EnvVar": _variable,
    "V1ExecAction": _exec,
    "V1LabelSelectorRequirement": requirement,
    "V1NodeSelector": terms,
    "V1NodeSelectorRequirement": requirement,
    "V1ObjectFieldSelector": _field_ref,
    "V1PodSpec": _pod,
    "V1ResourceRequirements": resources,
    "V1PersistentVolumeClaimSpec": claim,
    "V1PodAffinityTerm": label_keys,
    "V1ProjectedVolumeSource": _projected,
    "V1ResourceFieldSelector": resource_ref,
    "V1SeccompProfile": _profile,
    "V1SecurityContext": _security,
    "V1Toleration": toleration,
    "V1TopologySpreadConstraint": spread,
    "V1VolumeMount": _mount,
}
