"""Environment variables that modelfleet gives to containers, before the user's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .workload import Workload

# Suffix of MODELFLEET_; with MODELPLANE_ before it, the name that declarations of the other dialect use.
_TWIN = "MODELPLANE_"
_OWN = "MODELFLEET_"


def variables(workload: Workload) -> dict[str, str]:
    """Values by suffix. RANK and LEADER_ADDRESS are those of an engine of one pod; DEVICE_COUNT counts what the pod claims."""
    return {
        "SERVED_MODEL_NAME": workload.deployment.model_name,
        "RANK": "0",
        "LEADER_ADDRESS": "localhost",
        "DEVICE_COUNT": str(workload.device_count),
    }


def environment(container: Mapping[str, Any], values: Mapping[str, str], *, always: bool) -> list[Any]:
    """The container's env: ours, then the user's. A name that the user sets is left to the user.

    always: all of ours are given (the engine); else only those that the container's text refers to, like the twins everywhere.
    """
    written = list(container.get("env") or ())
    taken = {item.get("name") for item in written if isinstance(item, Mapping)}
    text = "\n".join(_texts(container))
    own = [(f"{_OWN}{suffix}", value, always) for suffix, value in values.items()]
    twins = [(f"{_TWIN}{suffix}", value, False) for suffix, value in values.items()]
    given = [{"name": name, "value": value} for name, value, needed in own + twins if name not in taken and (needed or name in text)]
    return given + written


def _texts(container: Mapping[str, Any]) -> Iterator[str]:
    """What may refer to a variable: command, args, values of env."""
    for key in ("command", "args"):
        yield from (str(item) for item in container.get(key) or ())
    yield from (str(item.get("value", "")) for item in container.get("env") or () if isinstance(item, Mapping))
