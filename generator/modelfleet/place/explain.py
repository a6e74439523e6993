"""Why here, why not there: one row for each cluster."""

from __future__ import annotations

from ..resolve.fleet import Fleet
from .place import Placing
from .plan import Shortfall
from .reasons import Reasons

Row = tuple[str, str, str, str]  # cluster, replicas there, whether it takes another, why not


def verdicts(fleet: Fleet, key: tuple[str, str]) -> tuple[list[Row], str]:
    """The rows, sorted by cluster, and the summary in the scheduler's form; from what is recorded now."""
    placing = Placing.begin(fleet, fleet.placements)
    state = placing.state(key)
    refusals = {refusal.cluster: refusal for refusal in Reasons.of(placing.filler, state).all()}
    rows: list[Row] = []
    for name in fleet.clusters:
        entries = [e for e in state.entries.values() if e.cluster == name]
        there = ", ".join(
            f"{e.count} on {'+'.join(sorted({c.pool for c in e.choices.values()}))}{' retiring' if e.retiring else ''}" for e in entries
        )
        refusal = refusals.get(name)
        rows.append((name, there or "-", "no" if refusal else "yes", f"{refusal.reason}: {refusal.text}" if refusal else ""))
    total, open_ = len(fleet.clusters), len(fleet.clusters) - len(refusals)
    summary = Shortfall(0, 0, tuple(refusals.values())).summary.split(": ", 1)
    reasons = f": {summary[1]}" if len(summary) > 1 else ""
    return rows, f"{open_}/{total} clusters can take another{reasons}"
