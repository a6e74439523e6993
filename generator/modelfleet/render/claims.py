"""ResourceClaimTemplate, and how a pod takes its devices."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .. import names
from ..resolve.selectors import expressions
from . import sync
from .metadata import metadata
from .unit import Manifest
from .workload import Workload


def resource_claim_template(workload: Workload) -> Manifest | None:
    """The claim that each pod of the workload makes; None where no device is claimed by DRA.

    Its spec is immutable, so the name holds a hash of it: another spec is another object, and old pods keep theirs.
    """
    spec = _spec(workload)
    if spec is None:
        return None
    notes = sync.annotations_of("ResourceClaimTemplate", workload.removal, retiring=workload.retiring)
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": metadata(_name(workload, spec), workload.namespace, labels=workload.labels, annotations=notes),
        "spec": spec,
    }


def pod_claims(workload: Workload) -> list[dict[str, str]]:
    """The pod's resourceClaims."""
    spec = _spec(workload)
    return [{"name": names.CLAIM, "resourceClaimTemplateName": _name(workload, spec)}] if spec else []


def resources(workload: Workload, written: Mapping[str, Any]) -> dict[str, Any]:
    """The engine container's resources: the user's, the claim, and the limits of devices that a device plugin hands out."""
    found = dict(written)
    if _spec(workload):
        found["claims"] = [*(written.get("claims") or ()), {"name": names.CLAIM}]
    extended: dict[str, int] = {}
    for request, device in workload.devices:
        if device.claim == "ExtendedResource" and device.resource_name:
            extended[device.resource_name] = extended.get(device.resource_name, 0) + request.count
    for kind in ("limits", "requests"):
        if extended:
            found[kind] = {**(written.get(kind) or {}), **{name: str(count) for name, count in extended.items()}}
    return found


def _spec(workload: Workload) -> dict[str, Any] | None:
    """The template's spec; the device group that serves each request is in the record, so no selector is evaluated."""
    requests = []
    for request, device in workload.devices:
        if device.claim != "DRA":
            continue
        exactly: dict[str, Any] = {"allocationMode": "ExactCount", "count": request.count, "deviceClassName": device.device_class_name}
        exactly["selectors"] = [{"cel": {"expression": text}} for text in expressions(request, device.driver)]
        requests.append({"name": request.name, "exactly": exactly})
    return {"spec": {"devices": {"requests": requests}}} if requests else None


def _name(workload: Workload, spec: Mapping[str, Any]) -> str:
    return names.claim_template(workload.name, json.dumps(spec, sort_keys=True, ensure_ascii=False))
