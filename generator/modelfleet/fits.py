"""Whether a model fits the devices that its engines were matched with, reckoned from declared numbers alone: see `sizing`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from . import codes
from .api.model_size import ModelSize
from .catalog import model_size
from .diagnostics import Diagnostic, Location
from .place.match import memory_of
from .render.members import Pod
from .render.workload import Workload
from .sizing import (
    LEAST_OVERHEAD,
    Split,
    cache_of_token,
    gib,
    splits_heads,
    tokens_that_fit,
    usable,
    weights_on_device,
)
from .vllm import COUNT, Arguments, model_of

_ROUND = 1024


@dataclass(frozen=True, slots=True)
class _Case:
    """A model, what its engine is told, and the smallest device that one of its pods may be given."""

    workload: Workload
    arguments: Arguments
    size: ModelSize
    memory: int
    group: int

    @property
    def split(self) -> Split:
        return self.arguments.split

    @property
    def tokens(self) -> int | None:
        """Longest request that is asked for; None if it may be as short as fits."""
        length = self.arguments.length
        return (self.size.context_length if length is None else length) or None


def check_fit(workload: Workload, members: Iterable[Pod], where: Location) -> Iterator[Diagnostic]:
    """ModelDoesNotFit, TensorSplit, ContextTooLong. Of models whose size is neither declared nor known nothing is said."""
    pods = tuple(members)
    front = pods[0]
    arguments = Arguments.of(front)
    size = _size(workload, arguments)
    if size is None:
        return
    name = workload.engine.name
    if not splits_heads(size, arguments.split.tensor):
        message = f"engine `{name}` splits {_heads(size)} over {arguments.split.tensor} devices, which does not come out even"
        fitting = [n for n in range(1, front.device_count + 1) if splits_heads(size, n)]
        yield Diagnostic(codes.TENSOR_SPLIT, message, where, f"--tensor-parallel-size={fitting[-1] if fitting else 1}")
    longest, length = size.context_length, arguments.length
    if longest and length and length > longest and not arguments.stretches:
        message = f"engine `{name}` is told a context of {length} tokens, and the model's own is {longest}"
        yield Diagnostic(codes.CONTEXT_TOO_LONG, message, where, f"--max-model-len={longest}")
    devices = [
        (memory, device.count) for pod in pods for grant in pod.grants for _, device in grant.options
        if device.claim != "Synthetic" and (memory := memory_of(device))
    ]  # fmt: skip
    if devices:
        yield from _memory(_Case(workload, arguments, size, *min(devices)), where)


def _size(workload: Workload, arguments: Arguments) -> ModelSize | None:
    """The declared size; else that of the well-known checkpoint that is served, unless it is loaded otherwise than it lies there."""
    declared: ModelSize | None = workload.serving.size
    if declared or arguments.quantizes:
        return declared
    cache = workload.cache
    staged = cache.hugging_face.repo if cache and cache.hugging_face else ""
    return model_size(model_of(arguments.pod.engine)) or model_size(staged)


def _memory(case: _Case, where: Location) -> Iterator[Diagnostic]:
    """A warning unless the weights, one request of the longest context and the least overhead fit a device."""
    weights = weights_on_device(case.size, case.split)
    each = cache_of_token(case.size, case.split, case.arguments.value_bytes)
    request = (each or 0) * (case.tokens or 0)
    has = usable(case.memory, case.arguments.utilization)
    needs = weights + request + LEAST_OVERHEAD
    if needs <= has:
        return
    pool = f"pool {case.workload.pool.name} of cluster {case.workload.cluster.name}"
    message = f"engine `{case.workload.engine.name}` needs {gib(needs)} of each device; {pool} has {gib(case.memory)}, {gib(has)} to use"
    share = f" (1/{case.split.devices} of {gib(case.size.weight_bytes)})" if case.split.devices > 1 else ""
    parts = [f"{gib(weights)} of weights{share}", f"{gib(LEAST_OVERHEAD)} besides, at least"]
    if request:
        parts.insert(1, f"{gib(request)} for one request of {case.tokens} tokens ({each} bytes each)")
    yield Diagnostic(codes.MODEL_DOES_NOT_FIT, message, where, _remedy(case, has - weights - LEAST_OVERHEAD, each), tuple(parts))


def _remedy(case: _Case, left: int, each: int | None) -> str:
    """A shorter context, else more devices of the node, else others."""
    length = (left // each if each and left > 0 else 0) // _ROUND * _ROUND
    if length:
        return f"--max-model-len={length}, or more devices"
    for tensor in range(case.split.tensor + 1, case.group + 1):
        more = Split(tensor, case.split.pipeline, case.split.data)
        enough = tokens_that_fit(case.size, case.memory, more, LEAST_OVERHEAD)
        if splits_heads(case.size, tensor) and (enough is None or enough >= _ROUND):
            return f"count: {tensor}, and --tensor-parallel-size={COUNT[0]}"
    return "devices with more memory, a gang of nodes, or a checkpoint of smaller weights"


def _heads(size: ModelSize) -> str:
    kept = f" and {size.key_value_heads} key-value heads" if size.key_value_heads else ""
    return f"{size.attention_heads or '?'} attention heads{kept}"
