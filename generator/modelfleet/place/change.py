"""Changes to records that people ask for: dropping what has retired, and how much one change takes away."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ..api.fleet import MaxRemovals
from ..api.placement import PlacementSpec
from ..resolve.fleet import Fleet

Key = tuple[str, str]
Records = Mapping[Key, PlacementSpec]


@dataclass(frozen=True, slots=True)
class Finished:
    """Records without their retired entries, and for each deployment that keeps some, why."""

    records: dict[Key, PlacementSpec]
    refused: dict[Key, str]


def finish(
    fleet: Fleet, records: Records, targets: Collection[Key], base: Records, accepted: Collection[Key], cluster: str | None = None
) -> Finished:
    """Drops the retiring entries of `targets`, all or those on `cluster`.

    base: the records of the merge base with the branch that Argo CD follows; only what retires there already has been
    synced as such, and both steps in one sync would not prune. accepted: deployments that may drop entries although fewer
    replicas than wanted are recorded besides.
    """
    found, refused = dict(records), {}
    for key in sorted(targets):
        spec = records.get(key)
        going = [entry for entry in spec.replicas if entry.retiring and cluster in (None, entry.cluster)] if spec else []
        if spec is None or not going:
            continue
        retired = {entry.key for entry in base[key].replicas if entry.retiring} if key in base else set()
        early = [entry.cluster for entry in going if entry.key not in retired]
        wanted = fleet.deployments[key].wanted if key in fleet.deployments else 0
        left = sum(entry.count for entry in spec.replicas if not entry.retiring)
        if early:
            refused[key] = f"its entry on {', '.join(sorted(early))} does not retire yet where Argo CD reads; merge that first"
        elif left < wanted and key not in accepted:
            refused[key] = f"{left} of {wanted} replicas are recorded besides what retires"
        else:
            kept = tuple(entry for entry in spec.replicas if entry not in going)
            found[key] = spec.model_copy(update={"replicas": kept})
    return Finished(found, refused)


@dataclass(frozen=True, slots=True)
class Removals:
    """Replicas that a change retires or drops, by deployment. limit: how many one change may; recorded: how many there were."""

    by_deployment: dict[Key, int]
    limit: int
    recorded: int

    @property
    def total(self) -> int:
        return sum(self.by_deployment.values())


def removals(before: Records, after: Records, policy: MaxRemovals) -> Removals:
    """What changes from `before` to `after` take away: replicas newly retiring or gone, moved ones included."""
    taken: dict[Key, int] = {}
    recorded = 0
    for key, spec in before.items():
        now = {entry.key: entry for entry in after[key].replicas} if key in after else {}
        for entry in spec.replicas:
            if entry.retiring:
                continue
            recorded += entry.count
            left = now.get(entry.key)
            gone = entry.count - (left.count if left and not left.retiring else 0)
            if gone > 0:
                taken[key] = taken.get(key, 0) + gone
    return Removals(taken, max(policy.at_least, recorded * policy.percent // 100), recorded)
