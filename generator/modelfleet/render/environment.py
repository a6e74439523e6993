"""Environment variables that modelfleet gives to containers, before the user's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .members import Pod

# Suffix of MODELFLEET_; with MODELPLANE_ before it, the name that declarations of the other dialect use.
_TWIN = "MODELPLANE_"
_OWN = "MODELFLEET_"
_SIDE_CHANNEL_PORT = "5600"  # vLLM's own default, written out so that network policies can name it


def variables(pod: Pod) -> dict[str, str]:
    """Values by suffix. RANK and LEADER_ADDRESS are LeaderWorkerSet's in a gang; DEVICE_COUNT counts what the pod surely claims."""
    gang = pod.workload.gang
    return {
        "SERVED_MODEL_NAME": pod.workload.deployment.model_name,
        "RANK": "$(LWS_WORKER_INDEX)" if gang else "0",
        "LEADER_ADDRESS": "$(LWS_LEADER_ADDRESS)" if gang else "localhost",
        "DEVICE_COUNT": str(pod.device_count),
    }


def environment(container: Mapping[str, Any], values: Mapping[str, str], *, always: bool, more: list[Any]) -> list[Any]:
    """The container's env: ours, then the user's. A name that the user sets is left to the user.

    always: all of ours are given (the engine); else only those that the container's text refers to, like the twins everywhere.
    more: further variables of ours, whole.
    """
    written = list(container.get("env") or ())
    taken = {item.get("name") for item in written if isinstance(item, Mapping)}
    text = "\n".join(_texts(container))
    own = [(f"{_OWN}{suffix}", value, always) for suffix, value in values.items()]
    twins = [(f"{_TWIN}{suffix}", value, False) for suffix, value in values.items()]
    given = [{"name": name, "value": value} for name, value, needed in own + twins if name not in taken and (needed or name in text)]
    return given + [item for item in more if item["name"] not in taken] + written


def transfer(pod: Pod) -> list[Any]:
    """What an engine of a phase needs to hand its cache over: vLLM's NIXL connector listens on localhost unless it is told better."""
    if pod.workload.engine.phase is None:
        return []
    host = {"name": "VLLM_NIXL_SIDE_CHANNEL_HOST", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}
    return [host, {"name": "VLLM_NIXL_SIDE_CHANNEL_PORT", "value": _SIDE_CHANNEL_PORT}]


def _texts(container: Mapping[str, Any]) -> Iterator[str]:
    """What may refer to a variable: command, args, values of env."""
    for key in ("command", "args"):
        yield from (str(item) for item in container.get(key) or ())
    yield from (str(item.get("value", "")) for item in container.get("env") or () if isinstance(item, Mapping))
