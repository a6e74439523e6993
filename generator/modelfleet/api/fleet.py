"""Fleet: the one document that says how this repository is run."""

import re
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from .base import DnsLabel, DnsSubdomain, Document, Items, Metadata, Model, mistake, unique
from .components import FleetComponent
from .refs import SecretName

VersionRange = Annotated[
    str, StringConstraints(pattern=r"^\s*(>=|<=|==|!=|>|<)\s*[0-9]+(\.[0-9]+){0,2}(\s*,\s*(>=|<=|==|!=|>|<)\s*[0-9]+(\.[0-9]+){0,2})*\s*$")
]


class ArgoCD(Model):
    """Where Argo CD runs and how it reads this repository."""

    namespace: DnsLabel = "argocd"
    """Namespace of Argo CD on the hub. Default: argocd."""
    repo_url: Annotated[str, StringConstraints(min_length=1), Field(alias="repoURL")]
    """URL of this repository as Argo CD knows it. Required, so that the output is the same on every machine."""
    target_revision: Annotated[str, StringConstraints(min_length=1)] = "main"
    """Branch, tag or commit that Argo CD follows. Default: main."""
    plugin: DnsSubdomain = "modelfleet-v0"
    """Versioned name of the config-management plugin. Default: modelfleet-v0."""
    delivery: Literal["Plugin", "Rendered"] = "Plugin"
    """Plugin: the Applications run the plugin. Rendered: they read plain YAML under rendered/. Default: Plugin."""
    removal: Literal["Retire", "Prune"] = "Retire"
    """Retire: taking something away needs two commits, so nothing dies by accident. Prune: plain GitOps. Default: Retire."""


class MaxRemovals(Model):
    """How many recorded replicas one change may take away without approval: the larger of the two."""

    percent: Annotated[int, Field(ge=0, le=100)] = 25
    """Share of the replicas recorded before the change, in percent, rounded down. Default: 25."""
    at_least: Annotated[int, Field(ge=0, le=1_000_000)] = 2
    """Replicas that are always allowed. Default: 2."""


class PlacementPolicy(Model):
    """How replicas are placed."""

    recorded: Literal["Required", "Optional"] = "Required"
    """Required: only recorded placements are rendered. Optional: the plugin places what has no record. Default: Required."""
    accounting: Literal["Guaranteed", "Packed", "Node"] = "Guaranteed"
    """What a pod is charged: see the placement documentation. Default: Guaranteed."""
    strategy: Literal["Spread", "Pack", "Cheapest"] = "Spread"
    """How a cluster is chosen among the eligible ones; a deployment may say its own. Default: Spread."""
    max_removals: MaxRemovals = MaxRemovals.model_construct()
    """Replicas that one change may retire or drop. Default: 25 percent, at least 2."""


class Routing(Model):
    """Names and trust between gateways."""

    domain: DnsSubdomain = "fleet.internal"
    """Domain of the host names that gateways route by, at most 125 characters; it needs no DNS record. Default: fleet.internal."""
    token_secret_ref: SecretName | None = None
    """Secret that holds the token by which a workload gateway knows the fleet's front, key credential. Without it no token is asked for."""

    @model_validator(mode="after")
    def _short(self) -> Self:
        """A host name has 253 characters: the longest labels of a deployment and of its cluster stand before the domain."""
        if len(self.domain) > 253 - 2 * len(f"{'':63}."):
            message = f"a domain of {len(self.domain)} characters leaves no room for the names of deployments and clusters"
            raise mistake("TooMany", message, "domain", hint="at most 125 characters")
        if any(len(label) > 63 for label in self.domain.split(".")):
            raise mistake("BadName", "a label of the domain has more than 63 characters", "domain", hint="fleet.example.com")
        return self


class StoreRef(Model):
    """A store of the External Secrets operator."""

    kind: Literal["ClusterSecretStore", "SecretStore"] = "ClusterSecretStore"
    """ClusterSecretStore: one for the whole cluster. SecretStore: one in each namespace. Default: ClusterSecretStore."""
    name: DnsSubdomain
    """Name of the store on every cluster."""


class Secrets(Model):
    """Where Secrets that declarations refer to come from. Without this block people bring them to each cluster."""

    store_ref: StoreRef
    """The store that ExternalSecrets read."""
    key_template: Annotated[str, StringConstraints(min_length=1, max_length=512)] = "{namespace}/{name}"
    """Key of a Secret in the store; {namespace} and {name} stand for the Secret's. Default: {namespace}/{name}."""

    @model_validator(mode="after")
    def _two_words(self) -> Self:
        for found in re.findall(r"\{[^{}]*\}?|\}", re.sub(r"\{(namespace|name)\}", "", self.key_template)):
            message = f"`{found}` stands for nothing: a key template knows {{namespace}} and {{name}}"
            raise mistake("BadTemplate", message, "keyTemplate", hint='keyTemplate: "teams/{namespace}/{name}"')
        return self


class FleetSpec(Model):
    """Settings of the fleet."""

    generator_version: VersionRange | None = None
    """Versions of modelfleet that may render this repository, such as `>=0.1,<1`. Default: any."""
    argocd: ArgoCD
    """Argo CD's side."""
    placement: PlacementPolicy = PlacementPolicy.model_construct()
    """Placement policy."""
    tenancy: Literal["Optional", "Required"] = "Optional"
    """Required: every namespace belongs to a Team. Default: Optional."""
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] = "USD"
    """Currency of all prices, as in ISO 4217. Default: USD."""
    routing: Routing = Routing.model_construct()
    """Routing between clusters."""
    secrets: Secrets | None = None
    """Where Secrets come from. Default: people bring them."""
    components: Annotated[Items[FleetComponent], Field(max_length=64), unique(("name", "environment"))] = ()
    """What every cluster gets besides models, at most 64. Default: nothing; what models need is then taken to be there."""

    @model_validator(mode="after")
    def _prune_needs_records(self) -> Self:
        if self.placement.recorded == "Optional" and self.argocd.removal == "Retire":
            raise mistake(
                "RecordedOptionalRetires",
                "`recorded: Optional` cannot keep the promises of `removal: Retire`",
                "placement",
                "recorded",
                hint="recorded: Required, or argocd.removal: Prune",
            )
        return self


class Fleet(Document):
    """The fleet. Exactly one, in fleet/fleet.yaml."""

    SCOPE: ClassVar[Literal["Platform"]] = "Platform"

    api_version: Literal["modelfleet.io/v1alpha1"]
    """Always modelfleet.io/v1alpha1."""
    kind: Literal["Fleet"]
    """Always Fleet."""
    metadata: Metadata
    """Name of the fleet."""
    spec: FleetSpec
    """Settings."""
