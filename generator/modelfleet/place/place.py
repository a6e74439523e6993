"""`place`: retain all, scale down, fill, in that order; what is left over is a shortfall with its reasons."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ..api.placement import PlacementEntry, PlacementSpec, RecordedShortfall
from ..resolve.fleet import Deployment, Fleet
from .fill import Filler
from .ledger import Ledger
from .match import Matcher
from .plan import Excess, Plan, Shortfall
from .retain import is_stale, must_leave
from .share import shares
from .state import Entry, State, recorded_entry

Key = tuple[str, str]


def place(fleet: Fleet, recorded: Mapping[Key, PlacementSpec], targets: Collection[Key] | None = None) -> Plan:
    """Decides where the replicas of `targets` run; None: what is missing from `recorded` or stale. All others stand.

    The plan holds every record, changed or not, the shortfalls of the targets, and the pools that hold too much.
    """
    placing = Placing.begin(fleet, recorded)
    excesses = _excesses(placing.filler.ledger)
    wanted = placing.stale() if targets is None else sorted(targets)
    chosen = [placing.prepare(key) for key in wanted if key in fleet.deployments]
    order = sorted(chosen, key=lambda s: (-s.deployment.spec.priority, s.deployment.key))
    for state in order:
        placing.filler.fill(state, _floor(state.deployment))
    for state in order:
        placing.filler.fill(state, state.deployment.wanted)
    shortfalls = {s.deployment.key: _shortfall(s, placing.filler) for s in order if s.live < s.deployment.wanted}
    placements = dict(recorded) | {s.deployment.key: _record(s, shortfalls.get(s.deployment.key)) for s in chosen}
    return Plan(dict(sorted(placements.items())), dict(sorted(shortfalls.items())), excesses)


@dataclass(frozen=True, slots=True)
class Placing:
    """A run of the placer: the recorded entries, all of them charged."""

    fleet: Fleet
    recorded: Mapping[Key, PlacementSpec]
    entries: Mapping[Key, list[Entry]]
    filler: Filler

    @classmethod
    def begin(cls, fleet: Fleet, recorded: Mapping[Key, PlacementSpec]) -> Placing:
        matcher, ledger = Matcher(fleet.classes), Ledger.of(fleet)
        entries = {}
        for key, spec in sorted(recorded.items()):
            deployment = fleet.deployments.get(key)
            entries[key] = [recorded_entry(deployment, e, fleet.clusters.get(e.cluster), matcher) for e in spec.replicas]
            for entry in entries[key]:
                ledger.add(entry.cluster, _charged(entry), "/".join(key))
        return cls(fleet, recorded, entries, Filler(fleet, ledger, matcher))

    def stale(self) -> list[Key]:
        """Deployments without a record, or with one that must be decided anew."""
        return [key for key in self.fleet.deployments if key not in self.recorded or self._is_stale(key)]

    def _is_stale(self, key: Key) -> bool:
        deployment, wanted = self.fleet.deployments[key], self.recorded[key].wanted
        return is_stale(deployment, wanted, self.entries[key], self.fleet.clusters, self.filler.matcher)

    def state(self, key: Key) -> State:
        """A deployment as it is recorded."""
        return State(self.fleet.deployments[key], {entry.key: entry for entry in self.entries.get(key, [])})

    def prepare(self, key: Key) -> State:
        """A deployment after retaining and scaling down, ready to be filled."""
        return _prepare(self.fleet, self.fleet.deployments[key], self.entries.get(key, []), self.filler.ledger, self.filler.matcher)


def _charged(entry: Entry) -> tuple[tuple[str, tuple[tuple[str, int], ...], int], ...]:
    return tuple((pool, demand, copies * entry.count) for pool, demand, copies in entry.pods)


def _prepare(fleet: Fleet, deployment: Deployment, entries: list[Entry], ledger: Ledger, matcher: Matcher) -> State:
    """The deployment's entries after retaining and scaling down; what may not stay is marked or, under Prune, dropped."""
    state = State(deployment)
    prune = fleet.settings.spec.argocd.removal == "Prune"
    for entry in entries:
        if not entry.retiring and must_leave(deployment, entry, fleet.clusters.get(entry.cluster), matcher):
            entry.retiring = True
        if entry.retiring and prune:
            ledger.add(entry.cluster, _charged(entry), deployment.ref, sign=-1)
        else:
            _renew(fleet, deployment, entry, matcher)
            state.entries[entry.key] = entry
    _scale_down(state, fleet, ledger, prune)
    return state


def _renew(fleet: Fleet, deployment: Deployment, entry: Entry, matcher: Matcher) -> None:
    """Records the device groups that serve the requests now, where the recorded ones no longer do."""
    cluster = fleet.clusters.get(entry.cluster)
    for engine in deployment.engines:
        choice = entry.choices.get(engine.name)
        pool = cluster.pool(choice.pool) if cluster and choice else None
        option = matcher.still_serves(engine, pool, choice.devices) if choice and pool else None
        if choice and option and dict(option.devices) != dict(choice.devices):
            entry.choices[engine.name] = choice.model_copy(update={"devices": dict(option.devices)})


def _scale_down(state: State, fleet: Fleet, ledger: Ledger, prune: bool) -> None:
    """Takes replicas from Offline and tainted clusters first, then from the fullest; ties: the later name."""

    def rank(entry: Entry) -> tuple[int, int, str]:
        cluster = fleet.clusters[entry.cluster]
        order = 2 if cluster.spec.state == "Offline" else 1 if cluster.spec.taints else 0
        return (order, state.on(entry.cluster), entry.cluster)

    while state.live > state.deployment.wanted:
        entry = max((e for e in state.entries.values() if not e.retiring and not e.lost), key=rank)
        if entry.count == 1 and not prune:
            entry.retiring = True
            continue
        entry.count -= 1
        ledger.add(entry.cluster, entry.pods, state.deployment.ref, sign=-1)
        if not entry.count:
            del state.entries[entry.key]


def _floor(deployment: Deployment) -> int:
    return deployment.spec.scaling.min_replicas if deployment.spec.scaling else deployment.wanted


def _shortfall(state: State, filler: Filler) -> Shortfall:
    return Shortfall(state.deployment.wanted - state.live, state.deployment.wanted, filler.refusals(state))


def _record(state: State, shortfall: Shortfall | None) -> PlacementSpec:
    """The decision as it is written: entries sorted by key, shares of an autoscaled deployment dealt out."""
    entries = [state.entries[key] for key in sorted(state.entries)]
    dealt = iter(shares(state.deployment, [entry.count for entry in entries if not entry.retiring and not entry.lost]))
    without_successor = max(0, state.deployment.wanted - state.live)
    replicas = []
    for entry in entries:
        if entry.retiring:
            alone = min(entry.count, without_successor)
            without_successor -= alone
            replicas.append(_entry(entry, entry.count, None, entry.count - alone))
        elif entry.lost:
            replicas.append(_entry(entry, entry.count, None, 0))
        else:
            minimum, maximum = next(dealt)
            replicas.append(_entry(entry, minimum, maximum, 0))
    short = RecordedShortfall(missing=shortfall.missing, summary=shortfall.summary) if shortfall else None
    return PlacementSpec.model_construct(wanted=state.deployment.wanted, replicas=tuple(replicas), shortfall=short)


def _entry(entry: Entry, minimum: int, maximum: int | None, replaced: int) -> PlacementEntry:
    return PlacementEntry.model_construct(
        cluster=entry.cluster, engines=dict(sorted(entry.choices.items())), count=entry.count, minimum=minimum, maximum=maximum,
        retiring=entry.retiring, replaced=replaced,
    )  # fmt: skip


def _excesses(ledger: Ledger) -> tuple[Excess, ...]:
    """Pools whose recorded pods need more than they have."""
    found = []
    for (cluster, name), account in ledger.accounts.items():
        if account.pods and not account.fits(ledger.accounting):
            groups = {group for demand in account.pods for group, _ in demand}
            taken = ", ".join(f"{t} of {there} {group}" for group in sorted(groups) for t, there in [account.devices(group)])
            held = ", ".join(f"{who} {count}" for who, count in sorted(account.holders.items()) if count)
            found.append(Excess(cluster, name, f"{taken} recorded; held by {held}"))
    return tuple(found)
