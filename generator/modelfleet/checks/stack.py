"""The stack: components that the catalog knows, add-ons that do not collide, and on every cluster what the models there need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .. import codes
from ..api import templates
from ..diagnostics import Location, Report, nearest
from ..resolve import stack
from ..resolve.fleet import Cluster, Deployment, Fleet, Front
from ..stock import DRIVERS, Entry, entries
from ..validate import Resource, Resources
from .teams import refuse_namespaces

if TYPE_CHECKING:
    from ..api.addon import AddOnSpec


def check_stack(resources: Resources, fleet: Fleet, report: Report) -> None:
    """Everything of the stack, models included."""
    own = Report()
    check_installed(resources, fleet, own)
    report.extend(own.found)
    if own.errors:
        return
    clusters = [cluster for cluster in fleet.clusters.values() if cluster.name in resources.of("InferenceCluster")]
    for cluster in clusters:
        _check_needs(resources, fleet, cluster, report)
    refuse_namespaces(resources, _namespaces(fleet, clusters), report)


def check_installed(resources: Resources, fleet: Fleet, report: Report) -> None:
    """What the root needs, out of fleet/ alone: known components with versions, templates that find their labels, nothing twice."""
    for resource in (*resources.of("Fleet").values(), *resources.of("InferenceCluster").values()):
        for index, component in enumerate(resource.model.spec.components):
            _check_known(component.name, resource.at("spec", "components", index, "name"), report)
    for resource in resources.of("AddOn").values():
        if resource.model.spec.catalog:
            _check_known(resource.model.spec.catalog, resource.at("spec", "catalog"), report)
    for cluster in fleet.clusters.values():
        if cluster.name in resources.of("InferenceCluster"):
            _check_cluster(resources, fleet, cluster, report)


def _check_known(name: str, where: Location, report: Report) -> None:
    if name not in entries():
        report.add(codes.UNKNOWN_COMPONENT, f"the catalog has no `{name}`", where, nearest(name, entries()))


def _check_cluster(resources: Resources, fleet: Fleet, cluster: Cluster, report: Report) -> None:
    """Versions, templates and collisions on a cluster."""
    known = {name: declared for name, declared in stack.components(fleet, cluster).items() if name in entries()}
    for name, declared in known.items():
        if stack.mode(declared) == "Install" and not stack.version(fleet, cluster, entries()[name], declared):
            message = f"the catalog has no version of `{name}`, which cluster `{cluster.name}` gets"
            report.add(codes.MISSING_FIELD, message, _components_at(resources, cluster), f"components: [{{name: {name}, version: ...}}]")
    seen = {_source(entries()[name]): name for name in known}
    for name, spec in stack.add_ons(fleet, cluster).items():
        resource = resources.of("AddOn")[name]
        _check_templates(fleet, cluster, resource, report)
        source = _source_of(name, spec)
        if source in seen:
            message = f"add-on `{name}` is what `{seen[source]}` is on cluster `{cluster.name}`, in the same namespace"
            report.add(codes.ADD_ON_COLLIDES, message, resource.at("metadata", "name"), "remove one, or give it another namespace")
        seen.setdefault(source, name)


def _source(entry: Entry, namespace: str | None = None) -> tuple[str, str, str]:
    """(repository, chart or folder, namespace): two of one are the same objects twice."""
    return (entry.repo_url.rstrip("/"), entry.chart or entry.path, namespace or entry.namespace)


def _source_of(name: str, spec: AddOnSpec) -> tuple[str, str, str]:
    if spec.catalog and spec.catalog in entries():
        return _source(entries()[spec.catalog], spec.namespace)
    if spec.chart:
        return (spec.chart.repo_url.rstrip("/"), spec.chart.name, spec.namespace or name)
    return (spec.git.repo_url.rstrip("/"), spec.git.path.strip("/"), spec.namespace or name) if spec.git else ("", name, "")


def _check_templates(fleet: Fleet, cluster: Cluster, resource: Resource, report: Report) -> None:
    """Every template of an add-on on a cluster, at its value."""
    from ..api.addon import strings

    known: templates.Names = {"cluster": {"name": cluster.name, "labels": dict(cluster.labels)}, "fleet": {"name": fleet.settings.name}}
    for path, text in strings(resource.model.spec.values):
        try:
            templates.expand(text, known)
        except templates.Undefined as error:
            message = f"on cluster `{cluster.name}`: {error}"
            hint = "a label of every cluster that the add-on selects, or a filter: | default(...)"
            report.add(codes.BAD_TEMPLATE, message, resource.at("spec", "values", *path), hint)


def _components_at(resources: Resources, cluster: Cluster) -> Location:
    """Where the cluster's components are listed, or would be."""
    resource = resources.of("InferenceCluster")[cluster.name]
    return resource.at("spec", "components") if resource.model.spec.components else resource.at("metadata", "name")


def _check_needs(resources: Resources, fleet: Fleet, cluster: Cluster, report: Report) -> None:
    """MissingComponent for what the cluster lacks; nothing is said where nobody names a component."""
    declared = stack.components(fleet, cluster)
    if not declared or stack.provided(cluster):
        return
    there, said = stack.there(fleet, cluster), set()
    for name, why in _needs(fleet, cluster):
        if name not in there and name not in said:
            said.add(name)
            how = "is Disabled" if name in declared else "is not among its components"
            hint = f"components: [{{name: {name}}}], or mode: Provided if someone else installs it"
            report.add(
                codes.MISSING_COMPONENT, f"`{name}` {how} on cluster `{cluster.name}`: {why}", _components_at(resources, cluster), hint
            )


def _needs(fleet: Fleet, cluster: Cluster) -> Iterator[tuple[str, str]]:
    """(component, what needs it) of a cluster."""
    yield "envoy-gateway", "its gateway and routes need it"
    yield "kube-prometheus-stack", "its PodMonitors, rules and alerts need it"
    if fleet.settings.spec.secrets:
        yield "external-secrets", "the fleet's secrets.storeRef needs it"
    for key, spec in fleet.placements.items():
        deployment = fleet.deployments.get(key)
        here = [entry for entry in spec.replicas if entry.cluster == cluster.name]
        if deployment and here:
            yield from _of_deployment(cluster, deployment, {choice.pool for entry in here for choice in entry.engines.values()})
    front: Front | None = fleet.fronts.get(cluster.name)
    if front and front.by_model:
        yield "envoy-ai-gateway", f"front door `{front.name}` routes by model name"
    for name in sorted(stack.there(fleet, cluster)):
        yield from ((other, f"`{name}` needs it") for other in (entries()[name].needs if name in entries() else ()))


def _of_deployment(cluster: Cluster, deployment: Deployment, pools: set[str]) -> Iterator[tuple[str, str]]:
    if deployment.spec.scaling or any(engine.scaling for engine in deployment.engines):
        yield "keda", f"`{deployment.ref}` is scaled"
    if any(len(engine.members) > 1 for engine in deployment.engines):
        yield "lws", f"`{deployment.ref}` is a gang"
    if deployment.spec.template.spec.serving.picks and cluster.spec.gateway.inference_pools:
        yield "inference-extension", f"`{deployment.ref}` has an endpoint picker"
        yield "envoy-ai-gateway", f"`{deployment.ref}` has an endpoint picker, which the gateway asks"
    for name in sorted(pools):
        pool = cluster.pool(name)
        for device in pool.hardware.devices if pool else ():
            if device.claim == "DRA" and device.driver in DRIVERS:
                yield DRIVERS[device.driver], f"`{deployment.ref}` claims devices of {device.driver}"


def _namespaces(fleet: Fleet, clusters: Iterable[Cluster]) -> dict[str, str]:
    """Whose the namespaces of components are: the policies of a models' namespace would cut a component off."""
    return {
        entries()[name].namespace: f"that of component `{name}`"
        for cluster in clusters
        for name in stack.components(fleet, cluster)
        if stack.installs(fleet, cluster, name)
    }
