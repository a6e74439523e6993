"""What a pod takes from its node: devices of each group, and CPU, memory and local storage where both sides count them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from ..api.hardware import InferenceClassSpec
from ..api.quantity import Quantity

# (kind, amount), sorted. A kind is a device group of the class, or one of RESOURCES, whose names no group can have.
Demand = tuple[tuple[str, int], ...]

CPU, MEMORY, STORAGE = "node/cpu", "node/memory", "node/ephemeral-storage"
RESOURCES = {"cpu": CPU, "memory": MEMORY, "ephemeral-storage": STORAGE}
# Amounts are whole: thousandths of a core, mebibytes.
_UNIT_NANO = {CPU: 10**6, MEMORY: 2**20 * 10**9, STORAGE: 2**20 * 10**9}


def is_device(kind: str) -> bool:
    """Whether a kind of a demand is a device group."""
    return "/" not in kind


def counted(kind: str, *amounts: int) -> str:
    """Amounts of a kind with their units, one `of` the other: `5 of 8 gpu`, `8 of 7 cpu`, `40Gi of 26Gi memory`."""
    return f"{' of '.join(quantity(kind, amount) for amount in amounts)} {kind.removeprefix('node/')}"


def quantity(kind: str, amount: int) -> str:
    """An amount of a kind as Kubernetes writes it."""
    if kind == CPU:
        return f"{amount}m" if amount % 1000 else str(amount // 1000)
    if kind in (MEMORY, STORAGE):
        return f"{amount}Mi" if amount % 1024 else f"{amount // 1024}Gi"
    return str(amount)


@lru_cache(maxsize=4096)
def devices(demand: Demand) -> int:
    """Devices that a pod takes, of all groups together."""
    return sum(amount for kind, amount in demand if is_device(kind))


def capacity(hardware: InferenceClassSpec, reserved: Mapping[str, int]) -> dict[str, int]:
    """What a node of `hardware` gives, less what is `reserved` on each; synthetic devices are matched and never taken."""
    found = {d.name: max(0, d.count - reserved.get(d.name, 0)) for d in hardware.devices if d.claim != "Synthetic"}
    given = (hardware.resources.cpu, hardware.resources.memory, hardware.resources.ephemeral_storage)
    for kind, text in zip((CPU, MEMORY, STORAGE), given, strict=True):
        if text is not None:
            found[kind] = Quantity.parse(text).nano // _UNIT_NANO[kind]
    return found


def requests(pod: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    """What the scheduler counts a pod spec as: containers and sidecars together, or the largest init container.

    A container without a request takes its limit for one, as in Kubernetes.
    """
    init = [c for c in _containers(pod, "initContainers")]
    running = [*_containers(pod, "containers"), *(c for c in init if c.get("restartPolicy") == "Always")]
    total = _sum(running)
    for container in init:
        if container.get("restartPolicy") != "Always":
            for kind, amount in _of(container).items():
                total[kind] = max(total.get(kind, 0), amount)
    return tuple(sorted((kind, amount) for kind, amount in total.items() if amount))


def _containers(pod: Mapping[str, Any], field: str) -> list[Mapping[str, Any]]:
    found = pod.get(field)
    return [c for c in found if isinstance(c, dict)] if isinstance(found, list) else []


def _sum(containers: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for container in containers:
        for kind, amount in _of(container).items():
            total[kind] = total.get(kind, 0) + amount
    return total


def _of(container: Mapping[str, Any]) -> dict[str, int]:
    resources = container.get("resources")
    if not isinstance(resources, dict):
        return {}
    asked = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return {RESOURCES[name]: _units(RESOURCES[name], value) for name, value in asked.items() if name in RESOURCES}


def _units(kind: str, value: Any) -> int:
    """The amount, rounded up. What is no quantity is refused elsewhere and counts nothing here."""
    try:
        return -(-Quantity.parse(str(value)).nano // _UNIT_NANO[kind])
    except ValueError:
        return 0
