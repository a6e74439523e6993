"""What the pods of a deployment get of its ModelCache: the volume, read-only, and for a volume that a Job fills a wait for its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import names
from . import caches
from .members import Pod
from .staging import FOLDER, MARKER

Part = dict[str, Any]

_WAIT = 'until [ -e "$FILE" ]; do sleep 5; done'


def volume(pod: Pod) -> list[Part]:
    """The pod's volume with the model's files; none without a cache."""
    cache = pod.workload.cache
    if cache is None:
        return []
    if cache.oci:
        return [{"name": names.CACHE_VOLUME, "image": {"reference": cache.oci.image}}]
    name = caches.claim_name(_name(pod), cache)
    return [{"name": names.CACHE_VOLUME, "persistentVolumeClaim": {"claimName": name}}]


def mount(pod: Pod, written: Mapping[str, Any]) -> list[Part]:
    """The engine's mount; none without a cache, or where the user mounts something there."""
    cache = pod.workload.cache
    taken = {str(item.get("mountPath", "")).rstrip("/") for item in written.get("volumeMounts") or ()}
    if cache is None or FOLDER in taken:
        return []
    found: Part = {"name": names.CACHE_VOLUME, "mountPath": FOLDER, "readOnly": True}
    if cache.persistent_volume_claim and cache.persistent_volume_claim.sub_path:
        found["subPath"] = cache.persistent_volume_claim.sub_path
    return [found]


def variables(pod: Pod) -> list[Part]:
    """Of a repository of Hugging Face: its libraries find it by name in the volume, and ask nobody for a newer one."""
    cache = pod.workload.cache
    if cache is None or cache.source != "HuggingFace":
        return []
    return [{"name": "HF_HUB_CACHE", "value": FOLDER}, {"name": "HF_HUB_OFFLINE", "value": "1"}]


def pull_secrets(pod: Pod) -> list[Part]:
    """The Secret of a cache that is an image."""
    cache = pod.workload.cache
    return [{"name": cache.oci.pull_secret.name}] if cache and cache.oci and cache.oci.pull_secret else []


def wait(pod: Pod) -> list[Part]:
    """The init container that ends when the files are staged. It runs the engine's image: no other is pulled for it."""
    cache = pod.workload.cache
    if cache is None or not caches.staged(cache):
        return []
    container: Part = {
        "name": names.WAIT_CONTAINER,
        "image": pod.engine["image"],
        "command": ["/bin/sh", "-c", _WAIT],
        "env": [{"name": "FILE", "value": f"{FOLDER}/{MARKER}"}],
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [{"name": names.CACHE_VOLUME, "mountPath": FOLDER, "readOnly": True}],
    }
    if policy := pod.engine.get("imagePullPolicy"):
        container["imagePullPolicy"] = policy
    return [container]


def _name(pod: Pod) -> str:
    reference = pod.workload.deployment.spec.template.spec.model_cache_ref
    return reference.name if reference else ""
