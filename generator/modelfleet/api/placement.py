"""Placement: where a deployment's replicas were decided to run. Written by the program, reviewed by people."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from .base import DnsLabel, Document, Items, Model, NamespacedMetadata, mistake


class EngineChoice(Model):
    """What one engine uses on the entry's cluster."""

    pool: DnsLabel
    """Pool of the cluster."""
    alternative: DnsLabel | None = None
    """The engine's alternative that was chosen, if it has any."""
    devices: dict[str, str] = {}
    """Which device group of the pool's class serves which request."""


class PlacementEntry(Model):
    """Replicas on one cluster and choice of pools."""

    cluster: DnsLabel
    """Cluster."""
    engines: Annotated[dict[DnsLabel, EngineChoice], Field(min_length=1)]
    """Each engine's choice."""
    count: Annotated[int, Field(ge=1, le=1000)]
    """Replicas here; the reserved share of an autoscaled deployment."""
    minimum: Annotated[int, Field(ge=0, le=1000)]
    """Fewest replicas here; equals count for a fixed number."""
    maximum: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Most replicas here; only of autoscaled deployments."""
    retiring: bool = False
    """true: on its way out; it is kept and charged until a later commit drops it."""
    replaced: Annotated[int, Field(ge=0, le=1000)] = 0
    """How many of count have a successor elsewhere."""

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.minimum > self.count or (self.maximum is not None and self.maximum < self.count):
            raise mistake("OutOfRange", "minimum, count and maximum must ascend", "minimum", hint=f"minimum: {self.count}")
        if self.replaced > (self.count if self.retiring else 0):
            raise mistake("OutOfRange", "replaced is at most count, and only of a retiring entry", "replaced", hint="remove replaced")
        return self

    @property
    def key(self) -> tuple[str, tuple[tuple[str, str, str], ...]]:
        """What makes two entries one: cluster, and pool and alternative of each engine."""
        return (self.cluster, tuple(sorted((e, c.pool, c.alternative or "") for e, c in self.engines.items())))


class RecordedShortfall(Model):
    """What could not be placed."""

    missing: Annotated[int, Field(ge=1)]
    """Replicas without a place."""
    summary: str
    """Why, in one line."""


class PlacementSpec(Model):
    """The decision."""

    wanted: Annotated[int, Field(ge=0, le=1000)]
    """Replicas that the deployment asked for when this was decided."""
    replicas: Items[PlacementEntry]
    """Entries, sorted; one for each cluster and choice of pools."""
    shortfall: RecordedShortfall | None = None
    """What could not be placed."""

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        seen = set()
        for index, entry in enumerate(self.replicas):
            if entry.key in seen:
                raise mistake(
                    "DuplicateItem",
                    f"two entries name cluster `{entry.cluster}` and the same pools",
                    "replicas",
                    index,
                    hint="add their counts",
                )
            seen.add(entry.key)
        return self


class Placement(Document):
    """Where a deployment's replicas run."""

    SCOPE: ClassVar[Literal["Placement"]] = "Placement"

    api_version: Literal["modelfleet.io/v1alpha1"]
    """Always modelfleet.io/v1alpha1."""
    kind: Literal["Placement"]
    """Always Placement."""
    metadata: NamespacedMetadata
    """Name and namespace of the deployment."""
    spec: PlacementSpec
    """The decision."""
