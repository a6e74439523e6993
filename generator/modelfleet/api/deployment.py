"""ModelDeployment: a model, what it runs on, how many replicas."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from .base import DnsLabel, DnsSubdomain, Document, Duration, Items, Model, NamespacedMetadata, Selector, mistake, unique
from .devices import CelSelector, DeviceRequest, DeviceSelector, MemoryRange
from .engine import Engine, Member, PodTemplate, TemplateMetadata
from .later import Later
from .preferences import DeploymentPlacement, Rollout

if TYPE_CHECKING:
    from .model_size import ModelSize
    from .scaling import Scaling
else:
    ModelSize = Annotated[Any, Later("model_size", "ModelSize")]
    Scaling = Annotated[Any, Later("scaling", "Scaling")]

__all__ = [
    "CelSelector", "DeploymentPlacement", "DeviceRequest", "DeviceSelector", "Engine", "Member", "MemoryRange", "ModelDeployment",
    "ModelDeploymentSpec", "PodTemplate", "ReplicaSpec", "Serving", "TemplateMetadata", "Toleration",
]  # fmt: skip


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
    def _shape(self) -> Self:
        if self.operator == "Equal" and not self.key:
            raise mistake("BadToleration", "an Equal toleration must set a key", hint="operator: Exists tolerates every taint")
        if self.operator == "Exists" and self.value is not None:
            raise mistake("BadToleration", "an Exists toleration must not set a value", "value", hint="remove value")
        return self


class Serving(Model):
    """How the model is served."""

    mode: Literal["Unified", "PrefillDecode"] = "Unified"
    """Unified: every engine answers requests whole. PrefillDecode: one engine reads prompts, one writes answers. Default: Unified."""
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
    picker: Literal["None", "EndpointPicker"] | None = None
    """None: requests are spread evenly. EndpointPicker: each goes to the pod that has its prefix cached or least to do; the cluster's
    gateway must say inferencePools. Default: None, with mode PrefillDecode EndpointPicker."""
    size: ModelSize | None = None
    """The model's size, for advice alone: nothing that is rendered depends on it. Default: known for well-known models by their name."""

    @model_validator(mode="after")
    def _picker(self) -> Self:
        if self.mode == "PrefillDecode" and self.picker == "None":
            raise mistake("Contradiction", "mode PrefillDecode needs a picker", "picker", hint="picker: EndpointPicker")
        return self

    @property
    def picks(self) -> bool:
        """Whether an endpoint picker chooses the pod of each request."""
        return self.mode == "PrefillDecode" or self.picker == "EndpointPicker"


class CacheRef(Model):
    """A ModelCache of the same namespace."""

    name: DnsSubdomain
    """Name of the ModelCache."""


class ReplicaSpec(Model):
    """One replica: where it may stand and what it runs."""

    cluster_selector: Selector = Selector.model_construct()
    """Clusters that may hold replicas. Default: all."""
    model_cache_ref: CacheRef | None = None
    """ModelCache that the pods mount at /mnt/models; replicas go only where it is staged."""
    tolerations: Items[Toleration] = ()
    """Taints of clusters and pools that replicas tolerate."""
    serving: Serving = Serving.model_construct()
    """How the model is served."""
    engines: Annotated[Items[Engine], Field(min_length=1, max_length=8), unique()]
    """Engines of a replica, 1 to 8."""

    @model_validator(mode="after")
    def _phases(self) -> Self:
        if self.serving.mode == "Unified":
            for index, engine in enumerate(self.engines):
                if engine.phase is not None:
                    message = "engine phase may only be set when serving.mode is PrefillDecode"
                    raise mistake("EngineShape", message, "engines", index, "phase", hint="serving: {mode: PrefillDecode}")
            return self
        if len(self.engines) != 2:
            message = f"serving.mode PrefillDecode needs exactly two engines, not {len(self.engines)}"
            raise mistake("EngineShape", message, "engines", hint="one with phase: Prefill, one with phase: Decode")
        for phase in ("Prefill", "Decode"):
            if sum(engine.phase == phase for engine in self.engines) != 1:
                message = f"serving.mode PrefillDecode needs exactly one engine with phase {phase}"
                raise mistake("EngineShape", message, "engines", hint="one with phase: Prefill, one with phase: Decode")
        return self


class ReplicaTemplate(Model):
    """What a replica is made from."""

    metadata: TemplateMetadata = TemplateMetadata.model_construct()
    """Labels and annotations of what is rendered for the replicas."""
    spec: ReplicaSpec
    """The replica."""


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
    placement: DeploymentPlacement = DeploymentPlacement.model_construct()
    """Limits on where replicas go."""
    rollout: Rollout = Rollout.model_construct()
    """How an update replaces pods."""
    template: ReplicaTemplate
    """The replica."""

    @model_validator(mode="after")
    def _number(self) -> Self:
        engines = self.template.spec.engines
        if self.scaling and self.replicas is not None:
            raise mistake("ReplicasBesideScaling", "replicas and scaling cannot stand together", "replicas", hint="remove replicas")
        if self.scaling and len(engines) > 1:
            raise mistake(
                "ScalingManyEngines", "scaling is for deployments of one engine", "scaling", hint="replicas: 1, and scale the engines"
            )
        if len(engines) == 1 and engines[0].scaling:
            at = ("template", "spec", "engines", 0, "scaling")
            raise mistake("ScalingOneEngine", "a deployment of one engine scales as a whole", *at, hint="move it to spec.scaling")
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
