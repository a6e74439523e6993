"""NodePool: equal nodes of one hardware class, what of them is out of service, and what they cost."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from .base import DnsLabel, DnsSubdomain, Items, LabelKey, LabelValue, Model, NonEmpty, Taint, mistake, unique
from .hardware import NodeCost


class CapacityBlock(Model):
    """Reserved capacity of EKS."""

    capacity_reservation_id: Annotated[str, StringConstraints(min_length=4, max_length=64, pattern=r"^cr-[0-9a-f]+$")]
    """Reservation, such as cr-0a1b2c3d."""


class InfiniBand(Model):
    """An InfiniBand fabric."""

    fabric: Annotated[str, StringConstraints(min_length=1, max_length=63)]
    """The cloud's name of the fabric."""


class Fabric(Model):
    """The network between the nodes of the pool."""

    type: Literal["None", "EFA", "InfiniBand"] = "None"
    """Kind of fabric. Default: None."""
    infiniband: InfiniBand | None = None
    """The InfiniBand fabric; only with type InfiniBand."""

    @model_validator(mode="after")
    def _only_infiniband(self) -> Self:
        if self.infiniband is not None and self.type != "InfiniBand":
            raise mistake("Contradiction", "infiniband is valid only when type is InfiniBand", "infiniband", hint="type: InfiniBand")
        return self


class DeviceCount(Model):
    """Some devices of a group."""

    name: DnsLabel
    """Device group of the pool's class."""
    count: Annotated[int, Field(ge=1, le=64)]
    """Devices, 1 to 64."""


class Unavailable(Model):
    """Nodes that are there and cannot be used as they should."""

    nodes: Annotated[int, Field(ge=1, le=1_000_000)]
    """Nodes that this is true of."""
    devices: Annotated[Items[DeviceCount], Field(max_length=16), unique()] = ()
    """Broken devices on each of them. Default: the whole node is out of service."""
    reason: NonEmpty
    """Why, for the people who read the plan."""


class Reserved(Model):
    """Devices that someone else uses on every node."""

    device: DnsLabel
    """Device group of the pool's class."""
    per_node: Annotated[int, Field(ge=1, le=64)]
    """Devices of each node, 1 to 64."""
    reason: NonEmpty
    """Why, for the people who read the plan."""


class NodePool(Model):
    """Equal nodes of one hardware class."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
    """Name of the pool within the cluster, at most 40 characters."""
    class_name: DnsSubdomain
    """InferenceClass of its nodes."""
    node_count: Annotated[int, Field(ge=0, le=1_000_000)] = 1
    """Nodes that are there. Default: 1."""
    min_node_count: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    """Fewest nodes that the cloud's autoscaler keeps. Default: nodeCount."""
    max_node_count: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """Most nodes that the cloud's autoscaler makes; what is above nodeCount is headroom. Default: no headroom."""
    headroom: Literal["LastResort", "Equal", "Never"] = "LastResort"
    """LastResort: headroom is used when nothing else fits. Equal: like nodes that are there. Never: not at all. Default: LastResort."""
    zones: Annotated[Items[NonEmpty], Field(max_length=8)] = ()
    """Zones of the nodes, for pools that a cloud makes; at most 8."""
    capacity_block: CapacityBlock | None = None
    """Reserved capacity of EKS."""
    fabric: Fabric = Fabric.model_construct()
    """Network between the nodes."""
    node_selector: Annotated[dict[LabelKey, LabelValue] | None, Field(min_length=1)] = None
    """Labels that the pool's nodes carry. Default: modelfleet.io/pool: <name>."""
    taints: Annotated[Items[Taint], unique(("key", "effect"))] = ()
    """Taints of this pool, as a cluster's."""
    spot: bool = False
    """true: the cloud may take the nodes away at any time; only deployments that allow it go there. Default: false."""
    cost: NodeCost | None = None
    """Price of a node of this pool. Default: the class's."""
    unavailable: Annotated[Items[Unavailable], Field(max_length=64)] = ()
    """Nodes out of service, whole or in part. They are not counted."""
    reserved: Annotated[Items[Reserved], Field(max_length=16), unique("device")] = ()
    """Devices of every node that are someone else's."""

    @model_validator(mode="after")
    def _bounds(self) -> Self:
        most = self.node_count if self.max_node_count is None else self.max_node_count
        if most < self.node_count:
            raise mistake("EmptyRange", "maxNodeCount is below nodeCount", "maxNodeCount", hint=f"maxNodeCount: {self.node_count}")
        if self.min_node_count is not None and self.min_node_count > most:
            raise mistake(
                "EmptyRange", f"minNodeCount is above the {most} nodes that there can be", "minNodeCount", hint=f"minNodeCount: {most}"
            )
        gone = sum(item.nodes for item in self.unavailable)
        if gone > self.node_count:
            raise mistake("OutOfRange", f"{gone} nodes are unavailable of {self.node_count}", "unavailable", hint=f"nodeCount: {gone}")
        return self

    @property
    def nodes_in_service(self) -> int:
        """Nodes that are there and whole: nodeCount less every node of which something is unavailable."""
        return self.node_count - sum(item.nodes for item in self.unavailable)
