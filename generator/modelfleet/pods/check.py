"""Pod templates, member by member.

The package's models find unknown fields and wrong types. They take snake_case spellings, any text for a quantity and any
word for an enum, and refuse a quantity that is a number, which the API server takes; all that is decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from .. import codes, names
from ..diagnostics import Diagnostic, Location, Report, nearest
from ..mistakes import explain
from ..resolve.fleet import Fleet
from ..validate import Resource, Resources
from . import fields, shape
from .forms import LABEL

Loc = tuple[str | int, ...]
Part = Mapping[str, Any]

_DEVICE_WORDS = ("gpu", "tpu", "gaudi", "neuron", "mig-", "i915", "npu")


def check_pods(resources: Resources, fleet: Fleet, report: Report) -> None:
    """Every member's template is a pod that the API server would take, and leaves to modelfleet what it owns."""
    owned = _pool_labels(resources)
    extended = {d.resource_name for c in fleet.classes.values() for d in c.devices if d.resource_name}
    for resource in resources.of("ModelDeployment").values():
        for e, engine in enumerate(resource.model.spec.template.spec.engines):
            for m, member in enumerate(engine.members):
                loc = ("spec", "template", "spec", "engines", e, "members", m)
                if member.template.spec:
                    _check_member(resource, member, loc, owned, extended, report)
            report.extend(_alternatives(resource, engine, ("spec", "template", "spec", "engines", e, "alternatives")))


def _check_member(resource: Resource, member: Any, loc: Loc, owned: Mapping[str, Location], extended: set[str], report: Report) -> None:
    at = (*loc, "template", "spec")
    before = len(report.found)
    report.extend(_mistakes(resource, member.template.spec, at, shape.pod_spec()))
    if len(report.found) == before:
        report.extend(_names(resource, member.template.spec, at))
        report.extend(_uses(resource, member.template.spec, at, resource.model.spec.template.spec.model_cache_ref is not None))
        report.extend(_conflicts(resource, member, loc, owned, extended))


def _alternatives(resource: Resource, engine: Any, at: Loc) -> Iterator[Diagnostic]:
    """Variables and images that alternatives say differently, as parts of a pod."""
    for a, alternative in enumerate(engine.alternatives):
        for m, member in enumerate(alternative.members):
            for v, variable in enumerate(member.env):
                written = variable.model_dump(by_alias=True, exclude_none=True)
                yield from _mistakes(resource, written, (*at, a, "members", m, "env", v), shape.variable())


def _mistakes(resource: Resource, part: Part, at: Loc, model: type[BaseModel]) -> Iterator[Diagnostic]:
    """Fields, types, quantities, enums, and the API server's rules on them. model: of the kubernetes package, for `part`."""
    document = resource.document
    found: list[fields.Finding] = []
    plain = shape.walk(part, model, (), found)
    for finding in found:
        yield Diagnostic(finding.code, finding.message, document.locate((*at, *finding.loc), key=finding.key), finding.hint)
    try:
        model.model_validate(plain)
    except ValidationError as error:
        seen = set()
        for mistake in error.errors(include_url=False):
            loc = shape.without_tags(part, mistake["loc"], missing=mistake["type"] == "missing")
            if loc not in seen:
                seen.add(loc)
                told = explain({**mistake, "loc": loc}, model, document, at)
                if told:
                    yield told


def _names(resource: Resource, spec: Part, at: Loc) -> Iterator[Diagnostic]:
    """Names that are used twice, and references to what the pod does not have."""
    seen: dict[tuple[str, str], Loc] = {}
    for kind, loc, name in _named(spec):
        where = resource.at(*at, *loc)
        if not LABEL.holds(name):
            yield Diagnostic(codes.BAD_NAME, f"`{name}` {LABEL.what}", where, LABEL.hint)
        if name.startswith(names.RESERVED):
            message = f"the {kind} `{name}` could be modelfleet's own: names that begin with `{names.RESERVED}` are for what it adds"
            yield Diagnostic(codes.POD_CONFLICT, message, where, "rename yours")
        if (kind, name) in seen:
            first = resource.at(*at, *seen[kind, name])
            message, hint = f"the pod has two {kind}s named `{name}`; first at {first}", "rename or remove one"
            yield Diagnostic(codes.DUPLICATE_ITEM, message, where, hint)
        seen[kind, name] = loc


def _uses(resource: Resource, spec: Part, at: Loc, cached: bool) -> Iterator[Diagnostic]:
    """References to what the pod does not have. cached: the deployment has a ModelCache, so there is a volume with its files."""
    volumes = {item["name"]: item for item in spec.get("volumes") or ()}
    ours = {names.SHARED_MEMORY, *([names.CACHE_VOLUME] if cached else [])}
    claims = {item["name"] for item in spec.get("resourceClaims") or ()} | {names.CLAIM}
    for loc, container in _containers(spec):
        if not container.get("image"):
            message = f"container `{container.get('name')}` needs an image"
            yield Diagnostic(codes.MISSING_FIELD, message, resource.at(*at, *loc), "add `image:`")
        for index, mount in enumerate(container.get("volumeMounts") or ()):
            if mount["name"] not in {*volumes, *ours}:
                where = resource.at(*at, *loc, "volumeMounts", index, "name")
                hint = nearest(mount["name"], volumes) or f"volumes: [{{name: {mount['name']}, emptyDir: {{}}}}]"
                yield Diagnostic(codes.UNKNOWN_VOLUME, f"the pod has no volume named `{mount['name']}`", where, hint)
        for index, device in enumerate(container.get("volumeDevices") or ()):
            if not {"persistentVolumeClaim", "ephemeral"} & set(volumes.get(device["name"], ())):
                message = f"the pod has no volume of a claim named `{device['name']}`"
                where = resource.at(*at, *loc, "volumeDevices", index, "name")
                yield Diagnostic(codes.UNKNOWN_VOLUME, message, where, f"volumes: [{{name: {device['name']}, persistentVolumeClaim: ...}}]")
        for index, claim in enumerate((container.get("resources") or {}).get("claims") or ()):
            if claim["name"] not in claims:
                where = resource.at(*at, *loc, "resources", "claims", index, "name")
                yield Diagnostic(
                    codes.UNKNOWN_REFERENCE, f"the pod has no claim named `{claim['name']}`", where, nearest(claim["name"], claims)
                )


def _named(spec: Part) -> Iterator[tuple[str, Loc, str]]:
    """(kind, place, name) of what has a name of its own in the pod."""
    for loc, container in _containers(spec):
        yield "container", (*loc, "name"), container["name"]
    for kind, field in (("volume", "volumes"), ("claim", "resourceClaims")):
        for index, item in enumerate(spec.get(field) or ()):
            yield kind, (field, index, "name"), item["name"]


def _containers(spec: Part) -> Iterator[tuple[Loc, Part]]:
    for field in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(field) or ()):
            yield (field, index), container


def _conflicts(resource: Resource, member: Any, loc: Loc, owned: Mapping[str, Location], extended: set[str]) -> Iterator[Diagnostic]:
    """What the user wrote and modelfleet owns; each names the other line."""
    at, spec = (*loc, "template", "spec"), member.template.spec
    devices = resource.at(*loc, "nodeSelector")
    for index, claim in enumerate(spec.get("resourceClaims") or ()):
        if claim["name"] == names.CLAIM:
            message = f"the claim `{names.CLAIM}` is made by modelfleet, from the device requests at {devices}"
            yield Diagnostic(codes.POD_CONFLICT, message, resource.at(*at, "resourceClaims", index, "name"), "rename or remove yours")
    for key in spec.get("nodeSelector") or ():
        if key in owned:
            message = f"the node label `{key}` is what pools are told apart by: {owned[key]}"
            yield Diagnostic(
                codes.POD_CONFLICT, message, resource.at(*at, "nodeSelector", key, key=True), "clusterSelector, or nodeSelector.devices"
            )
    if "nodeName" in spec:
        message = f"nodeName binds every pod to one node; the pool is chosen for the device requests at {devices}"
        yield Diagnostic(codes.POD_CONFLICT, message, resource.at(*at, "nodeName", key=True), "remove nodeName")
    yield from _device_limits(resource, member, loc, extended)


def _device_limits(resource: Resource, member: Any, loc: Loc, extended: set[str]) -> Iterator[Diagnostic]:
    """A device as an extended resource beside a device request would be counted twice."""
    if not member.node_selector.devices:
        return
    at = (*loc, "template", "spec")
    request = resource.at(*loc, "nodeSelector", "devices", 0)
    for inner, container in _containers(member.template.spec):
        for kind in ("limits", "requests"):
            for name in (container.get("resources") or {}).get(kind) or {}:
                if name in extended or ("/" in name and any(word in name.rpartition("/")[2] for word in _DEVICE_WORDS)):
                    message = f"`{name}` is asked for a second time; the device request stands at {request}"
                    where = resource.at(*at, *inner, "resources", kind, name, key=True)
                    yield Diagnostic(codes.POD_CONFLICT, message, where, "remove it: modelfleet adds what the request needs")


def _pool_labels(resources: Resources) -> dict[str, Location]:
    """Node labels that pools are told apart by, and the first place of each."""
    found: dict[str, Location] = {}
    for resource in resources.of("InferenceCluster").values():
        for index, pool in enumerate(resource.model.spec.node_pools):
            for key in pool.node_selector or {names.LABEL_POOL: ""}:
                found.setdefault(key, resource.at("spec", "nodePools", index, "nodeSelector"))
    return found
