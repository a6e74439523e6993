"""What Kubernetes asks of every object, whoever made it: names, labels, annotations, host names, and lists whose items have keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from modelfleet.pods import fields, shape

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
SUBDOMAIN = re.compile(r"(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
KEY = re.compile(r"((?=[^/]{1,253}/)[a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
# Kinds whose names are stricter than a DNS name: as DNS labels, and at most so long.
LIMITS = {"Namespace": 63, "Service": 63, "ScaledObject": 54, "LeaderWorkerSet": 46, "Gateway": 63, "InferencePool": 63, "Application": 63}
Object = dict[str, Any]


def faults(objects: Iterable[Object]) -> list[str]:
    """What is wrong with the objects of one cluster, one line each."""
    found, seen = [], set()
    for one in objects:
        metadata = one["metadata"]
        ident = (one["apiVersion"].rpartition("/")[0], one["kind"], metadata.get("namespace", ""), metadata["name"])
        found += [f"{ident}: {fault}" for fault in _object(one)]
        found += [f"{ident}: twice"] if ident in seen else []
        seen.add(ident)
    return found


def _object(one: Object) -> Iterator[str]:
    name = one["metadata"]["name"]
    limit = LIMITS.get(one["kind"])
    if not SUBDOMAIN.fullmatch(name) or (limit and (len(name) > limit or not LABEL.fullmatch(name))):
        yield f"name {name}"
    yield from _metadata(one["metadata"])
    for path, value in _everything(one):
        if path[-1] == "matchLabels" or (path[-1] == "selector" and isinstance(value, dict) and "matchLabels" not in value):
            yield from _labels(value if all(isinstance(text, str) for text in value.values()) else {})
        if path[-1] == "hostnames" and one["kind"] in ("HTTPRoute", "GRPCRoute"):
            yield from (f"host name {host}" for host in value if not SUBDOMAIN.fullmatch(host.removeprefix("*.")))
        if isinstance(value, dict) and "containers" in value:
            yield from _pod(value)
        if path[-1] in ("template", "leaderTemplate", "workerTemplate") and isinstance(value, dict) and "metadata" in value:
            yield from _metadata(value["metadata"])


def _metadata(metadata: Object) -> Iterator[str]:
    yield from _labels(metadata.get("labels", {}))
    notes = metadata.get("annotations", {})
    yield from (f"annotation {key}" for key in notes if not KEY.fullmatch(key))
    if sum(len(key.encode()) + len(text.encode()) for key, text in notes.items()) > 256 * 1024:
        yield "annotations of more than 256 KiB"


def _labels(labels: Object) -> Iterator[str]:
    yield from (f"label {key}" for key in labels if not KEY.fullmatch(key))
    yield from (f"label value {text}" for text in labels.values() if not VALUE.fullmatch(text))


def _pod(spec: Object) -> Iterator[str]:
    findings: list[fields.Finding] = []
    job = {"activeDeadlineSeconds", "restartPolicy"}  # of a Job's pods, which end
    shape.walk({key: value for key, value in spec.items() if key not in job}, shape.pod_spec(), (), findings)
    yield from (f"{'.'.join(map(str, finding.loc))}: {finding.message}" for finding in findings)
    containers = [*spec["containers"], *spec.get("initContainers", ())]
    for what, named in (("container", containers), ("volume", spec.get("volumes", ())), ("claim", spec.get("resourceClaims", ()))):
        names = [item["name"] for item in named]
        yield from (f"{what} {name}" for name in names if names.count(name) > 1 or not LABEL.fullmatch(name))
    volumes = {volume["name"] for volume in spec.get("volumes", ())}
    claims = {claim["name"] for claim in spec.get("resourceClaims", ())}
    for container in containers:
        yield from (f"mount of {m['name']}" for m in container.get("volumeMounts", ()) if m["name"] not in volumes)
        yield from (f"claim of {c['name']}" for c in container.get("resources", {}).get("claims", ()) if c["name"] not in claims)


def _everything(value: Any, path: tuple[Any, ...] = ("",)) -> Iterator[tuple[tuple[Any, ...], Any]]:
    yield path, value
    for step, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _everything(item, (*path, step))
