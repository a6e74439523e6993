"""Which device groups of which pools can serve an engine.

A member's requests are matched to the device groups of one node exactly: an assignment exists if and only if one is
found, by search over the few groups whose selectors hold. Every (selector, device group of a class) is evaluated once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .. import cel
from ..api.deployment import DeviceRequest, Engine
from ..api.hardware import Device, InferenceClassSpec
from ..api.quantity import Quantity
from ..api.semver import Semver
from ..resolve.fleet import Pool
from ..resolve.selectors import expressions

Demand = tuple[tuple[str, int], ...]  # (device group, devices) that a pod takes from its node, sorted


@dataclass(frozen=True, slots=True)
class Option:
    """One way to serve an engine's pods from a class: request -> device group, and what a pod takes."""

    devices: tuple[tuple[str, str], ...]
    demand: Demand


@dataclass(frozen=True, slots=True)
class Miss:
    """Why a class serves an engine in no way. request: the first that failed; text: with the devices' values."""

    class_name: str
    request: str
    text: str


@dataclass(slots=True)
class Matcher:
    """Answers, remembered: a selector is compiled once and evaluated once for each device group of a class."""

    classes: Mapping[str, InferenceClassSpec]
    _holds: dict[tuple[str, str, str], cel.Answer] = field(default_factory=dict)
    _options: dict[tuple[int, str], tuple[Option, ...] | Miss] = field(default_factory=dict)
    _kept: list[Engine] = field(default_factory=list)

    def options(self, engine: Engine, pool: Pool) -> tuple[Option, ...] | Miss:
        """Every assignment of the engine's requests to the pool's device groups, best first, or why there is none."""
        key = (id(engine), pool.class_name)
        if key not in self._options:
            self._kept.append(engine)  # so that its id stays its own
            self._options[key] = self._search(engine, pool.class_name)
        return self._options[key]

    def still_serves(self, engine: Engine, pool: Pool, devices: Mapping[str, str]) -> Option | None:
        """The option that `devices` records, or else the best one; None if the pool no longer matches."""
        options = self.options(engine, pool)
        if isinstance(options, Miss):
            return None
        return next((option for option in options if dict(option.devices) == dict(devices)), options[0])

    def _search(self, engine: Engine, class_name: str) -> tuple[Option, ...] | Miss:
        groups = self.classes[class_name].devices
        requests = engine.members[0].node_selector.devices
        fitting: list[list[Device]] = []
        for request in requests:
            matching = [g for g in groups if self._matches(request, class_name, g).matches]
            enough = [g for g in matching if g.count >= request.count]
            if not enough:
                return Miss(class_name, request.name, self._why(request, class_name, matching))
            fitting.append(sorted(enough, key=_memory))
        found = {option: None for option in _assignments(requests, fitting, {g.name: g.count for g in groups}) if option.demand}
        if not found:
            return Miss(class_name, requests[0].name, "its requests together take more devices than a node has")
        return tuple(found)

    def _matches(self, request: DeviceRequest, class_name: str, group: Device) -> cel.Answer:
        answer = cel.Answer(True)
        for expression in expressions(request, group.driver):
            key = (expression, class_name, group.name)
            if key not in self._holds:
                self._holds[key] = cel.compile_selector(expression).evaluate(device_view(group))
            answer = self._holds[key]
            if not answer.matches:
                return answer
        return answer

    def _why(self, request: DeviceRequest, class_name: str, matching: list[Device]) -> str:
        if matching:
            return f"request `{request.name}` needs {request.count} devices a node, {class_name} has {max(g.count for g in matching)}"
        errors = [self._matches(request, class_name, g).error for g in self.classes[class_name].devices]
        said = next((f" ({error})" for error in errors if error), "")
        return f"request `{request.name}` matches no device of {class_name}{said}"


def device_view(group: Device) -> cel.Device:
    """A declared device group as selectors see a device of it."""
    attributes: dict[str, str | bool | int | Semver] = {}
    for name, attribute in group.attributes.items():
        value = attribute.value
        assert value is not None
        attributes[name] = Semver.parse(attribute.version) if attribute.version is not None else value
    return cel.Device(group.driver, attributes, {name: Quantity.parse(c.value) for name, c in group.capacity.items()})


def _memory(group: Device) -> tuple[int, int]:
    """Least memory first; a group without memory last; ties keep the published order (sorted is stable)."""
    memory = next((c.value for name, c in group.capacity.items() if name.rsplit("/", 1)[-1] == "memory"), None)
    return (memory is None, Quantity.parse(memory).nano if memory else 0)


def _assignments(requests: tuple[DeviceRequest, ...], fitting: list[list[Device]], free: dict[str, int]) -> Iterator[Option]:
    """Every assignment within `free`, depth first; synthetic groups are matched, never claimed."""

    def step(index: int, taken: dict[str, int], chosen: dict[str, str], claimed: dict[str, int]) -> Iterator[Option]:
        if index == len(requests):
            yield Option(tuple(sorted(chosen.items())), tuple(sorted(claimed.items())))
            return
        request = requests[index]
        for group in fitting[index]:
            used = taken.get(group.name, 0) + request.count
            if used <= free[group.name]:
                claim = claimed if group.claim == "Synthetic" else {**claimed, group.name: claimed.get(group.name, 0) + request.count}
                yield from step(index + 1, {**taken, group.name: used}, {**chosen, request.name: group.name}, claim)

    yield from step(0, {}, {}, {})
