"""ModelService: what callers address, and which deployments and providers answer."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from .base import DnsLabel, DnsSubdomain, Document, Duration, Items, Model, NamespacedMetadata, Selector, mistake


class ServiceEndpoint(Model):
    """One group of targets, chosen by labels or by name."""

    name: DnsLabel | None = None
    """Name, unique in the service. Default: the deployment or endpoint that it names, or the value of its only label."""
    priority: Annotated[int, Field(ge=0, le=63)] = 0
    """Tier, lower first, 0 to 63; a service has at most two. Default: 0."""
    weight: Annotated[int, Field(ge=0, le=1_000_000)] = 1
    """Share of the tier's requests, whatever the number of replicas; 0 means none. At most 1000000. Default: 1."""
    selector: Selector | None = None
    """Deployments and endpoints of this namespace by their labels; a deployment also has modelfleet.io/deployment: <name>."""
    deployment: DnsLabel | None = None
    """A ModelDeployment of this namespace."""
    endpoint: DnsSubdomain | None = None
    """A ModelEndpoint of this namespace."""

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        if sum(target is not None for target in (self.selector, self.deployment, self.endpoint)) != 1:
            raise mistake("OneOf", "exactly one of selector, deployment and endpoint must be set", hint="deployment: <name>")
        if self.selector is not None:
            count = len(self.selector.match_labels) + len(self.selector.match_expressions)
            if not 1 <= count <= 16:
                message = f"a selector of endpoints needs 1 to 16 labels or expressions, not {count}"
                raise mistake("TooMany", message, "selector", hint="matchLabels: {modelfleet.io/deployment: <name>}")
        return self

    @property
    def shown(self) -> str:
        """The name, or what stands for it."""
        labels = tuple(self.selector.match_labels.values()) if self.selector else ()
        return self.name or self.deployment or self.endpoint or (labels[0] if len(labels) == 1 else "")


class ServiceTimeouts(Model):
    """Limits on the time of a request."""

    request: Duration | None = None
    """From the first byte of the request to the last of the answer. Default: no limit, because answers are streams."""
    idle: Duration | None = None
    """Without a byte in either direction. Default: the gateway's."""


class ModelServiceSpec(Model):
    """What answers."""

    endpoints: Annotated[Items[ServiceEndpoint], Field(min_length=1, max_length=32)]
    """Groups of targets, 1 to 32."""
    locality: Literal["None", "PreferRegion"] = "None"
    """None: the shares hold everywhere. PreferRegion: targets in the gateway's region come first. Default: None."""
    timeouts: ServiceTimeouts = ServiceTimeouts.model_construct()
    """Limits on the time of a request."""

    @model_validator(mode="after")
    def _names(self) -> Self:
        seen: set[str] = set()
        for index, endpoint in enumerate(self.endpoints):
            if endpoint.name and endpoint.name in seen:
                raise mistake(
                    "DuplicateItem", f"name `{endpoint.name}` stands twice in this list", "endpoints", index, "name", hint="rename one"
                )
            seen |= {endpoint.name} if endpoint.name else set()
        return self

    @model_validator(mode="after")
    def _tiers(self) -> Self:
        tiers = sorted({endpoint.priority for endpoint in self.endpoints})
        for index, endpoint in enumerate(self.endpoints):
            if len(tiers) > 2 and endpoint.priority == tiers[2]:
                shown = ", ".join(map(str, tiers))
                message = f"a service has at most two tiers; these are {shown}"
                raise mistake("Tiers", message, "endpoints", index, "priority", hint=f"priority: {tiers[1]}")
        if self.locality != "None" and len(tiers) > 1:
            message = "locality makes the tiers, so the endpoints cannot have two priorities"
            raise mistake("Tiers", message, "locality", hint="locality: None")
        if not any(endpoint.weight for endpoint in self.endpoints):
            raise mistake("OutOfRange", "all weights are 0: nothing would answer", "endpoints", 0, "weight", hint="weight: 1")
        return self


class ServiceMetadata(NamespacedMetadata):
    """Metadata of a service."""

    name: DnsLabel
    """Name: a DNS label. Callers use it in the path, or in `model` as <namespace>/<name>."""


class ModelService(Document):
    """What callers address."""

    SCOPE: ClassVar[Literal["Model"]] = "Model"

    api_version: Literal["modelfleet.io/v1alpha1"]
    """Always modelfleet.io/v1alpha1."""
    kind: Literal["ModelService"]
    """Always ModelService."""
    metadata: ServiceMetadata
    """Name and namespace; gateways select on the labels."""
    spec: ModelServiceSpec
    """What answers."""
