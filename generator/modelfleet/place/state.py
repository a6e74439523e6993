"""A deployment while it is being placed: its entries as they stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..api.placement import EngineChoice, PlacementEntry
from ..resolve.fleet import Cluster, Deployment
from .ledger import Pods
from .match import Matcher, Option

Key = tuple[str, tuple[tuple[str, str, str], ...]]


@dataclass(slots=True)
class Entry:
    """Replicas on one cluster and choice of pools. pods: what one replica charges; lost: its cluster is Lost."""

    cluster: str
    choices: dict[str, EngineChoice]
    pods: tuple[Pods, ...]
    count: int
    retiring: bool = False
    lost: bool = False

    @property
    def key(self) -> Key:
        return (self.cluster, tuple(sorted((e, c.pool, c.alternative or "") for e, c in self.choices.items())))


@dataclass(slots=True)
class State:
    """A deployment and its entries by key."""

    deployment: Deployment
    entries: dict[Key, Entry] = field(default_factory=dict)

    @property
    def live(self) -> int:
        """Replicas that count toward what is wanted."""
        return live(self.entries.values())

    def on(self, cluster: str) -> int:
        """Live replicas on a cluster."""
        return live(e for e in self.entries.values() if e.cluster == cluster)


def live(entries: Iterable[Entry]) -> int:
    """Replicas that count toward what is wanted: neither retiring nor on a Lost cluster."""
    return sum(entry.count for entry in entries if not entry.retiring and not entry.lost)


def recorded_entry(deployment: Deployment | None, entry: PlacementEntry, cluster: Cluster | None, matcher: Matcher) -> Entry:
    """A recorded entry as it is charged. What can no longer be matched is charged by its device counts alone, or nothing."""
    pods: list[Pods] = []
    for name, choice in sorted(entry.engines.items()):
        engine = deployment.engine(name) if deployment else None
        pool = cluster.pool(choice.pool) if cluster else None
        option = matcher.still_serves(engine, pool, choice.devices) if engine and pool else None
        if engine and option:
            pods.append((choice.pool, option.demand, engine.copies))
    lost = cluster is not None and cluster.spec.state == "Lost"
    return Entry(entry.cluster, dict(entry.engines), tuple(pods), entry.count, entry.retiring, lost)


def choice_of(pool: str, option: Option) -> EngineChoice:
    return EngineChoice.model_construct(pool=pool, alternative=None, devices=dict(option.devices))
