"""Fleet: the one document that says how this repository is run."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints, model_validator

from .base import Document, DnsLabel, DnsSubdomain, Metadata, Model, mistake

VersionRange = Annotated[str, StringConstraints(pattern=r"^\s*(>=|<=|==|!=|>|<)\s*[0-9]+(\.[0-9]+){0,2}(\s*,\s*(>=|<=|==|!=|>|<)\s*[0-9]+(\.[0-9]+){0,2})*\s*$")]


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
    removal: Literal["Retire", "Prune"] = "Retire"
    """Retire: taking something away needs two commits, so nothing dies by accident. Prune: plain GitOps. Default: Retire."""


class PlacementPolicy(Model):
    """How replicas are placed."""

    recorded: Literal["Required", "Optional"] = "Required"
    """Required: only recorded placements are rendered. Optional: the plugin places what has no record. Default: Required."""
    accounting: Literal["Guaranteed", "Packed", "Node"] = "Guaranteed"
    """What a pod is charged: see the placement documentation. Default: Guaranteed."""
    strategy: Literal["Spread"] = "Spread"
    """How a cluster is chosen among the eligible ones. Default: Spread."""


class SecretName(Model):
    """A Secret by name."""

    name: DnsSubdomain
    """Name of the Secret."""


class Routing(Model):
    """Names and trust between gateways."""

    domain: DnsSubdomain = "fleet.internal"
    """Domain of the host names that gateways route by; it needs no DNS record. Default: fleet.internal."""
    token_secret_ref: SecretName | None = None
    """Secret that holds the token by which a workload gateway knows the fleet's front. Without it no token is asked for."""


class FleetSpec(Model):
    """Settings of the fleet."""

    generator_version: VersionRange | None = None
    """Versions of modelfleet that may render this repository, such as `>=0.1,<1`. Default: any."""
    argocd: ArgoCD
    """Argo CD's side."""
    placement: PlacementPolicy = PlacementPolicy()
    """Placement policy."""
    routing: Routing = Routing()
    """Routing between clusters."""

    @model_validator(mode="after")
    def _prune_needs_records(self) -> FleetSpec:
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
