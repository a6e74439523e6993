"""Services: every target exists, every selector finds something, and what is called by path answers to one model name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .. import codes, names
from ..api.base import Selector
from ..api.service import ServiceEndpoint
from ..diagnostics import Report, nearest
from ..validate import Resource, Resources

if TYPE_CHECKING:  # the plugin pays for kinds that a unit has
    from ..api.gateway import InferenceGatewaySpec

# Labels that a share of a deployment has by where it runs: what selects on them may match once it is placed.
_BY_PLACE = frozenset((names.LABEL_CLUSTER,))


@dataclass(frozen=True, slots=True)
class _Namespace:
    """Deployments and endpoints of one namespace, by name."""

    deployments: dict[str, Resource] = field(default_factory=dict)
    endpoints: dict[str, Resource] = field(default_factory=dict)


def check_targets(resources: Resources, report: Report) -> None:
    """UnknownTarget: what a route cannot be without."""
    spaces = _spaces(resources)
    for service in resources.of("ModelService").values():
        space = spaces.get(service.model.metadata.namespace, _Namespace())
        for index in range(len(service.model.spec.endpoints)):
            _named(service, index, space, report)


def _spaces(resources: Resources) -> dict[str, _Namespace]:
    spaces: dict[str, _Namespace] = {}
    for kind, place in (("ModelDeployment", "deployments"), ("ModelEndpoint", "endpoints")):
        for resource in resources.of(kind).values():
            metadata = resource.model.metadata
            getattr(spaces.setdefault(metadata.namespace, _Namespace()), place)[metadata.name] = resource
    return spaces


def check_services(resources: Resources, report: Report) -> None:
    """SelectsNothing, ServedNameMismatch, ProviderModel and NoTranslation."""
    spaces = _spaces(resources)
    clusters = resources.of("InferenceCluster").values()
    by_place = _BY_PLACE | {key for cluster in clusters for key in cluster.model.spec.placement.metadata.labels}
    for service in resources.of("ModelService").values():
        space = spaces.get(service.model.metadata.namespace, _Namespace())
        found = [_targets(service, index, space, by_place, report) for index in range(len(service.model.spec.endpoints))]
        _check_addresses(service, found, _serving(service, resources.of("InferenceGateway")), report)
        if _by_path(service, resources.of("InferenceGateway")):
            _check_names(service, found, report)
            _check_providers(service, found, report)


def _targets(service: Resource, index: int, space: _Namespace, by_place: frozenset[str], report: Report) -> list[Resource]:
    """The deployments and endpoints of one entry; a diagnostic where a selector finds none."""
    entry: ServiceEndpoint = service.model.spec.endpoints[index]
    loc = ("spec", "endpoints", index)
    if entry.selector is None:
        return _named(service, index, space, Report())
    selector = _static(entry.selector, by_place)
    found = [r for name, r in space.deployments.items() if selector.matches(_labels(r) | {names.LABEL_DEPLOYMENT: name})]
    found += [r for r in space.endpoints.values() if selector.matches(r.model.metadata.labels)]
    if not found:
        wanted = entry.selector.match_labels.get(names.LABEL_DEPLOYMENT)
        hint = nearest(wanted, space.deployments) if wanted else "labels of template.metadata of a deployment, or of an endpoint"
        message = f"the selector matches no deployment and no endpoint of namespace `{service.model.metadata.namespace}`"
        report.add(codes.SELECTS_NOTHING, message, service.at(*loc, "selector"), hint)
    return found


def _named(service: Resource, index: int, space: _Namespace, report: Report) -> list[Resource]:
    """The deployment or endpoint that an entry names; a diagnostic where there is none."""
    entry: ServiceEndpoint = service.model.spec.endpoints[index]
    for name, known, what in ((entry.deployment, space.deployments, "deployment"), (entry.endpoint, space.endpoints, "endpoint")):
        if name is None:
            continue
        if name in known:
            return [known[name]]
        message = f"namespace `{service.model.metadata.namespace}` has no {what} `{name}`"
        report.add(codes.UNKNOWN_TARGET, message, service.at("spec", "endpoints", index, what), nearest(name, known) or "declare one there")
        return []
    return []


def _static(selector: Selector, by_place: frozenset[str]) -> Selector:
    """The selector without what only a place decides."""
    labels = {key: value for key, value in selector.match_labels.items() if key not in by_place}
    rest = tuple(r for r in selector.match_expressions if r.key not in by_place)
    return Selector.model_construct(match_labels=labels, match_expressions=rest)


def _labels(deployment: Resource) -> dict[str, str]:
    return dict(deployment.model.spec.template.metadata.labels)


def _serving(service: Resource, gateways: Mapping[str, Resource]) -> list[InferenceGatewaySpec]:
    """The front doors that serve the service."""
    labels = service.model.metadata.labels
    specs = (gateway.model.spec for gateway in gateways.values())
    return [spec for spec in specs if spec.service_selector is None or spec.service_selector.matches(labels)]


def _check_addresses(
    service: Resource, found: Sequence[Sequence[Resource]], serving: Sequence[InferenceGatewaySpec], report: Report
) -> None:
    """By model name a provider stands beside the other backends, and all of them need host names or none."""
    if not any("ModelName" in spec.routing for spec in serving):
        return
    for index, targets in enumerate(found):
        for target in targets:
            if target.document.value["kind"] == "ModelEndpoint" and target.model.spec.is_address:
                name = target.model.metadata.name
                message = f"`{name}` is known by the address {target.model.spec.host} alone, and the service is routed by model name"
                report.add(codes.PROVIDER_ADDRESS, message, service.at("spec", "endpoints", index), "a host name in its url")


def _by_path(service: Resource, gateways: Mapping[str, Resource]) -> bool:
    """Whether callers reach the service by path: at some front door, or, while there is none, as is the default."""
    serving = _serving(service, gateways)
    return not serving or any("Path" in spec.routing for spec in serving)


def _check_names(service: Resource, found: Sequence[Sequence[Resource]], report: Report) -> None:
    """One error at the first entry whose targets answer to another name than those before."""
    first: tuple[str, str] | None = None
    for index, targets in enumerate(found):
        for target in targets:
            name = _served_name(target)
            if name is None:
                continue
            first = first or (name, target.model.metadata.name)
            if name != first[0]:
                message = f"`{target.model.metadata.name}` serves `{name}`, `{first[1]}` serves `{first[0]}`"
                hint = f"serving: {{modelName: {first[0]}}} in both, with engines that answer to it"
                report.add(codes.SERVED_NAME_MISMATCH, message, service.at("spec", "endpoints", index), hint)
                return


def _check_providers(service: Resource, found: Sequence[Sequence[Resource]], report: Report) -> None:
    """What a provider in a service by path must say, and what nobody does for it there."""
    owned = any(target.document.value["kind"] == "ModelDeployment" for targets in found for target in targets)
    for index, targets in enumerate(found):
        for target in (t for t in targets if t.document.value["kind"] == "ModelEndpoint"):
            name, spec, where = target.model.metadata.name, target.model.spec, service.at("spec", "endpoints", index)
            if owned and spec.model is None:
                message = f"`{name}` does not say which model it serves, and by path it gets the name that callers send"
                report.add(codes.PROVIDER_MODEL, message, where, f"model: ... in the ModelEndpoint `{name}`")
            if owned and spec.api.schema_ == "Anthropic":
                message = f"`{name}` speaks Anthropic's API, and by path nothing is translated"
                report.add(codes.NO_TRANSLATION, message, where, "routing: [ModelName] in the InferenceGateway")


def _served_name(target: Resource) -> str | None:
    """What callers must send; None for a provider that takes what it gets."""
    if target.document.value["kind"] == "ModelEndpoint":
        found = target.model.spec.model
        return str(found) if found else None
    return target.model.spec.template.spec.serving.model_name or str(target.model.ref_name)
