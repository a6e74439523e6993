"""What a cluster gets besides models: the components that the fleet and the cluster name, and the add-ons that select it.

Where neither names a component, nothing is installed and nothing is missing: such a cluster is somebody else's work as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import names
from ..api import templates
from ..api.components import Component
from ..stock import AI_GATEWAY_EXTENSION, BY_MODEL_NAME, Entry, entries
from .fleet import Cluster, Fleet

if TYPE_CHECKING:  # few runs meet one
    from ..api.addon import AddOnSpec

DEVELOPMENT = "development"  # the environment of small sizes


@dataclass(frozen=True, slots=True)
class Installed:
    """Something that Argo CD installs on a cluster. Exactly one of chart and path is set; values: of a chart, templates replaced.

    also: namespaces besides its own that it writes to.
    """

    name: str
    repo_url: str
    chart: str
    path: str
    version: str
    namespace: str
    wave: int
    values: Mapping[str, Any]
    also: tuple[str, ...] = ()


def components(fleet: Fleet, cluster: Cluster) -> dict[str, tuple[Component, ...]]:
    """The declarations of each component that hold for a cluster, the strongest last: fleet, the fleet's for its environment, its own."""
    environment = cluster.labels.get(names.LABEL_ENVIRONMENT)
    listed = sorted(fleet.settings.spec.components, key=lambda component: component.environment is not None)
    held: list[Component] = [component for component in listed if component.environment in (None, environment)]
    found: dict[str, tuple[Component, ...]] = {}
    for component in (*held, *cluster.spec.components):
        found[component.name] = (*found.get(component.name, ()), component)
    return dict(sorted(found.items()))


def provided(cluster: Cluster) -> bool:
    """Whether the whole stack of a cluster is someone else's."""
    existing = cluster.spec.cluster.existing if cluster.spec.cluster else None
    return existing is not None and existing.components == "Provided"


def mode(declared: tuple[Component, ...]) -> str:
    """Install, Provided or Disabled: what the strongest declaration says."""
    return declared[-1].mode


def installs(fleet: Fleet, cluster: Cluster, name: str) -> bool:
    """Whether a component is installed on the cluster by us."""
    declared = components(fleet, cluster).get(name)
    return not provided(cluster) and declared is not None and mode(declared) == "Install"


def add_ons(fleet: Fleet, cluster: Cluster) -> dict[str, AddOnSpec]:
    """The add-ons that select a cluster, by name."""
    return {name: spec for name, spec in sorted(fleet.add_ons.items()) if spec.cluster_selector.matches(dict(cluster.labels))}


def there(fleet: Fleet, cluster: Cluster) -> set[str]:
    """Names of the catalog's entries that a cluster has, whoever installs them."""
    found = {name for name, declared in components(fleet, cluster).items() if mode(declared) != "Disabled"}
    return found | {spec.catalog for spec in add_ons(fleet, cluster).values() if spec.catalog}


def installed(fleet: Fleet, cluster: Cluster) -> tuple[Installed, ...]:
    """Everything that Argo CD installs on a cluster, by wave and name.

    What the catalog does not know was refused and is left out. Raises templates.Undefined where an add-on asks for what the cluster does
    not have: refused, too.
    """
    found = [] if provided(cluster) else _from_catalog(fleet, cluster)
    found += [_add_on(fleet, cluster, name, spec) for name, spec in add_ons(fleet, cluster).items()]
    return tuple(sorted(found, key=lambda one: (one.wave, one.name)))


def _from_catalog(fleet: Fleet, cluster: Cluster) -> list[Installed]:
    chosen = {name: declared for name, declared in components(fleet, cluster).items() if mode(declared) == "Install"}
    return [_component(fleet, cluster, entries()[name], declared) for name, declared in chosen.items() if name in entries()]


def version(fleet: Fleet, cluster: Cluster, entry: Entry, declared: tuple[Component, ...]) -> str:
    """The declared version, else that of the set which the cluster needs; empty where the catalog has none."""
    said = [component.version for component in declared if component.version]
    if said:
        return said[-1]
    return BY_MODEL_NAME.get(entry.name, entry.version) if by_model_name(fleet, cluster) else entry.version


def by_model_name(fleet: Fleet, cluster: Cluster) -> bool:
    """Whether the cluster's gateway routes by model name or to InferencePools, which is Envoy AI Gateway's work."""
    front = fleet.fronts.get(cluster.name)
    return cluster.spec.gateway.inference_pools or (front is not None and front.by_model)


def _component(fleet: Fleet, cluster: Cluster, entry: Entry, declared: tuple[Component, ...]) -> Installed:
    values = _of_catalog(entry, cluster)
    if entry.name == "envoy-gateway" and by_model_name(fleet, cluster):
        values = merged(values, AI_GATEWAY_EXTENSION)
    for component in declared:
        values = merged(values, component.values)
    found = version(fleet, cluster, entry, declared)
    return Installed(entry.name, entry.repo_url, entry.chart, entry.path, found, entry.namespace, entry.wave, values, entry.also)


def _of_catalog(entry: Entry, cluster: Cluster) -> Mapping[str, Any]:
    """The catalog's values for a cluster: its size, and the little that depends on what the cluster is."""
    values = entry.values
    if cluster.labels.get(names.LABEL_ENVIRONMENT) == DEVELOPMENT:
        values = merged(values, entry.small)
    match entry.name:
        case "kube-prometheus-stack":
            return merged(values, {"prometheus": {"prometheusSpec": {"externalLabels": {"cluster": cluster.name}}}})
        case "nvidia-gpu-operator":
            return merged(values, {"devicePlugin": {"enabled": _counts_devices(cluster)}})
        case "opentelemetry-collector":
            from ..stock import telemetry

            return merged(values, {"config": telemetry.configuration(cluster.name, cluster.spec.monitoring.prometheus_url)})
    return values


def _counts_devices(cluster: Cluster) -> bool:
    return any(device.claim == "ExtendedResource" for pool in cluster.pools for device in pool.hardware.devices)


def _add_on(fleet: Fleet, cluster: Cluster, name: str, spec: AddOnSpec) -> Installed:
    known: templates.Names = {"cluster": {"name": cluster.name, "labels": dict(cluster.labels)}, "fleet": {"name": fleet.settings.name}}
    values = _expanded(spec.values, known)
    if spec.catalog:
        entry = entries()[spec.catalog]
        found = _component(fleet, cluster, entry, ())
        return Installed(
            name, found.repo_url, found.chart, found.path, found.version, spec.namespace or entry.namespace, spec.wave or entry.wave,
            merged(found.values, values), found.also,
        )  # fmt: skip
    if spec.git:
        return Installed(name, spec.git.repo_url, "", spec.git.path, spec.git.revision, spec.namespace or name, spec.wave, {})
    assert spec.chart is not None
    chart = spec.chart
    return Installed(name, chart.repo_url, chart.name, "", chart.version, spec.namespace or name, spec.wave, values)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """`above` over `below`, as Helm does it: mappings key by key, everything else as a whole."""
    found = dict(below)
    for key, value in above.items():
        old = found.get(key)
        found[key] = merged(old, value) if isinstance(value, Mapping) and isinstance(old, Mapping) else value
    return found


def _expanded(value: Any, known: templates.Names) -> Any:
    """A copy with every template in every string replaced."""
    if isinstance(value, str):
        return templates.expand(value, known) if templates.is_template(value) else value
    if isinstance(value, Mapping):
        return {key: _expanded(item, known) for key, item in value.items()}
    return [_expanded(item, known) for item in value] if isinstance(value, list | tuple) else value
