"""ModelCaches: the claim that holds a model's files, the Job that stages them, and what pods that use them get.

A claim is named after its content: another repository, revision or bucket is another claim with a Job of its own, and pods that run
keep theirs. The size is no part of the name, so a volume can grow. Pods wait for the marker that the Job writes last.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import names
from ..resolve.fleet import Cluster
from . import defaults, images, sync
from .metadata import metadata
from .staging import FOLDER, IMAGE, MARKER, PROGRAMS
from .unit import Manifest

if TYPE_CHECKING:  # the plugin pays for kinds that a unit has
    from ..api.cache import ModelCacheSpec

Part = dict[str, Any]

_ATTEMPTS = 3  # after the first; each goes on where the last one stopped
_DEADLINE_SECONDS = 24 * 3600
_GPU_TAINT: Part = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
# Storage that was never mounted before belongs to root, and most network file systems ignore fsGroup.
_SECURITY: Part = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"add": ["DAC_OVERRIDE"], "drop": ["ALL"]},
    "runAsNonRoot": False,
    "runAsUser": 0,
}
# What makes a content; all else (size, secrets) may change without another copy.
_CONTENT: Mapping[str, tuple[str, ...]] = {
    "HuggingFace": ("repo", "revision"),
    "S3": ("bucket", "prefix", "endpoint"),
    "GCS": ("bucket", "prefix"),
}


def staged(cache: ModelCacheSpec) -> bool:
    """Whether a Job fills a volume of ours; an image and a claim of someone else's are there already."""
    return cache.source in PROGRAMS


def claim_name(name: str, cache: ModelCacheSpec) -> str:
    """The PersistentVolumeClaim that pods mount."""
    if cache.persistent_volume_claim:
        return cache.persistent_volume_claim.claim_name
    source = _source(cache)
    return names.cache_claim(name, json.dumps([cache.source, *(getattr(source, field) for field in _CONTENT[cache.source])]))


def claim(namespace: str, name: str, cache: ModelCacheSpec, cluster: Cluster, removal: sync.Removal, *, retiring: bool) -> Manifest:
    """The volume of a staged cache, which many nodes mount at once."""
    spec: Part = {
        "accessModes": ["ReadWriteMany"],
        "resources": defaults.resources({"requests": {"storage": f"{_source(cache).size_gib}Gi"}}),
        "volumeMode": "Filesystem",
    }
    if cluster.spec.cache_storage_class:
        spec["storageClassName"] = cluster.spec.cache_storage_class
    notes = sync.annotations_of("PersistentVolumeClaim", removal, retiring=retiring, hashed=True)
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata(claim_name(name, cache), namespace, labels=_labels(name, cluster), annotations=notes),
        "spec": spec,
    }


def job(namespace: str, name: str, cache: ModelCacheSpec, cluster: Cluster, removal: sync.Removal) -> Manifest:
    """The Job that fills the claim once. It is never repeated: a Job that vanished by itself would be started again by Argo CD."""
    spec = {
        "activeDeadlineSeconds": _DEADLINE_SECONDS,
        "backoffLimit": _ATTEMPTS,
        "completionMode": "NonIndexed",
        "completions": 1,
        "parallelism": 1,
        "podReplacementPolicy": "TerminatingOrFailed",
        "suspend": False,
        "template": {"metadata": {"labels": _labels(name, cluster)}, "spec": _job_pod(name, cache, cluster)},
    }
    own = names.staging_job(claim_name(name, cache), json.dumps(spec, sort_keys=True, ensure_ascii=False))
    notes = sync.annotations_of("Job", removal)
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata(own, namespace, labels=_labels(name, cluster), annotations=notes),
        "spec": spec,
    }


def prerequisites(namespace: str, cache: ModelCacheSpec) -> list[str]:
    """`secret search/hf-token, key HF_TOKEN` for each Secret that must be there; no value of one is ever read."""
    return [f"secret {namespace}/{name}, key {key}" for name, key in secrets(cache)]


def secrets(cache: ModelCacheSpec) -> list[tuple[str, str]]:
    """(Secret, key) of each that the cache's source is read with."""
    source = _source(cache)
    secret = getattr(source, "auth_secret", None) or getattr(source, "pull_secret", None)
    keys = {"HuggingFace": [getattr(secret, "key", "")], "S3": ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"], "GCS": ["key.json"]}
    return [(secret.name, key) for key in keys.get(cache.source, [".dockerconfigjson"])] if secret else []


def _source(cache: ModelCacheSpec) -> Any:
    """The block of the cache's source."""
    return cache.hugging_face or cache.s3 or cache.gcs or cache.oci or cache.persistent_volume_claim


def _labels(name: str, cluster: Cluster) -> dict[str, str]:
    return {names.LABEL_MANAGED_BY: names.MANAGED_BY, names.LABEL_CACHE: name, names.LABEL_CLUSTER: cluster.name}


def _job_pod(name: str, cache: ModelCacheSpec, cluster: Cluster) -> Part:
    container: Part = {
        "name": "stage",
        "image": IMAGE,
        "command": ["python3", "-c", PROGRAMS[cache.source]],
        "env": _parameters(cache),
        "resources": {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"memory": "8Gi"}},
        "securityContext": _SECURITY,
        "volumeMounts": [{"name": names.CACHE_VOLUME, "mountPath": FOLDER}],
    }
    volumes: list[Part] = [{"name": names.CACHE_VOLUME, "persistentVolumeClaim": {"claimName": claim_name(name, cache)}}]
    if cache.gcs and cache.gcs.auth_secret:
        volumes.append({"name": "credentials", "secret": {"secretName": cache.gcs.auth_secret.name}})
        container["volumeMounts"].append({"name": "credentials", "mountPath": "/var/run/credentials", "readOnly": True})
    spec: Part = {
        "automountServiceAccountToken": False,
        "containers": [container],
        "enableServiceLinks": False,
        "restartPolicy": "Never",
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "tolerations": [_GPU_TAINT],  # some clusters have no other nodes
        "volumes": volumes,
    }
    return defaults.pod_spec(images.pod(cluster, spec))


def _parameters(cache: ModelCacheSpec) -> list[Part]:
    """What the program reads; tokens and keys by reference."""
    values: dict[str, str | None] = {"FOLDER": FOLDER, "MARKER": MARKER, "HOME": "/tmp"}  # noqa: S108  a folder of the pod
    secrets: list[Part] = []
    if source := cache.hugging_face:
        values |= {"REPO": source.repo, "REVISION": source.revision}
        if source.auth_secret:
            secrets.append(_by_reference("HF_TOKEN", source.auth_secret.name, source.auth_secret.key))
    elif bucket := cache.s3:
        values |= {"BUCKET": bucket.bucket, "PREFIX": bucket.prefix, "REGION": bucket.region, "ENDPOINT": bucket.endpoint}
        if bucket.auth_secret:
            secrets += [_by_reference(key, bucket.auth_secret.name, key) for key in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")]
    elif objects := cache.gcs:
        values |= {"BUCKET": objects.bucket, "PREFIX": objects.prefix}
        if objects.auth_secret:
            values["GOOGLE_APPLICATION_CREDENTIALS"] = "/var/run/credentials/key.json"
    return [{"name": key, "value": value} for key, value in values.items() if value] + secrets


def _by_reference(variable: str, secret: str, key: str) -> Part:
    return {"name": variable, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}
