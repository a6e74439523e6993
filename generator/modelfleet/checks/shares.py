"""What answers a service at each front door, as it is recorded."""

from __future__ import annotations

from collections.abc import Collection

from .. import codes
from ..balance import Balance, balance, fronts_of
from ..balance.shares import MOST
from ..diagnostics import Report
from ..resolve.fleet import Fleet, Front, Service
from ..validate import Resource, Resources

AT = ("spec", "endpoints")


def check_count(resources: Resources, fleet: Fleet, report: Report, only: Collection[str] | None = None) -> None:
    """TooManyShares: what no route can hold. only: front doors by their clusters; all of them otherwise."""
    for service in fleet.services.values():
        for front in fronts_of(fleet, service):
            if only is None or front.cluster in only:
                _check_count(resources.of("ModelService")[service.ref], front, balance(fleet, fleet.placements, service, front), report)


def _check_count(resource: Resource, front: Front, found: Balance, report: Report) -> None:
    if len(found.shares) > MOST:
        message = f"{len(found.shares)} shares at front door `{front.name}`, and a route holds {MOST}"
        details = tuple(share.shown for share in found.shares[:20])
        report.add(codes.TOO_MANY_SHARES, message, resource.at(*AT), "fewer clusters (clusterSelector), or two services", details)


def check_shares(resources: Resources, fleet: Fleet, report: Report) -> None:
    """NoFrontDoor, NothingAnswers, SharesLeftOut and NoRegion."""
    for service in fleet.services.values():
        resource, fronts = resources.of("ModelService")[service.ref], fronts_of(fleet, service)
        if not fronts:
            hint = "make a serviceSelector match its labels" if fleet.fronts else "declare an InferenceGateway"
            report.add(codes.NO_FRONT_DOOR, f"no front door serves `{service.ref}`", resource.at("metadata", "name"), hint)
        for front in fronts:
            _check_balance(resource, service, front, balance(fleet, fleet.placements, service, front), report)
            if service.spec.locality == "PreferRegion" and not fleet.clusters[front.cluster].spec.location.region:
                message = f"cluster `{front.cluster}` of front door `{front.name}` names no region"
                report.add(codes.NO_REGION, message, resource.at("spec", "locality"), "location: {region: ...} in that cluster")


def _check_balance(resource: Resource, service: Service, front: Front, found: Balance, report: Report) -> None:
    if not found.shares and found.left_out:
        details = tuple(f"{left.shown}: {left.reason}" for left in found.left_out)
        message = f"nothing answers `{service.ref}` at front door `{front.name}`"
        report.add(codes.NOTHING_ANSWERS, message, resource.at(*AT), f"modelfleet endpoints {service.ref}", details)
    crowded = [left for left in found.left_out if left.crowded]
    if crowded:
        message = f"{len(crowded)} retiring shares get nothing at front door `{front.name}`: a route holds {MOST}"
        details = tuple(left.shown for left in crowded)
        report.add(codes.SHARES_LEFT_OUT, message, resource.at(*AT), "modelfleet place --finish", details)
