"""Where a deployment's replicas may and should stand, and how an update replaces them."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from .base import Items, LabelKey, Model, Money, Selector, mistake


class Spread(Model):
    """How evenly replicas stand over the values of a label of the clusters."""

    topology_key: LabelKey
    """Label of the clusters, such as topology.kubernetes.io/region."""
    max_skew: Annotated[int, Field(ge=1, le=1000)] = 1
    """Most replicas that one value may have beyond another. Default: 1."""
    min_domains: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Values that replicas must reach before any has a second; only with DoNotSchedule. Default: 1."""
    when_unsatisfiable: Literal["DoNotSchedule", "ScheduleAnyway"] = "DoNotSchedule"
    """DoNotSchedule: what would break the rule is not placed. ScheduleAnyway: the rule only ranks. Default: DoNotSchedule."""

    @model_validator(mode="after")
    def _domains(self) -> Self:
        if self.min_domains is not None and self.when_unsatisfiable != "DoNotSchedule":
            message = "minDomains has no meaning with whenUnsatisfiable ScheduleAnyway"
            raise mistake("Contradiction", message, "minDomains", hint="whenUnsatisfiable: DoNotSchedule")
        return self


class Preference(Selector):
    """Clusters that are liked better. Weights of all that match add up."""

    weight: Annotated[int, Field(ge=1, le=100)]
    """How much better, 1 to 100."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not (self.match_labels or self.match_expressions):
            raise mistake("MissingField", "a preference needs matchLabels or matchExpressions", hint="matchLabels: {tier: production}")
        return self


class DeploymentPlacement(Model):
    """Limits on where replicas go."""

    strategy: Literal["Spread", "Pack", "Cheapest"] | None = None
    """Spread: over clusters. Pack: onto the fullest that fits. Cheapest: where it adds least cost. Default: the fleet's."""
    spread: Spread | None = None
    """How evenly replicas stand. Default: no rule."""
    max_per_cluster: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Most replicas on one cluster. Default: no limit."""
    prefer: Annotated[Items[Preference], Field(max_length=32)] = ()
    """Clusters that are liked better, at most 32."""
    spot: Literal["Never", "Allow", "Only"] = "Never"
    """Never: no spot pools. Allow: spot pools too. Only: nothing else. Default: Never."""
    max_cost_per_hour: Money | None = None
    """Most that all replicas together may cost in an hour, in the fleet's currency. Default: no limit."""


class Rollout(Model):
    """How an update replaces pods."""

    max_surge: Annotated[int, Field(ge=0, le=1000)] = 0
    """Pods more than there should be; they are charged as capacity. Default: 0."""
    max_unavailable: Annotated[int, Field(ge=0, le=1000)] = 1
    """Pods fewer than there should be. Default: 1."""

    @model_validator(mode="after")
    def _moves(self) -> Self:
        if self.max_surge == 0 and self.max_unavailable == 0:
            raise mistake(
                "OutOfRange", "with neither surge nor unavailable pods no update could begin", "maxUnavailable", hint="maxUnavailable: 1"
            )
        return self
