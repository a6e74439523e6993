"""Components: what a cluster needs besides models, for the fleet and for one cluster."""

from typing import Annotated, Any, Literal, Self

from pydantic import StringConstraints, model_validator

from .base import DnsLabel, LabelValue, Model, mistake


class Component(Model):
    """One component of the stack. A cluster's list overrides the fleet's by name."""

    name: DnsLabel
    """Name in the catalog, such as keda or cert-manager."""
    mode: Literal["Install", "Provided", "Disabled"] = "Install"
    """Install: modelfleet installs it. Provided: someone else does. Disabled: it is not there. Default: Install."""
    version: Annotated[str, StringConstraints(min_length=1, max_length=63, pattern=r"^\S+$")] | None = None
    """Version of its chart. Default: the one that the catalog was tried with."""
    values: dict[str, Any] = {}
    """Values of its chart, merged over the catalog's."""

    @model_validator(mode="after")
    def _installed(self) -> Self:
        for field in ("version", "values"):
            if self.mode != "Install" and field in self.model_fields_set:
                message = f"`{field}` is for mode Install: a component that is {self.mode} is not installed by modelfleet"
                raise mistake("Contradiction", message, field, hint=f"remove {field}")
        return self


class FleetComponent(Component):
    """A component of the fleet's list; a second entry of one name for an environment overrides the first there."""

    environment: Annotated[LabelValue, StringConstraints(min_length=1)] | None = None
    """Clusters whose label modelfleet.io/environment has this value. Default: all."""
