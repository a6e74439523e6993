"""Recorded placements: each has its declaration, and every entry its cluster, pool, engines and device groups."""

from __future__ import annotations

from .. import codes
from ..api.engine import Engine
from ..api.placement import EngineChoice, PlacementEntry
from ..diagnostics import Location, Report, nearest
from ..resolve.fleet import Deployment, Fleet
from ..validate import Resources


def check_records(resources: Resources, fleet: Fleet, report: Report, clusters: bool = True) -> None:
    """Every record has its declaration and, if `clusters`, every entry its cluster; placing again replaces what lost it."""
    for ref, resource in resources.of("Placement").items():
        key = (resource.model.metadata.namespace, resource.model.metadata.name)
        for index, entry in enumerate(resource.model.spec.replicas):
            where = resource.at("spec", "replicas", index, "cluster")
            if key not in fleet.deployments:
                hint = f"put its file back; to take it away: modelfleet remove ModelDeployment {ref}"
                report.add(codes.DECLARATION_MISSING, f"no ModelDeployment `{ref}` is declared", where, hint)
                break
            if entry.cluster not in fleet.clusters:
                _cluster_gone(entry, where, clusters, fleet, report)


def _cluster_gone(entry: PlacementEntry, where: Location, clusters: bool, fleet: Fleet, report: Report) -> None:
    """An error, unless the entry retires: then that is known, and the way out is to drop it."""
    message = f"cluster `{entry.cluster}` is not declared"
    if entry.retiring:
        report.add(codes.CLUSTER_LEFT, f"{message}; what runs there is left alone", where, "merge, then modelfleet place --finish")
    elif clusters:
        near = nearest(entry.cluster, fleet.clusters)
        hint = f"put it back, and modelfleet drain {entry.cluster}; if it is gone for good: modelfleet place --allow-removals"
        report.add(codes.CLUSTER_GONE, message, where, f"{near} If not, {hint}" if near.startswith("did you") else hint)


def check_entries(resources: Resources, fleet: Fleet, cluster: str, key: tuple[str, str], report: Report, devices: bool = True) -> None:
    """What keeps a deployment's unit on `cluster` from being rendered.

    devices: also the device groups that are recorded for the requests, which placing again would mend.
    """
    where = _where(resources, key)
    spec, deployment = fleet.placements.get(key), fleet.deployments.get(key)
    if spec is None or deployment is None:
        _missing("placement" if spec is None else "ModelDeployment", key, where, report)
        return
    for entry in spec.replicas:
        if entry.cluster == cluster:
            for engine, choice in entry.engines.items():
                if (message := _gone(fleet, deployment, cluster, engine, choice)) is not None:
                    hint = "put it back until what it runs is retired and finished, or correct the record"
                    report.add(codes.STILL_RECORDED, message, where, hint)
                elif devices:
                    _check_devices(fleet, deployment, cluster, engine, choice, where, report)


def check_declared(resources: Resources, fleet: Fleet, cluster: str | None, namespace: str, report: Report) -> None:
    """Whether each deployment of `namespace` recorded on `cluster` (None: anywhere) is declared: what they share is made of them."""
    for key, spec in fleet.placements.items():
        if key[0] == namespace and key not in fleet.deployments and any(cluster in (None, entry.cluster) for entry in spec.replicas):
            _missing("ModelDeployment", key, _where(resources, key), report)


def _where(resources: Resources, key: tuple[str, str]) -> Location:
    resource = resources.of("Placement").get("/".join(key))
    return resource.at("spec", "replicas") if resource else Location(f"placements/{'/'.join(key)}.yaml")


def _missing(what: str, key: tuple[str, str], where: Location, report: Report) -> None:
    message, hint = f"no {what} `{'/'.join(key)}` is declared", "put it back, or delete the Application without cascade"
    report.add(codes.DECLARATION_MISSING, message, where, hint)


def _gone(fleet: Fleet, deployment: Deployment, cluster: str, engine: str, choice: EngineChoice) -> str | None:
    """What of a recorded choice is no longer declared."""
    declared = deployment.engine(engine)
    if declared is None:
        return f"engine `{engine}` is recorded on {cluster} and no longer declared"
    if fleet.clusters[cluster].pool(choice.pool) is None:
        return f"pool `{choice.pool}` of {cluster} is recorded and no longer declared"
    if (choice.alternative or "") not in ([a.name for a in declared.alternatives] or [""]):
        return f"alternative `{choice.alternative}` of engine `{engine}` is recorded on {cluster} and not declared"
    return None


def _check_devices(
    fleet: Fleet, deployment: Deployment, cluster: str, engine: str, choice: EngineChoice, where: Location, report: Report
) -> None:
    declared, pool = deployment.engine(engine), fleet.clusters[cluster].pool(choice.pool)
    assert declared is not None and pool is not None
    groups = {device.name for device in pool.hardware.devices}
    if not _served(declared, choice) or not set(choice.devices.values()) <= groups:
        message = f"the devices recorded for engine `{engine}` on {cluster} are not the declared ones"
        report.add(codes.STILL_RECORDED, message, where, f"modelfleet place {deployment.ref}")


def _served(engine: Engine, choice: EngineChoice) -> bool:
    """Whether the record names a group for every request and for nothing else; of a prioritized list for some of its options."""
    alternative = next((a for a in engine.alternatives if a.name == choice.alternative), None)
    left = set(choice.devices)
    for member in engine.members:
        differs = next((m for m in alternative.members if m.role == member.role), None) if alternative else None
        for request in differs.devices if differs and differs.devices else member.node_selector.devices:
            key = f"{member.role}/{request.name}" if len(engine.members) > 1 else request.name
            wanted = {f"{key}/{option.name}" for option in request.first_available} or {key}
            if not wanted & left:
                return False
            left -= wanted
    return not left
