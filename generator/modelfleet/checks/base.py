"""A change against its base: what recorded entries it drops, how many replicas it takes away, what it must not change."""

from __future__ import annotations

from .. import codes, names
from ..api.fleet import FleetSpec
from ..api.placement import PlacementEntry
from ..diagnostics import Location, Report
from ..validate import Resource, Resources

# What makes objects of its own, which Argo CD keeps until they were marked. Of deployments the records say what runs.
KEPT_KINDS = ("AddOn", "InferenceCluster", "InferenceGateway", "ModelCache", "ModelEndpoint", "ModelService", "Team")


def check_base(before: Resources, now: Resources, report: Report) -> None:
    """UnretiredRemoval, UnapprovedRemoval, TooManyRemovals, StillRecorded and Immutable.

    The base's Fleet says what is allowed, not the changed one.
    """
    fleets = list(before.of("Fleet").values())
    if not fleets:
        return
    policy: FleetSpec = fleets[0].model.spec
    if policy.argocd.removal == "Retire":
        _check_dropped(before, now, report)
        _check_approved(before, now, report)
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
                hint = f"put it back; to take it away: modelfleet remove ModelDeployment {ref}, merge, and the same with --finish"
                report.add(codes.UNRETIRED_REMOVAL, message, where, hint)


def _check_approved(before: Resources, now: Resources, report: Report) -> None:
    """Every document that makes objects, and is gone, was marked for removal in the base."""
    for kind in KEPT_KINDS:
        for ref, old in before.of(kind).items():
            if ref in now.of(kind) or approved(old) or (kind == "InferenceCluster" and _given_up(ref, before, now)):
                continue
            message = f"{kind} `{ref}` is gone, and its removal was not approved before"
            hint = f"put it back, and modelfleet remove {kind} {ref}"
            if kind == "InferenceCluster":
                hint = f"put it back, modelfleet drain {ref} and remove {kind} {ref}; of a cluster that is gone: place --allow-removals"
            report.add(codes.UNAPPROVED_REMOVAL, message, Location(old.document.path), hint)


def approved(resource: Resource) -> bool:
    """Whether a document carries the annotation that its removal is meant."""
    return bool(resource.model.metadata.annotations.get(names.ANNOTATION_REMOVE) == names.APPROVED)


def _given_up(cluster: str, before: Resources, now: Resources) -> bool:
    """Whether every record that ran on a cluster that is gone is approved to leave it, which takes a cluster that something ran on."""
    held = [ref for ref, old in before.of("Placement").items() if any(entry.cluster == cluster for entry in old.model.spec.replicas)]
    records = [now.of("Placement").get(ref) for ref in held]
    return bool(held) and all(record is not None and approved(record) for record in records)


def _check_removals(before: Resources, now: Resources, policy: FleetSpec, report: Report) -> None:
    """No more replicas newly retiring or gone than one change may take away; approved records do not count."""
    recorded, gone = 0, {}
    for ref, old in before.of("Placement").items():
        new = now.of("Placement").get(ref)
        kept = _entries(new)
        live = [entry for entry in old.model.spec.replicas if not entry.retiring]
        recorded += sum(entry.count for entry in live)
        if new and approved(new):
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
            hint = f"drain it first: modelfleet drain {name}, merge, modelfleet drain {name} --finish"
            report.add(codes.IMMUTABLE, message, new.at("spec", "destination"), hint)


def _check_gateways(before: Resources, now: Resources, report: Report) -> None:
    for name, new in now.of("InferenceGateway").items():
        old = before.of("InferenceGateway").get(name)
        if old and old.model.spec.cluster_name != new.model.spec.cluster_name:
            was = old.model.spec.cluster_name or "the hub"
            message = f"spec.clusterName of gateway `{name}` was {was} and never changes"
            report.add(codes.IMMUTABLE, message, new.at("spec", "clusterName"), "declare a second gateway and move callers over")
