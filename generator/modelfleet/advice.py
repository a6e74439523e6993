"""What would start and disappoint, or never start: said by `check` from what is declared and recorded, without a network.

Of an engine's arguments only those of vLLM are known, so its rules hold for images that are called vllm; all else holds for every image.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from . import codes, names
from .api.placement import PlacementEntry
from .api.team import TeamSpec
from .checks import pod_security
from .diagnostics import Code, Diagnostic, Report
from .fits import check_fit
from .newer import too_new
from .render import caches
from .render.members import Pod, flag, pods, words
from .render.pod import pod_template
from .render.workload import Workload, workloads
from .resolve.fleet import Deployment, Fleet
from .validate import Resource, Resources
from .vllm import COUNT, Arguments, model_of

Loc = tuple[str | int, ...]

_ENGINES: Loc = ("spec", "template", "spec", "engines")
_SERVED = ("$(MODELFLEET_SERVED_MODEL_NAME)", "$(MODELPLANE_SERVED_MODEL_NAME)")


def check_advice(resources: Resources, fleet: Fleet, report: Report) -> None:
    """Every rule for every deployment: first what its declaration alone shows, then what its record adds."""
    for ref, resource in resources.of("ModelDeployment").items():
        key = (resource.model.metadata.namespace, resource.model.metadata.name)
        report.extend(_declared(resource))
        deployment, record = fleet.deployments.get(key), fleet.placements.get(key)
        if deployment and record and ref in resources.of("Placement"):
            live = [entry for entry in record.replicas if not entry.retiring]
            report.extend(_recorded(resource, deployment, fleet, live))


@dataclass(frozen=True, slots=True)
class _Container:
    """A container as it is written, and where."""

    resource: Resource
    loc: Loc
    container: Mapping[str, Any]

    def says(self, code: Code, message: str, hint: str, *at: str | int) -> Diagnostic:
        return Diagnostic(code, message, self.resource.at(*self.loc, *at), hint)

    @property
    def image(self) -> str:
        return str(self.container.get("image", ""))

    @property
    def vllm(self) -> bool:
        return "vllm" in self.image.rpartition("@")[0].rpartition("/")[2] or "vllm" in self.image.rpartition("/")[2].partition("@")[0]


def _declared(resource: Resource) -> Iterator[Diagnostic]:
    spec = resource.model.spec
    name, taken = spec.template.spec.serving.model_name or resource.model.ref_name, str(spec.template.spec.serving.port)
    for e, engine in enumerate(spec.template.spec.engines):
        for m, member in enumerate(engine.members):
            at = (*_ENGINES, e, "members", m, "template", "spec")
            yield from _containers(resource, member.template.spec, at)
            for c, container in enumerate(member.template.spec.get("containers") or ()):
                if container.get("name") == names.ENGINE_CONTAINER and member.role != "Worker":
                    yield from _vllm(
                        _Container(resource, (*at, "containers", c), container), name, taken if engine.phase == "Decode" else ""
                    )
    yield from _sleep(resource)


def _containers(resource: Resource, pod: Mapping[str, Any], at: Loc) -> Iterator[Diagnostic]:
    """Images that change under a tag."""
    for kind in ("containers", "initContainers"):
        for c, container in enumerate(pod.get(kind) or ()):
            found = _Container(resource, (*at, kind, c), container)
            tag = found.image.rpartition("/")[2].partition("@")[0].partition(":")[2]
            if "@" not in found.image and tag in ("", "latest"):
                what = "has no tag" if not tag else "has the tag latest"
                hint = f"image: {found.image.partition(':latest')[0]}:v1.2.3, or a digest"
                yield found.says(codes.IMAGE_NOT_PINNED, f"`{found.image}` {what}: two pods may run two versions", hint, "image")


def _vllm(engine: _Container, name: str, decodes: str) -> Iterator[Diagnostic]:
    """What vLLM needs to be told to drain, to answer to its name, and to leave the serving port (decodes) to the sidecar before it."""
    if not engine.vllm:
        return
    found = words(engine.container)
    where = "args" if engine.container.get("args") else "command" if engine.container.get("command") else "image"
    if flag(found, "--shutdown-timeout") is None:
        message = "without --shutdown-timeout vLLM aborts the requests under way when a pod stops"
        yield engine.says(codes.NO_DRAIN, message, "--shutdown-timeout=120, below serving.terminationGracePeriod", where)
    if decodes and flag(found, "--port") in (None, decodes):
        message = "the engine that decodes listens on the port that its routing sidecar takes"
        yield engine.says(codes.DECODE_PORT, message, "--port=8001", where)
    served = _served(found) or [model for model in (model_of(engine.container),) if model]
    if not {name, *_SERVED} & set(served):
        what = f"answers to `{served[0]}`" if served else "answers to the path of its weights"
        message = f"the engine {what}, and callers and scalers ask for `{name}`"
        yield engine.says(codes.SERVED_NAME_NOT_PASSED, message, f"--served-model-name={_SERVED[0]}", where)


def _served(found: list[str]) -> list[str]:
    """The names that follow --served-model-name, which takes several."""
    for index, word in enumerate(found):
        name, equals, value = word.partition("=")
        if name == "--served-model-name":
            rest = [value] if equals else []
            for more in found[index + 1 :]:
                if more.startswith("-"):
                    break
                rest.append(more)
            return rest
    return []


def _sleep(resource: Resource) -> Iterator[Diagnostic]:
    scaling, serving = resource.model.spec.scaling, resource.model.spec.template.spec.serving
    if scaling is None or scaling.wake != "OnRequest":
        return
    where = resource.at("spec", "scaling", "wake")
    message = f"until the first replica is loaded (startupTimeout {serving.startup_timeout}) callers get the next tier, or 503"
    yield Diagnostic(codes.COLD_START, message, where, "minReplicas: 1 keeps one loaded")
    if serving.picks:
        message = "a gateway that routes to a pool counts no request that finds no pod, so nothing would wake the model"
        yield Diagnostic(codes.WAKE_UNSEEN, message, where, "picker: None, or minReplicas: 1")


def _recorded(resource: Resource, deployment: Deployment, fleet: Fleet, live: list[PlacementEntry]) -> Iterator[Diagnostic]:
    from .place.plan import Plan

    planned = Plan({deployment.key: fleet.placements[deployment.key]}, {})
    found: dict[str, tuple[Workload, tuple[Pod, ...]]] = {}
    for cluster in sorted({entry.cluster for entry in live} & fleet.clusters.keys()):
        try:
            here = workloads(fleet, planned, fleet.clusters[cluster], deployment.key)
            found |= {f"{cluster}/{one.name}": (one, pods(one)) for one in here}
        except KeyError:
            return  # StillRecorded or UnknownCache say it
    owner = fleet.team_of(deployment.namespace)
    alike = set()  # what a class of hardware does not hold is said once, not for each of its clusters
    for workload, members in found.values():
        if owner:
            yield from _pod_security(resource, workload, members, *owner)
        yield from _cluster(resource, workload, members)
        same = (workload.engine.name, workload.pool.class_name, workload.choice.alternative, tuple(sorted(workload.choice.devices.items())))
        if same not in alike:
            yield from _parallel(resource, workload, members)
        alike.add(same)
    yield from _update(resource, [workload for workload, _ in found.values() if not workload.retiring])


def _cluster(resource: Resource, workload: Workload, members: tuple[Pod, ...]) -> Iterator[Diagnostic]:
    """What the cluster does not have that the pods need."""
    cluster, where = workload.cluster, resource.at("metadata", "name")
    yield from too_new(resource, workload, members)
    if workload.cache and caches.staged(workload.cache) and not cluster.spec.cache_storage_class:
        message = f"cluster {cluster.name} names no storage for caches, and its default may not be mountable by many nodes"
        yield Diagnostic(codes.NO_CACHE_STORAGE, message, where, "cache: {storageClassName: ...} in the cluster's file")
    if workload.serving.picks and not cluster.spec.gateway.inference_pools:
        code = codes.NO_PICKER if workload.serving.mode == "Unified" else codes.NO_PHASES
        message = f"the gateway of cluster {cluster.name} routes to no InferencePool"
        yield Diagnostic(code, message, where, "gateway: {inferencePools: true} where its gateway can, or another clusterSelector")


def _pod_security(resource: Resource, workload: Workload, members: tuple[Pod, ...], team: str, spec: TeamSpec) -> Iterator[Diagnostic]:
    """What the team's level refuses of the pods as they are rendered, and of the Job that stages their files."""
    at = resource.at(*_ENGINES, workload.deployment.engines.index(workload.engine), "name")
    rendered = [(f"engine `{workload.engine.name}`", pod_template(pod)["spec"]) for pod in members]
    if workload.cache and caches.staged(workload.cache) and (reference := workload.deployment.spec.template.spec.model_cache_ref):
        job = caches.job(workload.namespace, reference.name, workload.cache, workload.cluster, workload.removal)
        rendered.append((f"the Job that stages cache `{reference.name}`", job["spec"]["template"]["spec"]))
    for what, pod in rendered:
        if found := pod_security.refused(pod, spec.pod_security):
            shown = ", ".join(found[:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else "")
            message = f"{what} has {shown}, which level {spec.pod_security} of team `{team}` refuses"
            wider = "Privileged" if spec.pod_security == "Baseline" else "Baseline"
            yield Diagnostic(codes.POD_SECURITY, message, at, f"podSecurity: {wider} in the Team")


def _parallel(resource: Resource, workload: Workload, members: tuple[Pod, ...]) -> Iterator[Diagnostic]:
    """Tensor times pipeline times data parallel size is the number of devices that a copy has; and the model fits these."""
    front = members[0]
    if not _Container(resource, (), front.engine).vllm:
        return
    where = resource.at(*_ENGINES, workload.deployment.engines.index(workload.engine), "name")
    split = Arguments.of(front).split
    needed, has = split.devices, sum(pod.device_count * pod.member.pods for pod in members)
    idle = needed < has and not workload.gang and front.most_devices == front.device_count
    if split.tensor > front.device_count or needed > has or idle:
        product = f"tensor {split.tensor} x pipeline {split.pipeline} x data {split.data}"
        message = f"engine `{workload.engine.name}` runs on {needed} devices ({product}) and claims {has}"
        yield Diagnostic(codes.PARALLEL_SIZE, message, where, f"--tensor-parallel-size={COUNT[0]}")
    else:
        yield from check_fit(workload, members, where)


def _update(resource: Resource, found: list[Workload]) -> Iterator[Diagnostic]:
    """A warning where every share has as many pods as an update may take away at once: then nothing serves meanwhile."""
    rollout = resource.model.spec.rollout
    if not found or resource.model.spec.suspend or rollout.max_surge:
        return
    by_engine: dict[str, list[Workload]] = {}
    for workload in found:
        by_engine.setdefault(workload.engine.name, []).append(workload)
    for name, shares in sorted(by_engine.items()):
        if all(share.count <= rollout.max_unavailable for share in shares):
            message = f"an update stops all of engine `{name}` at once: each share has as many pods as may be unavailable"
            yield Diagnostic(codes.UPDATE_STOPS_MODEL, message, resource.at("metadata", "name"), "more replicas, or rollout: {maxSurge: 1}")
            return
