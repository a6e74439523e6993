"""A deployment's readiness review and runbook, written from what is declared and recorded: `modelfleet runbook NS/NAME`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .place.plan import Plan
from .render import alerts, caches, report, rules, secrets
from .render.alerts import Alert
from .render.workload import Workload, workloads
from .resolve import stack
from .resolve.fleet import Deployment, Fleet

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Section:
    """A title and its lines, in the order in which they are read."""

    title: str
    lines: tuple[str, ...]


def runbook(fleet: Fleet, plan: Plan, key: Key, advice: Sequence[str]) -> tuple[Section, ...]:
    """The sections. advice: what `check` says of the deployment. Its records must fit its declaration: KeyError otherwise."""
    deployment = fleet.deployments[key]
    record = plan.placements.get(key)
    clusters = sorted({entry.cluster for entry in record.replicas} & fleet.clusters.keys()) if record else []
    found = [workload for name in clusters for workload in workloads(fleet, plan, fleet.clusters[name], key)]
    parts = (
        ("Owners and limits", _owners(fleet, deployment)),
        ("Ready for production?", _readiness(fleet, plan, deployment, found, advice)),
        ("Where it runs", _places(plan, key, clusters)),
        ("What it depends on", _dependencies(fleet, deployment, clusters, found)),
        ("Secrets", _secrets(fleet, key, clusters)),
        ("Switch it off", _kill_switch(deployment)),
        ("Roll back", _rollback(deployment)),
        ("Failures", _failures(found)),
    )
    return tuple(Section(title, tuple(lines)) for title, lines in parts)


def text(deployment: str, sections: Sequence[Section]) -> str:
    """For a terminal."""
    blocks = [f"Runbook of {deployment}"]
    blocks += ["\n".join([section.title.upper(), *(f"  {line}" for line in section.lines)]) for section in sections]
    return "\n\n".join(blocks)


def markdown(deployment: str, sections: Sequence[Section]) -> str:
    """For a wiki or a repository. What is nested by two spaces stays nested."""
    blocks = [f"# Runbook of `{deployment}`"]
    blocks += ["\n".join([f"## {section.title}", "", *map(_item, section.lines)]) for section in sections]
    return "\n\n".join(blocks)


def _item(line: str) -> str:
    depth = len(line) - len(line.lstrip(" "))
    return f"{' ' * depth}- {line.lstrip(' ')}"


def _owners(fleet: Fleet, deployment: Deployment) -> Iterator[str]:
    currency = fleet.settings.spec.currency
    if owner := fleet.team_of(deployment.namespace):
        name, team = owner
        yield f"team {name}" + (f": {', '.join(sorted(team.groups))}" if team.groups else ", which names no groups")
        yield f"budget: {team.budget.per_hour} {currency} an hour for the whole team" if team.budget else "budget: none is declared"
        for quota in team.quota:
            which = ", ".join(quota.classes) or "classes by label"
            yield f"quota {quota.name}: {quota.devices} devices of {which}"
        yield from (f"Kubernetes quota: {name} {amount}" for name, amount in sorted(team.kubernetes_quota.items()))
    else:
        yield f"nobody: namespace {deployment.namespace} belongs to no team"
    yield f"priority {deployment.spec.priority}"
    if limit := deployment.spec.placement.max_cost_per_hour:
        yield f"at most {limit} {currency} an hour for this deployment"
    yield f"declared in {deployment.location.path}"


def _readiness(fleet: Fleet, plan: Plan, deployment: Deployment, found: Sequence[Workload], advice: Sequence[str]) -> Iterator[str]:
    record = plan.placements.get(deployment.key)
    live = [entry for entry in record.replicas if not entry.retiring] if record else []
    where = {entry.cluster for entry in live}
    yield _mark(fleet.team_of(deployment.namespace) is not None, "a team owns it")
    yield _mark(sum(entry.count for entry in live) > 1, "more than one replica")
    yield _mark(len(where) > 1, "on more than one cluster")
    yield _mark(record is not None and record.shortfall is None, "every replica has a place")
    yield _mark(bool(found) and all(workload.pool.price is not None for workload in found), "its price is known")
    yield _mark(bool(deployment.spec.scaling) or any(engine.scaling for engine in deployment.engines), "it is scaled with its load")
    yield _mark(not advice, "check has nothing to say of it")
    yield from (f"  {line}" for line in advice)


def _mark(holds: bool, what: str) -> str:
    return f"{'yes' if holds else 'NO '}  {what}"


def _places(plan: Plan, key: Key, clusters: Sequence[str]) -> Iterator[str]:
    record = plan.placements.get(key)
    if record is None:
        yield f"nowhere: modelfleet place {key[0]}/{key[1]}"
        return
    yield from (f"{name}: {report.summary(record, name)}" for name in clusters)
    if record.shortfall:
        yield report.shortfall(record)


def _dependencies(fleet: Fleet, deployment: Deployment, clusters: Sequence[str], found: Sequence[Workload]) -> Iterator[str]:
    spec = deployment.spec.template.spec
    if spec.model_cache_ref:
        cache = fleet.caches[deployment.namespace, spec.model_cache_ref.name]
        yield f"cache {spec.model_cache_ref.name}: {cache.source}, {'staged on each cluster' if caches.staged(cache) else 'there already'}"
    images = {c.get("image", "") for engine in deployment.engines for m in engine.members for c in m.template.spec.get("containers") or ()}
    yield from (f"image {image}" for image in sorted(images - {""}))
    for name in clusters:
        cluster = fleet.clusters[name]
        gateway = cluster.spec.gateway.hostname or cluster.spec.gateway.address or "not reachable from front doors"
        yield f"cluster {name}: Kubernetes {cluster.spec.kubernetes_version}, gateway {gateway}, {cluster.spec.monitoring.prometheus_url}"
        declared = stack.components(fleet, cluster)
        shown = [f"{component} ({stack.mode(said)})" for component, said in declared.items()]
        yield f"  components: {', '.join(shown) or 'none are named: they are taken to be there'}"
    for service in sorted(ref for (namespace, ref) in fleet.services if namespace == deployment.namespace):
        if any(endpoint.deployment == deployment.name for endpoint in fleet.services[deployment.namespace, service].spec.endpoints):
            yield f"called through service {service}"
    if found:
        yield f"callers send model: {deployment.model_name}"


def _secrets(fleet: Fleet, key: Key, clusters: Sequence[str]) -> Iterator[str]:
    needed = secrets.of_deployments(fleet, [key])
    if not needed:
        yield "none"
        return
    yield from secrets.prerequisites(needed, fleet.settings.spec.secrets)
    yield f"on {', '.join(clusters) or 'no cluster yet'}"


def _kill_switch(deployment: Deployment) -> Iterator[str]:
    yield f"{deployment.location.path}: suspend: true, merge. Its places stay, nothing runs, callers get other targets or 503"
    yield "back on: take the line out again, merge"
    yield "at once, until Git is merged: kubectl scale to 0 lasts only until Argo CD heals it; pause its Applications first"


def _rollback(deployment: Deployment) -> Iterator[str]:
    yield "git revert the merge that changed it: declaration and record go back together, Argo CD applies what was"
    rollout = deployment.spec.rollout
    yield f"an update takes {rollout.max_unavailable} pods away at a time and adds {rollout.max_surge} first"
    yield f"a pod has {deployment.spec.template.spec.serving.startup_timeout} to load"


def _failures(found: Sequence[Workload]) -> Iterator[str]:
    """Each alert that can fire for it, with what it means and what to do."""
    for alert in _of(found):
        yield f"{alert.name} ({alert.severity}): {alert.summary}" + _bound(alert, found)
        yield from (f"  {line}" for line in alert.runbook.splitlines())


def _of(found: Sequence[Workload]) -> list[Alert]:
    scaled = any(workload.autoscaled for workload in found)
    return [alert for alert in alerts.ALL if alert is not alerts.SCALER_FALLBACK or scaled]


def _bound(alert: Alert, found: Sequence[Workload]) -> str:
    if alert is not alerts.SLOW_FIRST_TOKEN or not found:
        return ""
    return f" (p95 above {min(map(rules.slow_seconds, found)):g} s)"
