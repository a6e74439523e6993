"""Selectors that place well and would still stop a claim on the cluster: Kubernetes is stricter there than a planner must be."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .. import cel, codes
from ..api.devices import DeviceOption
from ..api.hardware import Device
from ..diagnostics import Report
from ..place.evaluate import Evaluator
from ..resolve.fleet import Fleet
from ..resolve.selectors import expressions
from ..validate import Resource, Resources
from .reach import Reach

Loc = tuple[str | int, ...]
Failure = tuple[str, str]  # the expression that fails, what is said

# The variable is there with the gate DRAConsumableCapacity, on by default from this version.
_SHARED = re.compile(r"\ballowMultipleAllocations\b")
_SHARED_SINCE = (1, 36)


def check_claims(resources: Resources, fleet: Fleet, reach: Reach, report: Report) -> None:
    """SelectorStopsClaim and SelectorNeedsVersion, for the clusters that a deployment may use."""
    answers = _Answers(fleet, Evaluator(fleet.classes))
    mixed = {name for name, hardware in fleet.classes.items() if sum(device.claim == "DRA" for device in hardware.devices) > 1}
    for resource in resources.of("ModelDeployment").values():
        selector = resource.model.spec.template.spec.cluster_selector
        for e, engine in enumerate(resource.model.spec.template.spec.engines):
            for path, request in engine.requests():
                if request.selectors:
                    loc = ("spec", "template", "spec", "engines", e, *path, "selectors")
                    classes = tuple(name for name in reach.classes(selector) if name in mixed) if mixed else ()
                    _check_stops(resource, loc, request, answers, classes, report)
                    _check_version(resource, loc, request, reach, report)


def _check_stops(resource: Resource, loc: Loc, request: DeviceOption, answers: _Answers, classes: tuple[str, ...], report: Report) -> None:
    """A warning at the first selector that fails on a device of a node on which the request would be served."""
    try:
        found = next((failure for name in classes if (failure := answers.failure(request, name))), None)
    except cel.SelectorError:
        return  # said at the selector
    own = [selector.cel for selector in request.selectors]
    if found and found[0] in own:
        hint = _guarded(*found) or "make it false of such devices, not an error"
        report.add(codes.SELECTOR_STOPS_CLAIM, found[1], resource.at(*loc, own.index(found[0]), "cel"), hint)


def _check_version(resource: Resource, loc: Loc, request: DeviceOption, reach: Reach, report: Report) -> None:
    for index, selector in enumerate(request.selectors):
        asked = reach.of(resource.model.spec.template.spec.cluster_selector) if _SHARED.search(selector.cel) else ()
        if old := [cluster for cluster in asked if cluster.version < _SHARED_SINCE]:
            first, more = old[0], f" and {len(old) - 1} more" if len(old) > 1 else ""
            has = f"cluster `{first.name}`{more} has Kubernetes {first.spec.kubernetes_version}"
            message = f"`device.allowMultipleAllocations` is known from Kubernetes 1.36 on, and {has}"
            report.add(
                codes.SELECTOR_NEEDS_VERSION,
                message,
                resource.at(*loc, index, "cel"),
                "a clusterSelector for newer clusters, or without this condition",
            )


@dataclass(slots=True)
class _Answers:
    """Failures by what is asked and class: thousands of deployments ask for the same."""

    fleet: Fleet
    evaluator: Evaluator
    _known: dict[tuple[tuple[str, ...], str], Failure | None] = field(default_factory=dict)

    def failure(self, request: DeviceOption, class_name: str) -> Failure | None:
        """Where a node of the class serves the request, and another of its devices, claimed by the same DeviceClass, fails it."""
        devices = [d for d in self.fleet.classes[class_name].devices if d.claim == "DRA"]
        key = (tuple(text for device in devices for text in expressions(request, device.driver)), class_name)
        if key not in self._known:
            self._known[key] = self._search(request, class_name, devices)
        return self._known[key]

    def _search(self, request: DeviceOption, class_name: str, devices: list[Device]) -> Failure | None:
        served = {d.device_class_name for d in devices if self.evaluator.matches(request, class_name, d).matches}
        for device in devices:
            for expression in expressions(request, device.driver) if device.device_class_name in served else ():
                answer = self.evaluator.answer(expression, class_name, device)
                if answer.error:
                    where = f"`{device.name}` of class `{class_name}`, which its DeviceClass `{device.device_class_name}` offers too"
                    return (expression, f"on device {where}, it fails: {answer.error}; Kubernetes then stops the claim")
                if not answer.matches:
                    break
        return None


def _guarded(expression: str, said: str) -> str:
    """The expression, false of a device that lacks a name which it reads; empty if no name is lacking."""
    lacking = re.search(r"no such key: (\S+?);", said)
    program = cel.compile_selector(expression)
    for kind, names in (("attributes", program.attributes), ("capacity", program.capacity)):
        for domain, name in sorted(names):
            if lacking and name == lacking[1]:
                return f'cel: "{name}" in device.{kind}["{domain}"] && ({expression})'
    return ""
