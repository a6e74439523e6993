"""One state of the fleet, before or after."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from ..place.place import Placing
from ..place.plan import Plan
from ..render.unit import Unit, UnitId
from ..resolve.fleet import Fleet

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Side:
    """One state of the fleet.

    name: as people know it. fleet: its `placements` are the records. plan: what is compared; it may hold places that are not recorded.
    render: a unit of it. unit_ids: the units that it has. broken: of these, the ones that cannot be rendered. imagined: it
    answers a question, and nobody has declared it. placing: its ledgers.
    """

    name: str
    fleet: Fleet
    plan: Plan
    render: Callable[[UnitId], Unit]
    unit_ids: Collection[UnitId] = ()
    broken: Collection[UnitId] = ()
    imagined: bool = False
    placing: Placing = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "placing", Placing.begin(self.planned, self.plan.placements))

    @property
    def planned(self) -> Fleet:
        """The fleet as if the plan were recorded."""
        return replace(self.fleet, placements=self.plan.placements)

    def lost(self, cluster: str) -> bool:
        """Whether replicas on `cluster` do not run: it is Lost, or not declared."""
        return cluster not in self.fleet.clusters or self.fleet.clusters[cluster].spec.state == "Lost"

    def team(self, namespace: str) -> str:
        """The team that owns a namespace; empty for none."""
        found = self.fleet.team_of(namespace)
        return found[0] if found else ""
