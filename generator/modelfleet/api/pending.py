"""What is accepted and not done by this release, and what of Modelplane's API has no meaning here.

A row is deleted when its field is done. `stops` marks what a deployment cannot do without: to run it all the same would
break what it asks for, so it is held back, placed nowhere and rendered nowhere, until a release that does it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .base import Model

Loc = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A field that is not its default. path: YAML names, `[]` for each item; only: values that count, if not all do."""

    path: str
    text: str
    stops: bool = False
    only: tuple[Any, ...] = ()
    meaningless: bool = False


@dataclass(frozen=True, slots=True)
class Pending:
    """A row that holds for a document. loc: the value, or for a whole kind its `kind`."""

    loc: Loc
    row: Row


_ENGINE = "spec.template.spec.engines.[]"
_REQUEST = f"{_ENGINE}.members.[].nodeSelector"

_WHOLE: dict[str, str] = {
    "AddOn": "add-ons are checked and not installed yet",
    "ConfigMap": "ConfigMaps are checked and not applied yet: bring them to the clusters where models mount them",
    "InferenceGateway": "front doors are checked and not rendered yet: callers use each cluster's own gateway",
    "ModelCache": "caches are checked and not staged yet, so deployments that use one are held back",
    "ModelEndpoint": "outside providers are checked and not routed to yet",
    "ModelService": "services are checked and not routed yet: callers use the host name of each deployment",
}

_ROWS: dict[str, tuple[Row, ...]] = {
    "Fleet": (
        Row("spec.argocd.delivery", "the Applications run the plugin all the same"),
        Row("spec.secrets", "Secrets are not fetched yet; bring them to the clusters"),
        Row("spec.components", "components are not installed yet; bring them to the clusters"),
    ),
    "InferenceCluster": (
        Row("spec.cluster.source", "clusters are not made yet; it must be there, and Argo CD must know it"),
        Row("spec.cluster.existing.secretRef", "Argo CD holds the credentials of its clusters", meaningless=True),
        Row("spec.cluster.existing.identitySecretRef", "Argo CD holds the credentials of its clusters", meaningless=True),
        Row("spec.stack", "gangs are not started yet, by Grove or otherwise"),
        Row("spec.images.rewrite", "images are pulled from where the declarations say"),
        Row("spec.gateway.tls", "the gateway listens in the clear; end TLS before it"),
        Row("spec.components", "components are not installed yet; bring them to the cluster"),
        Row("spec.placement.metadata.labels", "replicas do not carry them yet"),
    ),
    "InferenceGateway": (
        Row("spec.backend", "the front door is Envoy Gateway, which the stack installs", meaningless=True),
        Row("spec.traefik", "the front door is Envoy Gateway, which the stack installs", meaningless=True),
    ),
    "ModelDeployment": (
        Row(f"{_ENGINE}.members.[].role", "gangs of a Leader and Workers are not started yet", stops=True, only=("Leader",)),
        Row(f"{_ENGINE}.alternatives", "alternatives are placed and not rendered yet", stops=True),
        Row(f"{_ENGINE}.scaling", "engines do not scale by themselves yet", stops=True),
        Row(f"{_REQUEST}.devices.[].firstAvailable", "prioritized lists are not claimed yet", stops=True),
        Row(f"{_REQUEST}.constraints", "constraints are not claimed yet", stops=True),
        Row("spec.template.spec.serving.mode", "prefill and decode are not run apart yet", stops=True),
        Row("spec.template.spec.modelCacheRef", "caches are not mounted yet", stops=True),
        Row("spec.template.spec.serving.picker", "requests are spread evenly over the pods", only=("EndpointPicker",)),
        Row("spec.scaling.wake", "nothing sleeps or wakes yet", stops=True),
        Row("spec.scaling.triggers.[].type", "this signal is not measured yet", stops=True, only=("RequestsInFlight",)),
        Row("spec.scaling.schedules", "the floor is minReplicas at all times"),
        Row("spec.scaling.behavior", "scaling is one pod at a time, with time to load"),
        Row("spec.scaling.fallback", "the recorded number holds while the signals cannot be read"),
        Row("spec.rollout", "an update takes one pod of each workload away and adds none before"),
    ),
    "Team": (
        Row("spec.groups", "nobody is given rights on the clusters or in Argo CD yet"),
        Row("spec.kubernetesQuota", "no ResourceQuota is applied yet"),
        Row("spec.egress", "no NetworkPolicy is applied yet"),
    ),
}  # fmt: skip


def pending(kind: str, model: Model) -> list[Pending]:
    """Every row that holds for a document of `kind`."""
    whole = [Pending(("kind",), Row("kind", _WHOLE[kind]))] if kind in _WHOLE else []
    return whole + [Pending(loc, row) for row in _ROWS.get(kind, ()) for loc in _found(model, row.path.split("."), row.only)]


def held_back(spec: Model) -> bool:
    """Whether the spec of a ModelDeployment asks for what it cannot run without and this release does not do."""
    rows = (row for row in _ROWS["ModelDeployment"] if row.stops)
    return any(True for row in rows for _ in _found(spec, row.path.split(".")[1:], row.only))


def _found(value: Any, steps: list[str], only: tuple[Any, ...]) -> Iterator[Loc]:
    """Where `steps` lead to a value that is not its default."""
    step, *rest = steps
    if step == "[]":
        for index, item in enumerate(value):
            for loc in _found(item, rest, only):
                yield (index, *loc)
        return
    model: type[Model] = type(value)
    name, field = next((name, field) for name, field in model.model_fields.items() if (field.alias or name) == step)
    found = getattr(value, name)
    if rest:
        if found is not None:
            for loc in _found(found, rest, only):
                yield (step, *loc)
    elif found in only if only else found != field.get_default(call_default_factory=True):
        yield (step,)
