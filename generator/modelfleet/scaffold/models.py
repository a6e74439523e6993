"""What the model teams declare: deployments, services, caches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..api.model_size import ModelSize
from ..sizing import gib
from .propose import Proposal, free, requests
from .text import File, flow, head, lines, q, texts

IMAGE = "vllm/vllm-openai:v0.33.0"
_MOUNT = "/mnt/models"


@dataclass(frozen=True, slots=True)
class DeploymentFlags:
    """A deployment. declared: whether its size is written into it; cache: the ModelCache that holds it, if one does."""

    model: str
    name: str
    namespace: str
    replicas: int
    image: str
    size: ModelSize
    declared: bool
    cache: str = ""


def deployment(flags: DeploymentFlags, proposal: Proposal) -> File:
    """A deployment that fits the proposal's devices, with what was reckoned beside it."""
    gang = proposal.best.split.pipeline > 1
    text = lines(
        f"# {flags.model}: {gib(flags.size.weight_bytes)} of weights.",
        head("ModelDeployment", flags.name, flags.namespace),
        f"  replicas: {flags.replicas}",
        "  template:",
        "    spec:",
        f"      modelCacheRef: {{name: {q(flags.cache)}}}" if flags.cache else "",
        _size(flags),
        "      engines:",
        "      - name: main",
        "        members:",
        "        - role: Leader" if gang else "",
        f"        {'  ' if gang else '- '}nodeSelector:",
        _devices(flags, proposal),
        "          template:",
        "            spec:",
        "              containers:",
        "              - name: engine",
        f"                image: {q(flags.image)}",
        "                args:",
        [f"                - {arg}" for arg in _arguments(flags, proposal)],
        "                resources:",
        f"                  requests: {flow({key: q(value) for key, value in requests(proposal, flags.size).items()})}",
        _worker(flags, proposal) if gang else [],
    )
    path = f"models/{flags.namespace}/{flags.name}.yaml"
    return File(path, text, (f"modelfleet place {flags.namespace}/{flags.name}", "modelfleet check"))


def _size(flags: DeploymentFlags) -> list[str]:
    if not flags.declared:
        return []
    fields = flags.size.model_dump(by_alias=True, exclude_unset=True)
    shown = flow({name: q(value) if isinstance(value, str) else str(value) for name, value in fields.items()})
    return ["      serving:", f"        size: {shown}    # from the model's config.json"]


def _devices(flags: DeploymentFlags, proposal: Proposal) -> list[str]:
    best = proposal.best
    count = f"count: {best.split.tensor}, " if best.split.tensor > 1 else ""
    products = list(dict.fromkeys(candidate.product for candidate in proposal.candidates if candidate.product))
    asks = f"products: {texts(products)}" if products else f"memory: {{atLeast: {best.memory // 1024**3}Gi}}"
    has = f"{gib(best.memory)} each, {free(flags.size, best)} of it for context"
    return ["            devices:", f"            - {{name: gpu, {count}{asks}}}    # {has}"]


def _arguments(flags: DeploymentFlags, proposal: Proposal) -> list[str]:
    split, length, tokens = proposal.best.split, proposal.length, proposal.tokens
    found = [q(f"--model={_MOUNT if flags.cache else flags.model}"), "--served-model-name=$(MODELFLEET_SERVED_MODEL_NAME)"]
    if split.tensor > 1:
        found.append(f"--tensor-parallel-size=$(MODELFLEET_DEVICE_COUNT)    # {split.tensor}: the devices of a pod")
    if split.pipeline > 1:
        found += [
            f"--pipeline-parallel-size={split.pipeline}",
            f"--nnodes={split.pipeline}",
            "--node-rank=$(MODELFLEET_RANK)",
            "--master-addr=$(MODELFLEET_LEADER_ADDRESS)",
        ]
    if length:
        room = f"    # there is room for about {tokens // 1000 * 1000} tokens, all requests together" if tokens else ""
        found.append(f"--max-model-len={length}{room}")
    return [*found, "--shutdown-timeout=120    # finish what is running before the pod stops"]


def _worker(flags: DeploymentFlags, proposal: Proposal) -> list[str]:
    """The gang's other pods: the Leader's template without an API server."""
    return [
        "        - role: Worker                # one pod on each further node; its template is the Leader's",
        f"          worker: {{nodes: {proposal.best.split.pipeline - 1}}}",
        "          extraArgs: [--headless]",
        "          nodeSelector:",
        *_devices(flags, proposal),
    ]


def service(name: str, namespace: str, deployments: Sequence[str], endpoints: Sequence[str]) -> File:
    """A service whose targets take equal shares; outside providers are its second tier."""
    tier, when = (", priority: 1", "    # takes over when nothing above answers") if deployments else ("", "")
    text = lines(
        head("ModelService", name, namespace),
        "  endpoints:",
        [f"  - {{deployment: {q(target)}, weight: 1}}    # its share, whatever the number of replicas" for target in deployments],
        [f"  - {{endpoint: {q(target)}{tier}}}{when}" for target in endpoints],
        "  # timeouts: {request: 10m}  # answers are streams: no limit without it",
    )
    return File(f"models/{namespace}/service-{name}.yaml", text, ("modelfleet endpoints",))


def cache(name: str, namespace: str, source: str, fields: Mapping[str, str]) -> File:
    """fields: those of the source's block, as YAML."""
    block = {"HuggingFace": "huggingFace", "S3": "s3", "GCS": "gcs", "OCI": "oci", "PersistentVolumeClaim": "persistentVolumeClaim"}[source]
    text = lines(
        head("ModelCache", name, namespace),
        f"  source: {source}",
        f"  {block}: {flow(fields)}",
        "  # clusterSelector: {matchLabels: {...}}  # deployments that use it go only there; everywhere without it",
    )
    next_ = f"modelfleet new deployment MODEL --namespace {namespace} --cache {name}"
    return File(f"models/{namespace}/cache-{name}.yaml", text, (next_,))
