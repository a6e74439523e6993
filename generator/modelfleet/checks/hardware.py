"""Device requests against what classes have: nominal sizes that just miss, and engines that nothing can ever serve."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .. import cel, codes
from ..api.base import Selector
from ..api.devices import DeviceOption
from ..api.engine import Engine
from ..api.hardware import Device, InferenceClassSpec
from ..api.quantity import Quantity
from ..diagnostics import Report
from ..place.evaluate import Evaluator
from ..resolve.fleet import Fleet
from ..validate import Resource, Resources
from .reach import Reach
from .teams import owners

Loc = tuple[str | int, ...]

_GIB = 1024**3
# A device reports at most this share less than the size that it is sold by: 22.5 of 24, 45 of 48, 79.6 of 80.
_JUST = 0.08
_BOUND = re.compile(r"memory\s*\.\s*compareTo\(\s*quantity\(\s*[\"']([^\"']+)[\"']\s*\)\s*\)\s*(>=|>)\s*0\b(?!\.)")


def check_hardware(resources: Resources, fleet: Fleet, reach: Reach, report: Report) -> None:
    """NominalMemory, NoMatchingClass, and TeamRights where only classes that a team may not use would do."""
    answers = _Answers(fleet.classes)
    sizes = _sizes(fleet.classes)
    owned = owners(resources)
    for resource in resources.of("ModelDeployment").values():
        for loc, engine in _engines(resource):
            for path, request in engine.requests():
                _check_nominal(resource, (*loc, *path), request, sizes, report)
        if not _lost_its_place(resource, fleet):
            _check_reach(resource, owned.get(resource.model.metadata.namespace), reach, answers, report)


def _lost_its_place(resource: Resource, fleet: Fleet) -> bool:
    """Whether a deployment wants nothing, or its record shows that the only cluster that served it was taken away.

    Then it is short, which placing says, and it must be possible to retire and drop what that cluster held.
    """
    spec = fleet.placements.get((resource.model.metadata.namespace, resource.model.metadata.name))
    if resource.model.spec.wanted == 0:
        return True
    return spec is not None and (not spec.replicas or any(entry.cluster not in fleet.clusters for entry in spec.replicas))


def _engines(resource: Resource) -> list[tuple[Loc, Engine]]:
    return [(("spec", "template", "spec", "engines", e), engine) for e, engine in enumerate(resource.model.spec.template.spec.engines)]


def _sizes(classes: Mapping[str, InferenceClassSpec]) -> dict[int, list[tuple[str, Device]]]:
    """Devices, each with its class, by the memory that they report: there are few sizes however many classes."""
    found: dict[int, list[tuple[str, Device]]] = {}
    for name, hardware in classes.items():
        for device in hardware.devices:
            found.setdefault(_memory(device), []).append((name, device))
    return found


def _check_nominal(
    resource: Resource, loc: Loc, request: DeviceOption, sizes: Mapping[int, list[tuple[str, Device]]], report: Report
) -> None:
    """A warning at each lower bound of memory that some device reports a little less than."""
    bounds: list[tuple[Loc, str]] = []
    if request.memory and request.memory.at_least:
        bounds.append(((*loc, "memory", "atLeast"), request.memory.at_least))
    for index, selector in enumerate(request.selectors):
        bounds += [((*loc, "selectors", index, "cel"), found[1]) for found in _BOUND.finditer(selector.cel)]
    for where, text in bounds:
        wanted = _bytes(text)
        if not wanted or wanted % _GIB:
            continue
        missed: dict[int, str] = {}
        for has in (size for size in sizes if (1 - _JUST) * wanted <= size < wanted):
            first = next(((name, device) for name, device in sizes[has] if _product(device, request)), None)
            if first:
                missed[has] = f"{first[0]} reports {has / _GIB:.2f}Gi ({_text(first[1])})"
        if missed:
            shown = "; ".join(missed[size] for size in sorted(missed, reverse=True))
            enough = int(max(missed) / _GIB)
            report.add(codes.NOMINAL_MEMORY, f"{text} just misses a device: {shown}", resource.at(*where), f"at least {enough}Gi")


def _bytes(text: str) -> int:
    try:
        return Quantity.parse(text).nano // 10**9
    except ValueError:
        return 0


def _memory(device: Device) -> int:
    return next((_bytes(c.value) for name, c in device.capacity.items() if name.rsplit("/", 1)[-1] == "memory"), 0)


def _text(device: Device) -> str:
    return next((c.value for name, c in device.capacity.items() if name.rsplit("/", 1)[-1] == "memory"), "")


def _product(device: Device, request: DeviceOption) -> bool:
    """Whether the request's products, if it names some, include the device's."""
    has = device.attributes.get("productName")
    return not request.products or (has is not None and has.string in request.products)


@dataclass(slots=True)
class _Answers:
    """Whether a class has devices for a request; every expression is evaluated once for each device group."""

    classes: Mapping[str, InferenceClassSpec]
    evaluator: Evaluator = field(init=False)
    _told: dict[object, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.evaluator = Evaluator(self.classes)

    def reasons(self, request: DeviceOption, known: tuple[str, ...]) -> Mapping[str, str]:
        """`serves` of every class in `known`; requests that ask alike are answered once."""
        memory = (request.memory.at_least, request.memory.below) if request.memory else None
        key = (request.name, known, request.count, request.products, memory, tuple(selector.cel for selector in request.selectors))
        if key not in self._told:
            self._told[key] = {name: self.serves(name, request) for name in known}
        return self._told[key]

    def serves(self, name: str, request: DeviceOption) -> str:
        """Why class `name` does not serve `request`; empty if it may."""
        matching = [d for d in self.classes[name].devices if self.evaluator.matches(request, name, d).matches]
        return "" if any(device.count >= request.count for device in matching) else self.evaluator.why(request, name)


def _check_reach(resource: Resource, team: Resource | None, reach: Reach, answers: _Answers, report: Report) -> None:
    """An error where no class on the clusters that the deployment selects can serve one of its requests, even when all is free."""
    selector: Selector = resource.model.spec.template.spec.cluster_selector
    classes = reach.classes(selector)
    if not classes:
        return
    allowed = team.model.spec.classes if team else None
    for loc, engine in _engines(resource):
        found = _unserved(engine, classes, answers)
        if found:
            path, request, reasons = found
            where = f"the clusters that it may use ({len(reach.of(selector))})"
            message = f"no class on {where} serves request `{request.name}` of engine `{engine.name}`"
            report.add(codes.NO_MATCHING_CLASS, message, resource.at(*loc, *path), f"modelfleet explain {resource.model.ref_name}", reasons)
        elif team and allowed is not None and (found := _unserved(engine, [name for name in classes if name in allowed], answers)):
            message = f"request `{found[1].name}` is served by no class that team `{team.model.metadata.name}` may use"
            hint = f"classes of the team: {', '.join(allowed)}"
            report.add(codes.TEAM_RIGHTS, message, resource.at(*loc, *found[0]), hint, found[2])


def _unserved(engine: Engine, classes: Iterable[str], answers: _Answers) -> tuple[Loc, DeviceOption, tuple[str, ...]] | None:
    """The first request that no class serves, with each class's reason; None if every request has one, or an alternative may do."""
    known = tuple(classes)
    for path, request in engine.requests():
        if path[0] == "alternatives" or "firstAvailable" in path or engine.alternatives:
            continue
        try:
            reasons = answers.reasons(request, known)
        except cel.SelectorError:
            return None  # said at the selector
        if all(reasons.values()):
            return path, request, tuple(f"{name}: {why}" for name, why in reasons.items())
    return None
