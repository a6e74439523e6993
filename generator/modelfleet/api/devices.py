"""What a pod needs from its node: device requests."""

from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from .base import DnsLabel, Items, Model, mistake, unique
from .quantity import Quantity, QuantityText

Product = Annotated[str, StringConstraints(min_length=1, max_length=64)]
AttributeName = Annotated[
    str, StringConstraints(min_length=3, max_length=296, pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z_][A-Za-z0-9_]*$")
]


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
    def _not_empty(self) -> Self:
        if self.at_least is None and self.below is None:
            raise mistake("MissingField", "memory needs atLeast or below", hint="atLeast: 22Gi")
        if self.at_least and self.below and Quantity.parse(self.at_least) >= Quantity.parse(self.below):
            raise mistake("EmptyRange", f"no memory is at least {self.at_least} and below {self.below}", "below", hint="raise below")
        return self


class DeviceOption(Model):
    """One of several kinds of device that a request may take, in order of preference."""

    name: DnsLabel
    """Name of the option, unique in the request."""
    count: Annotated[int, Field(ge=1, le=64)] = 1
    """Devices for each pod. Default: 1."""
    selectors: Annotated[Items[CelSelector], Field(max_length=8)] = ()
    """Conditions in CEL; all must hold."""
    products: Annotated[Items[Product], Field(max_length=16)] = ()
    """Product names, exact: one of them must be the device's productName."""
    memory: MemoryRange | None = None
    """Bounds on the device's memory."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not (self.selectors or self.products or self.memory):
            raise mistake("MissingField", "a device option needs selectors, products or memory", hint="memory: {atLeast: 22Gi}")
        return self


class DeviceRequest(DeviceOption):
    """Devices that each pod of a member needs from its node."""

    name: DnsLabel
    """Name of the request, unique in the member."""
    first_available: Annotated[Items[DeviceOption], Field(max_length=8), unique()] = ()
    """Instead of the above: options in order of preference, at most 8; the cluster takes the first that it has."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        own = self.model_fields_set & {"count", "selectors", "products", "memory"}
        if self.first_available and own:
            field = min(own)
            message = f"{field} and firstAvailable exclude each other: each option says its own"
            raise mistake("OneOf", message, field, hint=f"move {field} into the options")
        if not (self.selectors or self.products or self.memory or self.first_available):
            raise mistake("MissingField", "a device request needs selectors, products or memory", hint="memory: {atLeast: 22Gi}")
        return self


class Constraint(Model):
    """What the devices of several requests must have in common."""

    requests: Annotated[Items[DnsLabel], Field(max_length=32)] = ()
    """Requests that it is about. Default: all of the member."""
    match_attribute: AttributeName
    """Attribute, with its domain, that must be equal on all of their devices, such as resource.kubernetes.io/pcieRoot."""


class DeviceSelector(Model):
    """What each pod of a member needs from its node."""

    devices: Annotated[Items[DeviceRequest], Field(min_length=1, max_length=16), unique()]
    """Device requests, 1 to 16."""
    constraints: Annotated[Items[Constraint], Field(max_length=32)] = ()
    """What the devices must have in common, at most 32."""

    @model_validator(mode="after")
    def _known_requests(self) -> Self:
        known = {request.name for request in self.devices}
        for index, constraint in enumerate(self.constraints):
            for nth, name in enumerate(constraint.requests):
                if name not in known:
                    at = ("constraints", index, "requests", nth)
                    raise mistake("UnknownReference", f"no request is named `{name}`", *at, hint=f"known: {', '.join(sorted(known))}")
        return self


def no_devices() -> DeviceSelector:
    """The selector of a member that asks for no device."""
    return DeviceSelector.model_construct(devices=(), constraints=())
