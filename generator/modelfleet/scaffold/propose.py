"""Which hardware of a fleet holds a model, and with how many devices: the smallest that does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..api.hardware import Device, InferenceClassSpec
from ..api.model_size import ModelSize
from ..api.quantity import Quantity
from ..place.match import memory_of
from ..resolve.fleet import Fleet
from ..sizing import GIB, SAFE_OVERHEAD, Split, gib, splits_heads, tokens_that_fit, usable, weights_on_device

LEAST_CONTEXT = 8192
_MOST_NODES = 4
_ALIKE = 1.25  # devices with at most so much more memory serve as well as the smallest


@dataclass(frozen=True, slots=True)
class Candidate:
    """A class that holds the model. tokens: of context for all requests together, None if unknown. price: of what is claimed."""

    class_name: str
    hardware: InferenceClassSpec
    device: Device
    memory: int
    split: Split
    tokens: int | None
    price: float | None

    @property
    def rank(self) -> tuple[int, int, str]:
        return (self.split.pipeline, self.split.devices * self.memory, self.class_name)

    @property
    def product(self) -> str:
        found = self.device.attributes.get("productName")
        return (found.string or "") if found else ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """The candidates that a deployment asks for alike, best first; length: --max-model-len, None if it is not to be said."""

    candidates: tuple[Candidate, ...]
    length: int | None

    @property
    def best(self) -> Candidate:
        return self.candidates[0]

    @property
    def tokens(self) -> int | None:
        known = [candidate.tokens for candidate in self.candidates if candidate.tokens is not None]
        return min(known) if known else None


def propose(fleet: Fleet, size: ModelSize, context: int | None, namespace: str = "") -> Proposal | None:
    """The cheapest devices that hold the model and one request of `context` tokens; by memory where a price is not known. None if the
    fleet's pools (its classes, while it has no pools) hold it nowhere, or none that the namespace's team may use."""
    least = context or min(LEAST_CONTEXT, size.context_length or LEAST_CONTEXT)
    found = [each for name, hardware, nodes in _hardware(fleet, namespace) for each in _candidates(name, hardware, nodes, size, least)]
    if not found:
        return None
    fewest = min(each.split.pipeline for each in found)
    found = [each for each in found if each.split.pipeline == fewest]
    priced = all(each.price is not None for each in found)
    found.sort(key=lambda each: (each.price or 0.0 if priced else 0.0, each.rank))
    best = found[0]
    alike = tuple(e for e in found if e.split == best.split and best.memory <= e.memory <= _ALIKE * best.memory and bool(e.product))
    proposal = Proposal(alike if best.product else (best,), None)
    return Proposal(proposal.candidates, context or _length(size, proposal.tokens))


def needs(size: ModelSize, context: int | None) -> str:
    """What the model takes, in words."""
    shown = f"{gib(size.weight_bytes)} of weights and {gib(SAFE_OVERHEAD)} on each device"
    return f"{shown}, and a context of {context or LEAST_CONTEXT} tokens"


def _hardware(fleet: Fleet, namespace: str) -> Iterable[tuple[str, InferenceClassSpec, int]]:
    """Classes that the namespace may use, with the nodes of the largest pool that has them."""
    team = fleet.team_of(namespace)
    allowed = team[1].classes if team else None
    pools: dict[str, int] = {}
    for cluster in fleet.clusters.values():
        for pool in cluster.pools:
            pools[pool.class_name] = max(pools.get(pool.class_name, 0), pool.nodes + pool.more_nodes)
    return [
        (name, fleet.classes[name], pools.get(name, 1)) for name in sorted(pools or fleet.classes) if allowed is None or name in allowed
    ]


def _candidates(name: str, hardware: InferenceClassSpec, nodes: int, size: ModelSize, least: int) -> Iterable[Candidate]:
    """For each device group the smallest split that holds the model, over several nodes where one is too small."""
    for device in hardware.devices:
        memory = memory_of(device)
        if device.claim == "Synthetic" or not memory:
            continue
        even = [tensor for tensor in range(1, device.count + 1) if splits_heads(size, tensor) and tensor & (tensor - 1) == 0]
        splits = [Split(tensor) for tensor in even]
        splits += [Split(even[-1], pipeline) for pipeline in range(2, min(nodes, _MOST_NODES) + 1) if even]
        for split in splits:
            tokens = tokens_that_fit(size, memory, split)
            if tokens is None or tokens >= least:
                yield Candidate(name, hardware, device, memory, split, tokens, _price(hardware, device, split))
                break


def _price(hardware: InferenceClassSpec, device: Device, split: Split) -> float | None:
    said = hardware.cost.per_node_hour
    return float(said) * split.devices / device.count if said is not None else None


def _length(size: ModelSize, tokens: int | None) -> int | None:
    """The model's own context where it fits, else the largest power of two that does."""
    if tokens is None:
        return None
    own = size.context_length
    return own if own and own <= tokens else 1 << (tokens.bit_length() - 1)


def requests(proposal: Proposal, size: ModelSize) -> dict[str, str]:
    """CPU and memory that a pod asks for: what loading takes, and no more than its devices' share of the smallest node."""
    devices, nodes = proposal.best.split.tensor, proposal.best.split.pipeline
    cpu, memory = 4 * devices, -(-size.weight_bytes * 12 // (10 * nodes * GIB)) + 8
    for each in proposal.candidates:
        has = each.hardware.resources
        if has.cpu:
            cpu = min(cpu, Quantity.parse(has.cpu).nano * devices // (each.device.count * 10**9))
        if has.memory:
            memory = min(memory, Quantity.parse(has.memory).nano * devices // (each.device.count * 10**9 * GIB))
    return {"cpu": str(max(cpu, 1)), "memory": f"{max(memory, 1)}Gi"}


def free(size: ModelSize, candidate: Candidate) -> str:
    """Memory of a device that is left for the context."""
    return gib(max(usable(candidate.memory) - weights_on_device(size, candidate.split) - SAFE_OVERHEAD, 0))
