"""InferenceGateway: a front door of the fleet, where callers and their keys come in."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from .base import DnsLabel, DnsSubdomain, Document, Items, Labels, Metadata, Model, NonEmpty, Selector, mistake, unique
from .refs import SecretName


class Listener(Model):
    """A port of the front door."""

    name: DnsLabel
    """Name, unique in the gateway."""
    port: Annotated[int, Field(ge=1, le=65535)]
    """Port."""
    protocol: Literal["HTTP", "HTTPS"]
    """HTTP: in the clear. HTTPS: with the certificates of tls."""


class FrontTls(Model):
    """Certificates of the front door."""

    certificate_refs: Annotated[Items[SecretName], Field(min_length=1, max_length=8), unique()]
    """Secrets of type kubernetes.io/tls, 1 to 8."""


class SecretSelector(Model):
    """Secrets by label."""

    match_labels: Annotated[Labels, Field(min_length=1, max_length=16)]
    """Labels that the Secrets have, 1 to 16."""


class ApiKeys(Model):
    """API keys of the callers."""

    secret_refs: Annotated[Items[SecretName], Field(max_length=16), unique()] = ()
    """Secrets in the system namespace, at most 16: each key of a Secret names a caller, its value is the caller's API key."""
    secret_selector: SecretSelector | None = None
    """Modelplane's form: Secrets by label, which nothing in Git can evaluate. The front door then reads one Secret, named
    modelfleet-callers."""

    @model_validator(mode="after")
    def _some(self) -> Self:
        if not self.secret_refs and self.secret_selector is None:
            raise mistake("MissingField", "API keys need a Secret", hint="secretRefs: [{name: modelfleet-callers}]")
        return self


class Auth(Model):
    """How callers prove who they are."""

    method: Literal["APIKey"] = "APIKey"
    """APIKey: `Authorization: Bearer` or `x-api-key`. Default: APIKey."""
    api_key: ApiKeys
    """Where the keys are."""


class MetalLb(Model):
    """Addresses for MetalLB."""

    address_pool: NonEmpty
    """Range of addresses."""


class Traefik(Model):
    """Modelplane's Traefik; read and not used."""

    version: NonEmpty
    """Version of the chart."""
    load_balancer: Literal["MetalLB"] | None = None
    """MetalLB: addresses come from metallb.addressPool. Default: the cloud's load balancer."""
    metallb: MetalLb | None = None
    """Addresses for MetalLB."""

    @model_validator(mode="after")
    def _pool(self) -> Self:
        if self.load_balancer and self.metallb is None:
            raise mistake("MissingField", "metallb is required when loadBalancer is MetalLB", hint="metallb: {addressPool: ...}")
        if self.metallb and not self.load_balancer:
            raise mistake("Contradiction", "metallb may only be set when loadBalancer is MetalLB", "metallb", hint="loadBalancer: MetalLB")
        return self


class InferenceGatewaySpec(Model):
    """A front door."""

    cluster_name: Annotated[str, StringConstraints(min_length=1, max_length=63)] | None = None
    """Cluster that it stands on; it never changes, and a cluster has one front door. Default: the hub."""
    hostname: DnsSubdomain | None = None
    """Host name that callers use. Default: whatever leads to its address."""
    listeners: Annotated[Items[Listener], Field(max_length=8), unique(), unique("port")] = ()
    """Ports, at most 8. Default: HTTPS on 443 where tls is set, else HTTP on 80."""
    tls: FrontTls | None = None
    """Certificates."""
    auth: Auth | None = None
    """How callers prove who they are. Default: anyone who reaches it may call."""
    service_selector: Selector | None = None
    """Services that it serves, by their labels. Default: all."""
    routing: Annotated[Items[Literal["Path", "ModelName"]], Field(min_length=1, max_length=2)] = ("Path",)
    """Path: /<namespace>/<service>/v1/... ModelName: one URL, and `model` says <namespace>/<service>. Default: Path."""
    backend: Literal["Traefik"] | None = None
    """Modelplane's choice of proxy; read and not used: the front door is Envoy Gateway."""
    traefik: Traefik | None = None
    """Modelplane's settings of Traefik; read and not used."""

    @model_validator(mode="after")
    def _certificates(self) -> Self:
        for index, listener in enumerate(self.listeners):
            if listener.protocol == "HTTPS" and self.tls is None:
                at = ("listeners", index, "protocol")
                raise mistake("MissingField", "an HTTPS listener needs tls", *at, hint="tls: {certificateRefs: [{name: ...}]}")
        if self.backend and self.traefik is None:
            raise mistake("MissingField", "traefik is required when backend is Traefik", "backend", hint="remove backend")
        if len(set(self.routing)) < len(self.routing):
            raise mistake("DuplicateItem", f"`{self.routing[1]}` stands twice in this list", "routing", 1, hint="remove one")
        return self

    @property
    def takes_http(self) -> bool:
        """Whether a listener takes requests without TLS."""
        return any(listener.protocol == "HTTP" for listener in self.listeners) if self.listeners else self.tls is None


class GatewayMetadata(Metadata):
    """Metadata of a gateway."""

    name: DnsLabel
    """Name of the gateway: a DNS label."""


class InferenceGateway(Document):
    """A front door of the fleet."""

    SCOPE: ClassVar[Literal["Platform"]] = "Platform"

    api_version: Literal["modelfleet.io/v1alpha1"]
    """Always modelfleet.io/v1alpha1."""
    kind: Literal["InferenceGateway"]
    """Always InferenceGateway."""
    metadata: GatewayMetadata
    """Name."""
    spec: InferenceGatewaySpec
    """The front door."""
