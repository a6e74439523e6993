"""Records and differences in words, the same in every command."""

from __future__ import annotations

from ..api.placement import PlacementSpec


def difference(before: PlacementSpec | None, after: PlacementSpec) -> str:
    """`gke 2 -> 3 (h100), rack 1 (a100) retiring; 3 of 4 placed`: every entry, and what it was."""
    old = {entry.key: entry for entry in before.replicas} if before else {}
    parts = []
    for entry in after.replicas:
        was = old.get(entry.key)
        number = f"{was.count} -> {entry.count}" if was and was.count != entry.count else str(entry.count)
        pools = ", ".join(sorted({choice.pool for choice in entry.engines.values()}))
        mark = " retiring" if entry.retiring else " taken back" if was and was.retiring else ""
        parts.append(f"{entry.cluster} {number} ({pools}){mark}")
    parts += [f"{entry.cluster} {entry.count} dropped" for key, entry in old.items() if key not in {e.key for e in after.replicas}]
    short = f"; {after.wanted - after.shortfall.missing} of {after.wanted} placed" if after.shortfall else ""
    return (", ".join(parts) or "no replicas") + short
