"""Team: who owns which namespaces, and what they may use."""

import ipaddress
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from .base import DnsLabel, DnsSubdomain, Document, Items, Metadata, Model, Money, ResourceName, Selector, mistake, unique
from .quantity import QuantityText


def _cidr(text: str) -> str:
    """`text`, if it is a network whose host bits are 0."""
    try:
        ipaddress.ip_network(text)
    except ValueError as error:
        raise mistake("BadValue", f"`{text}` is not a network: {error}", hint="10.0.0.0/8") from None
    return text


def _group(name: str) -> str:
    """`name`, if Kubernetes and Argo CD take it for one group of people: colons, spaces and commas are fine."""
    if name != name.strip():
        raise mistake("BadValue", f"`{name}` ends or begins with a space", hint=name.strip())
    if any(c == '"' or ord(c) < 32 for c in name):
        raise mistake("BadValue", f"`{name}` holds a quote or a control character", hint="the group's name alone")
    if name.startswith("system:"):
        raise mistake("BadValue", f"`{name}` is a group of Kubernetes itself, not of your identity provider", hint="acme:ml-search")
    return name


Group = Annotated[str, StringConstraints(min_length=1, max_length=253), AfterValidator(_group)]
Cidr = Annotated[str, StringConstraints(pattern=r"^[0-9A-Fa-f.:]+/[0-9]{1,3}$"), AfterValidator(_cidr)]


class Quota(Model):
    """Most devices of some classes that the team's replicas may hold."""

    name: DnsLabel
    """Name, unique in the team."""
    classes: Annotated[Items[DnsSubdomain], Field(max_length=64)] = ()
    """Classes by name."""
    class_selector: Selector | None = None
    """Classes by label."""
    devices: Annotated[int, Field(ge=0, le=1_000_000)]
    """Devices of all these classes together."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        if bool(self.classes) == (self.class_selector is not None):
            raise mistake("OneOf", "exactly one of classes and classSelector must be set", hint="classes: [h100-8x]")
        return self


class Budget(Model):
    """Most that the team may spend."""

    per_hour: Money
    """Price of everything the team has placed, for one hour, in the fleet's currency."""


class TeamSpec(Model):
    """What a team owns and may use."""

    namespaces: Annotated[Items[DnsLabel], Field(min_length=1, max_length=256)]
    """Namespaces of the team; each belongs to at most one team."""
    groups: Annotated[Items[Group], Field(max_length=64)] = ()
    """Groups of the identity provider that may see and sync the team's Applications, and see what runs in its namespaces."""
    cluster_selector: Selector | None = None
    """Clusters that the team may use. Default: all."""
    classes: Annotated[Items[DnsSubdomain], Field(min_length=1, max_length=256)] | None = None
    """Classes that the team may use. Default: all."""
    quota: Annotated[Items[Quota], Field(max_length=64), unique()] = ()
    """Most devices, by class. Default: no limit."""
    budget: Budget | None = None
    """Most money. Default: no limit."""
    max_priority: Annotated[int, Field(ge=0, le=1000)] = 1000
    """Highest priority that the team's deployments may have. Default: 1000."""
    kubernetes_quota: Annotated[dict[ResourceName, QuantityText], Field(max_length=64)] = {}
    """Hard limits of a ResourceQuota in each of its namespaces, as they are: {requests.cpu: "200", pods: "100"}. Default: none."""
    egress: Annotated[Items[Cidr], Field(max_length=64)] = ()
    """Networks that its pods may reach, besides the cluster's own. Default: all."""
    pod_security: Literal["Privileged", "Baseline", "Restricted"] = "Baseline"
    """Pod Security Standard that its namespaces enforce. Default: Baseline, which RDMA's IPC_LOCK and host networks need Privileged for."""

    @model_validator(mode="after")
    def _namespaces_once(self) -> Self:
        for field, items in (("namespaces", self.namespaces), ("classes", self.classes or ()), ("groups", self.groups)):
            for index, item in enumerate(items):
                if item in items[:index]:
                    raise mistake("DuplicateItem", f"`{item}` stands twice in this list", field, index, hint="remove one")
        return self


class TeamMetadata(Metadata):
    """Metadata of a team."""

    name: DnsLabel
    """Name of the team: a DNS label."""


class Team(Document):
    """A team."""

    SCOPE: ClassVar[Literal["Platform"]] = "Platform"

    api_version: Literal["modelfleet.io/v1alpha1"]
    """Always modelfleet.io/v1alpha1."""
    kind: Literal["Team"]
    """Always Team."""
    metadata: TeamMetadata
    """Name."""
    spec: TeamSpec
    """What it owns and may use."""
