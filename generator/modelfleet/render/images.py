"""Where a cluster gets images from: every image that is printed passes here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..resolve.fleet import Cluster

_HUB = "docker.io"


def rewritten(cluster: Cluster, image: str) -> str:
    """The image by the cluster's rules: the longest prefix that fits the name as written, or in full, is replaced; else as written."""
    best: tuple[int, str] | None = None
    for rule in cluster.spec.images.rewrite:
        for name in dict.fromkeys((image, in_full(image))):
            if _begins(name, rule.from_) and (best is None or len(rule.from_) > best[0]):
                best = (len(rule.from_), rule.to + name[len(rule.from_) :])
    return best[1] if best else image


def in_full(image: str) -> str:
    """The name with its registry: `vllm/vllm-openai` is `docker.io/vllm/vllm-openai`, `busybox` is `docker.io/library/busybox`."""
    first, slash, _ = image.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        return image
    return f"{_HUB}/{image}" if slash else f"{_HUB}/library/{image}"


def pod(cluster: Cluster, spec: Mapping[str, Any]) -> dict[str, Any]:
    """A pod spec whose containers and image volumes have their images from where the cluster says."""
    found = dict(spec)
    if not cluster.spec.images.rewrite:
        return found
    for kind in ("initContainers", "containers"):
        if spec.get(kind):
            found[kind] = [{**c, "image": rewritten(cluster, str(c["image"]))} if "image" in c else c for c in spec[kind]]
    if spec.get("volumes"):
        found["volumes"] = [_volume(cluster, volume) for volume in spec["volumes"]]
    return found


def _volume(cluster: Cluster, volume: Mapping[str, Any]) -> Mapping[str, Any]:
    source = volume.get("image")
    if not isinstance(source, Mapping) or "reference" not in source:
        return volume
    return {**volume, "image": {**source, "reference": rewritten(cluster, str(source["reference"]))}}


def _begins(name: str, prefix: str) -> bool:
    """Whether `prefix` ends where a part of the name ends: `docker.io/vllm` begins no `docker.io/vllm-project`."""
    return name.startswith(prefix) and (prefix.endswith("/") or name[len(prefix) : len(prefix) + 1] in ("", "/", ":", "@"))
