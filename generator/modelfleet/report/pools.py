"""Capacity and cost before and after."""

from __future__ import annotations

from ..place.capacity import rows_of
from ..place.limits import money
from .change import CostChange, Devices, PoolChange
from .side import Side
from .words import signed

NOBODY = "(no team)"
Row = tuple[str, str, str, str]


def pools(before: Side, after: Side) -> tuple[PoolChange, ...]:
    """Every device group of every pool, by cluster, pool and group."""
    was, now = _devices(before), _devices(after)
    return tuple(PoolChange(*key, was.get(key), now.get(key)) for key in sorted({*was, *now}))


def _devices(side: Side) -> dict[Row, Devices]:
    """Of the clusters that are there and not lost."""
    return {
        (row.cluster, row.pool, row.class_name, row.group): Devices(row.nodes, row.devices - row.broken, row.used, row.headroom)
        for row in rows_of(side.placing, searched=False)
        if not side.lost(row.cluster)
    }


def costs(before: Side, after: Side) -> tuple[CostChange, ...]:
    """The total, each team, each deployment; what a retiring replica costs is its successor's until it is dropped."""
    was, now = _models(before), _models(after)
    found = [_cost("total", "", sum(was.values()), sum(now.values()))]
    teams = [_teams(before, was), _teams(after, now)]
    found += [_cost("team", name, teams[0].get(name, 0), teams[1].get(name, 0)) for name in sorted({*teams[0], *teams[1]})]
    found += [_cost("model", name, was.get(name, 0), now.get(name, 0)) for name in sorted({*was, *now})]
    return tuple(found)


def _cost(kind: str, name: str, before: int, after: int) -> CostChange:
    assert kind in ("team", "model", "total")
    return CostChange(kind, name, money(before), money(after), signed(after - before))  # type: ignore[arg-type]


def _models(side: Side) -> dict[str, int]:
    """Millionths an hour of each deployment."""
    return {"/".join(key): cost for key, cost in side.placing.filler.limits.deployment_cost.items()}


def _teams(side: Side, models: dict[str, int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, cost in models.items():
        team = side.team(name.split("/", maxsplit=1)[0]) or NOBODY
        found[team] = found.get(team, 0) + cost
    return found


def unpriced(side: Side) -> list[str]:
    """Classes in use whose price is not declared."""
    return sorted({row.class_name for row in rows_of(side.placing, searched=False) if row.cost is None and row.used})
