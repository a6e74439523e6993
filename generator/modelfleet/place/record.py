"""Decisions as they are written: entries sorted by key, shares of an autoscaled deployment dealt out."""

from __future__ import annotations

from ..api.placement import PlacementEntry, PlacementSpec, RecordedShortfall
from .plan import Shortfall
from .share import shares
from .state import Entry, State


def record(state: State, shortfall: Shortfall | None) -> PlacementSpec:
    """The placement of a deployment. `replaced` of what retires: all but as many as are missing."""
    entries = [state.entries[key] for key in sorted(state.entries)]
    dealt = iter(shares(state.deployment, [entry.count for entry in entries if entry.live]))
    missing = max(0, state.deployment.wanted - state.live)
    replicas = []
    for entry in entries:
        if entry.retiring:
            alone = min(entry.count, missing)
            missing -= alone
            replicas.append(_entry(entry, entry.count, None, entry.count - alone))
        elif entry.lost:
            replicas.append(_entry(entry, *(entry.limits or (entry.count, None)), 0))
        else:
            minimum, maximum = next(dealt)
            replicas.append(_entry(entry, minimum, maximum, 0))
    short = RecordedShortfall(missing=shortfall.missing, summary=shortfall.summary) if shortfall else None
    return PlacementSpec.model_construct(wanted=state.deployment.wanted, replicas=tuple(replicas), shortfall=short)


def _entry(entry: Entry, minimum: int, maximum: int | None, replaced: int) -> PlacementEntry:
    return PlacementEntry.model_construct(
        cluster=entry.cluster,
        engines=dict(sorted(entry.choices.items())),
        count=entry.count,
        minimum=minimum,
        maximum=maximum,
        retiring=entry.retiring,
        replaced=replaced,
    )
