"""Why here, why not there: one row for each cluster."""

from __future__ import annotations

from dataclasses import dataclass

from ..resolve.fleet import Fleet
from .place import Placing
from .plan import Shortfall
from .reasons import Reasons
from .state import Entry


@dataclass(frozen=True, slots=True)
class Row:
    """One cluster: what of the deployment stands there, and the reason why it takes no further replica (empty: it does)."""

    cluster: str
    there: str
    reason: str
    text: str


def verdicts(fleet: Fleet, key: tuple[str, str]) -> tuple[list[Row], str]:
    """The rows, sorted by cluster, and the summary in the scheduler's form; from what is recorded now.

    What another replica could take includes headroom of last resort, as it does for placing.
    """
    placing = Placing.begin(fleet, fleet.placements)
    placing.filler.ledger.use_headroom()
    state = placing.state(key)
    refusals = {refusal.cluster: refusal for refusal in Reasons.of(placing.filler, state).all()}
    rows = []
    for name in fleet.clusters:
        there = ", ".join(_entry(entry) for entry in state.entries.values() if entry.cluster == name)
        refusal = refusals.get(name)
        rows.append(Row(name, there, refusal.reason if refusal else "", refusal.text if refusal else ""))
    total, open_ = len(fleet.clusters), len(fleet.clusters) - len(refusals)
    _, _, reasons = Shortfall(0, 0, tuple(refusals.values())).summary.partition(": ")
    return rows, f"{open_}/{total} clusters can take another{f': {reasons}' if reasons else ''}"


def _entry(entry: Entry) -> str:
    pools = "+".join(sorted({f"{c.pool}/{c.alternative}" if c.alternative else c.pool for c in entry.choices.values()}))
    mark = " retiring" if entry.retiring else " lost" if entry.lost else ""
    return f"{entry.count} on {pools}{mark}"
