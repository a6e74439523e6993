"""Small fleets and plans: a case names only what matters to it."""

from __future__ import annotations

from typing import Any

from modelfleet import place  # noqa: F401  its package must import before the plan's module is asked for
from modelfleet.api.addon import AddOnSpec
from modelfleet.api.cache import ModelCacheSpec
from modelfleet.api.cluster import InferenceClusterSpec
from modelfleet.api.configmap import ConfigMap
from modelfleet.api.deployment import ModelDeploymentSpec
from modelfleet.api.endpoint import ModelEndpointSpec
from modelfleet.api.fleet import FleetSpec
from modelfleet.api.gateway import InferenceGatewaySpec
from modelfleet.api.hardware import InferenceClassSpec
from modelfleet.api.placement import PlacementSpec
from modelfleet.api.service import ModelServiceSpec
from modelfleet.api.team import TeamSpec
from modelfleet.diagnostics import Location
from modelfleet.place.plan import Plan
from modelfleet.resolve.fleet import Cluster, Deployment, Endpoint, Fleet, Front, Pool, Service, Settings

DRIVER = "gpu.nvidia.com"
NAMESPACE, NAME = "search", "qwen"


def gpu(count: int = 8, **changes: Any) -> dict[str, Any]:
    """A device group claimed by DRA."""
    return {"name": "gpu", "driver": DRIVER, "deviceClassName": DRIVER, "count": count, **changes}


def plugin_gpu(count: int = 8) -> dict[str, Any]:
    """The same behind a device plugin."""
    return gpu(count, claim="ExtendedResource", deviceClassName=None, resourceName="nvidia.com/gpu")


def pool(name: str = "h100", *devices: dict[str, Any], node_taints: list[dict[str, str]] | None = None, **selector: str) -> Pool:
    """A pool of four nodes."""
    hardware = InferenceClassSpec.model_validate({"devices": list(devices) or [gpu()], "nodeTaints": node_taints or []})
    return Pool(name, f"{name}-class", hardware, 4, selector or {"modelfleet.io/pool": name}, ())


def cluster(name: str = "east", *pools: Pool, **spec: Any) -> Cluster:
    """A cluster; its spec holds what rendering reads, its pools are given resolved."""
    declared = {"nodePools": [{"name": "unused", "className": "unused"}], **spec}
    return Cluster(name, {}, InferenceClusterSpec.model_validate(declared), pools or (pool(),))


def pod(container: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """A pod template whose engine serves with vLLM."""
    engine = {"name": "engine", "image": "vllm/vllm-openai:v0.33.0", "args": ["--model=Qwen/Qwen3-8B"], **(container or {})}
    return {"spec": {"containers": [engine], **spec}}


def engine(
    name: str = "main", template: dict[str, Any] | None = None, copies: int = 1, phase: str = "", scaling: Any = None, **devices: Any
) -> dict[str, Any]:
    """An engine of one pod that asks for one device of at least 22Gi."""
    request = {"name": "gpu", "memory": {"atLeast": "22Gi"}, **devices}
    number = {"scaling": scaling} if scaling else {"copies": copies}
    which = {"phase": phase} if phase else {}
    return {"name": name, **number, **which, "members": [{"nodeSelector": {"devices": [request]}, "template": template or pod()}]}


def gang(
    name: str = "main", workers: int = 1, *, leader: Any = None, worker: Any = None, devices: bool = True, **rest: Any
) -> dict[str, Any]:
    """An engine of a leader and its workers, eight devices on each node; `devices`: whether the leader takes some too."""
    selector = {"devices": [{"name": "gpu", "count": 8, "memory": {"atLeast": "70Gi"}}]}
    first = {"role": "Leader", "template": leader or pod(), **({"nodeSelector": selector} if devices else {})}
    second = {"role": "Worker", "worker": {"nodes": workers}, "nodeSelector": selector, **(worker or {"extraArgs": ["--headless"]})}
    return {"name": name, "members": [second, first], **rest}


def cache(source: str, block: str, **fields: Any) -> ModelCacheSpec:
    """A ModelCache of one source; a staged one has 100Gi unless it says otherwise."""
    size = {} if source in ("OCI", "PersistentVolumeClaim") else {"sizeGiB": 100}
    return ModelCacheSpec.model_validate({"source": source, block: {**size, **fields}})


def config_map(name: str, namespace: str = NAMESPACE, **rest: Any) -> ConfigMap:
    """A ConfigMap document."""
    metadata = {"name": name, "namespace": namespace}
    return ConfigMap.model_validate({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **rest})


def deployment(
    *engines: dict[str, Any], name: str = NAME, namespace: str = NAMESPACE, serving: dict[str, Any] | None = None, **spec: Any
) -> Deployment:
    """A deployment; `spec` is what stands beside `template`."""
    template: dict[str, Any] = {"spec": {"engines": list(engines) or [engine()], "serving": serving or {}}}
    if "metadata" in spec:
        template["metadata"] = spec.pop("metadata")
    if "cache" in spec:
        template["spec"]["modelCacheRef"] = {"name": spec.pop("cache")}
    return Deployment(
        namespace, name, ModelDeploymentSpec.model_validate({"template": template, **spec}), Location(f"models/{namespace}/{name}.yaml")
    )


def service(*endpoints: dict[str, Any], name: str = "chat", namespace: str = NAMESPACE, labels: Any = None, **spec: Any) -> Service:
    """A service of the deployment."""
    declared = {"endpoints": list(endpoints) or [{"deployment": NAME}], **spec}
    leaving = declared.pop("leaving", False)
    where = Location(f"models/{namespace}/{name}.yaml")
    return Service(namespace, name, labels or {}, ModelServiceSpec.model_validate(declared), where, leaving)


def endpoint(name: str = "together", namespace: str = NAMESPACE, labels: Any = None, leaving: bool = False, **spec: Any) -> Endpoint:
    """A provider with a key."""
    declared = spec or {"origin": "https://api.together.xyz", "credential": {"apiKey": {"secretRef": {"name": name}}}}
    return Endpoint(namespace, name, labels or {}, ModelEndpointSpec.model_validate(declared), leaving)


def front(where: str = "hub", name: str = "door", leaving: bool = False, **spec: Any) -> Front:
    """A front door in the clear, for anyone."""
    return Front(name, where, InferenceGatewaySpec.model_validate(spec), leaving)


def reached(name: str = "east", **spec: Any) -> Cluster:
    """A cluster whose gateway has a name and a public certificate."""
    gateway = {"hostname": f"{name}.example.com", "tls": {"wellKnown": "System"}, **spec.pop("gateway", {})}
    return cluster(name, gateway=gateway, **spec)


def scaling(*triggers: dict[str, Any], low: int = 1, high: int = 4) -> dict[str, Any]:
    """Autoscaling by waiting requests."""
    return {"minReplicas": low, "maxReplicas": high, "triggers": list(triggers) or [{"type": "RequestsWaiting", "target": "4"}]}


def entry(count: int = 1, where: str = "east", pool: str = "h100", engines: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """A recorded entry."""
    choice = engines or {"main": {"pool": pool, "devices": {"gpu": "gpu"}}}
    return {"cluster": where, "engines": choice, "count": count, "minimum": count, **changes}


def placement(*entries: dict[str, Any], wanted: int | None = None, **changes: Any) -> PlacementSpec:
    """A record of one replica on `east`."""
    replicas = list(entries) or [entry()]
    total = sum(e["count"] for e in replicas) if wanted is None else wanted
    return PlacementSpec.model_validate({"wanted": total, "replicas": replicas, **changes})


def plan(placements: dict[tuple[str, str], PlacementSpec] | None = None) -> Plan:
    """A plan of what is recorded."""
    return Plan({(NAMESPACE, NAME): placement()} if placements is None else placements, {})


def team(*namespaces: str, **spec: Any) -> TeamSpec:
    """A team of the namespace of them all, unless others are named."""
    return TeamSpec.model_validate({"namespaces": list(namespaces) or [NAMESPACE], **spec})


def fleet(
    *deployments: Deployment,
    clusters: tuple[Cluster, ...] = (),
    caches: Any = None,
    config_maps: Any = (),
    services: tuple[Service, ...] = (),
    endpoints: tuple[Endpoint, ...] = (),
    fronts: tuple[Front, ...] = (),
    teams: Any = None,
    add_ons: Any = None,
    **spec: Any,
) -> Fleet:
    """A fleet with one cluster and one deployment. caches: by name, in the namespace of them all. teams, add_ons: by name."""
    settings = {"argocd": {"repoURL": "https://git.example.com/acme/fleet.git", **spec.pop("argocd", {})}, **spec}
    return Fleet(
        Settings("acme", FleetSpec.model_validate(settings)),
        {},
        {c.name: c for c in clusters or (cluster(),)},
        {d.key: d for d in deployments or (deployment(),)},
        {},
        teams=teams or {},
        add_ons={name: AddOnSpec.model_validate(spec) for name, spec in (add_ons or {}).items()},
        caches={(NAMESPACE, name): cache for name, cache in (caches or {}).items()},
        config_maps={(c.metadata.namespace, c.metadata.name): c for c in config_maps},
        services={s.key: s for s in services},
        endpoints={(e.namespace, e.name): e for e in endpoints},
        fronts={f.cluster: f for f in fronts},
    )
