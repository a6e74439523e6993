"""InferenceCluster: a Kubernetes cluster, its pools and how it is reached."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints, model_validator

from .base import DnsLabel, DnsSubdomain, Document, Items, LabelKey, LabelValue, Metadata, Model, NodeTaint, Taint, mistake, unique

HUB = "https://kubernetes.default.svc"


class Destination(Model):
    """The Argo CD cluster: by name or by server."""

    name: DnsSubdomain | None = None
    """Name of the cluster in Argo CD."""
    server: Annotated[str, StringConstraints(pattern=r"^https://[^\s/]+(/\S*)?$")] | None = None
    """API server URL; https://kubernetes.default.svc is the hub itself."""

    @model_validator(mode="after")
    def _one(self) -> Destination:
        if (self.name is None) == (self.server is None):
            raise mistake("OneOf", "exactly one of name and server must be set", hint="keep name")
        return self


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


class GatewaySettings(Model):
    """The cluster's own gateway, which its routes attach to."""

    hostname: DnsSubdomain | None = None
    """Public host name of the gateway."""
    class_name: DnsSubdomain = "envoy"
    """GatewayClass. Default: envoy."""
    port: Annotated[int, Field(ge=1, le=65535)] = 80
    """Port of the listener. Default: 80."""


class NodePool(Model):
    """Equal nodes of one hardware class."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
    """Name of the pool within the cluster, at most 40 characters."""
    class_name: DnsSubdomain
    """InferenceClass of its nodes."""
    node_count: Annotated[int, Field(ge=0, le=1_000_000)] = 1
    """Nodes that are there. Default: 1."""
    node_selector: Annotated[dict[LabelKey, LabelValue] | None, Field(min_length=1)] = None
    """Labels that the pool's nodes carry. Default: modelfleet.io/pool: <name>."""
    taints: Annotated[Items[Taint], unique(("key", "effect"))] = ()
    """Taints of this pool, as a cluster's."""


class InferenceClusterSpec(Model):
    """A cluster."""

    destination: Destination | None = None
    """The Argo CD cluster. Default: the one named like this object."""
    location: Location = Location()
    """Where it stands."""
    state: Literal["Ready", "Offline", "Lost"] = "Ready"
    """Ready; Offline: nothing new, what is there stays; Lost: like Offline and replaced elsewhere. Default: Ready."""
    taints: Annotated[Items[Taint], unique(("key", "effect"))] = ()
    """Taints: NoSchedule cordons the cluster, NoExecute drains it."""
    kubernetes_version: Annotated[str, StringConstraints(pattern=r"^v?1\.[0-9]{1,3}(\.[0-9]+)?([-+].*)?$")] = "1.34"
    """Kubernetes version. Default: 1.34."""
    monitoring: Monitoring = Monitoring()
    """Metrics."""
    gateway: GatewaySettings = GatewaySettings()
    """The cluster's gateway."""
    node_pools: Annotated[Items[NodePool], Field(min_length=1, max_length=8), unique()]
    """Pools, 1 to 8."""


class ClusterMetadata(Metadata):
    """Metadata of a cluster."""

    name: DnsLabel
    """Name of the cluster: a DNS label, not `root`, not ending in `-stack`."""

    @model_validator(mode="after")
    def _not_reserved(self) -> ClusterMetadata:
        if self.name == "root" or self.name.endswith("-stack"):
            raise mistake("BadName", f"a cluster cannot be named `{self.name}`: that name is the fleet's own", "name", hint="choose another name")
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
