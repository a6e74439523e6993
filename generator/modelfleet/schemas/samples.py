"""A value for every field: the examples of the schemas and of the reference.

A field's value is, in this order: its `Field(examples=[...])`, the table below, its default, the first word of an enum,
a text that its pattern takes. A class whose fields exclude each other gets as many of them as its validators allow.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from pydantic import BaseModel, ValidationError

from ..api import base

Schema = dict[str, Any]

# By class and field. A value of a mapping's key stands at `Class.field{}`.
VALUES: dict[str, Any] = {
    "ArgoCD.repoURL": "https://git.example.com/acme/fleet.git",
    "FleetSpec.generatorVersion": ">=0.1,<1",
    "SecretName.name": "fleet-token",
    "InferenceClassSpec.description": "8 H100 SXM5 80GB, NVLink",
    "Device.name": "gpu",
    "Device.driver": "gpu.nvidia.com",
    "Device.deviceClassName": "gpu.nvidia.com",
    "Device.resourceName": "nvidia.com/gpu",
    "Device.count": 8,
    "Device.attributes{}": "productName",
    "Device.capacity{}": "memory",
    "Attribute.string": "NVIDIA H100 80GB HBM3",
    "Attribute.bool": True,
    "Attribute.int": 9,
    "Capacity.value": "81559Mi",
    "NodeResources.cpu": "190",
    "NodeResources.memory": "1900Gi",
    "NodeResources.ephemeral-storage": "5Ti",
    "NodeCost.perNodeHour": "88.49",
    "NodeCost.spotPerNodeHour": "29.90",
    "Destination.server": "https://kubernetes.default.svc",
    "Location.provider": "gcp",
    "Location.region": "us-east4",
    "Location.zone": "us-east4-a",
    "GatewaySettings.hostname": "gke-us-east4.fleet.example.com",
    "NodePool.name": "h100",
    "NodePool.className": "h100-8x",
    "NodePool.nodeSelector{}": "cloud.google.com/gke-nodepool",
    "NodePool.nodeSelector": "h100",
    "CelSelector.cel": 'device.attributes["gpu.nvidia.com"].productName == "NVIDIA H200"',
    "DeviceRequest.name": "gpu",
    "DeviceRequest.products": "NVIDIA H200",
    "MemoryRange.atLeast": "40Gi",
    "MemoryRange.below": "90Gi",
    "Engine.name": "main",
    "Serving.modelName": "qwen3-8b",
    "ModelDeploymentSpec.replicas": 2,
    "PodTemplate.spec": {"containers": [{"name": "engine", "image": "vllm/vllm-openai:v0.33.0", "args": ["--model=Qwen/Qwen3-8B"]}]},
    "Trigger.target": "4",
    "Trigger.query": "sum(rate(vllm:request_success_total[2m]))",
    "Scaling.maxReplicas": 4,
    "EngineChoice.pool": "h100",
    "EngineChoice.devices{}": "gpu",
    "EngineChoice.devices": "gpu",
    "PlacementEntry.engines{}": "main",
    "PlacementEntry.cluster": "gke-us-east4",
    "PlacementEntry.count": 2,
    "PlacementEntry.minimum": 2,
    "PlacementEntry.maximum": 4,
    "RecordedShortfall.missing": 1,
    "RecordedShortfall.summary": "0/5 clusters can take another: 3 InsufficientDevices, 2 SelectorMismatch",
    "PlacementSpec.wanted": 3,
    "Metadata.annotations{}": "modelfleet.io/remove",
    "Metadata.annotations": "approved",
}


def _pattern(form: Any) -> str:
    return str(form.__metadata__[0].pattern)


_BY_PATTERN = {
    _pattern(base.DnsLabel): "my-name",
    _pattern(base.DnsSubdomain): "my-name",
    _pattern(base.LabelKey): "example.com/tier",
    _pattern(base.LabelValue): "gold",
    _pattern(base.Duration): "30m",
    _pattern(base.Money): "12.50",
}


def classes(model: type[BaseModel], found: dict[str, type[BaseModel]] | None = None) -> dict[str, type[BaseModel]]:
    """`model` and every model that its fields lead to, by class name."""
    found = {} if found is None else found
    found[model.__name__] = model
    for field in model.model_fields.values():
        for inner in _models(field.annotation):
            if found.get(inner.__name__) is not inner:
                classes(inner, found)
    return found


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in getattr(annotation, "__args__", ()) for model in _models(part)]


class Samples:
    """Sample values of one kind's schema; `known` are its classes by name."""

    def __init__(self, schema: Schema, known: dict[str, type[BaseModel]]) -> None:
        self.schema, self.known = schema, known
        self._chosen: dict[str, dict[str, Any]] = {}

    def target(self, part: Schema) -> tuple[str, Schema]:
        """The class name and schema that a `$ref` names, or an empty name and the schema itself."""
        name = part.get("$ref", "").rpartition("/")[2]
        return (name, self.schema["$defs"][name]) if name else ("", part)

    def of(self, owner: str, alias: str, part: Schema) -> Any:
        """The sample of the field `alias` of class `owner`."""
        name, shape = self.target(part)
        if name and "properties" in shape:
            return self.chosen(name, shape)
        own = self._own(owner, alias)
        if shape.get("type") == "array":
            return own if isinstance(own, list) else [own if own is not None else self.of("", alias, shape.get("items", {}))]
        inner = shape.get("additionalProperties")
        if isinstance(own, dict) or inner is None:
            return _scalar(shape) if own is None else own
        key = self._own(owner, alias + "{}") or _BY_PATTERN.get(shape.get("propertyNames", {}).get("pattern", ""), "key")
        value = "text" if inner is True else self.of("", alias, inner)
        return {key: value if own is None else own}

    def _own(self, owner: str, alias: str) -> Any:
        """The table's value of a field, also where a base class declares it."""
        bases = self.known[owner].__mro__ if owner in self.known else ()
        return next((VALUES[f"{cls.__name__}.{alias}"] for cls in bases if f"{cls.__name__}.{alias}" in VALUES), None)

    def chosen(self, name: str, shape: Schema) -> dict[str, Any]:
        """A valid value of a class with as many fields as may stand together."""
        if name not in self._chosen:
            self._chosen[name] = {}  # a class that holds itself ends here
            whole = {alias: self.of(name, alias, part) for alias, part in shape["properties"].items()}
            self._chosen[name] = _largest(self.known[name], whole, shape.get("required", [])) if name in self.known else whole
        return self._chosen[name]


def _largest(model: type[BaseModel], whole: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """`whole` less as few optional fields as `model` asks for, the last first; all of it if nothing helps."""
    optional = [alias for alias in reversed(whole) if alias not in required]
    for size in range(min(len(optional), 4) + 1):
        for dropped in combinations(optional, size):
            rest = {alias: value for alias, value in whole.items() if alias not in dropped}
            if _valid(model, rest):
                return rest
    return whole


def _valid(model: type[BaseModel], value: dict[str, Any]) -> bool:
    try:
        model.model_validate(value)
    except ValidationError:
        return False
    return True


def _scalar(shape: Schema) -> Any:
    for key in ("default", "const"):
        if key in shape:
            return shape[key]
    if shape.get("examples") or shape.get("enum"):
        return (shape.get("examples") or shape["enum"])[0]
    match shape.get("type"):
        case "integer" | "number":
            return shape.get("minimum", 1)
        case "boolean":
            return True
    return _BY_PATTERN.get(shape.get("pattern", ""), "text")
