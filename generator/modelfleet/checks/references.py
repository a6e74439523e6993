"""Names and selectors that lead to other documents: caches, clusters, classes, devices, components."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from .. import codes, names
from ..api.base import Selector
from ..api.cluster import HUB, NodePool
from ..diagnostics import Report, nearest
from ..resolve.fleet import Fleet
from ..resolve.resolver import front_cluster
from ..validate import Resource, Resources
from .reach import Reach

Loc = tuple[str | int, ...]

# Where kinds select clusters.
_CLUSTER_SELECTORS: dict[str, tuple[str, ...]] = {
    "AddOn": ("spec", "clusterSelector"),
    "ModelCache": ("spec", "clusterSelector"),
    "ModelDeployment": ("spec", "template", "spec", "clusterSelector"),
    "Team": ("spec", "clusterSelector"),
}


def check_references(resources: Resources, fleet: Fleet, reach: Reach, report: Report) -> None:
    """Caches, classes, devices and components that are named, and clusters that are selected."""
    check_caches(resources, report)
    _check_clusters_selected(resources, fleet, reach, report)
    _check_classes(resources, fleet, report)
    _check_devices(resources, fleet, report)
    components = {component.name for component in fleet.settings.spec.components}
    components |= {component.name for cluster in fleet.clusters.values() for component in cluster.spec.components}
    for name, resource in resources.of("AddOn").items():
        if name in components:
            message = f"add-on `{name}` has the name of a component"
            report.add(codes.ADD_ON_COLLIDES, message, resource.at("metadata", "name"), f"name: {name}-extra")


def check_caches(resources: Resources, report: Report, only: Collection[str] | None = None) -> None:
    """UnknownCache of every deployment, or of those that `only` names."""
    caches: dict[str, list[str]] = {}
    for resource in resources.of("ModelCache").values():
        caches.setdefault(resource.model.metadata.namespace, []).append(resource.model.metadata.name)
    for ref, resource in resources.of("ModelDeployment").items():
        wanted, namespace = resource.model.spec.template.spec.model_cache_ref, resource.model.metadata.namespace
        known = caches.get(namespace, [])
        if wanted and wanted.name not in known and (only is None or ref in only):
            where = resource.at("spec", "template", "spec", "modelCacheRef", "name")
            message = f"no ModelCache of namespace `{namespace}` is named `{wanted.name}`"
            report.add(codes.UNKNOWN_CACHE, message, where, nearest(wanted.name, known) or "declare one beside the deployment")


def selector_of(kind: str, resource: Resource) -> Selector | None:
    """The selector of clusters of a document."""
    spec = resource.model.spec
    found = spec.template.spec.cluster_selector if kind == "ModelDeployment" else spec.cluster_selector
    return found if isinstance(found, Selector) else None


def _check_clusters_selected(resources: Resources, fleet: Fleet, reach: Reach, report: Report) -> None:
    if not fleet.clusters:
        return
    labels = [dict(cluster.labels) for cluster in fleet.clusters.values()]
    for kind, loc in _CLUSTER_SELECTORS.items():
        for resource in resources.of(kind).values():
            selector = selector_of(kind, resource)
            if selector and not reach.of(selector):
                message = f"clusterSelector of {kind} `{resource.model.ref_name}` matches none of the fleet's clusters"
                report.add(codes.SELECTS_NOTHING, message, resource.at(*loc), _near_label(selector, labels))


def _near_label(selector: Selector, labels: list[dict[str, str]]) -> str:
    """A hint for the first wanted label that nothing has."""
    for key, value in selector.match_labels.items():
        values = {has[key] for has in labels if key in has}
        if not values:
            return f"no cluster has the label `{key}`; {nearest(key, {k for has in labels for k in has})}"
        if value not in values:
            return f"`{key}`: {nearest(value, values)}"
    return "no cluster has all of these labels"


def _check_classes(resources: Resources, fleet: Fleet, report: Report) -> None:
    """Classes that teams name or select."""
    labels = [resource.model.metadata.labels for resource in resources.of("InferenceClass").values()]
    for resource in resources.of("Team").values():
        spec = resource.model.spec
        named: list[tuple[tuple[str | int, ...], str]] = [
            (("spec", "classes", index), name) for index, name in enumerate(spec.classes or ())
        ]
        for nth, quota in enumerate(spec.quota):
            named += [(("spec", "quota", nth, "classes", index), name) for index, name in enumerate(quota.classes)]
            if quota.class_selector and not any(quota.class_selector.matches(has) for has in labels):
                message = f"classSelector of quota `{quota.name}` matches no class"
                report.add(codes.SELECTS_NOTHING, message, resource.at("spec", "quota", nth, "classSelector"), "label the classes")
        for loc, name in named:
            if name not in fleet.classes:
                message = f"no InferenceClass is named `{name}`"
                report.add(codes.UNKNOWN_CLASS, message, resource.at(*loc), nearest(name, fleet.classes))


def _check_devices(resources: Resources, fleet: Fleet, report: Report) -> None:
    """Device groups that pools call unavailable or reserved."""
    for resource in resources.of("InferenceCluster").values():
        for index, pool in enumerate(resource.model.spec.node_pools):
            hardware = fleet.classes.get(pool.class_name)
            counts = {device.name: device.count for device in hardware.devices} if hardware else {}
            for loc, name, count in _devices_named(pool) if hardware else ():
                where = resource.at("spec", "nodePools", index, *loc)
                if name not in counts:
                    message = f"class `{pool.class_name}` has no device group `{name}`"
                    report.add(codes.UNKNOWN_REFERENCE, message, where, nearest(name, counts))
                elif count > counts[name]:
                    message = f"a node of `{pool.class_name}` has {counts[name]} {name}, not {count}"
                    report.add(codes.OUT_OF_RANGE, message, where, f"at most {counts[name]}")


def _devices_named(pool: NodePool) -> Iterator[tuple[Loc, str, int]]:
    """(path from the pool, device group, devices of a node) of all that is unavailable or reserved."""
    for i, item in enumerate(pool.unavailable):
        for d, device in enumerate(item.devices):
            yield ("unavailable", i, "devices", d, "name"), device.name, device.count
    for i, reserved in enumerate(pool.reserved):
        yield ("reserved", i, "device"), reserved.device, reserved.per_node


def check_fronts(resources: Resources, fleet: Fleet, report: Report) -> None:
    """Every front door has a cluster of its own; what it reaches has a host name, and trust where TLS is spoken."""
    taken: dict[str, str] = {}
    for name, resource in resources.of("InferenceGateway").items():
        wanted = resource.model.spec.cluster_name
        where = resource.at("spec", "clusterName")
        if wanted and wanted not in fleet.clusters:
            report.add(codes.UNKNOWN_CLUSTER, f"no InferenceCluster is named `{wanted}`", where, nearest(wanted, fleet.clusters))
            continue
        cluster = front_cluster(resource, fleet.clusters)
        if not cluster:
            message = f"InferenceGateway `{name}` names no cluster, and no cluster is the hub (server: {HUB})"
            report.add(codes.NO_HUB, message, where, "clusterName: <cluster>")
        elif cluster in taken:
            message = f"cluster `{cluster}` has a front door already: InferenceGateway `{taken[cluster]}`"
            report.add(codes.GATEWAY_PLACE, message, where, "clusterName: <another cluster>")
        else:
            taken[cluster] = name
    _check_keys(resources, report)
    if resources.of("InferenceGateway"):
        _check_reachable(resources, report)
    _check_hosts(resources, report)


def _check_keys(resources: Resources, report: Report) -> None:
    """Keys of callers that are named and travel by TLS, and so do those of providers."""
    for name, resource in resources.of("InferenceGateway").items():
        auth = resource.model.spec.auth
        if auth and not auth.api_key.secret_refs:
            message = f"nothing in Git tells which Secrets these labels select; `{name}` reads `{names.CALLERS}`"
            where = resource.at("spec", "auth", "apiKey", "secretSelector")
            report.add(codes.KEYS_BY_SELECTOR, message, where, f"secretRefs: [{{name: {names.CALLERS}}}]")
        if auth and resource.model.spec.takes_http:
            message = f"`{name}` asks for API keys on a listener without TLS"
            hint = "tls: {certificateRefs: [{name: ...}]}, and no HTTP listener"
            report.add(codes.KEYS_IN_CLEAR, message, resource.at("spec", "auth"), hint)
    for ref, resource in resources.of("ModelEndpoint").items():
        if resource.model.spec.credential and resource.model.spec.scheme == "http":
            message = f"the key of `{ref}` is sent without TLS"
            report.add(codes.KEYS_IN_CLEAR, message, resource.at("spec", "credential"), "https://")


def _check_hosts(resources: Resources, report: Report) -> None:
    """Every cluster's gateway is reached at a place of its own, and none at a front door's."""
    seen: dict[tuple[str, int], str] = {}
    for name, resource in resources.of("InferenceGateway").items():
        spec = resource.model.spec
        ports = [one.port for one in spec.listeners] or [443 if spec.tls else 80]
        seen |= {(spec.hostname, port): f"front door `{name}`" for port in ports if spec.hostname}
    for name, resource in resources.of("InferenceCluster").items():
        gateway = resource.model.spec.gateway
        place = (gateway.hostname or gateway.address, gateway.reached_at)
        if place in seen:
            message = f"its gateway is reached at {place[0]}:{place[1]}, as is that of {seen[place]}"
            at = resource.at("spec", "gateway", "hostname" if gateway.hostname else "address")
            report.add(codes.SAME_HOSTNAME, message, at, "a host name of its own")
        elif place[0]:
            seen[place] = f"cluster `{name}`"


def _check_reachable(resources: Resources, report: Report) -> None:
    for name, resource in resources.of("InferenceCluster").items():
        gateway = resource.model.spec.gateway
        where = resource.at("spec", "gateway")
        if not resource.model.spec.node_pools:
            continue
        if not (gateway.hostname or gateway.address):
            message = f"cluster `{name}` has no host name for its gateway; front doors leave it out"
            report.add(codes.NO_GATEWAY, message, where, "gateway: {hostname: ...}")
        elif gateway.scheme == "HTTPS" and gateway.tls is None:
            message = f"front doors speak TLS to cluster `{name}`, and nothing says whom they trust"
            report.add(codes.NO_TRUST, message, where, "tls: {wellKnown: System}, or scheme: HTTP with insecure: true")
