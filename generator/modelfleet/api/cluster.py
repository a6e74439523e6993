"""InferenceCluster: a Kubernetes cluster, its pools and how it is reached."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from .base import DnsLabel, DnsSubdomain, Document, Items, LabelKey, LabelValue, Metadata, Model, NonEmpty, Taint, mistake, unique
from .components import Component
from .later import Later
from .pool import NodePool
from .refs import ConfigMapName, SecretName, StorageClassName, Version

if TYPE_CHECKING:
    from .source import Source
else:
    Source = Annotated[Any, Later("source", "Source")]


__all__ = ["HUB", "Destination", "GatewaySettings", "InferenceCluster", "InferenceClusterSpec", "Location", "Monitoring", "NodePool"]

HUB = "https://kubernetes.default.svc"
HostAddress = Annotated[str, StringConstraints(pattern=r"^([0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)$")]


class Destination(Model):
    """The Argo CD cluster: by name or by server."""

    name: DnsSubdomain | None = None
    """Name of the cluster in Argo CD."""
    server: Annotated[str, StringConstraints(pattern=r"^https://[^\s/]+(/\S*)?$")] | None = None
    """API server URL; https://kubernetes.default.svc is the hub itself."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.name is None) == (self.server is None):
            raise mistake("OneOf", "exactly one of name and server must be set", hint="keep name")
        return self

    @property
    def is_hub(self) -> bool:
        """Whether this is the cluster that Argo CD itself runs on."""
        return (self.server or "").rstrip("/") == HUB


class Location(Model):
    """Where the cluster stands; selectors see it as topology labels."""

    provider: LabelValue | None = None
    """Cloud, neocloud or own rack: label modelfleet.io/provider."""
    region: LabelValue | None = None
    """Label topology.kubernetes.io/region."""
    zone: LabelValue | None = None
    """Label topology.kubernetes.io/zone."""


class Monitoring(Model):
    """Metrics of the cluster."""

    prometheus_url: Annotated[str, StringConstraints(pattern=r"^https?://[^\s@]+$"), Field(alias="prometheusURL")] = (
        "http://prometheus-operated.monitoring.svc:9090"
    )
    """Prometheus that the scaler asks, as seen in the cluster. Default: http://prometheus-operated.monitoring.svc:9090."""


class Rewrite(Model):
    """One rule for image names."""

    from_: Annotated[NonEmpty, Field(alias="from")]
    """Prefix of an image's name, such as docker.io/vllm."""
    to: NonEmpty
    """What replaces it, such as mirror.example.com/vllm."""


class Images(Model):
    """Where the cluster gets images from."""

    rewrite: Annotated[Items[Rewrite], Field(max_length=64), unique("from_")] = ()
    """Prefixes that are replaced in the names of images; the longest that fits wins."""


class GatewayTls(Model):
    """TLS of the cluster's gateway: what it shows, and what callers trust."""

    server_certificate_ref: SecretName | None = None
    """Secret with the certificate that the gateway shows. Default: something before the gateway ends TLS."""
    ca_config_map_ref: ConfigMapName | None = None
    """ConfigMap with the authorities that the fleet's fronts trust for this cluster, key ca.crt."""
    well_known: Literal["System"] | None = None
    """System: the fronts trust it by the public authorities."""
    server_name: DnsSubdomain | None = None
    """Name that the certificate must hold. Default: hostname with wellKnown; with caConfigMapRef <deployment>.<cluster>.<fleet domain>, so
    that one certificate for *.<cluster>.<fleet domain> does."""

    @model_validator(mode="after")
    def _one_trust(self) -> Self:
        if (self.ca_config_map_ref is None) == (self.well_known is None):
            raise mistake("OneOf", "exactly one of caConfigMapRef and wellKnown must be set", hint="wellKnown: System")
        return self


class GatewaySettings(Model):
    """The cluster's own gateway: where the fleet's fronts reach it, and what its routes attach to."""

    hostname: DnsSubdomain | None = None
    """Public host name of the gateway. Without one and without address its models are left out of the fleet's routes."""
    address: HostAddress | None = None
    """IP address of the gateway, instead of a host name."""
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """Port where the fronts reach the gateway. Default: 443 with HTTPS, 80 with HTTP."""
    listener_port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """Port of the gateway's listener. Default: port; 80 where something before the gateway ends TLS."""
    scheme: Literal["HTTPS", "HTTP"] = "HTTPS"
    """HTTPS: the fronts speak TLS, and tls says whom they trust. HTTP: in the clear, which needs insecure. Default: HTTPS."""
    insecure: bool = False
    """true: requests and answers may travel in the clear. Default: false."""
    class_name: DnsSubdomain = "envoy"
    """GatewayClass. Default: envoy."""
    namespace: DnsLabel = "envoy-gateway-system"
    """Namespace of the gateway's proxies, which models admit. Default: envoy-gateway-system."""
    inference_pools: bool = False
    """true: the gateway can route to an InferencePool, which serving.picker EndpointPicker needs. Default: false."""
    tls: GatewayTls | None = None
    """TLS of the gateway."""

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        if self.hostname and self.address:
            raise mistake("OneOf", "only one of hostname and address can be set", "address", hint="remove address")
        if self.scheme == "HTTP" and not self.insecure:
            raise mistake(
                "Insecure", "scheme HTTP sends prompts and answers in the clear", "scheme", hint="insecure: true, or scheme: HTTPS"
            )
        if self.scheme == "HTTP" and self.tls:
            raise mistake("Contradiction", "tls has no meaning with scheme HTTP", "tls", hint="remove tls")
        if self.tls and self.tls.well_known and not (self.hostname or self.tls.server_name):
            message = "no public authority vouches for a gateway without a host name"
            raise mistake("MissingField", message, "tls", hint="hostname: ..., or tls: {serverName: ...}")
        return self

    @property
    def reached_at(self) -> int:
        """Port where the fronts reach the gateway."""
        return self.port or (443 if self.scheme == "HTTPS" else 80)

    @property
    def listens_at(self) -> int:
        """Port of the gateway's listener."""
        ends_tls = self.tls is not None and self.tls.server_certificate_ref is not None
        return self.listener_port or (self.reached_at if ends_tls or self.scheme == "HTTP" else 80)


class Inventory(Model):
    """When and from what the declaration was last compared with the cluster. Written by `modelfleet inventory import`."""

    observed_at: Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z$")]
    """Time of the observation in UTC, such as 2026-05-04T12:00:00Z. Its age is shown, never used."""
    source: NonEmpty
    """What was observed."""


class StampedMetadata(Model):
    """Labels for what is placed on the cluster."""

    labels: Annotated[dict[LabelKey, LabelValue], Field(max_length=16)] = {}
    """Labels, at most 16; modelfleet's own keys are refused."""

    @model_validator(mode="after")
    def _own_keys(self) -> Self:
        for key in self.labels:
            if key.startswith(("modelfleet.io/", "modelplane.ai/")):
                raise mistake("ReservedLabel", f"the label key `{key}` belongs to modelfleet", "labels", key, hint="use a key of your own")
        return self


class ClusterPlacement(Model):
    """What every replica on the cluster gets."""

    metadata: StampedMetadata = StampedMetadata.model_construct()
    """Labels that services can select on, such as residency."""


class InferenceClusterSpec(Model):
    """A cluster."""

    cluster: Source | None = None
    """Where it comes from. Default: it exists."""
    destination: Destination | None = None
    """The Argo CD cluster. Default: the one named like this object."""
    location: Location = Location.model_construct()
    """Where it stands."""
    state: Literal["Ready", "Offline", "Lost"] = "Ready"
    """Ready; Offline: nothing new, what is there stays; Lost: like Offline and replaced elsewhere. Default: Ready."""
    taints: Annotated[Items[Taint], unique(("key", "effect"))] = ()
    """Taints: NoSchedule cordons the cluster, NoExecute drains it."""
    kubernetes_version: Version = "1.34"
    """Kubernetes version. Default: 1.34."""
    stack: Literal["Standard", "Dynamo"] = "Standard"
    """Standard: Deployments and LeaderWorkerSets. Dynamo: gangs by Grove. It never changes. Default: Standard."""
    monitoring: Monitoring = Monitoring.model_construct()
    """Metrics."""
    cache: StorageClassName = StorageClassName.model_construct()
    """Storage of caches."""
    images: Images = Images.model_construct()
    """Where images come from."""
    gateway: GatewaySettings = GatewaySettings.model_construct()
    """The cluster's gateway."""
    components: Annotated[Items[Component], Field(max_length=64), unique()] = ()
    """Components of this cluster; they override the fleet's by name. Where the fleet has none and this is empty, none is missing."""
    placement: ClusterPlacement = ClusterPlacement.model_construct()
    """What every replica on the cluster gets."""
    inventory: Inventory | None = None
    """When this was last compared with the cluster."""
    node_pools: Annotated[Items[NodePool], Field(max_length=8), unique()]
    """Pools, at most 8. A cluster of front doors alone has none: []."""

    @model_validator(mode="after")
    def _pools_of_the_source(self) -> Self:
        source = self.cluster.source if self.cluster else "Existing"
        for index, pool in enumerate(self.node_pools):
            at = ("nodePools", index)
            if source == "Nebius" and pool.fabric.type == "InfiniBand" and pool.fabric.infiniband is None:
                raise mistake(
                    "MissingField", "a Nebius pool with an InfiniBand fabric must name it", *at, "fabric", hint="infiniband: {fabric: ...}"
                )
            if source in ("GKE", "EKS") and not pool.zones:
                raise mistake("MissingField", f"a pool that {source} makes needs zones", *at, hint="zones: [us-central1-a]")
            if source == "AKS" and not (pool.name.isalnum() and pool.name[0].isalpha() and len(pool.name) <= 12):
                message = "AKS takes pool names of at most 12 letters and digits, a letter first"
                raise mistake("BadName", message, *at, "name", hint=f"name: {pool.name.replace('-', '')[:12]}")
            if source in ("Nebius", "Vultr") and pool.min_node_count is not None and pool.max_node_count is None:
                raise mistake("MissingField", f"minNodeCount needs maxNodeCount on {source}", *at, hint=f"maxNodeCount: {pool.node_count}")
        return self

    @property
    def cache_storage_class(self) -> str | None:
        """StorageClass of caches, from either of the two places where it can stand."""
        existing = self.cluster.existing if self.cluster else None
        return self.cache.storage_class_name or (existing.cache.storage_class_name if existing else None)


class ClusterMetadata(Metadata):
    """Metadata of a cluster."""

    name: DnsLabel
    """Name of the cluster: a DNS label, not `root`, not ending in `-stack`."""

    @model_validator(mode="after")
    def _not_reserved(self) -> Self:
        if self.name == "root" or self.name.endswith("-stack"):
            raise mistake(
                "BadName", f"a cluster cannot be named `{self.name}`: that name is the fleet's own", "name", hint="choose another name"
            )
        return self


class InferenceCluster(Document):
    """A Kubernetes cluster of the fleet."""

    SCOPE: ClassVar[Literal["Platform"]] = "Platform"

    api_version: Literal["modelfleet.io/v1alpha1"]
    """Always modelfleet.io/v1alpha1."""
    kind: Literal["InferenceCluster"]
    """Always InferenceCluster."""
    metadata: ClusterMetadata
    """Name and labels; deployments select on the labels."""
    spec: InferenceClusterSpec
    """The cluster."""
