"""Autoscaling of a deployment, and of an engine where there are several."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from .base import Items, Model, mistake
from .schedule import CopySchedule, Schedule

Number = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,9}(\.[0-9]{1,6})?$")]


class Trigger(Model):
    """A signal that replicas follow."""

    type: Literal["RequestsWaiting", "RequestsRunning", "KVCacheUsage", "TimeToFirstToken", "RequestsInFlight", "Prometheus"]
    """RequestsWaiting, RequestsRunning: mean per replica. KVCacheUsage: mean, 0..1. TimeToFirstToken: p95 seconds over two minutes.
    RequestsInFlight: mean per replica, at the cluster's own gateway. Prometheus: own query."""
    target: Number
    """Value of the signal that the scaler aims at, as a decimal string."""
    query: Annotated[str, StringConstraints(min_length=1, max_length=4096)] | None = None
    """PromQL of type Prometheus; must return exactly one number."""

    @model_validator(mode="after")
    def _query(self) -> Self:
        if (self.type == "Prometheus") != (self.query is not None):
            raise mistake("TriggerQuery", "query is for triggers of type Prometheus, and they need it", hint="type: Prometheus")
        if float(self.target) == 0:
            raise mistake("OutOfRange", "a target of 0 scales without end", "target", hint='target: "4"')
        if self.type == "KVCacheUsage" and float(self.target) > 1:
            message = f"the cache's usage lies between 0 and 1 and never reaches {self.target}"
            raise mistake("OutOfRange", message, "target", hint='target: "0.8"')
        return self


class Policy(Model):
    """How much may change in a time."""

    type: Literal["Pods", "Percent"]
    """Pods: a number of pods. Percent: a share of what is there."""
    value: Annotated[int, Field(ge=1, le=1000)]
    """Pods or percent, 1 to 1000."""
    period_seconds: Annotated[int, Field(ge=1, le=1800)]
    """Seconds in which that much may change, 1 to 1800."""


class Rules(Model):
    """How fast the number of pods may change in one direction, as in Kubernetes."""

    stabilization_window_seconds: Annotated[int, Field(ge=0, le=3600)] | None = None
    """Seconds of past recommendations that are looked at, 0 to 3600. Default: so that a model can load first."""
    select_policy: Literal["Max", "Min", "Disabled"] = "Max"
    """Max: the policy that changes most. Min: the one that changes least. Disabled: no change. Default: Max."""
    policies: Annotated[Items[Policy], Field(max_length=8)] = ()
    """Limits, at most 8. Default: one pod at a time."""


class Behavior(Model):
    """How fast scaling follows its signals."""

    scale_up: Rules | None = None
    """Upward. Default: one pod at a time, and time for it to load."""
    scale_down: Rules | None = None
    """Downward. Default: one pod at a time, when it was not needed for as long as a model may take to load."""


class Fallback(Model):
    """What holds while the signals cannot be read."""

    replicas: Annotated[int, Field(ge=0, le=1000)]
    """Replicas of the whole fleet."""
    failure_threshold: Annotated[int, Field(ge=1, le=100)] = 3
    """Failures in a row before it holds. Default: 3."""


class CopyFallback(Model):
    """What holds while the signals cannot be read."""

    copies: Annotated[int, Field(ge=1, le=64)]
    """Copies in each replica."""
    failure_threshold: Annotated[int, Field(ge=1, le=100)] = 3
    """Failures in a row before it holds. Default: 3."""


class Scaling(Model):
    """Fleet totals of an autoscaled deployment."""

    min_replicas: Annotated[int, Field(ge=0, le=1000)] = 1
    """Fewest replicas; 0 needs wake. Default: 1."""
    max_replicas: Annotated[int, Field(ge=1, le=1000)]
    """Most replicas."""
    reserved_replicas: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Replicas that capacity is set aside for; what is above is best effort. Default: maxReplicas."""
    triggers: Annotated[Items[Trigger], Field(min_length=1, max_length=8)]
    """Signals; the one that asks for most replicas wins."""
    schedules: Annotated[Items[Schedule], Field(max_length=16)] = ()
    """Times with another floor, at most 16; of several the highest floor holds."""
    behavior: Behavior = Behavior.model_construct()
    """How fast scaling follows its signals."""
    fallback: Fallback | None = None
    """What holds while the signals cannot be read. Default: the replicas that are recorded."""
    wake: Literal["OnRequest", "Never"] | None = None
    """Of minReplicas 0. OnRequest: the first request starts a replica, and callers go elsewhere until it is loaded. Never: only a schedule
    or a higher minReplicas does."""

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.min_replicas > self.max_replicas:
            raise mistake("EmptyRange", "minReplicas is above maxReplicas", "minReplicas", hint=f"minReplicas: {self.max_replicas}")
        if not self.min_replicas <= self.reserved <= self.max_replicas:
            message = "reservedReplicas lies between minReplicas and maxReplicas"
            raise mistake("OutOfRange", message, "reservedReplicas", hint=f"reservedReplicas: {self.max_replicas}")
        for index, schedule in enumerate(self.schedules):
            if not self.min_replicas <= schedule.min_replicas <= self.max_replicas:
                message = "a schedule's minReplicas lies between minReplicas and maxReplicas"
                raise mistake("OutOfRange", message, "schedules", index, "minReplicas", hint=f"minReplicas: {self.max_replicas}")
        if self.fallback and self.fallback.replicas > self.max_replicas:
            raise mistake("OutOfRange", "the fallback is above maxReplicas", "fallback", "replicas", hint=f"replicas: {self.max_replicas}")
        return self

    @model_validator(mode="after")
    def _sleep(self) -> Self:
        if self.min_replicas == 0 and self.wake is None:
            raise mistake("MissingField", "minReplicas 0 needs wake: nothing says how the first replica starts", hint="wake: OnRequest")
        if self.min_replicas > 0 and self.wake is not None:
            raise mistake("Contradiction", "wake has no meaning while replicas never reach 0", "wake", hint="minReplicas: 0")
        if self.wake == "OnRequest" and not any(trigger.type == "RequestsInFlight" for trigger in self.triggers):
            hint = 'add {type: RequestsInFlight, target: "2"}'
            raise mistake("MissingField", "wake OnRequest needs a trigger of type RequestsInFlight", "triggers", hint=hint)
        return self

    @property
    def reserved(self) -> int:
        """Replicas that are charged."""
        return self.max_replicas if self.reserved_replicas is None else self.reserved_replicas


class EngineScaling(Model):
    """Copies of an autoscaled engine in each replica."""

    min_copies: Annotated[int, Field(ge=1, le=64)] = 1
    """Fewest copies. Default: 1."""
    max_copies: Annotated[int, Field(ge=1, le=64)]
    """Most copies, at most 64."""
    reserved_copies: Annotated[int, Field(ge=1, le=64)] | None = None
    """Copies that capacity is set aside for; what is above is best effort. Default: maxCopies."""
    triggers: Annotated[Items[Trigger], Field(min_length=1, max_length=8)]
    """Signals; the one that asks for most copies wins."""
    schedules: Annotated[Items[CopySchedule], Field(max_length=16)] = ()
    """Times with another floor, at most 16; of several the highest floor holds."""
    behavior: Behavior = Behavior.model_construct()
    """How fast scaling follows its signals."""
    fallback: CopyFallback | None = None
    """What holds while the signals cannot be read. Default: reservedCopies."""

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.min_copies > self.max_copies:
            raise mistake("EmptyRange", "minCopies is above maxCopies", "minCopies", hint=f"minCopies: {self.max_copies}")
        if not self.min_copies <= self.reserved <= self.max_copies:
            message = "reservedCopies lies between minCopies and maxCopies"
            raise mistake("OutOfRange", message, "reservedCopies", hint=f"reservedCopies: {self.max_copies}")
        for index, schedule in enumerate(self.schedules):
            if not self.min_copies <= schedule.min_copies <= self.max_copies:
                message = "a schedule's minCopies lies between minCopies and maxCopies"
                raise mistake("OutOfRange", message, "schedules", index, "minCopies", hint=f"minCopies: {self.max_copies}")
        if self.fallback and self.fallback.copies > self.max_copies:
            raise mistake("OutOfRange", "the fallback is above maxCopies", "fallback", "copies", hint=f"copies: {self.max_copies}")
        return self

    @property
    def reserved(self) -> int:
        """Copies that are charged."""
        return self.max_copies if self.reserved_copies is None else self.reserved_copies
