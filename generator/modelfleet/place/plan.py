"""The outcome of placement: what runs where, what does not and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..api.placement import PlacementSpec


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one cluster takes no further replica. reason: one CamelCase word; text: the reason with its numbers."""

    cluster: str
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Replicas without a place, with one refusal for each cluster of the fleet."""

    missing: int
    wanted: int
    refusals: tuple[Refusal, ...]

    @property
    def summary(self) -> str:
        """`0/12 clusters can take another: 7 SelectorMismatch, 3 InsufficientDevices`."""
        counts: dict[str, int] = {}
        for refusal in self.refusals:
            counts[refusal.reason] = counts.get(refusal.reason, 0) + 1
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        reasons = ", ".join(f"{count} {reason}" for reason, count in ranked)
        head = f"0/{len(self.refusals)} clusters can take another"
        return f"{head}: {reasons}" if reasons else head


@dataclass(frozen=True, slots=True)
class Excess:
    """A pool that holds too much. Nothing is evicted; people decide.

    code: Overcommitted (its recorded pods cannot all run) or GuaranteeLost (they run, and may not all start again). last: of the
    deployments that hold it the one that is filled last, as `namespace/name`; empty if none of them is declared.
    """

    cluster: str
    pool: str
    code: str
    text: str
    last: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Placements by (namespace, name), sorted; shortfalls of what was filled; excesses of what is recorded."""

    placements: Mapping[tuple[str, str], PlacementSpec]
    shortfalls: Mapping[tuple[str, str], Shortfall]
    excesses: tuple[Excess, ...] = ()
