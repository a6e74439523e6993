"""What a cluster's Kubernetes knows of what pods may hold: ours adapts to this one table, the user's is checked against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Version = tuple[int, int]
Path = tuple[str | int, ...]

# Path in a pod spec: the first version that has it without a feature gate. `*` is every item or key.
_POD: dict[str, Version] = {
    "resourceClaims": (1, 34),
    "resources": (1, 34),
    "hostUsers": (1, 33),
    "hostnameOverride": (1, 35),
    "securityContext.appArmorProfile": (1, 30),
    "securityContext.supplementalGroupsPolicy": (1, 33),
    "volumes.*.image": (1, 35),
    "initContainers.*.restartPolicy": (1, 29),
}
_CONTAINER: dict[str, Version] = {
    "env.*.valueFrom.fileKeyRef": (1, 35),
    "lifecycle.*.sleep": (1, 30),
    "resources.claims": (1, 34),
    "restartPolicyRules": (1, 35),
    "securityContext.appArmorProfile": (1, 30),
    "volumeMounts.*.recursiveReadOnly": (1, 31),
}
SINCE: dict[str, Version] = {
    **_POD,
    **{f"{kind}.*.{path}": since for kind in ("containers", "initContainers") for path, since in _CONTAINER.items()},
}
SLEEP = SINCE["containers.*.lifecycle.*.sleep"]
SIDECAR = SINCE["initContainers.*.restartPolicy"]
IMAGE_VOLUME = SINCE["volumes.*.image"]


def newer(spec: Mapping[str, Any], version: Version) -> list[tuple[Path, Version]]:
    """What of a pod spec is newer than `version`, with the version that has it: the API server would drop it or refuse the pod."""
    found = []
    for pattern, since in SINCE.items():
        if since > version:
            found += [(path, since) for path in _matches(spec, pattern.split("."))]
    return found


def _matches(value: Any, steps: list[str]) -> Iterator[Path]:
    if not steps:
        yield ()
        return
    step, *rest = steps
    items: Iterator[tuple[str | int, Any]] = iter(())
    if step == "*":
        items = iter(value.items()) if isinstance(value, Mapping) else iter(enumerate(value)) if isinstance(value, list | tuple) else items
    elif isinstance(value, Mapping) and value.get(step) is not None:
        items = iter([(step, value[step])])
    for key, item in items:
        for path in _matches(item, rest):
            yield (key, *path)
