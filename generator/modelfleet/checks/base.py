"""A change against its base: what recorded entries it drops, how many replicas it takes away, what it must not change."""

from __future__ import annotations

from .. import codes, names
from ..api.fleet import FleetSpec
from ..api.placement import PlacementEntry
from ..diagnostics import Location, Report
from ..validate import Resource, Resources


def check_base(before: Resources, now: Resources, report: Report) -> None:
    """UnretiredRemoval, TooManyRemovals, StillRecorded and Immutable. The base's Fleet says what is allowed, not the changed one."""
    fleets = list(before.of("Fleet").values())
    if not fleets:
        return
    policy: FleetSpec = fleets[0].model.spec
    if policy.argocd.removal == "Retire":
        _check_dropped(before, now, report)
    _check_removals(before, now, policy, report)
    _check_modes(before, now, report)
    _check_clusters(before, now, report)
    _check_gateways(before, now, report)


def _entries(resource: Resource | None) -> dict[object, PlacementEntry]:
    return {entry.key: entry for entry in resource.model.spec.replicas} if resource else {}


def _check_dropped(before: Resources, now: Resources, report: Report) -> None:
    """Every entry that is gone was retiring."""
    for ref, old in before.of("Placement").items():
        new = now.of("Placement").get(ref)
        kept = _entries(new)
        for entry in old.model.spec.replicas:
            if not entry.retiring and entry.key not in kept:
                where = new.at("spec", "replicas") if new else Location(old.document.path)
                what = "the record" if new is None else "its entry"
                message = f"{what} of `{ref}` on {entry.cluster} is gone ({entry.count} replicas) and was not retiring"
                hint = "put it back and let it retire first: replicas: 0, modelfleet place, merge, modelfleet place --finish"
                report.add(codes.UNRETIRED_REMOVAL, message, where, hint)


def _check_removals(before: Resources, now: Resources, policy: FleetSpec, report: Report) -> None:
    """No more replicas newly retiring or gone than one change may take away; approved records do not count."""
    recorded, gone = 0, {}
    for ref, old in before.of("Placement").items():
        new = now.of("Placement").get(ref)
        kept = _entries(new)
        live = [entry for entry in old.model.spec.replicas if not entry.retiring]
        recorded += sum(entry.count for entry in live)
        if new and new.model.metadata.annotations.get(names.ANNOTATION_REMOVE) == "approved":
            continue
        lost = sum(max(0, entry.count - _live(kept.get(entry.key))) for entry in live)
        if lost:
            gone[ref] = (lost, new.at("spec", "replicas") if new else Location(old.document.path))
    limit = max(policy.placement.max_removals.at_least, recorded * policy.placement.max_removals.percent // 100)
    total = sum(lost for lost, _ in gone.values())
    if total > limit:
        shown = tuple(f"{ref}: {lost}" for ref, (lost, _) in sorted(gone.items(), key=lambda item: (-item[1][0], item[0])))
        message = f"{total} of {recorded} recorded replicas are retired or dropped at once; {limit} are allowed"
        where = max(gone.values(), key=lambda item: item[0])[1]
        report.add(codes.TOO_MANY_REMOVALS, message, where, "make it in steps, or modelfleet place --allow-removals", shown[:10])


def _live(entry: PlacementEntry | None) -> int:
    return 0 if entry is None or entry.retiring else entry.count


def _check_modes(before: Resources, now: Resources, report: Report) -> None:
    """serving.mode stays while an entry names the deployment: other workloads would take the name of those that run."""
    for ref, new in now.of("ModelDeployment").items():
        old, record = before.of("ModelDeployment").get(ref), now.of("Placement").get(ref)
        if old is None or record is None or not record.model.spec.replicas:
            continue
        was, is_ = (resource.model.spec.template.spec.serving.mode for resource in (old, new))
        if was != is_:
            message = f"serving.mode of `{ref}` was {was}, and {len(record.model.spec.replicas)} entries are recorded"
            where = new.at("spec", "template", "spec", "serving", "mode")
            report.add(codes.STILL_RECORDED, message, where, f"mode: {was}, or retire and finish them first")


def _check_clusters(before: Resources, now: Resources, report: Report) -> None:
    """A cluster with records stays where it is; its stack never changes."""
    recorded = {entry.cluster for placement in before.of("Placement").values() for entry in placement.model.spec.replicas}
    for name, new in now.of("InferenceCluster").items():
        old = before.of("InferenceCluster").get(name)
        if old is None:
            continue
        if old.model.spec.stack != new.model.spec.stack:
            message = f"spec.stack of cluster `{name}` was {old.model.spec.stack} and never changes"
            report.add(codes.IMMUTABLE, message, new.at("spec", "stack"), f"stack: {old.model.spec.stack}")
        if name in recorded and old.model.spec.destination != new.model.spec.destination:
            message = f"cluster `{name}` has recorded replicas, and its destination was another"
            hint = "drain it first: a taint with effect NoExecute, modelfleet place, merge, modelfleet place --finish"
            report.add(codes.IMMUTABLE, message, new.at("spec", "destination"), hint)


def _check_gateways(before: Resources, now: Resources, report: Report) -> None:
    for name, new in now.of("InferenceGateway").items():
        old = before.of("InferenceGateway").get(name)
        if old and old.model.spec.cluster_name != new.model.spec.cluster_name:
            was = old.model.spec.cluster_name or "the hub"
            message = f"spec.clusterName of gateway `{name}` was {was} and never changes"
            report.add(codes.IMMUTABLE, message, new.at("spec", "clusterName"), "declare a second gateway and move callers over")
