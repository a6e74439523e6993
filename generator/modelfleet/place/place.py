"""`place`: retain all, scale down, fill, in that order; what is left over is a shortfall with its reasons."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ..api.placement import PlacementEntry, PlacementSpec
from ..resolve.fleet import Deployment, Fleet
from .candidates import Offers
from .demand import Demand, counted
from .fill import Filler
from .ledger import Ledger, Pods
from .limits import Limits
from .match import Matcher, asked_by
from .plan import Excess, Plan, Shortfall
from .reasons import Reasons
from .record import record
from .retain import is_stale, must_leave, renewed
from .room import Room
from .state import Entry, State, recorded_entry

Key = tuple[str, str]


def place(
    fleet: Fleet, recorded: Mapping[Key, PlacementSpec], targets: Collection[Key] | None = None, give_up: Collection[Key] = ()
) -> Plan:
    """Decides where the replicas of `targets` run; None: what is missing from `recorded` or stale. All others stand.

    give_up: of these, entries on pools that hold too much retire and are replaced where there is room. The plan holds every
    record, changed or not, the shortfalls of the targets, and the pools that hold too much.
    """
    placing = Placing.begin(fleet, recorded)
    excesses = placing.excesses()
    wanted = sorted({*(placing.stale() if targets is None else targets), *give_up})
    full = {(excess.cluster, excess.pool) for excess in excesses}
    chosen = [placing.prepare(key, full if key in give_up else set()) for key in wanted if key in fleet.deployments]
    order = sorted(chosen, key=lambda s: (-s.deployment.spec.priority, s.deployment.key))
    _fill(placing.filler, order)
    shortfalls = {s.deployment.key: _shortfall(s, placing.filler) for s in order if s.live < s.deployment.wanted}
    placements = dict(recorded) | {s.deployment.key: record(s, shortfalls.get(s.deployment.key)) for s in chosen}
    return Plan(dict(sorted(placements.items())), dict(sorted(shortfalls.items())), excesses)


def _fill(filler: Filler, order: list[State]) -> None:
    """All to their minimum, then all to their full number; then once more on headroom of last resort."""
    _round(filler, order)
    if any(state.live < state.deployment.wanted for state in order):
        filler.ledger.use_headroom()
        filler.orders.forget()
        _round(filler, order)


def _round(filler: Filler, order: list[State]) -> None:
    """One after the other; where one stays short, what was placed before it in this run may make room."""
    for wanted in (_floor, _full):
        room = Room(filler)
        for state in order:
            filler.fill(state, wanted(state.deployment))
            room.add(state)
            room.make(state, wanted(state.deployment))


@dataclass(frozen=True, slots=True)
class Placing:
    """A run of the placer: the recorded entries, all of them charged."""

    fleet: Fleet
    recorded: Mapping[Key, PlacementSpec]
    entries: Mapping[Key, list[Entry]]
    filler: Filler

    @classmethod
    def begin(cls, fleet: Fleet, recorded: Mapping[Key, PlacementSpec]) -> Placing:
        """Every record is charged before anything is decided."""
        filler = Filler(fleet, Ledger.of(fleet), Limits(fleet), Offers(fleet, Matcher(fleet.classes)))
        entries: dict[Key, list[Entry]] = {}
        for key, spec in sorted(recorded.items()):
            deployment = fleet.deployments.get(key)
            entries[key] = [_recorded(fleet, deployment, entry, filler.offers) for entry in spec.replicas]
            for entry in entries[key]:
                filler.ledger.add(entry.cluster, entry.charged(), "/".join(key))
                if deployment and entry.candidate and not entry.lost:
                    filler.limits.add(deployment, entry.candidate, entry.count - entry.replaced)
        return cls(fleet, recorded, entries, filler)

    def stale(self) -> list[Key]:
        """Deployments without a record, or with one that must be decided anew."""
        return [key for key in self.fleet.deployments if key not in self.recorded or self.is_stale(key)]

    def is_stale(self, key: Key) -> bool:
        return is_stale(self.fleet, self.fleet.deployments[key], self.recorded[key], self.entries[key])

    def state(self, key: Key) -> State:
        """A deployment as it is recorded."""
        return State(self.fleet.deployments[key], {entry.key: entry for entry in self.entries.get(key, [])})

    def prepare(self, key: Key, leaving: Collection[tuple[str, str]] = ()) -> State:
        """A deployment after retaining and scaling down. What may not stay is marked or, under Prune, dropped.

        leaving: (cluster, pool) that it gives up.
        """
        deployment = self.fleet.deployments[key]
        state = State(deployment)
        prune = self.fleet.settings.spec.argocd.removal == "Prune"
        for entry in self.entries.get(key, []):
            given_up = any((entry.cluster, choice.pool) in leaving for choice in entry.choices.values())
            if not entry.retiring and (given_up or must_leave(self.fleet, deployment, entry)):
                entry.retiring, entry.given_up = True, given_up
            if entry.retiring and prune:
                self._give_back(deployment, entry, entry.count)
            else:
                entry.choices = {**entry.choices, **renewed(entry)}  # type: ignore[dict-item]
                state.entries[entry.key] = entry
        self._scale_down(state, prune)
        return state

    def _scale_down(self, state: State, prune: bool) -> None:
        """Takes replicas from Offline and tainted clusters first, then from the fullest; ties: the later name."""

        def rank(entry: Entry) -> tuple[int, int, str]:
            spec = self.fleet.clusters[entry.cluster].spec
            return (2 if spec.state == "Offline" else 1 if spec.taints else 0, state.on(entry.cluster), entry.cluster)

        while state.live > state.deployment.wanted:
            entry = max((e for e in state.entries.values() if e.live), key=rank)
            if entry.count == 1 and not prune:
                entry.retiring = True
                continue
            self._give_back(state.deployment, entry, 1)
            entry.count -= 1
            if not entry.count:
                del state.entries[entry.key]

    def _give_back(self, deployment: Deployment, entry: Entry, replicas: int) -> None:
        pods = tuple((position, demand, count * replicas) for position, demand, count in entry.pods)
        if entry.candidate and replicas == entry.count:
            pods += entry.candidate.surge
        self.filler.ledger.add(entry.cluster, pods, deployment.ref, sign=-1)
        if entry.candidate:
            self.filler.limits.add(deployment, entry.candidate, -replicas)

    def excesses(self) -> tuple[Excess, ...]:
        """Pools whose recorded pods cannot all run, or may not start again; headroom counts here."""
        found = []
        for cluster, accounts in sorted(self.filler.ledger.accounts.items()):
            for account in accounts:
                nodes = account.pool.nodes + (account.pool.more_nodes if account.pool.headroom != "Never" else 0)
                if account.holders and not account.fits(self.filler.ledger.accounting, nodes):
                    guaranteed = self.filler.ledger.accounting == "Guaranteed"
                    lost = guaranteed and account.fits("Packed", nodes)
                    groups = sorted({kind for demand in account.pods for kind, _ in demand})
                    taken = ", ".join(counted(group, *account.devices(group, nodes)) for group in groups)
                    code, text = "GuaranteeLost" if lost else "Overcommitted", f"{taken} recorded; held by {account.held_by()}"
                    found.append(Excess(cluster, account.pool.name, code, text, self._last(account.holders)))
        return tuple(found)

    def _last(self, holders: Mapping[str, int]) -> str:
        """The holder that is filled last: what it gives up is missed least."""
        declared = [d for d in self.fleet.deployments.values() if holders.get(d.ref)]
        return max(declared, key=lambda d: (-d.spec.priority, d.key)).ref if declared else ""


def _recorded(fleet: Fleet, deployment: Deployment | None, entry: PlacementEntry, offers: Offers) -> Entry:
    cluster = fleet.clusters.get(entry.cluster)
    if deployment is None or cluster is None:
        return recorded_entry(entry, cluster, None, ())
    candidate = offers.recorded(deployment, entry.engines, cluster)
    return recorded_entry(entry, cluster, candidate, () if candidate else _known(deployment, entry, fleet))


def _known(deployment: Deployment, entry: PlacementEntry, fleet: Fleet) -> Pods:
    """What an entry that no longer matches still holds: the counts of its requests on the device groups it records."""
    cluster = fleet.clusters[entry.cluster]
    pods: dict[tuple[int, Demand], int] = {}
    for name, choice in sorted(entry.engines.items()):
        engine = deployment.engine(name)
        position = next((i for i, pool in enumerate(cluster.pools) if pool.name == choice.pool), None)
        if engine is None or position is None:
            continue
        for member in engine.members:
            taken: dict[str, int] = {}
            for request in asked_by(engine, member, choice.alternative or ""):
                group = choice.devices.get(request.name) or choice.devices.get(f"{member.role}/{request.name}")
                if group:
                    taken[group] = taken.get(group, 0) + request.count
            if taken:
                key = (position, tuple(sorted(taken.items())))
                pods[key] = pods.get(key, 0) + member.pods * engine.copies
    return tuple((position, demand, count) for (position, demand), count in sorted(pods.items()))


def _floor(deployment: Deployment) -> int:
    return deployment.spec.scaling.min_replicas if deployment.spec.scaling else deployment.wanted


def _full(deployment: Deployment) -> int:
    return deployment.wanted


def _shortfall(state: State, filler: Filler) -> Shortfall:
    return Shortfall(state.deployment.wanted - state.live, state.deployment.wanted, Reasons.of(filler, state).all())
