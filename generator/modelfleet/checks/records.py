"""Recorded placements: each has its declaration, and every entry its cluster, pool, engines and device groups."""

from __future__ import annotations

from .. import codes
from ..diagnostics import Location, Report, nearest
from ..resolve.fleet import Deployment, Fleet
from ..validate import Resources


def check_records(resources: Resources, fleet: Fleet, report: Report) -> None:
    """Every record has its declaration, and every entry its cluster, pool, engines and device groups."""
    for ref, resource in resources.of("Placement").items():
        key = (resource.model.metadata.namespace, resource.model.metadata.name)
        for index, entry in enumerate(resource.model.spec.replicas):
            where = resource.at("spec", "replicas", index, "cluster")
            if key not in fleet.deployments:
                if ref in resources.of("ModelDeployment"):
                    break  # held back, and said where it asks for what this release does not do
                report.add(
                    codes.DECLARATION_MISSING, f"no ModelDeployment `{ref}` is declared", where, f"modelfleet remove ModelDeployment {ref}"
                )
                break
            if entry.cluster not in fleet.clusters:
                report.add(codes.CLUSTER_GONE, f"cluster `{entry.cluster}` is not declared", where, nearest(entry.cluster, fleet.clusters))


def check_entries(resources: Resources, fleet: Fleet, cluster: str, key: tuple[str, str], report: Report) -> None:
    """What keeps a deployment's unit on `cluster` from being rendered."""
    namespace, name = key
    resource = resources.of("Placement").get(f"{namespace}/{name}")
    where = resource.at("spec", "replicas") if resource else Location(f"placements/{namespace}/{name}.yaml")
    spec, deployment = fleet.placements.get(key), fleet.deployments.get(key)
    if spec is None or deployment is None:
        what = "placement" if spec is None else "ModelDeployment"
        report.add(
            codes.DECLARATION_MISSING,
            f"no {what} `{namespace}/{name}` is declared",
            where,
            "put it back, or delete the Application without cascade",
        )
        return
    for entry in spec.replicas:
        if entry.cluster == cluster:
            for engine, choice in entry.engines.items():
                _check_choice(fleet, deployment, cluster, engine, choice.pool, choice.devices, where, report)


def _check_choice(
    fleet: Fleet, deployment: Deployment, cluster: str, engine: str, pool: str, devices: dict[str, str], where: Location, report: Report
) -> None:
    declared, account = deployment.engine(engine), fleet.clusters[cluster].pool(pool)
    hint = f"modelfleet place {deployment.ref}"
    if declared is None:
        report.add(codes.STILL_RECORDED, f"engine `{engine}` is recorded on {cluster} and no longer declared", where, hint)
    elif account is None:
        report.add(codes.STILL_RECORDED, f"pool `{pool}` of {cluster} is recorded and no longer declared", where, hint)
    else:
        requests = {r.name for member in declared.members for r in member.node_selector.devices}
        groups = {device.name for device in account.hardware.devices}
        if set(devices) != requests or not set(devices.values()) <= groups:
            report.add(
                codes.STILL_RECORDED, f"the devices recorded for engine `{engine}` on {cluster} are not the declared ones", where, hint
            )
