"""Which device groups of a class can serve an engine, and what its pods then take.

The requests of a member are matched to the device groups of one node exactly: if an assignment exists it is found. Every
(selector, device group of a class) is evaluated once, and every (engine, alternative, class) is searched once, however
many clusters have pools of that class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..api.deployment import DeviceRequest, Engine, Member
from ..api.devices import Constraint, DeviceOption
from ..api.hardware import Device, InferenceClassSpec
from ..api.quantity import Quantity
from .assign import KEPT, MAX_DEVICES, Grant, assignments
from .demand import Demand, capacity, is_device, requests
from .evaluate import Evaluator
from .joint import best


@dataclass(frozen=True, slots=True)
class Way:
    """One way to run a copy of an engine on a class.

    devices: request -> device group (`role/request` in a gang, `request/option` of a prioritized list). pods: what each pod
    takes, and how many such pods a copy has. share: nodes that a copy is charged by cost, in millionths. memory: of the
    devices taken, in bytes.
    """

    devices: tuple[tuple[str, str], ...]
    pods: tuple[tuple[Demand, int], ...]
    share: int
    memory: int


@dataclass(frozen=True, slots=True)
class Miss:
    """Why a class serves an engine in no way: the first request that failed, with what the nearest device has.

    why: makes the text, which is seldom asked for.
    """

    why: Callable[[], str]

    @property
    def text(self) -> str:
        return self.why()


@dataclass(slots=True)
class Matcher:
    """Answers, remembered for a run."""

    classes: Mapping[str, InferenceClassSpec]
    evaluator: Evaluator = field(init=False)
    _nodes: dict[str, _Node] = field(default_factory=dict)
    _ways: dict[tuple[int, str], tuple[Way, ...] | Miss] = field(default_factory=dict)
    _recorded: dict[tuple[int, str, tuple[tuple[str, str], ...]], Way | None] = field(default_factory=dict)
    _kinds: dict[tuple[object, ...], int] = field(default_factory=dict)
    _asked: list[list[_Asked]] = field(default_factory=list)
    _kind_of: dict[tuple[int, str], int] = field(default_factory=dict)
    _kept: list[Engine] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.evaluator = Evaluator(self.classes)

    def kind(self, engine: Engine, alternative: str) -> int:
        """A number that two engines share when they ask for the same."""
        key = (id(engine), alternative)
        if key not in self._kind_of:
            self._kept.append(engine)  # so that its id stays its own
            asked = [
                _Asked(m, asked_by(engine, m, alternative), m.node_selector.constraints, requests(pod_of(engine, m)))
                for m in engine.members
            ]
            said = tuple((a.member.role, a.member.pods, a.requests, a.constraints, a.resources) for a in asked)
            self._kind_of[key] = self._kinds.setdefault((engine.name, alternative, said), len(self._kinds))
            if self._kind_of[key] == len(self._asked):
                self._asked.append(asked)
        return self._kind_of[key]

    def node(self, class_name: str) -> _Node:
        """A node of a class."""
        if class_name not in self._nodes:
            self._nodes[class_name] = _Node.of(self.classes[class_name])
        return self._nodes[class_name]

    def ways(self, engine: Engine, alternative: str, class_name: str) -> tuple[Way, ...] | Miss:
        """Every way to run `engine` (with its `alternative`, or empty) on a class, least memory first; or why there is none."""
        key = (self.kind(engine, alternative), class_name)
        if key not in self._ways:
            self._ways[key] = self._search(engine, alternative, class_name)
        return self._ways[key]

    def recorded(self, engine: Engine, alternative: str, class_name: str, devices: Mapping[str, str]) -> Way | None:
        """The way that `devices` records, else the best one; None if the class serves the engine in no way."""
        ways = self.ways(engine, alternative, class_name)
        if isinstance(ways, Miss):
            return None
        wanted = tuple(sorted(devices.items()))
        found = next((way for way in ways if way.devices == wanted), None)
        return found or self._named(engine, alternative, class_name, devices) or ways[0]

    def _named(self, engine: Engine, alternative: str, class_name: str, devices: Mapping[str, str]) -> Way | None:
        """The way with just these devices, which need not be one of those kept; None if it does not serve."""
        key = (self.kind(engine, alternative), class_name, tuple(sorted(devices.items())))
        if key not in self._recorded:
            found = self._search(engine, alternative, class_name, devices)
            self._recorded[key] = None if isinstance(found, Miss) or found[0].devices != key[2] else found[0]
        return self._recorded[key]

    def _search(self, engine: Engine, alternative: str, class_name: str, only: Mapping[str, str] | None = None) -> tuple[Way, ...] | Miss:
        """only: request -> device group, of the ways that are looked at; None: all."""
        members: list[list[_Fit]] = []
        for asked in self._asked[self.kind(engine, alternative)]:
            found = self._member(engine, asked, class_name, only)
            if isinstance(found, Miss):
                return found
            members.append(found)
        node = self.node(class_name)
        ways = [_way(fits, node) for fits in best(members, lambda fit: (node.memory_of(fit.taken) * fit.member.pods,), KEPT)]
        ways = [way for way in ways if any(is_device(kind) for demand, _ in way.pods for kind, _ in demand)]
        if not ways:
            return Miss(lambda: f"{class_name} has nothing to claim for engine `{engine.name}`: its devices are synthetic")
        return tuple(sorted(dict.fromkeys(ways), key=lambda way: way.memory))

    def _member(self, engine: Engine, asked: _Asked, class_name: str, only: Mapping[str, str] | None) -> list[_Fit] | Miss:
        node = self.node(class_name)
        resources = {kind: amount for kind, amount in asked.resources if kind in node.capacity}
        prefix = f"{asked.member.role}/" if len(engine.members) > 1 else ""
        fitting: list[list[Grant]] = []
        for request in asked.requests:
            grants = self._grants(request, class_name)
            if not grants:
                return Miss(partial(self.evaluator.why, request, class_name))
            valued = [v for grant in grants if (v := _valued(grant, asked.constraints, node))]
            if not valued:
                return Miss(partial(_unpublished, request, grants, asked.constraints, node, class_name))
            fitting.append([g for g in valued if only is None or all(only.get(prefix + name) == group for name, group in g.devices)])
        found = assignments(fitting, node.counts) if all(fitting) else []
        if not found:
            least = sum(min(sum(count for _, count in grant.taken) for grant in grants) for grants in fitting if grants)
            if least > MAX_DEVICES:
                return Miss(lambda: f"a pod of engine `{engine.name}` asks for {least} devices, and a claim holds at most {MAX_DEVICES}")
            return Miss(lambda: f"the requests of engine `{engine.name}` cannot be served together on a node of {class_name}")
        return [_Fit(asked.member, prefix, each.devices, each.taken, resources) for each in found]

    def _grants(self, request: DeviceRequest, class_name: str) -> list[Grant]:
        """The device groups that serve a request; of a prioritized list every option that the cluster could choose."""
        if not request.first_available:
            return [Grant(((request.name, group),), ((group, request.count),)) for group in self._groups(request, class_name)]
        options = [(option, groups) for option in request.first_available if (groups := self._groups(option, class_name))]
        if not options:
            return []
        # The cluster takes whichever is free, so the pod is charged for the largest of each group.
        named = tuple((f"{request.name}/{option.name}", groups[0]) for option, groups in options)
        charged: dict[str, int] = {}
        for option, groups in options:
            charged[groups[0]] = max(charged.get(groups[0], 0), option.count)
        return [Grant(named, tuple(sorted(charged.items())))]

    def _groups(self, asked: DeviceRequest | DeviceOption, class_name: str) -> list[str]:
        ranked, matches = self.node(class_name).ranked, self.evaluator.matches
        return [d.name for d in ranked if d.count >= asked.count and matches(asked, class_name, d).matches]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a member asks of its node: devices, and CPU, memory and storage."""

    member: Member
    requests: tuple[DeviceRequest, ...]
    constraints: tuple[Constraint, ...]
    resources: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class _Node:
    """A node of a class. ranked: its groups, least memory first. memory: of a device of each group that is claimed, in bytes."""

    groups: Mapping[str, Device]
    ranked: tuple[Device, ...]
    counts: Mapping[str, int]
    capacity: Mapping[str, int]
    memory: Mapping[str, int]

    @classmethod
    def of(cls, hardware: InferenceClassSpec) -> _Node:
        devices = hardware.devices
        memory = {d.name: memory_of(d) or 0 for d in devices if d.claim != "Synthetic"}
        ranked = tuple(sorted(devices, key=memory_rank))
        return cls({d.name: d for d in devices}, ranked, {d.name: d.count for d in devices}, capacity(hardware, {}), memory)

    def memory_of(self, taken: Mapping[str, int]) -> int:
        """Memory of the devices taken that are claimed, in bytes."""
        return sum([self.memory.get(group, 0) * count for group, count in taken.items()])


@dataclass(frozen=True, slots=True)
class _Fit:
    """One way to serve one member. prefix: of its requests' names where the engine has several members."""

    member: Member
    prefix: str
    devices: tuple[tuple[str, str], ...]
    taken: Mapping[str, int]
    resources: Mapping[str, int]


def asked_by(engine: Engine, member: Member, alternative: str) -> tuple[DeviceRequest, ...]:
    """The device requests of a member: its own, or its alternative's where that says any."""
    chosen = next((a for a in engine.alternatives if a.name == alternative), None)
    differs = next((m for m in chosen.members if m.role == member.role), None) if chosen else None
    return differs.devices if differs and differs.devices else member.node_selector.devices


def pod_of(engine: Engine, member: Member) -> Mapping[str, Any]:
    """The pod spec of a member: its own, or of a worker without one the leader's."""
    return member.template.spec or engine.members[0].template.spec


def memory_rank(device: Device) -> tuple[bool, int]:
    """Least memory first; a group without memory last; ties keep the published order (sorting is stable)."""
    memory = memory_of(device)
    return (memory is None, memory or 0)


def memory_of(device: Device) -> int | None:
    """Memory of one device in bytes, if it is declared."""
    text = next((c.value for name, c in device.capacity.items() if name.rsplit("/", 1)[-1] == "memory"), None)
    return Quantity.parse(text).nano // 10**9 if text else None


def _valued(grant: Grant, constraints: tuple[Constraint, ...], node: _Node) -> Grant | None:
    """The grant with its memory and its value for each constraint; None if a group lacks an attribute or two differ in it."""
    values: list[str | None] = []
    for constraint in constraints:
        concerned = [g for name, g in grant.devices if not constraint.requests or name.split("/")[0] in constraint.requests]
        published = {_attribute(node.groups[group], constraint.match_attribute) for group in concerned}
        if None in published or len(published) > 1:
            return None
        values.append(next(iter(published), None))
    return Grant(grant.devices, grant.taken, node.memory_of(dict(grant.taken)), tuple(values))


def _unpublished(request: DeviceRequest, grants: list[Grant], constraints: tuple[Constraint, ...], node: _Node, class_name: str) -> str:
    """What a constraint needs of the groups that serve `request`, and the like-named attribute of theirs, if there is one."""
    served = [node.groups[group] for grant in grants for _, group in grant.devices]
    for constraint in constraints:
        wanted = constraint.match_attribute
        lacking = next((d for d in served if _attribute(d, wanted) is None), None)
        if lacking and (not constraint.requests or request.name in constraint.requests):
            qualified = (name if "/" in name else f"{lacking.driver}/{name}" for name in lacking.attributes)
            like = next((name for name in qualified if name.rpartition("/")[2] == wanted.rpartition("/")[2]), None)
            return f"request `{request.name}` must have {wanted}; {lacking.name} of {class_name} has {like or 'no such attribute'}"
    return f"the groups that `{request.name}` may be given on {class_name} differ in what a constraint makes equal"


def _attribute(device: Device, qualified: str) -> str | None:
    domain, _, name = qualified.partition("/")
    found = device.attributes.get(qualified) or (device.attributes.get(name) if domain == device.driver else None)
    return repr(found.value) if found else None


def _way(fits: tuple[_Fit, ...], node: _Node) -> Way:
    """The members' fits as one way: synthetic groups are left out of what pods take."""
    devices: list[tuple[str, str]] = []
    pods: dict[Demand, int] = {}
    share = memory = 0
    for fit in fits:
        devices += [(fit.prefix + name, group) for name, group in fit.devices]
        claimed = {group: count for group, count in fit.taken.items() if group in node.memory}
        demand = tuple(sorted({**claimed, **fit.resources}.items()))
        if demand:
            pods[demand] = pods.get(demand, 0) + fit.member.pods
        largest = max([-(-(10**6) * count // node.counts[group]) for group, count in claimed.items()], default=0)
        share += largest * fit.member.pods
        memory += node.memory_of(fit.taken) * fit.member.pods
    return Way(tuple(sorted(devices)), tuple(sorted(pods.items())), share, memory)
