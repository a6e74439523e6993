"""Engine: the pods of one serving engine, their roles, and what other hardware it may run on."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from .base import ARGO_CD, OWN_KEYS, Annotations, DnsLabel, ImageName, Items, Labels, Model, NonEmpty, mistake, reserved, unique
from .devices import DeviceOption, DeviceRequest, DeviceSelector, no_devices
from .later import Later
from .shape import POD, VALUE_FROM, shaped

if TYPE_CHECKING:
    from .scaling import EngineScaling
else:
    EngineScaling = Annotated[Any, Later("scaling", "EngineScaling")]

Role = Literal["Standalone", "Leader", "Worker"]


class TemplateMetadata(Model):
    """Labels and annotations of the pods."""

    labels: Annotated[Labels, Field(max_length=32)] = {}
    """Labels, at most 32; modelfleet's own keys are refused."""
    annotations: Annotated[Annotations, Field(max_length=32)] = {}
    """Annotations, at most 32 of 100 KiB in all; Argo CD's and modelfleet's own keys are refused."""

    @model_validator(mode="after")
    def _own_keys(self) -> Self:
        reserved("labels", self.labels, *OWN_KEYS)
        reserved("annotations", self.annotations, *OWN_KEYS, ARGO_CD)
        return self


class PodTemplate(Model):
    """The pod of a member: a Kubernetes pod template whose container `engine` serves the model."""

    metadata: TemplateMetadata = TemplateMetadata.model_construct()
    """Labels and annotations of the pods."""
    spec: dict[str, Any]
    """A pod spec: the container `engine`, further containers, volumes, resources. modelfleet adds claim, pool and probes."""

    @model_validator(mode="after")
    def _well_shaped(self) -> Self:
        shaped(self.spec, POD, "spec")
        return self

    @model_validator(mode="after")
    def _has_engine(self) -> Self:
        containers = self.spec.get("containers")
        if not containers:
            raise mistake(
                "MissingField", "the pod needs a container named `engine`", "spec", hint="containers: [{name: engine, image: ...}]"
            )
        names = [c.get("name") for c in containers]
        if names.count("engine") != 1:
            raise mistake("NoEngineContainer", "exactly one container must be named `engine`", "spec", "containers", hint="name: engine")
        engine = names.index("engine")
        if "image" not in containers[engine]:
            hint = "image: vllm/vllm-openai:v0.33.0"
            raise mistake("MissingField", "the container `engine` needs an image", "spec", "containers", engine, hint=hint)
        return self


class WorkerNodes(Model):
    """How many workers a gang has."""

    nodes: Annotated[int, Field(ge=1, le=63)] = 1
    """Worker pods beside the leader, each on a node of its own, 1 to 63. Default: 1."""


class Member(Model):
    """The pods of one role of an engine."""

    role: Role = "Standalone"
    """Standalone: one pod is the whole engine. Leader: the pod of a gang that answers. Worker: the gang's other pods.
    Default: Standalone."""
    node_selector: DeviceSelector = Field(default_factory=no_devices)
    """Devices that each pod needs. Default: none; at least one member of an engine needs some."""
    worker: WorkerNodes | None = None
    """Number of workers; only of a Worker. Default: one."""
    template: PodTemplate = Field(default_factory=lambda: PodTemplate.model_construct(metadata=TemplateMetadata.model_construct(), spec={}))
    """The pod. Default, of a Worker: the Leader's."""
    extra_args: Annotated[Items[NonEmpty], Field(max_length=64)] = ()
    """Arguments of a Worker without a template, after the Leader's."""

    @model_validator(mode="after")
    def _by_role(self) -> Self:
        own = "template" in self.model_fields_set
        if self.role != "Worker":
            if self.worker is not None:
                raise mistake("Contradiction", "worker may only be set on a Worker member", "worker", hint="role: Worker")
            if not own:
                raise mistake("MissingField", f"`template` is required for a {self.role}", hint="add `template:`")
        if self.extra_args and (own or self.role != "Worker"):
            message = "extraArgs is for a Worker that takes the Leader's template"
            raise mistake("Contradiction", message, "extraArgs", hint="write the arguments into the template")
        return self

    @property
    def pods(self) -> int:
        """Pods of this member in one copy of the engine."""
        return self.worker.nodes if self.worker else 1


class EnvVar(Model):
    """An environment variable."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=253, pattern=r"^[^\s=]+$")]
    """Name."""
    value: str | None = None
    """Value."""
    value_from: dict[str, Any] | None = None
    """Source of the value, as in Kubernetes."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        if self.value is not None and self.value_from is not None:
            raise mistake("OneOf", "only one of value and valueFrom can be set", "valueFrom", hint="keep value")
        if self.value_from is not None:
            shaped(self.value_from, VALUE_FROM, "valueFrom")
        return self


class AlternativeMember(Model):
    """What a member of an alternative does differently; all else is as in `members`."""

    role: Role = "Standalone"
    """Role of the member that this is about. Default: Standalone."""
    devices: Annotated[Items[DeviceRequest], Field(max_length=16), unique()] = ()
    """Device requests instead of the member's, at most 16."""
    extra_args: Annotated[Items[NonEmpty], Field(max_length=64)] = ()
    """Arguments after the template's."""
    env: Annotated[Items[EnvVar], Field(max_length=64), unique()] = ()
    """Environment variables besides the template's, or instead of those of the same name."""
    image: ImageName | None = None
    """Image of the container `engine` instead of the template's."""


class Alternative(Model):
    """Other hardware that the engine may run on."""

    name: DnsLabel
    """Name, unique in the engine; it is recorded with the placement."""
    members: Annotated[Items[AlternativeMember], Field(min_length=1, max_length=2), unique("role")]
    """What differs, by role."""


class Engine(Model):
    """One serving engine; a replica of a deployment has one of each."""

    name: DnsLabel
    """Name, unique in the deployment."""
    copies: Annotated[int, Field(ge=1, le=64)] = 1
    """Pods (or gangs) of this engine in each replica, 1 to 64. Default: 1."""
    phase: Literal["Prefill", "Decode"] | None = None
    """Prefill: reads prompts. Decode: writes answers. Only with serving.mode PrefillDecode, one engine each."""
    members: Annotated[Items[Member], Field(min_length=1, max_length=2)]
    """One Standalone, or a Leader and a Worker."""
    alternatives: Annotated[Items[Alternative], Field(max_length=8), unique()] = ()
    """Hardware in order of preference, at most 8; placement takes the first that some cluster has. Default: what members say."""
    scaling: EngineScaling | None = None
    """Autoscaling of this engine's copies; for deployments of several engines, instead of copies."""

    @model_validator(mode="after")
    def _shape(self) -> Self:
        roles = sorted(member.role for member in self.members)
        if roles not in (["Standalone"], ["Leader", "Worker"]):
            message = "an engine must be either a single Standalone member or one Leader and one Worker"
            raise mistake("EngineShape", message, "members", hint="role: Leader and role: Worker, worker: {nodes: N}")
        if self.scaling and "copies" in self.model_fields_set:
            raise mistake("ReplicasBesideScaling", "copies and scaling cannot stand together", "copies", hint="remove copies")
        return self

    @model_validator(mode="after")
    def _asks_for_devices(self) -> Self:
        asking = any(member.node_selector.devices for member in self.members)
        if not asking and not self.alternatives:
            message = "at least one member of an engine must carry a nodeSelector requesting devices"
            raise mistake("MissingField", message, "members", 0, hint="nodeSelector: {devices: [{name: gpu, memory: {atLeast: 22Gi}}]}")
        roles = {member.role for member in self.members}
        for a, alternative in enumerate(self.alternatives):
            for m, member in enumerate(alternative.members):
                if member.role not in roles:
                    at = ("alternatives", a, "members", m, "role")
                    raise mistake("UnknownReference", f"the engine has no {member.role} member", *at, hint=f"role: {min(roles)}")
            if not asking and not any(member.devices for member in alternative.members):
                message = f"alternative `{alternative.name}` requests no devices, and neither do the members"
                raise mistake("MissingField", message, "alternatives", a, hint="devices: [{name: gpu, memory: {atLeast: 22Gi}}]")
        return self

    def requests(self) -> Iterator[tuple[tuple[str | int, ...], DeviceOption]]:
        """Every device request and option of members and alternatives, with its path from the engine."""
        lists: list[tuple[tuple[str | int, ...], tuple[DeviceRequest, ...]]] = [
            (("members", m, "nodeSelector", "devices"), member.node_selector.devices) for m, member in enumerate(self.members)
        ]
        for a, alternative in enumerate(self.alternatives):
            lists += [(("alternatives", a, "members", m, "devices"), member.devices) for m, member in enumerate(alternative.members)]
        for path, requests in lists:
            for index, request in enumerate(requests):
                if not request.first_available:
                    yield (*path, index), request
                for nth, option in enumerate(request.first_available):
                    yield (*path, index, "firstAvailable", nth), option

    @property
    def kind(self) -> Literal["Standalone", "Gang"]:
        """Whether a copy is one pod or a gang."""
        return "Standalone" if len(self.members) == 1 else "Gang"
