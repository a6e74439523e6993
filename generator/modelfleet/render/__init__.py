"""Rendering: a fleet and a plan to units of plain dicts. Pure: no file, network, clock, environment or randomness.

Modules are named after what they render: `engines`, `pod`, `claims`, `scaling`, `caches`, `configs`, `picker`, `routing`, `tenancy`,
`secrets`, `report`, `applications`, `components`. What they render it from is in `workload` and `members`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .. import names
from ..balance import Balance, balance
from ..resolve import stack
from ..resolve.fleet import Cluster, Fleet, Front, Service
from . import (
    applications,
    brought,
    by_model,
    caches,
    claims,
    components,
    configs,
    dashboards,
    engines,
    envoy,
    fronts,
    picker,
    providers,
    report,
    routing,
    rules,
    scaling,
    secrets,
    services,
    tenancy,
)
from .members import Pod, pods
from .unit import KINDS, Manifest, Unit, UnitId
from .workload import Key, Workload, entries_on, workloads

if TYPE_CHECKING:  # the plugin does not pay for the placer
    from ..place.plan import Plan

__all__ = ["ROOT", "Unit", "UnitId", "render_root", "render_unit", "unit_ids"]

ROOT = UnitId(cluster="root", name="root")
_KINDS = tuple(KINDS)


def unit_ids(fleet: Fleet, plan: Plan) -> tuple[UnitId, ...]:
    """Every unit that is listed, sorted by cluster, kind (base, tenant, caches, model, routes) and name.

    Only what stands under fleet/, `fleet.namespaces` and `plan.placements` are read: the root knows no deployment and no service. Entries
    on a cluster that is not in the fleet list nothing. A namespace has its caches' unit everywhere, whether it has caches or not: only its
    own files say so; and at every front door it has its routes, whether it has services or not.
    """
    found = {UnitId(cluster, "base") for cluster in fleet.clusters}
    for namespace in _namespaces(fleet, plan):
        found |= {UnitId(cluster, part) for cluster in fleet.fronts for part in (f"tenant/{namespace}", f"routes/{namespace}")}
    for (namespace, name), spec in plan.placements.items():
        for cluster in {entry.cluster for entry in spec.replicas} & fleet.clusters.keys():
            parts = (f"tenant/{namespace}", f"caches/{namespace}", f"model/{namespace}/{name}", f"routes/{namespace}")
            found |= {UnitId(cluster, part) for part in parts}
    return tuple(sorted(found, key=lambda unit: (unit.cluster, _KINDS.index(unit.kind), unit.name)))


def render_unit(fleet: Fleet, plan: Plan, unit_id: UnitId) -> Unit:
    """The manifests of a unit; of one that is not listed its report alone.

    The unit's cluster must be in the fleet, and its deployments, pools, engines and device groups must be those that the records name:
    KeyError otherwise.
    """
    cluster = fleet.clusters[unit_id.cluster]
    removal = fleet.settings.spec.argocd.removal
    keys = _keys(plan, unit_id)
    if unit_id.kind != "base" and not keys and not _before(fleet, plan, unit_id):
        return Unit(unit_id, (report.report(unit_id, report.unlisted(unit_id), removal),))
    render = {"base": _base, "tenant": _tenant, "caches": _caches, "model": _model, "routes": _routes}[unit_id.kind]
    return Unit(unit_id, tuple(render(fleet, plan, cluster, unit_id, keys)))


def render_root(fleet: Fleet, plan: Plan) -> Unit:
    """The projects, and the ApplicationSet of each cluster; no deployment is read."""
    settings, owners = fleet.settings.spec, {space: name for name, team in sorted(fleet.teams.items()) for space in team.namespaces}
    clusters = [fleet.clusters[name] for name in sorted(fleet.clusters)]
    # Also those that show an error, or whose records were lost: out of their project they could not say so.
    homeless = (_namespaces(fleet, plan) | fleet.left_out) - owners.keys()
    manifests = [applications.platform_project(settings, clusters), applications.models_project(settings, homeless)]
    stacks = [(cluster, stack.installed(fleet, cluster)) for cluster in clusters]
    if any(items for _, items in stacks):
        manifests.append(components.stack_project(settings, stacks))
    manifests += [applications.team_project(settings, name, fleet.teams[name]) for name in sorted(fleet.teams)]
    units: dict[str, list[UnitId]] = {name: [] for name in fleet.clusters}
    for unit in unit_ids(fleet, plan):
        units[unit.cluster].append(unit)
    for cluster, items in stacks:
        manifests.append(applications.application_set(settings, cluster, units[cluster.name], plan.placements, owners))
        if items:
            manifests.append(components.stack_set(settings, cluster, items))
    return Unit(ROOT, tuple(manifests))


def _keys(plan: Plan, unit: UnitId) -> list[Key]:
    """The deployments of the unit's namespace (of a model's unit: that one) with an entry on its cluster, sorted."""
    if unit.deployment:
        wanted = [key for key in [(unit.namespace, unit.deployment)] if key in plan.placements]
    else:
        namespace = unit.namespace
        wanted = sorted(key for key in plan.placements if key[0] == namespace)
    return [key for key in wanted if entries_on(plan.placements[key], unit.cluster)]


def _before(fleet: Fleet, plan: Plan, unit: UnitId) -> bool:
    """Whether the unit is one of those that a namespace has on a front door's cluster, whatever runs there."""
    at_front = unit.kind in ("tenant", "routes") and unit.cluster in fleet.fronts
    return at_front and unit.namespace in _namespaces(fleet, plan)


def _namespaces(fleet: Fleet, plan: Plan) -> set[str]:
    """The namespaces that have something at a front door."""
    return {namespace for namespace, _ in plan.placements} | fleet.namespaces


def _retiring(plan: Plan, cluster: Cluster, keys: list[Key]) -> bool:
    """Whether all entries of the deployments on the cluster are on their way out: only then what they share may go."""
    return all(entry.retiring for key in keys for entry in entries_on(plan.placements[key], cluster.name))


def _base(fleet: Fleet, plan: Plan, cluster: Cluster, unit: UnitId, keys: list[Key]) -> Iterator[Manifest]:
    settings, front = fleet.settings.spec, fleet.fronts.get(cluster.name)
    removal, token = settings.argocd.removal, settings.routing.token_secret_ref
    needed = [secrets.token(token.name, "gateway")] if token else []
    if front and front.spec.auth:
        needed += [secrets.callers(name, front.name) for name in fronts.callers(front)]
    lines = secrets.prerequisites(needed, settings.secrets)
    lines += (brought.to_gateway(cluster) if cluster.spec.node_pools else []) + (brought.to_base(front) if front else [])
    yield tenancy.namespace(names.SYSTEM_NAMESPACE, removal)
    yield report.report(unit, {**report.base(cluster, front), **report.lines("prerequisites", lines)}, removal)
    if settings.secrets:
        yield from (secrets.external_secret(secret, settings.secrets, removal) for secret in needed)
    yield rules.base_rules(fleet, cluster, removal)
    yield from dashboards.dashboards(removal)
    if stack.installs(fleet, cluster, "envoy-gateway"):
        yield routing.gateway_class(cluster, removal)
    if cluster.spec.node_pools:  # a cluster of front doors alone has nothing to route to
        yield from _gateway(fleet, cluster)
    if front:
        yield from fronts.front_door(fleet, front)


def _gateway(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """The gateway of a cluster where models run."""
    removal, token = fleet.settings.spec.argocd.removal, fleet.settings.spec.routing.token_secret_ref
    yield routing.gateway(cluster, removal)
    yield routing.traffic_policy(removal)
    yield routing.monitor(names.GATEWAY, removal)
    if token:
        yield routing.token_policy(token.name, removal, by_model=any(front.by_model for front in fleet.fronts.values()))
    yield routing.unavailable_filter(names.SYSTEM_NAMESPACE, removal)
    yield routing.catch_all(removal)


def _tenant(fleet: Fleet, plan: Plan, cluster: Cluster, unit: UnitId, keys: list[Key]) -> Iterator[Manifest]:
    settings, owner = fleet.settings.spec, fleet.team_of(unit.namespace)
    removal, needed = settings.argocd.removal, secrets.of_deployments(fleet, keys)
    yield tenancy.namespace(unit.namespace, removal, owner)
    yield report.report(
        unit, {**_deployments(plan, unit, keys), **report.lines("prerequisites", secrets.prerequisites(needed, settings.secrets))}, removal
    )
    yield from tenancy.network_policies(unit.namespace, cluster, cluster.spec.gateway.namespace, owner, removal)
    if owner:
        yield from tenancy.rights(unit.namespace, owner, removal)
        if quota := tenancy.resource_quota(unit.namespace, owner, removal):
            yield quota
    if settings.secrets:
        front = secrets.at_front(fleet, unit.namespace) if cluster.name in fleet.fronts else ()
        for secret in secrets.together(needed, front):
            yield secrets.external_secret(secret, settings.secrets, removal)


def _caches(fleet: Fleet, plan: Plan, cluster: Cluster, unit: UnitId, keys: list[Key]) -> Iterator[Manifest]:
    """The caches that deployments here use: a cache is staged where it is used and nowhere else."""
    removal = fleet.settings.spec.argocd.removal
    users: dict[str, list[Key]] = {}
    for key in keys:
        if reference := fleet.deployments[key].spec.template.spec.model_cache_ref:
            users.setdefault(reference.name, []).append(key)
    used = {name: fleet.caches[unit.namespace, name] for name in sorted(users)}
    yield report.report(unit, report.caches(unit.namespace, used), removal)
    for name, cache in used.items():
        if caches.staged(cache):
            retiring = _retiring(plan, cluster, users[name]) or (unit.namespace, name) in fleet.leaving_caches
            yield caches.claim(unit.namespace, name, cache, cluster, removal, retiring=retiring)
            yield caches.job(unit.namespace, name, cache, cluster, removal)


def _model(fleet: Fleet, plan: Plan, cluster: Cluster, unit: UnitId, keys: list[Key]) -> Iterator[Manifest]:
    (key,) = keys
    removal = fleet.settings.spec.argocd.removal
    yield report.report(unit, report.placed(plan.placements[key], cluster.name), removal)
    found = [(workload, pods(workload)) for workload in workloads(fleet, plan, cluster, key)]
    yield from configs.config_maps(found)
    for workload, members in found:
        yield from _workload(workload, members)
    yield rules.model_rules(fleet, found)
    if picker.uses_picker(fleet.deployments[key], cluster):
        yield from picker.picker(fleet.deployments[key], cluster, removal, retiring=_retiring(plan, cluster, keys))


def _workload(workload: Workload, members: tuple[Pod, ...]) -> Iterator[Manifest]:
    yield from filter(None, map(claims.resource_claim_template, members))
    yield engines.pods_of(workload, members)
    yield engines.pod_disruption_budget(workload)
    yield engines.pod_monitor(workload, members[0])
    if scaler := scaling.scaled_object(workload):
        yield scaler


def _routes(fleet: Fleet, plan: Plan, cluster: Cluster, unit: UnitId, keys: list[Key]) -> Iterator[Manifest]:
    settings = fleet.settings.spec
    removal, domain = settings.argocd.removal, settings.routing.domain
    front = fleet.fronts.get(cluster.name)
    balances = _balances(fleet, plan, front, unit.namespace) if front else []
    shared = front is None and _retiring(plan, cluster, keys)
    yield report.report(unit, {**_deployments(plan, unit, keys), **_served(fleet, front, unit.namespace, balances)}, removal)
    yield routing.unavailable_filter(unit.namespace, removal, wave=envoy.BACKENDS, retiring=shared)
    declared = [(fleet.deployments[key], _retiring(plan, cluster, [key])) for key in keys]
    for deployment, retiring in declared:
        yield routing.service(deployment, cluster, removal, retiring=retiring)
    for deployment, retiring in declared:
        if picker.uses_picker(deployment, cluster):  # in the route's wave: it is healthy only when a route uses it
            yield picker.inference_pool(deployment, cluster, removal, wave=envoy.ROUTES, retiring=retiring)
        yield routing.http_route(deployment, cluster, domain, removal, retiring=retiring)
        if policy := routing.called_policy(deployment, cluster, removal, retiring=retiring):
            yield policy
    if front and (any(found.known for _, found in balances) or any(namespace == unit.namespace for namespace, _ in fleet.endpoints)):
        yield from _front_routes(fleet, front, unit.namespace, balances)


def _balances(fleet: Fleet, plan: Plan, front: Front, namespace: str) -> list[tuple[Service, Balance]]:
    """The services of a namespace that a front door serves, by name, each with its shares."""
    served = [service for key, service in sorted(fleet.services.items()) if key[0] == namespace and front.serves(service)]
    return [(service, balance(fleet, plan.placements, service, front)) for service in served]


def _served(fleet: Fleet, front: Front | None, namespace: str, balances: Sequence[tuple[Service, Balance]]) -> dict[str, str]:
    """What the report of a namespace's routes says at a front door."""
    if front is None:
        return {}
    found = report.lines("services", [report.shares(service.name, one) for service, one in balances])
    return {**found, **report.lines("prerequisites", brought.to_namespace(fleet, front, namespace, [one for _, one in balances]))}


def _front_routes(fleet: Fleet, front: Front, namespace: str, balances: Sequence[tuple[Service, Balance]]) -> Iterator[Manifest]:
    """The routes of a namespace's services at a front door."""
    if front.by_path:
        yield from services.filters(fleet, namespace)
    for endpoint in (endpoint for key, endpoint in sorted(fleet.endpoints.items()) if key[0] == namespace):
        if front.by_path:
            yield from providers.provider(fleet, endpoint)
        if front.by_model:
            yield from by_model.provider(fleet, endpoint, by_path=front.by_path)
    for service, found in balances:
        if front.by_path:
            yield from services.service(fleet, service, front, found)
        if front.by_model:
            yield from by_model.service(fleet, service, front, found)


def _deployments(plan: Plan, unit: UnitId, keys: list[Key]) -> dict[str, str]:
    lines = [f"{name}: {report.summary(plan.placements[namespace, name], unit.cluster)}" for namespace, name in keys]
    return {"summary": report.count(len(lines)), **report.lines("deployments", lines)}
