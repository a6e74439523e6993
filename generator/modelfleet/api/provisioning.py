"""How a node of a class is bought from a cloud: the provisioning block of an InferenceClass."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from .base import Model, NonEmpty, mistake

Name63 = Annotated[str, StringConstraints(min_length=1, max_length=63)]
DiskSize = Annotated[int, Field(ge=10, le=65536)]
CLOUDS = {"GKE": "gke", "EKS": "eks", "AKS": "aks", "Nebius": "nebius", "Vultr": "vultr"}


class Accelerator(Model):
    """The cloud's own name of the device. Placement reads `devices` and never this."""

    type: Name63
    """Name of the accelerator, at most 63 characters."""
    count: Annotated[int, Field(ge=1, le=16)]
    """Accelerators of a node, 1 to 16."""


class GkeMachine(Model):
    """A node of GKE."""

    machine_type: NonEmpty
    """Machine type such as g2-standard-8."""
    disk_size_gb: DiskSize = 100
    """Boot disk in GB, at least 10. Default: 100."""
    accelerator: Accelerator
    """Accelerators that the machine gets."""


class EksMachine(Model):
    """A node of EKS."""

    instance_type: NonEmpty
    """Instance type such as g6.xlarge."""
    disk_size_gb: DiskSize = 100
    """Root disk in GB, at least 10. Default: 100."""
    accelerator: Accelerator
    """Accelerators that the instance type has."""


class AksMachine(Model):
    """A node of AKS."""

    vm_size: NonEmpty
    """Size such as Standard_ND96isr_H100_v5."""
    disk_size_gb: DiskSize = 100
    """OS disk in GB, at least 10. Default: 100."""
    accelerator: Accelerator
    """Accelerators that the size has."""


class NebiusMachine(Model):
    """A node of Nebius."""

    platform: Name63
    """Platform such as gpu-h100-sxm."""
    preset: Name63
    """Preset such as 8gpu-128vcpu-1600gb."""
    disk_size_gb: DiskSize = 100
    """Boot disk in GB, at least 10. Default: 100."""
    drivers_preset: Name63 = "cuda13.0"
    """Driver set of the node image. Default: cuda13.0."""
    accelerator: Accelerator
    """Accelerators that the preset has."""


class VultrMachine(Model):
    """A node of Vultr."""

    plan: Name63
    """Plan such as vcg-l40s-16c-180g-48vram."""
    accelerator: Accelerator
    """Accelerators that the plan has."""


class Provisioning(Model):
    """How nodes of the class are made. Left out for hardware that is there already."""

    provider: Literal["GKE", "EKS", "AKS", "Nebius", "Vultr"]
    """Cloud that makes the nodes; the block of the same name is required."""
    gke: GkeMachine | None = None
    """Node of GKE."""
    eks: EksMachine | None = None
    """Node of EKS."""
    aks: AksMachine | None = None
    """Node of AKS."""
    nebius: NebiusMachine | None = None
    """Node of Nebius."""
    vultr: VultrMachine | None = None
    """Node of Vultr."""

    @model_validator(mode="after")
    def _own_block(self) -> Self:
        block = CLOUDS[self.provider]
        if getattr(self, block) is None:
            message = f"spec.provisioning.{block} is required when spec.provisioning.provider is {self.provider}"
            raise mistake("MissingField", message, hint=f"add `{block}:`")
        return self
