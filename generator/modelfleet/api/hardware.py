"""InferenceClass: a hardware shape, the devices of one node."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from .base import DnsSubdomain, Document, Items, Metadata, Model, Money, NodeTaint, mistake, unique
from .later import Later
from .quantity import QuantityText
from .semver import SemverText

if TYPE_CHECKING:
    from .provisioning import Provisioning
else:
    Provisioning = Annotated[Any, Later("provisioning", "Provisioning")]

Name63 = Annotated[str, StringConstraints(min_length=1, max_length=63, pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
QualifiedName = Annotated[str, StringConstraints(min_length=1, max_length=317, pattern=r"^([^/]+/)?[A-Za-z_][A-Za-z0-9_]*$")]


class Attribute(Model):
    """The value of one device attribute: exactly one of the four types."""

    string: Annotated[str, StringConstraints(max_length=253)] | None = None
    """A string."""
    version: SemverText | None = None
    """A semantic version."""
    bool_: Annotated[bool | None, Field(alias="bool")] = None
    """A boolean."""
    int_: Annotated[int | None, Field(alias="int", ge=-(2**63), le=2**63 - 1)] = None
    """A 64-bit integer."""

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if len(self.model_fields_set) != 1 or self.value is None:
            raise mistake("AttributeType", "exactly one of string, version, bool, int must be set", hint="keep one of the four")
        return self

    @property
    def value(self) -> str | bool | int | None:
        """The value that is set; a version is its text."""
        return next((v for v in (self.string, self.version, self.bool_, self.int_) if v is not None), None)


class Capacity(Model):
    """One capacity of a device."""

    value: QuantityText
    """A Kubernetes quantity: what the driver reports, not the nominal size (an H100 80GB reports 81559Mi)."""


class Device(Model):
    """A group of equal devices on each node."""

    name: Name63
    """Name of the group within the class."""
    claim: Literal["DRA", "Synthetic", "ExtendedResource"] = "DRA"
    """How a pod takes one: DRA by ResourceClaim, Synthetic never (it is only matched), ExtendedResource by a resource limit.
    Default: DRA."""
    driver: DnsSubdomain
    """DRA driver, the domain of names without one."""
    device_class_name: DnsSubdomain | None = None
    """DeviceClass that a claim asks for; required with claim DRA."""
    resource_name: Annotated[str, StringConstraints(min_length=3, max_length=253, pattern=r"^[a-z0-9.-]+/[A-Za-z0-9._-]+$")] | None = None
    """Extended resource such as nvidia.com/gpu; required with claim ExtendedResource."""
    count: Annotated[int, Field(ge=1, le=64)] = 1
    """Devices of this group on each node, 1 to 64. Default: 1."""
    attributes: Annotated[dict[QualifiedName, Attribute], Field(max_length=32)] = {}
    """Attributes as the driver publishes them; a name without a domain belongs to the driver."""
    capacity: Annotated[dict[QualifiedName, Capacity], Field(max_length=32)] = {}
    """Capacities as the driver publishes them."""

    @model_validator(mode="after")
    def _claim_has_its_name(self) -> Self:
        if self.claim == "DRA" and self.device_class_name is None:
            raise mistake("MissingField", "deviceClassName is required when claim is DRA", hint="deviceClassName: gpu.nvidia.com")
        if self.claim == "ExtendedResource" and self.resource_name is None:
            raise mistake("MissingField", "resourceName is required when claim is ExtendedResource", hint="resourceName: nvidia.com/gpu")
        return self


class NodeResources(Model):
    """What a node can give to pods besides devices."""

    cpu: QuantityText | None = None
    """Allocatable CPU of a node, in cores."""
    memory: QuantityText | None = None
    """Allocatable memory of a node, in bytes."""
    ephemeral_storage: Annotated[QuantityText | None, Field(alias="ephemeral-storage")] = None
    """Allocatable local storage of a node, in bytes."""


class NodeCost(Model):
    """Price of one node."""

    per_node_hour: Money | None = None
    """Price of one node for one hour, in the fleet's currency."""
    spot_per_node_hour: Money | None = None
    """The same on spot pools."""


class InferenceClassSpec(Model):
    """A hardware shape."""

    description: str = ""
    """What people call it."""
    provisioning: Provisioning | None = None
    """How a cloud makes such nodes. Default: they are there already."""
    devices: Annotated[Items[Device], Field(min_length=1, max_length=16), unique()]
    """Device groups of one node, 1 to 16."""
    resources: NodeResources = NodeResources.model_construct()
    """Allocatable CPU, memory and storage of a node; counted when engines request them."""
    cost: NodeCost = NodeCost.model_construct()
    """Price of a node."""
    node_taints: Annotated[Items[NodeTaint], unique(("key", "effect"))] = ()
    """Taints that the nodes carry; what is placed there tolerates them."""


class InferenceClass(Document):
    """A hardware shape that pools refer to."""

    SCOPE: ClassVar[Literal["Platform"]] = "Platform"

    api_version: Literal["modelfleet.io/v1alpha1"]
    """Always modelfleet.io/v1alpha1."""
    kind: Literal["InferenceClass"]
    """Always InferenceClass."""
    metadata: Metadata
    """Name and labels; quotas select on the labels."""
    spec: InferenceClassSpec
    """The shape."""
