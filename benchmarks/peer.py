"""Modelplane's published scheduling algorithm, step by step, as a yardstick. It plays no part in the product.

What is kept of it, on purpose: whole nodes are counted, devices are matched greedily in the order of the requests, engines are
given pools one after the other without going back, a replica goes where the deployment has fewest, each pass begins anew, and
nothing is remembered between two looks at a device. A replica is known by its cluster and an index there, and belongs to a
deployment by name alone: namespaces are not compared.

`schedule` is one pass for one deployment; the order of its steps is the order of the functions below.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from modelfleet import cel
from modelfleet.api.base import Taint
from modelfleet.api.deployment import Engine, Member, Toleration
from modelfleet.api.hardware import Device
from modelfleet.api.quantity import Quantity
from modelfleet.api.semver import Semver
from modelfleet.resolve import Cluster, Deployment, Fleet, Pool
from modelfleet.resolve.selectors import expressions

Selector = Callable[[Device], bool]
Compiler = Callable[[str], Selector]  # raises where the expression does not compile
Pins = tuple["PinnedEngine", ...]


@dataclass(frozen=True, slots=True)
class PinnedMember:
    """A member as it was stamped. claims: (request, device group, devices) for each pod; pods: of one copy."""

    role: str
    pool: str
    claims: tuple[tuple[str, str, int], ...] = ()
    pods: int = 1


@dataclass(frozen=True, slots=True)
class PinnedEngine:
    """An engine of a replica as it was stamped."""

    name: str
    members: tuple[PinnedMember, ...]
    copies: int = 1


@dataclass(frozen=True, slots=True)
class Replica:
    """One replica. deployment: its label, a name without namespace; name: of the object, where it is not the usual one."""

    deployment: str
    cluster: str
    index: int
    engines: Pins
    name: str = ""

    @property
    def identity(self) -> tuple[str, int]:
        return (self.cluster, self.index)

    @property
    def object_name(self) -> str:
        return self.name or object_name(self.deployment, self.cluster, self.index)


def object_name(deployment: str, cluster: str, index: int) -> str:
    """`chat`, `east`, 0: `chat-32a9b`."""
    digest = hashlib.sha256(f"{deployment}-{cluster}-{index}".encode()).hexdigest()[:5]
    return f"{deployment[:57].rstrip('-')}-{digest}"


def kubernetes_cel(expression: str) -> Selector:
    """A selector compiled anew by our own package; each look at a device builds the device anew, as the peer does."""
    program = cel.compile_selector.__wrapped__(expression)
    return lambda device: program.evaluate(_view(device)).matches


def _view(device: Device) -> cel.Device:
    attributes = {n: Semver.parse(a.version) if a.version is not None else a.value for n, a in device.attributes.items()}
    known = {name: value for name, value in attributes.items() if value is not None}
    return cel.Device(device.driver, known, {name: Quantity.parse(c.value) for name, c in device.capacity.items()})


def candidates(deployment: Deployment, clusters: Iterable[Cluster], cache: Mapping[str, str] | None = None) -> list[Cluster]:
    """Clusters whose labels equal the deployment's matchLabels. cache: the ModelCache's, which wins where both name a key."""
    wanted = {**deployment.spec.template.spec.cluster_selector.match_labels, **(cache or {})}
    return [c for c in clusters if all(c.labels.get(key) == value for key, value in wanted.items())]


def schedule(
    deployment: Deployment,
    clusters: Sequence[Cluster],
    replicas: Iterable[Replica],
    *,
    fill: bool = True,
    compiler: Compiler = kubernetes_cel,
) -> list[Replica]:
    """The deployment's replicas after one pass, sorted by identity.

    clusters: the candidates; replicas: all that exist, of all deployments; fill: whether new ones may be made.
    """
    observed = sorted(replicas, key=lambda replica: replica.object_name)
    run = Pass(deployment, {c.name: c for c in clusters}, _compiled(deployment, clusters, compiler))
    kept = run.scaled_down(run.retained(observed))
    if fill and len(kept) < deployment.wanted:
        kept = run.filled(kept, run.ledger(kept, observed))
    return sorted(kept, key=lambda replica: replica.identity)


def schedule_all(fleet: Fleet, compiler: Compiler = kubernetes_cel) -> list[Replica]:
    """One pass for each deployment after the other, each of which sees what those before it made."""
    everything: list[Replica] = []
    for deployment in fleet.deployments.values():
        everything += schedule(deployment, candidates(deployment, fleet.clusters.values()), everything, compiler=compiler)
    return everything


def _compiled(deployment: Deployment, clusters: Iterable[Cluster], compiler: Compiler) -> dict[tuple[str, str], Selector]:
    """(expression, driver) -> selector: all that the pass may ask, compiled once."""
    drivers = {device.driver for cluster in clusters for pool in cluster.pools for device in pool.hardware.devices}
    requests = [r for e in deployment.engines for m in e.members for r in m.node_selector.devices]
    texts = sorted({(text, driver) for request in requests for driver in drivers for text in expressions(request, driver)})
    return {(text, driver): compiler(text) for text, driver in texts}


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass for one deployment."""

    deployment: Deployment
    clusters: Mapping[str, Cluster]
    selectors: Mapping[tuple[str, str], Selector]

    def retained(self, observed: Iterable[Replica]) -> list[Replica]:
        """Our replicas that may stay, with what their members claim now; the first of an identity."""
        kept: dict[tuple[str, int], Replica] = {}
        for replica in observed:
            cluster = self.clusters.get(replica.cluster)
            if replica.deployment != self.deployment.name or cluster is None or replica.identity in kept:
                continue
            if self.repels(cluster.spec.taints, "NoExecute"):
                continue
            pins = self._renewed(replica, cluster)
            if pins is not None:
                kept[replica.identity] = replace(replica, engines=pins)
        return list(kept.values())

    def _renewed(self, replica: Replica, cluster: Cluster) -> Pins | None:
        """The replica's engines matched anew where they stand; None if one of them no longer belongs there."""
        if len(replica.engines) != len(self.deployment.engines):
            return None
        pins = []
        for pinned in replica.engines:
            engine = self.deployment.engine(pinned.name)
            members = self._members(engine, pinned, cluster) if engine else None
            if engine is None or members is None or not any(m.claims for m in members):
                return None
            pins.append(PinnedEngine(engine.name, members, engine.copies))
        return tuple(pins)

    def _members(self, engine: Engine, pinned: PinnedEngine, cluster: Cluster) -> tuple[PinnedMember, ...] | None:
        if [m.role for m in engine.members] != [m.role for m in pinned.members]:
            return None
        found = []
        for member, there in zip(engine.members, pinned.members, strict=True):
            pool = cluster.pool(there.pool)
            claims = self.claims(member, pool) if pool else None
            if claims is None:
                return None
            found.append(PinnedMember(member.role, there.pool, claims, member.pods))
        return tuple(found)

    def scaled_down(self, kept: list[Replica]) -> list[Replica]:
        """As many as are wanted: the fullest cluster loses first, then the later name, then the higher index."""
        left = list(kept)
        while len(left) > self.deployment.wanted:
            load = _load(left)
            left.remove(max(left, key=lambda replica: (load[replica.cluster], replica.cluster, replica.index)))
        return left

    def ledger(self, kept: Iterable[Replica], observed: Iterable[Replica]) -> dict[tuple[str, str], int]:
        """Free nodes of each pool: published, less what others and our kept replicas were stamped with. It may be negative."""
        free = {(c.name, pool.name): max(0, pool.nodes) for c in self.clusters.values() for pool in c.pools}
        staying = {replica.identity for replica in kept}
        for replica in observed:
            if replica.deployment != self.deployment.name or replica.identity in staying:
                _charge(free, replica)
        return free

    def filled(self, kept: list[Replica], free: dict[tuple[str, str], int]) -> list[Replica]:
        """`kept` and new replicas, one at a time where the deployment has fewest; it stops at the first that fits nowhere."""
        result = list(kept)
        spec = self.deployment.spec.template.spec
        open_ = [c for c in self.clusters.values() if _reachable(c) and not _untolerated(c.spec.taints, spec.tolerations)]
        while len(result) < self.deployment.wanted:
            load = _load(result)
            ways = [((load.get(c.name, 0), c.name), pins) for c in open_ if (pins := self.pools(c, free)) is not None]
            if not ways:
                break
            (_, name), pins = min(ways, key=lambda way: way[0])
            used = {replica.index for replica in result if replica.cluster == name}
            index = next(i for i in range(len(used) + 1) if i not in used)
            result.append(Replica(self.deployment.name, name, index, pins))
            _charge(free, result[-1])
        return result

    def pools(self, cluster: Cluster, free: Mapping[tuple[str, str], int]) -> Pins | None:
        """A pool for each engine, taken in order from what is free; None as soon as one finds none."""
        trial = {pool.name: free[(cluster.name, pool.name)] for pool in cluster.pools}
        pins = []
        for engine in self.deployment.engines:
            pinned = self._pool(engine, cluster, trial)
            if pinned is None:
                return None
            pins.append(pinned)
        return tuple(pins)

    def _pool(self, engine: Engine, cluster: Cluster, trial: dict[str, int]) -> PinnedEngine | None:
        """The first pool in published order that serves every member and has the nodes."""
        claimable = [any(self.claims(member, pool) for pool in cluster.pools) for member in engine.members]
        if not any(claimable):
            return None
        for pool in cluster.pools:
            members = []
            for member, could in zip(engine.members, claimable, strict=True):
                claims = self.claims(member, pool)
                if claims is None or (could and not claims):
                    break
                members.append(PinnedMember(member.role, pool.name, claims, member.pods))
            else:
                pinned = PinnedEngine(engine.name, tuple(members), engine.copies)
                if trial[pool.name] >= _cost(pinned, pool.name):
                    trial[pool.name] -= _cost(pinned, pool.name)
                    return pinned
        return None

    def claims(self, member: Member, pool: Pool) -> tuple[tuple[str, str, int], ...] | None:
        """What a pod of `member` claims of a node of `pool`: each request takes the first device that holds and has enough left."""
        left = [device.count for device in pool.hardware.devices]
        found = []
        for request in member.node_selector.devices:
            for index, device in enumerate(pool.hardware.devices):
                texts = expressions(request, device.driver)
                if left[index] >= request.count and all(self.selectors[(text, device.driver)](device) for text in texts):
                    left[index] -= request.count
                    if device.claim == "DRA":
                        found.append((request.name, device.name, request.count))
                    break
            else:
                return None
        return tuple(found)

    def repels(self, taints: Iterable[Taint], effect: str) -> bool:
        return _untolerated([t for t in taints if t.effect == effect], self.deployment.spec.template.spec.tolerations)


def _reachable(cluster: Cluster) -> bool:
    return cluster.spec.state == "Ready" and bool(cluster.spec.gateway.hostname or cluster.spec.gateway.address)


def _untolerated(taints: Iterable[Taint], tolerations: Sequence[Toleration]) -> bool:
    """Whether some taint is tolerated by nothing."""
    return any(not any(_tolerates(toleration, taint) for toleration in tolerations) for taint in taints)


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.operator == "Exists":
        return toleration.key in (None, "", taint.key)
    return toleration.key == taint.key and (toleration.value or "") == taint.value


def _load(replicas: Iterable[Replica]) -> dict[str, int]:
    load: dict[str, int] = {}
    for replica in replicas:
        load[replica.cluster] = load.get(replica.cluster, 0) + 1
    return load


def _charge(free: dict[tuple[str, str], int], replica: Replica) -> None:
    """Takes a replica's nodes from the pools that still exist."""
    for engine in replica.engines:
        for pool in sorted({member.pool for member in engine.members}):
            if (replica.cluster, pool) in free:
                free[(replica.cluster, pool)] -= _cost(engine, pool)


def _cost(engine: PinnedEngine, pool: str) -> int:
    """Nodes of `pool`: one for each pod that claims anything."""
    return sum(member.pods * engine.copies for member in engine.members if member.claims and member.pool == pool)
