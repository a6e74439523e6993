"""ModelDeployment: a model, what it runs on, how many replicas."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StringConstraints, model_validator

from .base import DnsLabel, Document, Duration, Items, Labels, Model, NamespacedMetadata, Selector, mistake, unique
from .quantity import Quantity, QuantityText
from .scaling import Scaling


class Toleration(Model):
    """Lets replicas stand on what carries a matching taint."""

    key: str | None = None
    """Key of the taint; none with Exists: every taint."""
    operator: Literal["Exists", "Equal"] = "Equal"
    """Equal compares key and value, Exists the key alone. Default: Equal."""
    value: str | None = None
    """Value of the taint."""
    effect: Literal["NoSchedule", "NoExecute"] | None = None
    """Effect of the taint. Default: any."""

    @model_validator(mode="after")
    def _shape(self) -> Toleration:
        if self.operator == "Equal" and not self.key:
            raise mistake("BadToleration", "an Equal toleration must set a key", hint="operator: Exists tolerates every taint")
        if self.operator == "Exists" and self.value is not None:
            raise mistake("BadToleration", "an Exists toleration must not set a value", "value", hint="remove value")
        return self


class CelSelector(Model):
    """One condition on a device, in the dialect of DRA."""

    cel: Annotated[str, StringConstraints(min_length=1, max_length=10240)]
    """CEL over `device`; must be boolean."""


class MemoryRange(Model):
    """Bounds on a device's memory."""

    at_least: QuantityText | None = None
    """Smallest memory, inclusive. Compare with what the driver reports: an 80 GB H100 reports 81559Mi."""
    below: QuantityText | None = None
    """Upper bound, exclusive."""

    @model_validator(mode="after")
    def _not_empty(self) -> MemoryRange:
        if self.at_least is None and self.below is None:
            raise mistake("MissingField", "memory needs atLeast or below", hint="atLeast: 22Gi")
        if self.at_least and self.below and Quantity.parse(self.at_least) >= Quantity.parse(self.below):
            raise mistake("EmptyRange", f"no memory is at least {self.at_least} and below {self.below}", "below", hint="raise below")
        return self


class DeviceRequest(Model):
    """Devices that each pod of a member needs from its node."""

    name: DnsLabel
    """Name of the request, unique in the member."""
    count: Annotated[int, Field(ge=1, le=64)] = 1
    """Devices for each pod. Default: 1."""
    selectors: Annotated[Items[CelSelector], Field(max_length=8)] = ()
    """Conditions in CEL; all must hold."""
    products: Annotated[Items[Annotated[str, StringConstraints(min_length=1, max_length=64)]], Field(max_length=16)] = ()
    """Product names, exact: one of them must be the device's productName."""
    memory: MemoryRange | None = None
    """Bounds on the device's memory."""

    @model_validator(mode="after")
    def _says_something(self) -> DeviceRequest:
        if not (self.selectors or self.products or self.memory):
            raise mistake("MissingField", "a device request needs selectors, products or memory", hint="memory: {atLeast: 22Gi}")
        return self


class DeviceSelector(Model):
    """What each pod of a member needs from its node."""

    devices: Annotated[Items[DeviceRequest], Field(min_length=1, max_length=16), unique()]
    """Device requests, 1 to 16."""


class TemplateMetadata(Model):
    """Labels and annotations of the pods."""

    labels: Annotated[Labels, Field(max_length=32)] = {}
    """Labels; modelfleet's own keys are refused."""
    annotations: Annotated[dict[str, str], Field(max_length=32)] = {}
    """Annotations."""

    @model_validator(mode="after")
    def _own_keys(self) -> TemplateMetadata:
        for key in self.labels:
            if key.startswith(("modelfleet.io/", "modelplane.ai/")):
                raise mistake("ReservedLabel", f"the label key `{key}` belongs to modelfleet", "labels", key, hint="use a key of your own")
        return self


class PodTemplate(Model):
    """The pod of a member: a Kubernetes pod template whose container `engine` serves the model."""

    metadata: TemplateMetadata = TemplateMetadata()
    """Labels and annotations of the pods."""
    spec: dict[str, Any]
    """A pod spec: the container `engine`, further containers, volumes, resources. modelfleet adds claim, pool and probes."""

    @model_validator(mode="after")
    def _has_engine(self) -> PodTemplate:
        containers = self.spec.get("containers")
        if not isinstance(containers, list) or not containers:
            raise mistake("MissingField", "the pod needs a container named `engine`", "spec", hint="containers: [{name: engine, image: ...}]")
        names = [c.get("name") if isinstance(c, dict) else None for c in containers]
        if names.count("engine") != 1:
            raise mistake("NoEngineContainer", "exactly one container must be named `engine`", "spec", "containers", hint="name: engine")
        if not isinstance(containers[names.index("engine")].get("image"), str):
            raise mistake("MissingField", "the container `engine` needs an image", "spec", "containers", names.index("engine"), hint="image: vllm/vllm-openai:v0.33.0")
        return self


class Member(Model):
    """The pods of one role of an engine."""

    role: Literal["Standalone"] = "Standalone"
    """Standalone: one pod is the whole engine. Default: Standalone."""
    node_selector: DeviceSelector
    """Devices that each pod needs."""
    template: PodTemplate
    """The pod."""


class Engine(Model):
    """One serving engine; a replica of a deployment has one of each."""

    name: DnsLabel
    """Name, unique in the deployment."""
    copies: Annotated[int, Field(ge=1, le=64)] = 1
    """Pods (or gangs) of this engine in each replica. Default: 1."""
    members: Annotated[Items[Member], Field(min_length=1, max_length=1)]
    """The members of the engine."""


class Serving(Model):
    """How the model is served."""

    model_name: Annotated[str, StringConstraints(min_length=1, max_length=253, pattern=r"^[^\s]+$")] | None = None
    """Name that callers send as `model`. Default: <namespace>/<name>."""
    port: Annotated[int, Field(ge=1, le=65535)] = 8000
    """Port of the engine. Default: 8000."""
    health_path: Annotated[str, StringConstraints(pattern=r"^/\S*$")] = "/health"
    """Path that answers 200 when the engine serves. Default: /health."""
    metrics_path: Annotated[str, StringConstraints(pattern=r"^/\S*$")] = "/metrics"
    """Path of the engine's metrics. Default: /metrics."""
    startup_timeout: Duration = "30m"
    """Time a model may take to load. Default: 30m."""
    termination_grace_period: Duration = "150s"
    """Time a pod may take to finish its requests when it stops. Default: 150s."""


class ReplicaSpec(Model):
    """One replica: where it may stand and what it runs."""

    cluster_selector: Selector = Selector()
    """Clusters that may hold replicas. Default: all."""
    tolerations: Items[Toleration] = ()
    """Taints of clusters and pools that replicas tolerate."""
    serving: Serving = Serving()
    """How the model is served."""
    engines: Annotated[Items[Engine], Field(min_length=1, max_length=8), unique()]
    """Engines of a replica, 1 to 8."""


class ReplicaTemplate(Model):
    """What a replica is made from."""

    metadata: TemplateMetadata = TemplateMetadata()
    """Labels and annotations of what is rendered for the replicas."""
    spec: ReplicaSpec
    """The replica."""


class DeploymentPlacement(Model):
    """Limits on where replicas go."""

    max_per_cluster: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Most replicas on one cluster. Default: no limit."""


class ModelDeploymentSpec(Model):
    """A model and its replicas."""

    replicas: Annotated[int | None, Field(ge=0, le=1000)] = None
    """Replicas in the whole fleet, 0 to 1000; not beside scaling. Default: 1."""
    scaling: Scaling | None = None
    """Autoscaling instead of a fixed number; for deployments of one engine."""
    suspend: bool = False
    """true stops all replicas and keeps their places. Default: false."""
    priority: Annotated[int, Field(ge=0, le=1000)] = 0
    """Order of filling, higher first; never evicts what is recorded. Default: 0."""
    placement: DeploymentPlacement = DeploymentPlacement()
    """Limits on where replicas go."""
    template: ReplicaTemplate
    """The replica."""

    @model_validator(mode="after")
    def _number(self) -> ModelDeploymentSpec:
        if self.scaling and self.replicas is not None:
            raise mistake("ReplicasBesideScaling", "replicas and scaling cannot stand together", "replicas", hint="remove replicas")
        if self.scaling and len(self.template.spec.engines) > 1:
            raise mistake("ScalingManyEngines", "scaling is for deployments of one engine", "scaling", hint="replicas: 1, and scale the engines")
        return self

    @property
    def wanted(self) -> int:
        """Replicas that are charged: the fixed number, or what scaling reserves."""
        if self.scaling:
            return self.scaling.reserved
        return 1 if self.replicas is None else self.replicas


class DeploymentMetadata(NamespacedMetadata):
    """Metadata of a deployment."""

    name: DnsLabel
    """Name: a DNS label. Names of what is rendered derive from it."""


class ModelDeployment(Document):
    """A model that the fleet serves."""

    SCOPE: ClassVar[Literal["Model"]] = "Model"

    api_version: Literal["modelfleet.io/v1alpha1"]
    """Always modelfleet.io/v1alpha1."""
    kind: Literal["ModelDeployment"]
    """Always ModelDeployment."""
    metadata: DeploymentMetadata
    """Name and namespace."""
    spec: ModelDeploymentSpec
    """The model."""
