"""ResourceClaimTemplate, and how a pod takes its devices."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .. import names
from ..api.devices import DeviceOption
from ..api.hardware import Device
from ..resolve.selectors import expressions
from . import sync
from .members import Grant, Pod
from .metadata import metadata
from .unit import Manifest


def resource_claim_template(pod: Pod) -> Manifest | None:
    """The claim that each such pod makes; None where no device is claimed by DRA.

    Its spec is immutable, so the name holds a hash of it: another spec is another object, and old pods keep theirs.
    """
    spec, workload = _spec(pod), pod.workload
    if spec is None:
        return None
    notes = sync.annotations_of("ResourceClaimTemplate", workload.removal, retiring=workload.retiring)
    labels = {**workload.labels, names.LABEL_ROLE: pod.member.role}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": metadata(_name(pod, spec), workload.namespace, labels=labels, annotations=notes),
        "spec": spec,
    }


def pod_claims(pod: Pod) -> list[dict[str, str]]:
    """The pod's resourceClaims."""
    spec = _spec(pod)
    return [{"name": names.CLAIM, "resourceClaimTemplateName": _name(pod, spec)}] if spec else []


def resources(pod: Pod, written: Mapping[str, Any]) -> dict[str, Any]:
    """The engine container's resources: the user's, the claim, and the limits of devices that a device plugin hands out."""
    found = dict(written)
    if any(_claimed(grant) for grant in pod.grants):
        found["claims"] = [*(written.get("claims") or ()), {"name": names.CLAIM}]
    extended: dict[str, int] = {}
    for grant in pod.grants:
        option, device = grant.options[0]  # a device plugin takes no list: the first that the class has
        if device.claim == "ExtendedResource" and device.resource_name:
            extended[device.resource_name] = extended.get(device.resource_name, 0) + option.count
    for kind in ("limits", "requests"):
        if extended:
            found[kind] = {**(written.get(kind) or {}), **{name: str(count) for name, count in extended.items()}}
    return found


def _spec(pod: Pod) -> dict[str, Any] | None:
    """The template's spec; the device group that serves each request is in the record, so no selector is evaluated."""
    requests = [_request(grant) for grant in pod.grants if _claimed(grant)]
    if not requests:
        return None
    devices: dict[str, Any] = {"requests": requests}
    if constraints := _constraints(pod, [request["name"] for request in requests]):
        devices["constraints"] = constraints
    return {"spec": {"devices": devices}}


def _claimed(grant: Grant) -> list[tuple[DeviceOption, Device]]:
    return [(option, device) for option, device in grant.options if device.claim == "DRA"]


def _request(grant: Grant) -> dict[str, Any]:
    claimed = _claimed(grant)
    if not grant.request.first_available:
        return {"name": grant.request.name, "exactly": _exactly(*claimed[0])}
    return {"name": grant.request.name, "firstAvailable": [{"name": option.name, **_exactly(option, device)} for option, device in claimed]}


def _exactly(option: DeviceOption, device: Device) -> dict[str, Any]:
    return {
        "allocationMode": "ExactCount",
        "count": option.count,
        "deviceClassName": device.device_class_name,
        "selectors": [{"cel": {"expression": text}} for text in expressions(option, device.driver)],
    }


def _constraints(pod: Pod, claimed: list[str]) -> list[dict[str, Any]]:
    """The constraints on what is claimed: a device that is only matched, or handed out by a device plugin, is in no claim."""
    found = []
    for constraint in pod.constraints:
        about = [name for name in constraint.requests if name in claimed]
        if about or not constraint.requests:
            found.append({"matchAttribute": constraint.match_attribute, **({"requests": about} if about else {})})
    return found


def _name(pod: Pod, spec: Mapping[str, Any]) -> str:
    text = json.dumps(spec, sort_keys=True, ensure_ascii=False)
    owner = f"{pod.workload.name}-{pod.member.role.lower()}" if pod.workload.gang else pod.workload.name
    return names.claim_template(owner, text)
