"""What every pool has, holds and still takes, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..api.placement import PlacementSpec
from ..resolve.fleet import Fleet
from .demand import Demand
from .ledger import Account, Accounting
from .place import Placing


@dataclass(frozen=True, slots=True)
class Row:
    """One device group of one pool.

    devices: on the nodes that are there, less what is reserved. broken: of these out of service. used: claimed by recorded
    pods. usable: how many more pods of one device would be admitted now. stranded: free and not usable. headroom: devices
    on nodes that the cloud can add. needs_nodes: nodes beyond those there that the recorded pods need. cost: of the used
    share for an hour, in millionths; None without a price. holders: the largest.
    """

    cluster: str
    pool: str
    class_name: str
    group: str
    nodes: int
    devices: int
    broken: int
    used: int
    usable: int
    stranded: int
    headroom: int
    needs_nodes: int
    cost: int | None
    holders: str

    @property
    def free(self) -> int:
        """Devices that nobody holds; below 0 where too much is recorded."""
        return self.devices - self.broken - self.used


def rows(fleet: Fleet, recorded: Mapping[tuple[str, str], PlacementSpec]) -> list[Row]:
    """A row for each device group that can be claimed, by cluster and pool."""
    return rows_of(Placing.begin(fleet, recorded))


def rows_of(placing: Placing, searched: bool = True) -> list[Row]:
    """The rows of ledgers that are charged. Not `searched`: `usable`, `stranded` and `needs_nodes`, which cost a search, are 0."""
    ledger = placing.filler.ledger
    return [
        _row(cluster, account, device.name, ledger.accounting, searched)
        for cluster in ledger.fleet.clusters
        for account in ledger.accounts[cluster]
        for device in account.pool.hardware.devices
        if device.claim != "Synthetic"
    ]


def _row(cluster: str, account: Account, group: str, accounting: Accounting, searched: bool) -> Row:
    pool = account.pool
    on_node = account.capacity[group]
    broken = sum(dict(devices).get(group, 0) * nodes for devices, nodes in pool.broken)
    used = account.devices(group, pool.nodes)[0] - broken
    total = on_node * pool.nodes
    free = total - broken - used
    usable = _most(account, ((group, 1),), accounting, max(0, free)) if searched else 0
    return Row(
        cluster=cluster,
        pool=pool.name,
        class_name=pool.class_name,
        group=group,
        nodes=pool.nodes,
        devices=total,
        broken=broken,
        used=used,
        usable=usable,
        stranded=max(0, free - usable) if searched else 0,
        headroom=0 if pool.headroom == "Never" else on_node * pool.more_nodes,
        needs_nodes=needs_nodes(account, accounting) if searched else 0,
        cost=None if pool.price is None else pool.price * used // on_node if on_node else 0,
        holders=account.held_by() if account.holders else "",
    )


def _most(account: Account, demand: Demand, accounting: Accounting, bound: int) -> int:
    """The most pods of `demand`, up to `bound`, that would be admitted besides what is there."""
    low, high = 0, bound
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if account.fits(accounting, account.pool.nodes, {demand: middle}) else (low, middle - 1)
    return low


def needs_nodes(account: Account, accounting: Accounting) -> int:
    """Nodes beyond those there that the recorded pods need; as many as can be added, if even these are too few."""
    if not account.holders:
        return 0
    for more in range(account.pool.more_nodes + 1):
        if account.fits(accounting, account.pool.nodes + more):
            return more
    return account.pool.more_nodes
