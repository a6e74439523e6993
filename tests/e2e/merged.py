"""What `modelfleet generate` printed for several clusters, put onto one Envoy that stands alone: all that has to be changed for it.

1. Namespaces get their cluster's name in front: on one Envoy `shop` of west and `shop` of east would be one.
2. A Service (or InferencePool) behind a route becomes a Backend on loopback: without Kubernetes nothing resolves a Service.
3. So does the Service of the egress: its Gateway gets a free port, and the name in the cluster's DNS becomes one of this machine.
4. Classes and EnvoyProxies of Gateways are left out, since there is one proxy; of their settings it gets the front door's access log.
5. An object that no gateway reads (pods, scalers, reports) is left out.
6. What people bring to a cluster (Secrets, ConfigMaps with authorities) is added, as they would.

The other ports and host names need no change: the fleet declares those of this machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from modelfleet import names

Object = dict[str, Any]
Address = tuple[str, int]  # an IP address and a port
Where = tuple[str, str, str]  # cluster, namespace, and name of an object there

_GROUPS = ("gateway.networking.k8s.io", "gateway.envoyproxy.io")
_ENVOY = "gateway.envoyproxy.io"
_CLUSTER_DNS = f".{names.CLUSTER_DOMAIN}"


def merge(generated: Path, brought: Mapping[str, list[Object]], pods: Mapping[Where, list[Address]], egress: int) -> list[Object]:
    """The objects for one Envoy.

    generated: a folder for each cluster, as `generate -o` writes it; brought: what people bring to each cluster; pods: what answers
    behind each Service or InferencePool; egress: the port of the egress.
    """
    found = [merged for cluster in sorted(brought) for merged in _cluster(cluster, [*read(generated / cluster), *brought[cluster]], pods)]
    return [_local(merged, egress) for merged in found]


def access_log(generated: Path) -> Object:
    """The telemetry of the front door's EnvoyProxy."""
    (found,) = (
        one["spec"]["telemetry"] for one in read(generated) if one["kind"] == "EnvoyProxy" and one["metadata"]["name"] == names.FRONT
    )
    return dict(found)


def read(folder: Path) -> list[Object]:
    """Every object that was generated below a folder, in the order of the files' names."""
    return [
        found for path in sorted(folder.rglob("*.yaml")) for found in yaml.load_all(path.read_text(), yaml.CSafeLoader) if found is not None
    ]


def _cluster(cluster: str, objects: list[Object], pods: Mapping[Where, list[Address]]) -> Iterator[Object]:
    for found in objects:
        if found["apiVersion"].partition("/")[0] not in _GROUPS and found["kind"] not in ("Secret", "ConfigMap"):
            continue
        if found["kind"] in ("EnvoyProxy", "GatewayClass") or "report" in found["metadata"]["name"]:
            continue
        yield _renamed(cluster, _with_backends(found))
    for (where, namespace, name), addresses in pods.items():
        if where == cluster:
            endpoints = [{"ip": {"address": address, "port": port}} for address, port in addresses]
            metadata = {"name": _stand_in(name), "namespace": namespace}
            yield _renamed(
                cluster, {"apiVersion": f"{_ENVOY}/v1alpha1", "kind": "Backend", "metadata": metadata, "spec": {"endpoints": endpoints}}
            )


def _local(found: Object, egress: int) -> Object:
    """A Gateway without a proxy of its own; the egress's port and name as they are on this machine."""
    spec = found.get("spec", {})
    if found["kind"] == "Gateway":
        listeners = spec["listeners"]
        if found["metadata"]["name"] == names.EGRESS:
            listeners = [{**listener, "port": egress} for listener in listeners]
        return {**found, "spec": {"gatewayClassName": spec["gatewayClassName"], "listeners": listeners}}
    if found["kind"] == "Backend" and any("fqdn" in one and one["fqdn"]["hostname"].endswith(_CLUSTER_DNS) for one in spec["endpoints"]):
        endpoints = [{**one, "fqdn": {"hostname": "egress.localhost", "port": egress}} for one in spec["endpoints"]]
        return {**found, "spec": {**spec, "endpoints": endpoints}}
    return found


def _with_backends(found: Object) -> Object:
    """A route's references to Services and InferencePools as references to Backends."""
    if found["kind"] != "HTTPRoute":
        return found
    rules = [{**rule, **_references(rule)} for rule in found["spec"]["rules"]]
    return {**found, "spec": {**found["spec"], "rules": rules}}


def _references(rule: Object) -> Object:
    if "backendRefs" not in rule:
        return {}
    return {"backendRefs": [_reference(reference) for reference in rule["backendRefs"]]}


def _reference(reference: Object) -> Object:
    if reference["kind"] == "Backend":
        return reference
    kept = {key: value for key, value in reference.items() if key != "port"}
    return {**kept, "group": _ENVOY, "kind": "Backend", "name": _stand_in(reference["name"])}


def _stand_in(name: str) -> str:
    return f"pods-of-{name}"


def _renamed(cluster: str, value: Any) -> Any:
    """The same with its cluster's name before every namespace."""
    if isinstance(value, list):
        return [_renamed(cluster, item) for item in value]
    if isinstance(value, dict):
        return {key: f"{cluster}--{item}" if key == "namespace" else _renamed(cluster, item) for key, item in value.items()}
    return value
