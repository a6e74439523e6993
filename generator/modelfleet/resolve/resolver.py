"""References followed, classes onto pools. What does not resolve is reported and left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from .. import codes, names
from ..api.cluster import InferenceClusterSpec, NodePool
from ..api.hardware import InferenceClassSpec
from ..diagnostics import Report, nearest
from ..validate import Resource, Resources
from .fleet import Cluster, Deployment, Endpoint, Fleet, Front, Pool, Service, Settings

_IN_NAMESPACES = ("ConfigMap", "ModelCache", "ModelDeployment", "ModelEndpoint", "ModelService")


def resolve(resources: Resources, version: str, report: Report) -> Fleet | None:
    """The fleet, or None without a Fleet document. version: of the running program, checked against generatorVersion."""
    settings = _settings(resources, version, report)
    if settings is None:
        return None
    classes: dict[str, InferenceClassSpec] = {name: r.model.spec for name, r in resources.of("InferenceClass").items()}
    clusters = {name: _cluster(resource, classes, report) for name, resource in resources.of("InferenceCluster").items()}
    _one_destination(resources, report)
    deployments = {_key(r): _deployment(r) for r in resources.of("ModelDeployment").values()}
    placements = {_key(r): r.model.spec for r in resources.of("Placement").values()}
    return Fleet(
        settings,
        classes,
        clusters,
        dict(sorted(deployments.items())),
        dict(sorted(placements.items())),
        class_labels={name: r.model.metadata.labels for name, r in resources.of("InferenceClass").items()},
        teams={name: r.model.spec for name, r in resources.of("Team").items()},
        caches={_key(r): r.model.spec for r in resources.of("ModelCache").values()},
        leaving_caches=frozenset(_key(r) for r in resources.of("ModelCache").values() if _leaving(r)),
        config_maps={_key(r): r.model for r in resources.of("ConfigMap").values()},
        services={_key(r): _service(r) for r in resources.of("ModelService").values()},
        endpoints={_key(r): _endpoint(r) for r in resources.of("ModelEndpoint").values()},
        fronts=_fronts(resources, clusters),
        namespaces=_namespaces(resources),
        add_ons={name: r.model.spec for name, r in resources.of("AddOn").items()},
    )


def _settings(resources: Resources, version: str, report: Report) -> Settings | None:
    fleets = list(resources.of("Fleet").values())
    for resource in fleets[1:]:
        report.add(codes.TWO_FLEETS, f"a second Fleet, `{resource.model.metadata.name}`", resource.at("metadata", "name"), "remove it")
    if not fleets:
        return None
    fleet = fleets[0]
    wanted = fleet.model.spec.generator_version
    if wanted and not _within(version, wanted):
        where = fleet.at("spec", "generatorVersion")
        report.add(
            codes.GENERATOR_VERSION,
            f"this is modelfleet {version}, the fleet asks for {wanted}",
            where,
            f'pip install "modelfleet{wanted}"',
        )
    return Settings(fleet.model.metadata.name, fleet.model.spec)


def _within(version: str, wanted: str) -> bool:
    """Whether `version` satisfies every clause of `wanted`, comparing numbers; a missing part is 0."""
    have = _numbers(version)
    for clause in wanted.split(","):
        found = re.match(r"\s*(>=|<=|==|!=|>|<)\s*([0-9.]+)", clause)
        assert found is not None
        limit = _numbers(found[2])
        holds = {">=": have >= limit, "<=": have <= limit, "==": have == limit, "!=": have != limit, ">": have > limit, "<": have < limit}
        if not holds[found[1]]:
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    parts = [int(p) for p in re.findall(r"[0-9]+", version)[:3]]
    return tuple(parts + [0] * (3 - len(parts)))


def _cluster(resource: Resource, classes: dict[str, InferenceClassSpec], report: Report) -> Cluster:
    metadata, spec = resource.model.metadata, resource.model.spec
    pools = []
    for index, pool in enumerate(spec.node_pools):
        if pool.class_name in classes:
            pools.append(_pool(pool, classes[pool.class_name]))
        else:
            where = resource.at("spec", "nodePools", index, "className")
            report.add(codes.UNKNOWN_CLASS, f"no InferenceClass is named `{pool.class_name}`", where, nearest(pool.class_name, classes))
    _allocation(resource, tuple(pools), report)
    return Cluster(metadata.name, _labels(metadata.name, metadata.labels, spec), spec, tuple(pools), _leaving(resource))


def _pool(pool: NodePool, hardware: InferenceClassSpec) -> Pool:
    whole = sum(item.nodes for item in pool.unavailable if not item.devices)
    broken = tuple((tuple(sorted((d.name, d.count) for d in item.devices)), item.nodes) for item in pool.unavailable if item.devices)
    return Pool(
        name=pool.name,
        class_name=pool.class_name,
        hardware=hardware,
        nodes=max(0, pool.node_count - whole),
        node_selector=pool.node_selector or names.pool_selector(pool.name),
        taints=pool.taints,
        broken=broken,
        reserved=tuple(sorted((item.device, item.per_node) for item in pool.reserved)),
        more_nodes=max(0, (pool.max_node_count or 0) - pool.node_count),
        headroom=pool.headroom,
        spot=pool.spot,
        price=_price(pool, hardware),
    )


def _price(pool: NodePool, hardware: InferenceClassSpec) -> int | None:
    """Price of a node for an hour in millionths: the pool's own, else the class's; on spot pools the spot price."""
    for cost in (pool.cost, hardware.cost):
        text = (cost.spot_per_node_hour if pool.spot else cost.per_node_hour) if cost else None
        if text is not None:
            return int(Decimal(text) * 10**6)
    return None


def _allocation(resource: Resource, pools: tuple[Pool, ...], report: Report) -> None:
    """One allocation mode a pool; DRA needs Kubernetes 1.34, where resource.k8s.io/v1 begins."""
    spec: InferenceClusterSpec = resource.model.spec
    where = {pool.name: resource.at("spec", "nodePools", i, "className") for i, pool in enumerate(spec.node_pools)}
    old = Cluster("", {}, spec, ()).version < (1, 34)
    for pool in pools:
        modes = {device.claim for device in pool.hardware.devices} - {"Synthetic"}
        if len(modes) > 1:
            report.add(
                codes.MIXED_CLAIMS, f"class `{pool.class_name}` mixes DRA and extended resources", where[pool.name], "split the class"
            )
        if old and "DRA" in modes:
            message = f"class `{pool.class_name}` claims by DRA, which needs Kubernetes 1.34; the cluster has {spec.kubernetes_version}"
            report.add(codes.DRA_TOO_OLD, message, where[pool.name], "claim: ExtendedResource, or upgrade the cluster")


def _labels(name: str, labels: dict[str, str], spec: InferenceClusterSpec) -> dict[str, str]:
    """The cluster's labels and what its name and location say; the latter win."""
    said = {names.LABEL_CLUSTER: name, names.LABEL_PROVIDER: spec.location.provider}
    said |= {names.LABEL_REGION: spec.location.region, names.LABEL_ZONE: spec.location.zone}
    return dict(sorted((labels | {key: value for key, value in said.items() if value is not None}).items()))


def _one_destination(resources: Resources, report: Report) -> None:
    """Two clusters that are one Argo CD cluster would fight over the same objects."""
    seen: dict[tuple[str, str], str] = {}
    for name, resource in resources.of("InferenceCluster").items():
        destination = resource.model.spec.destination
        server = destination.server if destination else None
        key = ("server", server.rstrip("/")) if server else ("name", destination.name if destination else name)
        if key in seen:
            where = resource.at("spec", "destination")
            report.add(
                codes.SAME_DESTINATION, f"its destination is that of cluster `{seen[key]}`", where, "give each cluster its own destination"
            )
        seen.setdefault(key, name)


def _deployment(resource: Resource) -> Deployment:
    metadata = resource.model.metadata
    return Deployment(metadata.namespace, metadata.name, resource.model.spec, resource.at())


def _namespaces(resources: Resources) -> frozenset[str]:
    """The folders under models/ that hold something."""
    return frozenset(r.model.metadata.namespace for kind in _IN_NAMESPACES for r in resources.of(kind).values())


def _service(resource: Resource) -> Service:
    metadata = resource.model.metadata
    return Service(metadata.namespace, metadata.name, metadata.labels, resource.model.spec, resource.at(), _leaving(resource))


def _endpoint(resource: Resource) -> Endpoint:
    metadata = resource.model.metadata
    return Endpoint(metadata.namespace, metadata.name, metadata.labels, resource.model.spec, _leaving(resource))


def _fronts(resources: Resources, clusters: dict[str, Cluster]) -> dict[str, Front]:
    """The front doors by their clusters; of two on one cluster the first by name."""
    found: dict[str, Front] = {}
    for name, resource in resources.of("InferenceGateway").items():
        cluster = front_cluster(resource, clusters)
        if cluster in clusters:
            found.setdefault(cluster, Front(name, cluster, resource.model.spec, _leaving(resource)))
    return found


def front_cluster(front: Resource, clusters: Mapping[str, Cluster]) -> str:
    """The cluster that an InferenceGateway names, else the hub; empty where there is no hub."""
    hubs = (name for name, cluster in clusters.items() if cluster.spec.destination and cluster.spec.destination.is_hub)
    return front.model.spec.cluster_name or next(hubs, "")


def _leaving(resource: Resource) -> bool:
    return bool(resource.model.metadata.annotations.get(names.ANNOTATION_REMOVE) == names.APPROVED)


def _key(resource: Resource) -> tuple[str, str]:
    return (resource.model.metadata.namespace, resource.model.metadata.name)
