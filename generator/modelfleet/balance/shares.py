"""The shares of a service at a front door: which cluster or provider gets which part of the requests, in which tier.

Two tiers at most: the second answers when the first cannot. A share is (deployment, cluster): its entries stand behind one Service.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .. import names
from ..api.placement import PlacementEntry, PlacementSpec
from ..resolve.fleet import Cluster, Deployment, Fleet, Front, Service
from .weights import weights

if TYPE_CHECKING:  # the plugin pays for kinds that a unit has
    from ..api.service import ServiceEndpoint

Placements = Mapping[tuple[str, str], PlacementSpec]

MOST = 16  # backendRefs of a rule


@dataclass(frozen=True, slots=True)
class Share:
    """What one deployment on one cluster, or one provider, answers.

    entry: name of the service's entry, order: its place in the list, declared: its weight. target: the deployment or endpoint; cluster:
    empty for a provider. tier: 0 or 1. weight: within the tier; part: the same in millionths. replicas: recorded there, 1 for a provider.
    retiring: all of them are; replaced: and all have a successor. wakes: it may be asleep until it is called.
    """

    entry: str
    order: int
    target: str
    cluster: str
    declared: int
    replicas: int = 1
    tier: int = 0
    weight: int = 0
    part: int = 0
    retiring: bool = False
    replaced: bool = False
    wakes: bool = False

    @property
    def shown(self) -> str:
        return f"{self.target} on {self.cluster}" if self.cluster else self.target


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A target that gets nothing, and why. crowded: because a route holds no more."""

    entry: str
    target: str
    cluster: str
    reason: str
    crowded: bool = False

    @property
    def shown(self) -> str:
        return f"{self.target} on {self.cluster}" if self.cluster else self.target


@dataclass(frozen=True, slots=True)
class Balance:
    """The shares of a service at a front door, by tier, entry and name, and what is left out.

    unmatched: names of entries that match nothing that is declared.
    """

    shares: tuple[Share, ...]
    left_out: tuple[LeftOut, ...] = ()
    unmatched: tuple[str, ...] = ()

    def tier(self, number: int) -> tuple[Share, ...]:
        return tuple(share for share in self.shares if share.tier == number)

    @property
    def known(self) -> bool:
        """Whether anything that is declared answers the service, if only later."""
        return bool(self.shares or self.left_out)


def fronts_of(fleet: Fleet, service: Service) -> tuple[Front, ...]:
    """The front doors that serve a service, by cluster."""
    found = (fleet.fronts[cluster] for cluster in sorted(fleet.fronts))
    return tuple(front for front in found if front.serves(service))


def balance(fleet: Fleet, placements: Placements, service: Service, front: Front) -> Balance:
    """The shares of `service` at `front`. Where more than 16 would share, replaced retiring ones are left out."""
    found: list[Share] = []
    left: list[LeftOut] = []
    unmatched, taken = [], set()
    for order, entry in enumerate(service.spec.endpoints):
        matched = False
        for target in _targets(fleet, placements, service, order, entry):
            matched = True
            key = (target.target, target.cluster)
            if key in taken:  # it belongs to the first entry that names it
                continue
            taken.add(key)
            if isinstance(target, LeftOut):
                left.append(target)
            elif not entry.weight:
                left.append(LeftOut(target.entry, target.target, target.cluster, "its weight is 0"))
            else:
                found.append(replace(target, tier=entry.priority))
        if not matched:
            unmatched.append(_name(order, entry))
    shares, crowded = _fitting(_tiered(found, service, fleet, front))
    return Balance(_weighted(shares), tuple([*left, *crowded]), tuple(unmatched))


def _name(order: int, entry: ServiceEndpoint) -> str:
    return entry.shown or f"endpoints[{order}]"


def _targets(fleet: Fleet, placements: Placements, service: Service, order: int, entry: ServiceEndpoint) -> Iterator[Share | LeftOut]:
    """Every share that an entry names or selects, by name and cluster, deployments first."""
    shown, namespace = _name(order, entry), service.namespace
    for key in sorted(key for key in fleet.deployments if key[0] == namespace):
        deployment = fleet.deployments[key]
        recorded = _by_cluster(fleet, placements.get(key))
        if not recorded and _means(entry, deployment, None):
            yield LeftOut(shown, deployment.name, "", "no replica is recorded")
        for cluster, entries in recorded:
            if _means(entry, deployment, cluster):
                yield _share(shown, order, entry.weight, deployment, cluster, entries)
    for key in sorted(key for key in fleet.endpoints if key[0] == namespace):
        endpoint = fleet.endpoints[key]
        if entry.endpoint == endpoint.name or (entry.selector and entry.selector.matches(endpoint.labels)):
            yield Share(shown, order, endpoint.name, "", entry.weight)


def _by_cluster(fleet: Fleet, spec: PlacementSpec | None) -> list[tuple[Cluster, list[PlacementEntry]]]:
    """The recorded entries on each cluster that is still in the fleet, by its name."""
    found: dict[str, list[PlacementEntry]] = {}
    for entry in spec.replicas if spec else ():
        if entry.cluster in fleet.clusters:
            found.setdefault(entry.cluster, []).append(entry)
    return [(fleet.clusters[name], found[name]) for name in sorted(found)]


def _means(entry: ServiceEndpoint, deployment: Deployment, cluster: Cluster | None) -> bool:
    """Whether an entry names a deployment, or selects it on a cluster (None: wherever it may come to stand)."""
    if entry.selector is None:
        return entry.deployment == deployment.name
    labels = dict(deployment.spec.template.metadata.labels)
    if cluster:  # what stands on a cluster has the cluster's labels for it
        labels |= cluster.spec.placement.metadata.labels | {names.LABEL_CLUSTER: cluster.name}
    return entry.selector.matches(labels | {names.LABEL_DEPLOYMENT: deployment.name})


def _share(
    entry: str, order: int, declared: int, deployment: Deployment, cluster: Cluster, entries: Sequence[PlacementEntry]
) -> Share | LeftOut:
    gateway, name = cluster.spec.gateway, deployment.name
    if deployment.spec.suspend:
        return LeftOut(entry, name, cluster.name, "the deployment is suspended")
    if cluster.spec.state != "Ready":
        return LeftOut(entry, name, cluster.name, f"the cluster is {cluster.spec.state}")
    if not (gateway.hostname or gateway.address):
        return LeftOut(entry, name, cluster.name, "the cluster's gateway has no host name")
    staying = [e for e in entries if not e.retiring]
    scaling = deployment.spec.scaling
    return Share(
        entry,
        order,
        name,
        cluster.name,
        declared,
        replicas=sum(e.count for e in staying or entries),
        retiring=not staying,
        replaced=not staying and all(e.replaced >= e.count for e in entries),
        wakes=scaling is not None and scaling.wake == "OnRequest",
    )


def _tiered(found: Sequence[Share], service: Service, fleet: Fleet, front: Front) -> list[Share]:
    """The shares in tiers 0 and 1: by priority or by region, retiring ones second.

    While nothing else is in the first tier, what retires stays there: it serves until it is dropped. A first tier with nothing at all is
    taken by the second.
    """
    region = fleet.clusters[front.cluster].spec.location.region
    if service.spec.locality == "PreferRegion" and region:
        near = {name for name, cluster in fleet.clusters.items() if cluster.spec.location.region == region}
        found = [replace(share, tier=int(share.cluster not in near)) for share in found]
    if not found:
        return []
    first = min(share.tier for share in found)
    stays = any(share.tier == first and not share.retiring for share in found)
    return [replace(share, tier=int(share.tier != first or (stays and share.retiring))) for share in found]


def _fitting(shares: list[Share]) -> tuple[list[Share], list[LeftOut]]:
    """At most 16 shares, if leaving out replaced retiring ones does it; and those that had to go."""
    surplus = len(shares) - MOST
    gone = [share for share in shares if share.replaced][: max(0, surplus)]
    reason = f"{len(shares)} shares are more than {MOST}, and its replicas have successors"
    return [share for share in shares if share not in gone], [LeftOut(s.entry, s.target, s.cluster, reason, True) for s in gone]


def _weighted(shares: Sequence[Share]) -> tuple[Share, ...]:
    """The shares with their weights, each tier by itself, in the order in which they were found."""
    found: list[Share] = []
    for tier in (0, 1):
        members: dict[int, list[Share]] = {}
        for share in shares:
            if share.tier == tier:
                members.setdefault(share.order, []).append(share)
        groups = [(group[0].declared, [share.replicas for share in group]) for group in members.values()]
        dealt = weights(groups)
        total = sum(map(sum, dealt))
        for group, numbers in zip(members.values(), dealt, strict=True):
            found += [replace(s, weight=n, part=(2 * n * 10**6 + total) // (2 * total)) for s, n in zip(group, numbers, strict=True)]
    return tuple(found)
