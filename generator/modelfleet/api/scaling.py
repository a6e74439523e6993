"""Autoscaling of a deployment."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from .base import Items, Model, mistake

Number = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,9}(\.[0-9]{1,6})?$")]


class Trigger(Model):
    """A signal that replicas follow."""

    type: Literal["RequestsWaiting", "RequestsRunning", "KVCacheUsage", "TimeToFirstToken", "Prometheus"]
    """RequestsWaiting, RequestsRunning: mean per replica. KVCacheUsage: mean, 0..1. TimeToFirstToken: p95 seconds over two minutes.
    Prometheus: own query."""
    target: Number
    """Value of the signal that the scaler aims at, as a decimal string."""
    query: Annotated[str, StringConstraints(min_length=1, max_length=4096)] | None = None
    """PromQL of type Prometheus; must return exactly one number."""

    @model_validator(mode="after")
    def _query(self) -> Trigger:
        if (self.type == "Prometheus") != (self.query is not None):
            raise mistake("TriggerQuery", "query is for triggers of type Prometheus, and they need it", hint="type: Prometheus")
        if float(self.target) == 0:
            raise mistake("OutOfRange", "a target of 0 scales without end", "target", hint='target: "4"')
        return self


class Scaling(Model):
    """Fleet totals of an autoscaled deployment."""

    min_replicas: Annotated[int, Field(ge=1, le=1000)] = 1
    """Fewest replicas. Default: 1."""
    max_replicas: Annotated[int, Field(ge=1, le=1000)]
    """Most replicas."""
    reserved_replicas: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Replicas that capacity is set aside for; what is above is best effort. Default: maxReplicas."""
    triggers: Annotated[Items[Trigger], Field(min_length=1, max_length=8)]
    """Signals; the one that asks for most replicas wins."""

    @model_validator(mode="after")
    def _order(self) -> Scaling:
        if self.min_replicas > self.max_replicas:
            raise mistake("EmptyRange", "minReplicas is above maxReplicas", "minReplicas", hint=f"minReplicas: {self.max_replicas}")
        if not self.min_replicas <= self.reserved <= self.max_replicas:
            raise mistake("OutOfRange", "reservedReplicas lies between minReplicas and maxReplicas", "reservedReplicas", hint=f"reservedReplicas: {self.max_replicas}")
        return self

    @property
    def reserved(self) -> int:
        """Replicas that are charged."""
        return self.max_replicas if self.reserved_replicas is None else self.reserved_replicas
