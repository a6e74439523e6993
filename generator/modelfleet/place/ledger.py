"""What every pool holds and what still fits. Mutable, unlike most here: placing is bookkeeping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from ..resolve.fleet import Cluster, Fleet, Pool
from .demand import Demand, capacity, devices, is_device
from .guaranteed import safe
from .packing import largest_block, packs

Accounting = Literal["Guaranteed", "Packed", "Node"]
Pods = tuple[tuple[int, Demand, int], ...]  # (pool's position in its cluster, what a pod takes, pods)


@dataclass(slots=True)
class Account:
    """The pods of one pool. given: of what a node gives, (kind, amount)."""

    pool: Pool
    given: tuple[tuple[str, int], ...]
    pods: dict[Demand, int] = field(default_factory=dict)
    holders: dict[str, int] = field(default_factory=dict)

    @property
    def capacity(self) -> Mapping[str, int]:
        """What a node gives."""
        return dict(self.given)

    def nodes(self, headroom: bool) -> int:
        """Nodes that count: what is there, and headroom where the pool lets it count."""
        counts = self.pool.headroom == "Equal" or (headroom and self.pool.headroom == "LastResort")
        return self.pool.nodes + (self.pool.more_nodes if counts else 0)

    def fits(self, accounting: Accounting, nodes: int, extra: Mapping[Demand, int] | None = None) -> bool:
        """Whether the pods here, and `extra` ones, fit on `nodes` nodes under the rule."""
        pods = self.pods
        if extra:
            pods = {**pods, **{demand: pods.get(demand, 0) + count for demand, count in extra.items()}}
        return not pods or _fits(accounting, frozenset(pods.items()), nodes, self.given)

    def devices(self, group: str, nodes: int) -> tuple[int, int]:
        """(devices of `group` taken or out of service, devices on `nodes` nodes)."""
        return sum(dict(d).get(group, 0) * n for d, n in self.pods.items()), self.capacity.get(group, 0) * nodes

    def block(self, group: str, nodes: int) -> int:
        """Most devices of `group` that a further pod finds on one node, whatever packing."""
        return _block(frozenset(self.pods.items()), nodes, self.given, group)

    def held_by(self) -> str:
        """The largest holders: `ml/chat 8, ml/code 2`."""
        ranked = sorted(((count, name) for name, count in self.holders.items() if count), key=lambda item: (-item[0], item[1]))
        more = f" and {len(ranked) - 3} more" if len(ranked) > 3 else ""
        return ", ".join(f"{name} {count}" for count, name in ranked[:3]) + more or "nobody"

    @property
    def used(self) -> int:
        """Share of the devices taken, in millionths: what Pack looks at."""
        total = sum(count for kind, count in self.given if is_device(kind)) * self.pool.nodes
        taken = sum(n * c for demand, c in self.pods.items() for kind, n in demand if is_device(kind))
        return 10**6 * taken // total if total else 10**6


@lru_cache(maxsize=65536)
def _fits(accounting: Accounting, pods: frozenset[tuple[Demand, int]], nodes: int, given: tuple[tuple[str, int], ...]) -> bool:
    counted, on_node = {demand: count for demand, count in pods if count > 0}, dict(given)
    if accounting == "Node":
        enough = all(amount <= on_node.get(kind, 0) for demand in counted for kind, amount in demand)
        return enough and sum(counted.values()) <= nodes
    if accounting == "Packed":
        return packs(counted, nodes, on_node)
    return safe(counted, nodes, on_node)


@lru_cache(maxsize=8192)
def _block(pods: frozenset[tuple[Demand, int]], nodes: int, given: tuple[tuple[str, int], ...], group: str) -> int:
    return largest_block(dict(pods), nodes, dict(given), group)


class Accounts(dict[str, tuple[Account, ...]]):
    """The accounts of each cluster's pools, opened when they are first asked for: most runs touch few."""

    def __init__(self, clusters: Mapping[str, Cluster]) -> None:
        super().__init__()
        self._clusters = clusters
        self._given: dict[tuple[str, tuple[tuple[str, int], ...]], tuple[tuple[str, int], ...]] = {}

    def __missing__(self, cluster: str) -> tuple[Account, ...]:
        self[cluster] = found = tuple(self._open(pool) for pool in self._clusters[cluster].pools)
        return found

    def _open(self, pool: Pool) -> Account:
        key = (pool.class_name, pool.reserved)
        if key not in self._given:
            self._given[key] = tuple(capacity(pool.hardware, dict(pool.reserved)).items())
        # A part-broken node is one more pod of that size, that may sit anywhere.
        return Account(pool, self._given[key], {devices: nodes for devices, nodes in pool.broken})


@dataclass(slots=True)
class Ledger:
    """The accounts of all pools of all clusters, shared by all namespaces. headroom: the second round of filling.

    journal: what was charged since it was begun, while a change may have to be undone.
    """

    fleet: Fleet
    accounting: Accounting
    accounts: Accounts
    headroom: bool = False
    journal: list[tuple[str, Pods, str, int]] | None = None
    _refused: dict[str, set[Pods]] = field(default_factory=dict)

    @classmethod
    def of(cls, fleet: Fleet) -> Ledger:
        return cls(fleet, fleet.settings.spec.placement.accounting, Accounts(fleet.clusters))

    def add(self, cluster: str, pods: Pods, holder: str, sign: int = 1) -> None:
        """Charges pods (sign -1: gives them back); a cluster that is gone is charged nothing."""
        if cluster not in self.fleet.clusters:
            return
        accounts = self.accounts[cluster]
        if self.journal is not None:
            self.journal.append((cluster, pods, holder, sign))
        for position, demand, count in pods:
            account = accounts[position]
            left = account.pods.get(demand, 0) + sign * count
            account.pods[demand] = left
            if not left:
                del account.pods[demand]
            account.holders[holder] = account.holders.get(holder, 0) + sign * count * devices(demand)
        if sign < 0:
            self._refused.pop(cluster, None)

    def undo(self) -> None:
        """Takes back what the journal holds."""
        done, self.journal = self.journal or [], None
        for cluster, pods, holder, sign in reversed(done):
            self.add(cluster, pods, holder, -sign)

    def admits(self, cluster: str, pods: Pods) -> bool:
        """Whether `pods` fit besides what is charged. What did not fit once does not fit later, until room is given back."""
        refused = self._refused.get(cluster)
        if refused and pods in refused:
            return False
        if self._all_fit(self.accounts[cluster], pods):
            return True
        self._refused.setdefault(cluster, set()).add(pods)
        return False

    def _all_fit(self, accounts: tuple[Account, ...], pods: Pods) -> bool:
        if len(pods) == 1:
            ((position, demand, count),) = pods
            return accounts[position].fits(self.accounting, accounts[position].nodes(self.headroom), {demand: count})
        more: dict[int, dict[Demand, int]] = {}
        for position, demand, count in pods:
            asked = more.setdefault(position, {})
            asked[demand] = asked.get(demand, 0) + count
        return all(accounts[p].fits(self.accounting, accounts[p].nodes(self.headroom), asked) for p, asked in more.items())

    def use_headroom(self) -> None:
        """From now on headroom of last resort counts too."""
        self.headroom = True
        self._refused.clear()
