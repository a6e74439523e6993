"""Records, differences and amounts in words, the same in every command and format."""

from __future__ import annotations

from collections.abc import Callable

from ..api.placement import PlacementEntry, PlacementSpec
from ..place.limits import money


def difference(before: PlacementSpec | None, after: PlacementSpec, lost: Callable[[str], bool] = lambda cluster: False) -> str:
    """`gke 2 -> 3 (h100, scales 1..8), rack 1 (a100) retiring; 3 of 4 placed`: every entry, and what it was.

    lost: whether a cluster is.
    """
    old = {entry.key: entry for entry in before.replicas} if before else {}
    parts = []
    for entry in after.replicas:
        was = old.get(entry.key)
        number = f"{was.count} -> {entry.count}" if was and was.count != entry.count else str(entry.count)
        mark = " retiring" if entry.retiring else " lost" if lost(entry.cluster) else " taken back" if was and was.retiring else ""
        parts.append(f"{entry.cluster} {number} ({pools(entry)}{_scales(was, entry)}){mark}")
    parts += [f"{entry.cluster} {entry.count} dropped" for key, entry in old.items() if key not in {e.key for e in after.replicas}]
    short = f"; {after.wanted - after.shortfall.missing} of {after.wanted} placed" if after.shortfall else ""
    return (", ".join(parts) or "no replicas") + short


def _scales(was: PlacementEntry | None, entry: PlacementEntry) -> str:
    """`, scales 1..4 -> scales 1..8`, `, fixed -> scales 1..8`; nothing of an entry that is and was fixed."""
    before, after = (_limits(e) for e in (was or entry, entry))
    if before == after:
        return f", {after}" if after else ""
    return f", {before or 'fixed'} -> {after or 'fixed'}"


def _limits(entry: PlacementEntry) -> str:
    fixed = entry.maximum is None and entry.minimum == entry.count
    return "" if fixed else f"scales {entry.minimum}..{entry.count if entry.maximum is None else entry.maximum}"


def pools(entry: PlacementEntry) -> str:
    """The pools that an entry's engines use."""
    return ", ".join(sorted({choice.pool for choice in entry.engines.values()}))


def many(number: int, noun: str) -> str:
    """`1 replica`, `2 replicas`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def signed(amount: int) -> str:
    """An amount with its sign: `+12.50`, `-3.00`, `0.00`."""
    return f"{'+' if amount > 0 else '-' if amount < 0 else ''}{money(abs(amount))}"


def listed(found: list[str], limit: int) -> str:
    """The first of them, and how many more there are."""
    more = f" and {len(found) - limit} more" if len(found) > limit else ""
    return ", ".join(found[:limit]) + more
