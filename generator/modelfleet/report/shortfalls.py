"""What has no place after a change, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..place.explain import verdicts
from ..place.plan import Shortfall
from .change import Reason, Short
from .placements import missing
from .side import Key, Side

EXPLAINED = 25  # deployments whose reasons are searched for; of the others the recorded summary is told


def shortfalls(before: Side, after: Side, touched: Collection[str]) -> tuple[Short, ...]:
    """Every deployment that is short, by name; the reasons of those that the change touches."""
    found = []
    explained = 0
    for key, deployment in after.fleet.deployments.items():
        spec = after.plan.placements.get(key)
        lacking = missing(after, key)
        if not lacking:
            continue
        reasons: tuple[Reason, ...] = ()
        summary = spec.shortfall.summary if spec and spec.shortfall else "decided before it was asked for: run modelfleet place"
        if deployment.ref in touched and explained < EXPLAINED:
            explained += 1
            reasons, summary = _reasons(after, key)
        found.append(Short(deployment.ref, deployment.wanted - lacking, deployment.wanted, missing(before, key), summary, reasons))
    return tuple(found)


def _reasons(side: Side, key: Key) -> tuple[tuple[Reason, ...], str]:
    """Why no cluster takes another; from this run where it was placed in it, else from the records."""
    if key in side.plan.shortfalls:
        shortfall: Shortfall = side.plan.shortfalls[key]
        return _grouped((r.cluster, r.reason, r.text) for r in shortfall.refusals), shortfall.summary
    rows, summary = verdicts(side.planned, key)
    return _grouped((row.cluster, row.reason, row.text) for row in rows if row.reason), summary


def _grouped(refusals: Iterable[tuple[str, str, str]]) -> tuple[Reason, ...]:
    """One for each reason, the most frequent first."""
    clusters: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    for cluster, reason, text in refusals:
        clusters.setdefault(reason, []).append(cluster)
        texts.setdefault(reason, text)
    ranked = sorted(clusters, key=lambda reason: (-len(clusters[reason]), reason))
    return tuple(Reason(reason, tuple(sorted(clusters[reason])), texts[reason]) for reason in ranked)
