"""What every pool holds and what still fits. Mutable, unlike everything else here: placing is bookkeeping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..resolve.fleet import Fleet, Pool
from .match import Demand
from .packing import largest_block, packs

Accounting = Literal["Guaranteed", "Packed", "Node"]
Pods = tuple[str, Demand, int]  # pool, what each pod takes, how many pods


@dataclass(slots=True)
class PoolAccount:
    """The pods of one pool. capacity: devices of each group on a node."""

    pool: Pool
    capacity: Mapping[str, int]
    pods: dict[Demand, int] = field(default_factory=dict)
    holders: dict[str, int] = field(default_factory=dict)

    def fits(self, accounting: Accounting) -> bool:
        if accounting == "Node":
            return sum(self.pods.values()) <= self.pool.nodes
        return packs(self.pods, self.pool.nodes, self.capacity)

    def devices(self, group: str) -> tuple[int, int]:
        """(devices of `group` taken, devices there)."""
        taken = sum(dict(demand).get(group, 0) * count for demand, count in self.pods.items())
        return taken, self.capacity.get(group, 0) * self.pool.nodes

    def block(self, group: str) -> int:
        """Most devices of `group` that a further pod finds on one node."""
        return largest_block(self.pods, self.pool.nodes, self.capacity, group)


@dataclass(slots=True)
class Ledger:
    """The accounts of all pools of all clusters, shared by all namespaces."""

    accounting: Accounting
    accounts: dict[tuple[str, str], PoolAccount] = field(default_factory=dict)
    _refused: set[tuple[str, tuple[Pods, ...]]] = field(default_factory=set)

    @classmethod
    def of(cls, fleet: Fleet) -> Ledger:
        ledger = cls(fleet.settings.spec.placement.accounting)
        for cluster in fleet.clusters.values():
            for pool in cluster.pools:
                capacity = {d.name: d.count for d in pool.hardware.devices if d.claim != "Synthetic"}
                ledger.accounts[(cluster.name, pool.name)] = PoolAccount(pool, capacity)
        return ledger

    def add(self, cluster: str, pods: Iterable[Pods], holder: str, sign: int = 1) -> None:
        """Charges pods (sign -1: gives them back) to their pools; a pool that is gone is charged nothing."""
        self._charge(cluster, pods, sign)
        for pool, demand, count in pods:
            if account := self.accounts.get((cluster, pool)):
                account.holders[holder] = account.holders.get(holder, 0) + sign * count * sum(n for _, n in demand)
        if sign < 0:
            self._refused = {key for key in self._refused if key[0] != cluster}

    def admits(self, cluster: str, pods: tuple[Pods, ...]) -> bool:
        """Whether `pods` fit besides what is charged. What did not fit once does not fit later, until room is given back."""
        if (cluster, pods) in self._refused:
            return False
        self._charge(cluster, pods, 1)
        fits = all(self.accounts[(cluster, pool)].fits(self.accounting) for pool in {pool for pool, _, _ in pods})
        self._charge(cluster, pods, -1)
        if not fits:
            self._refused.add((cluster, pods))
        return fits

    def _charge(self, cluster: str, pods: Iterable[Pods], sign: int) -> None:
        for pool, demand, count in pods:
            if account := self.accounts.get((cluster, pool)):
                account.pods[demand] = account.pods.get(demand, 0) + sign * count
