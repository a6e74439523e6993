"""A deployment while it is being placed: its entries as they stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ..api.placement import EngineChoice, PlacementEntry
from ..resolve.fleet import Cluster, Deployment
from .candidates import Candidate
from .ledger import Pods

Key = tuple[str, tuple[tuple[str, str, str], ...]]


@dataclass(slots=True)
class Entry:
    """Replicas on one cluster and choice of pools.

    candidate: what they are charged; None where the record no longer fits its declarations (then `pods` holds what could
    still be told). replaced: of a retiring entry, how many have a successor. lost: its cluster is Lost.
    given_up: it leaves in this run and is not taken back. placed: replicas that this run added. limits: its minimum and maximum as
    recorded; None of a new entry.
    """

    cluster: str
    choices: Mapping[str, EngineChoice]
    candidate: Candidate | None
    pods: Pods
    count: int
    retiring: bool = False
    replaced: int = 0
    lost: bool = False
    given_up: bool = False
    placed: int = 0
    limits: tuple[int, int | None] | None = None

    def copy(self) -> Entry:
        return replace(self)

    @property
    def key(self) -> Key:
        return (self.cluster, tuple(sorted((e, c.pool, c.alternative or "") for e, c in self.choices.items())))

    @property
    def live(self) -> int:
        """Replicas that count toward what is wanted."""
        return 0 if self.retiring or self.lost else self.count

    def charged(self) -> Pods:
        """What the pools hold for this entry."""
        replicas = tuple((position, demand, count * self.count) for position, demand, count in self.pods)
        return replicas + (self.candidate.surge if self.candidate and self.count else ())


@dataclass(slots=True)
class State:
    """A deployment and its entries by key."""

    deployment: Deployment
    entries: dict[Key, Entry] = field(default_factory=dict)

    @property
    def live(self) -> int:
        return live(self.entries.values())

    def on(self, cluster: str) -> int:
        """Live replicas on a cluster."""
        return sum(e.live for e in self.entries.values() if e.cluster == cluster)

    def clusters(self) -> set[str]:
        """Clusters with live replicas."""
        return {e.cluster for e in self.entries.values() if e.live}


def live(entries: Iterable[Entry]) -> int:
    """Replicas that are neither retiring nor on a Lost cluster."""
    return sum(entry.live for entry in entries)


def recorded_entry(entry: PlacementEntry, cluster: Cluster | None, candidate: Candidate | None, known: Pods) -> Entry:
    """A recorded entry as it is charged. known: what it takes if no candidate could be made."""
    lost = cluster is not None and cluster.spec.state == "Lost"
    pods = candidate.pods if candidate else known
    return Entry(
        entry.cluster, dict(entry.engines), candidate, pods, entry.count, entry.retiring, entry.replaced, lost,
        limits=(entry.minimum, entry.maximum),
    )  # fmt: skip
