"""The pods of a workload: the user's template of each member, with what its alternative does differently and the devices it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import names
from ..api.devices import Constraint, DeviceOption, DeviceRequest
from ..api.engine import AlternativeMember, Member, TemplateMetadata
from ..api.hardware import Device
from .workload import Workload

Part = dict[str, Any]

_MOST_PORT = 65535
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


@dataclass(frozen=True, slots=True)
class Grant:
    """A device request with the recorded group that serves it; of a prioritized list every option that has one, in order."""

    request: DeviceRequest
    options: tuple[tuple[DeviceOption, Device], ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """Devices that a pod may get of it; synthetic ones are matched and never taken."""
        return tuple(option.count for option, device in self.options if device.claim != "Synthetic") or (0,)


@dataclass(frozen=True, slots=True)
class Pod:
    """The pods of one member. spec: the user's pod spec with the alternative's differences, nothing of ours."""

    workload: Workload
    member: Member
    metadata: TemplateMetadata
    spec: Part
    grants: tuple[Grant, ...]

    @property
    def answers(self) -> bool:
        """Whether callers' requests come to this pod."""
        return self.member.role != "Worker"

    @property
    def engine(self) -> Part:
        """The container named `engine`."""
        return next(c for c in self.spec["containers"] if c.get("name") == names.ENGINE_CONTAINER)

    @property
    def decodes(self) -> bool:
        """Whether the routing sidecar stands before this pod's engine."""
        return self.answers and self.workload.engine.phase == "Decode"

    @property
    def port(self) -> int:
        """Port of the engine: the declared one; behind the sidecar, which takes that, what `--port` says, else the one after it."""
        declared = self.workload.serving.port
        if not self.decodes:
            return declared
        said = flag(words(self.engine), "--port")
        if said and said.isascii() and said.isdigit() and 0 < int(said[:9]) <= _MOST_PORT:
            return int(said)
        return declared + 1 if declared < _MOST_PORT else declared - 1

    @property
    def port_name(self) -> str:
        """Name of the engine's port: the user's, else `http`, else one that no port of the pod has."""
        written = self.engine.get("ports") or ()
        if ours := next((port.get("name") for port in written if self.serves(port)), None):
            return str(ours)
        own = names.ENGINE_PORT if self.decodes else names.PORT
        taken = {port.get("name") for container in self.spec["containers"] for port in container.get("ports") or ()}
        return names.OTHER_PORT if own in taken else own

    def serves(self, port: Mapping[str, Any]) -> bool:
        """Whether a port of the engine's container is the one that it answers on."""
        return port.get("containerPort") == self.port and port.get("protocol", "TCP") == "TCP"

    @property
    def device_count(self) -> int:
        """Devices that a pod surely gets: of a prioritized list the smallest option."""
        return sum(min(grant.counts) for grant in self.grants)

    @property
    def most_devices(self) -> int:
        """Devices that a pod gets at most."""
        return sum(max(grant.counts) for grant in self.grants)

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        return self.member.node_selector.constraints

    @property
    def labels(self) -> dict[str, str]:
        """modelfleet's labels of the pod."""
        found = {**self.workload.labels, names.LABEL_ROLE: self.member.role}
        if self.answers:
            found[names.LABEL_SERVING] = "true"
            if phase := self.workload.engine.phase:
                found[names.LABEL_PHASE] = phase.lower()
        return found


def pods(workload: Workload) -> tuple[Pod, ...]:
    """A pod for each member, the one that answers first."""
    ordered = sorted(workload.engine.members, key=lambda member: member.role == "Worker")
    return tuple(_pod(workload, member, ordered[0]) for member in ordered)


def words(container: Mapping[str, Any]) -> list[str]:
    """The words of a container's command and arguments; a shell's script is split at blanks."""
    texts = [str(item) for key in ("command", "args") for item in container.get(key) or ()]
    return [word for text in texts for word in (text.split() if " " in text.strip() and "--" in text else [text])]


def flag(found: Sequence[str], *spellings: str) -> str | None:
    """Value of the last of some flags, as `--flag value` or `--flag=value`; None if it is not given."""
    said = None
    for index, word in enumerate(found):
        name, equals, value = word.partition("=")
        if name in spellings:
            said = value if equals else next(iter(found[index + 1 : index + 2]), None)
    return said


def _pod(workload: Workload, member: Member, front: Member) -> Pod:
    metadata, spec = member.template.metadata, member.template.spec
    if not spec:  # a Worker that takes the Leader's
        metadata, spec = front.template.metadata, _unprobed(_differing(front.template.spec, _difference(workload, front.role)))
        spec = _changed(spec, lambda engine: _with_args(engine, member.extra_args))
    difference = _difference(workload, member.role)
    requests = difference.devices if difference and difference.devices else member.node_selector.devices
    grants = tuple(_grant(workload, member, request) for request in requests)
    return Pod(workload, member, metadata, _differing(spec, difference), grants)


def _difference(workload: Workload, role: str) -> AlternativeMember | None:
    alternative = workload.alternative
    return next((m for m in alternative.members if m.role == role), None) if alternative else None


def _grant(workload: Workload, member: Member, request: DeviceRequest) -> Grant:
    """Raises KeyError where the record names no group for the request."""
    groups = {device.name: device for device in workload.pool.hardware.devices}
    key = f"{member.role}/{request.name}" if workload.gang else request.name
    recorded = workload.choice.devices
    if not request.first_available:
        return Grant(request, ((request, groups[recorded[key]]),))
    options = [(option, f"{key}/{option.name}") for option in request.first_available]
    found = tuple((option, groups[recorded[name]]) for option, name in options if name in recorded)
    if not found:
        raise KeyError(f"{workload.deployment.ref}: no group is recorded for {key}")
    return Grant(request, found)


def _differing(spec: Part, difference: AlternativeMember | None) -> Part:
    """The pod spec with what an alternative says of the engine's container."""
    if difference is None or not (difference.extra_args or difference.env or difference.image):
        return spec

    def change(engine: Part) -> Part:
        found = _with_args(engine, difference.extra_args)
        if difference.image:
            found["image"] = difference.image
        if difference.env:
            found["env"] = _with_env(engine.get("env") or (), [e.model_dump(by_alias=True, exclude_none=True) for e in difference.env])
        return found

    return _changed(spec, change)


def _with_args(engine: Part, more: Sequence[str]) -> Part:
    return {**engine, "args": [*(engine.get("args") or ()), *more]} if more else dict(engine)


def _with_env(written: Sequence[Any], changes: Sequence[Part]) -> list[Any]:
    """Variables of the same name are replaced where they stand, new ones follow."""
    by_name = {change["name"]: change for change in changes}
    kept = [by_name.pop(item.get("name"), item) if isinstance(item, Mapping) else item for item in written]
    return [*kept, *by_name.values()]


def _unprobed(spec: Part) -> Part:
    """Without the engine's probes: only the Leader answers."""
    return _changed(spec, lambda engine: {key: value for key, value in engine.items() if key not in _PROBES})


def _changed(spec: Part, change: Callable[[Part], Part]) -> Part:
    """The pod spec with its container `engine` changed."""
    containers = [change(c) if c.get("name") == names.ENGINE_CONTAINER else c for c in spec["containers"]]
    return {**spec, "containers": containers}
