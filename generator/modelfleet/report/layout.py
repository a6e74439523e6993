"""Where pods stand on nodes, before and after, for drawing. Which node a pod gets is its cluster's decision; this is a possible one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..place.demand import is_device
from ..place.ledger import Account
from .side import Side

State = Literal["", "new", "leaving", "retiring", "broken"]
Sizes = Mapping[str, int]  # devices of each group


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod as it is drawn. sizes: devices of each group. key: of its entry, to tell which pods stay."""

    deployment: str
    sizes: tuple[tuple[str, int], ...]
    state: State = ""

    def size(self, group: str) -> int:
        return dict(self.sizes).get(group, 0)


@dataclass(slots=True)
class Node:
    """A node while it is filled. free: devices of each group that no pod has."""

    free: dict[str, int]
    pods: list[Pod] = field(default_factory=list)

    def takes(self, pod: Pod) -> bool:
        return all(self.free.get(group, 0) >= size for group, size in pod.sizes)

    def add(self, pod: Pod) -> None:
        self.pods.append(pod)
        for group, size in pod.sizes:
            self.free[group] -= size


@dataclass(frozen=True, slots=True)
class Drawn:
    """A pool at one time. waiting: pods that found no node in this drawing. groups: device groups and how many a node has."""

    pool: str
    class_name: str
    groups: tuple[tuple[str, int], ...]
    nodes: tuple[Node, ...]
    waiting: tuple[Pod, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A cluster before and after; empty where it is not there. lost: of the two, whether it is lost."""

    cluster: str
    before: tuple[Drawn, ...]
    after: tuple[Drawn, ...]
    lost: tuple[bool, bool]

    @property
    def changed(self) -> bool:
        return self.before != self.after or self.lost[0] != self.lost[1]


def columns(before: Side, after: Side, names: Iterable[str]) -> tuple[Column, ...]:
    """The clusters of that name, in that order."""
    was, now = _pods(before), _pods(after)
    return tuple(_column(before, after, name, was.get(name, {}), now.get(name, {})) for name in names)


_Pools = dict[str, dict[Pod, int]]  # pool -> how many of each pod


def _pods(side: Side) -> dict[str, _Pools]:
    """The pods of every cluster and pool; of retiring entries in that state."""
    found: dict[str, _Pools] = {}
    for key, entries in side.placing.entries.items():
        for entry in entries:
            cluster = side.fleet.clusters.get(entry.cluster)
            for position, demand, count in entry.pods if cluster else ():
                assert cluster is not None
                sizes = tuple((kind, size) for kind, size in demand if is_device(kind))
                pod = Pod("/".join(key), sizes, "retiring" if entry.retiring else "")
                pods = found.setdefault(entry.cluster, {}).setdefault(cluster.pools[position].name, {})
                pods[pod] = pods.get(pod, 0) + count * entry.count
    return found


def _column(before: Side, after: Side, name: str, was: _Pools, now: _Pools) -> Column:
    drawn: tuple[list[Drawn], list[Drawn]] = ([], [])
    accounts = [{a.pool.name: a for a in side.placing.filler.ledger.accounts.get(name, ())} for side in (before, after)]
    for pool in sorted({*accounts[0], *accounts[1]}):
        old, new = was.get(pool, {}), now.get(pool, {})
        same = {pod: min(count, new.get(pod, 0)) for pod, count in old.items() if min(count, new.get(pod, 0))}
        for index, (pods, state) in enumerate(((old, "leaving"), (new, "new"))):
            account = accounts[index].get(pool)
            if account is not None:
                drawn[index].append(_drawn(account, same, pods, "leaving" if state == "leaving" else "new"))
    lost = (name in before.fleet.clusters and before.lost(name), name in after.fleet.clusters and after.lost(name))
    return Column(name, tuple(drawn[0]), tuple(drawn[1]), lost)


def _drawn(account: Account, same: Mapping[Pod, int], pods: Mapping[Pod, int], state: State) -> Drawn:
    """What stays is put on nodes first, so that it stands at the same place on both sides."""
    groups = tuple((d.name, account.capacity[d.name]) for d in account.pool.hardware.devices if account.capacity.get(d.name))
    nodes = [Node(dict(groups)) for _ in range(account.pool.nodes)]
    waiting: list[Pod] = []
    for pod in (*_broken(account), *_each(same), *_rest(same, pods, state)):
        node = next((node for node in nodes if node.takes(pod)), None)
        if node is None:
            waiting.append(pod)
        else:
            node.add(pod)
    return Drawn(account.pool.name, account.pool.class_name, groups, tuple(nodes), tuple(waiting))


def _broken(account: Account) -> Iterator[Pod]:
    for devices, nodes in account.pool.broken:
        yield from [Pod("", devices, "broken")] * nodes


def _each(counts: Mapping[Pod, int]) -> Iterator[Pod]:
    """Every pod, the largest first."""
    for pod in sorted(counts, key=lambda pod: (-sum(size for _, size in pod.sizes), pod.deployment, pod.state)):
        yield from [pod] * counts[pod]


def _rest(same: Mapping[Pod, int], pods: Mapping[Pod, int], state: State) -> Iterator[Pod]:
    """The pods that stand on this side alone; of a retiring one its own state says more."""
    left = {pod: count - same.get(pod, 0) for pod, count in pods.items() if count > same.get(pod, 0)}
    for pod in _each(left):
        yield pod if pod.state else Pod(pod.deployment, pod.sizes, state)
