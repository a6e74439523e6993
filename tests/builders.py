"""Builders with defaults: a test names only what matters.

They go through the models and the resolver, so that a test's fleet is one that could have been declared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from modelfleet.api.placement import Placement, PlacementSpec
from modelfleet.diagnostics import Report
from modelfleet.emit import document as as_yaml
from modelfleet.load import Document, parse
from modelfleet.resolve import Fleet, resolve
from modelfleet.validate import validate

API = "modelfleet.io/v1alpha1"
Manifest = dict[str, Any]


def gpu(name: str = "gpu", count: int = 8, memory: str = "81559Mi", product: str = "NVIDIA H100 80GB HBM3", **more: Any) -> Manifest:
    """A device group as the NVIDIA driver publishes it."""
    base = {
        "name": name,
        "driver": "gpu.nvidia.com",
        "deviceClassName": "gpu.nvidia.com",
        "count": count,
        "attributes": {"productName": {"string": product}},
        "capacity": {"memory": {"value": memory}},
    }
    return base | more


def hardware(name: str = "h100", *devices: Manifest, cost: str | None = None, **spec: Any) -> Manifest:
    body: Manifest = {"devices": list(devices) or [gpu()]} | spec
    if cost is not None:
        body["cost"] = {"perNodeHour": cost}
    return {"apiVersion": API, "kind": "InferenceClass", "metadata": {"name": name}, "spec": body}


def pool(name: str = "h100", nodes: int = 2, hardware: str | None = None, **more: Any) -> Manifest:
    return {"name": name, "className": hardware or name, "nodeCount": nodes} | more


def cluster(name: str = "east", *pools: Manifest, labels: Mapping[str, str] | None = None, **spec: Any) -> Manifest:
    metadata: Manifest = {"name": name}
    if labels:
        metadata["labels"] = dict(labels)
    return {"apiVersion": API, "kind": "InferenceCluster", "metadata": metadata, "spec": {"nodePools": list(pools) or [pool()]} | spec}


def request(name: str = "gpu", count: int = 1, **more: Any) -> Manifest:
    """A device request; any device will do unless `more` says otherwise."""
    return {"name": name, "count": count} | (more or {"memory": {"atLeast": "1Gi"}})


def engine(*requests: Manifest, name: str = "main", copies: int = 1, **template: Any) -> Manifest:
    args = ["--model=m", "--served-model-name=$(MODELFLEET_SERVED_MODEL_NAME)", "--shutdown-timeout=60"]
    container = {"name": "engine", "image": "vllm/vllm-openai:v0.33.0", "args": args}
    member = {"nodeSelector": {"devices": list(requests) or [request()]}, "template": {"spec": {"containers": [container]} | template}}
    return {"name": name, "members": [member]} | ({"copies": copies} if copies > 1 else {})


def deployment(name: str = "chat", *engines: Manifest, namespace: str = "ml", replicas: int | None = 1, **spec: Any) -> Manifest:
    """A deployment; keys of `spec` that belong to template.spec go there."""
    inner = {key: spec.pop(key) for key in ("clusterSelector", "tolerations", "serving") if key in spec}
    body: Manifest = ({} if "scaling" in spec else {"replicas": replicas}) | spec
    body["template"] = {"spec": inner | {"engines": list(engines) or [engine()]}}
    return {"apiVersion": API, "kind": "ModelDeployment", "metadata": {"name": name, "namespace": namespace}, "spec": body}


def entry(cluster: str = "east", count: int = 1, pool: str = "h100", engine: str = "main", **more: Any) -> Manifest:
    """A recorded entry of one engine with one request."""
    choice = {"pool": pool, "devices": more.pop("devices", {"gpu": "gpu"})}
    return {"cluster": cluster, "engines": {engine: choice}, "count": count, "minimum": more.pop("minimum", count)} | more


def placement(name: str = "chat", *entries: Manifest, namespace: str = "ml", wanted: int | None = None, **spec: Any) -> Manifest:
    total = sum(e["count"] for e in entries if not e.get("retiring"))
    body = {"wanted": total if wanted is None else wanted, "replicas": list(entries)} | spec
    return {"apiVersion": API, "kind": "Placement", "metadata": {"name": name, "namespace": namespace}, "spec": body}


def settings(**spec: Any) -> Manifest:
    """The Fleet document; keys `accounting`, `strategy`, `recorded` and `removal` go where they belong."""
    placement = {"accounting": spec.pop("accounting", "Packed")} | {k: spec.pop(k) for k in ("strategy", "recorded") if k in spec}
    argocd = {"repoURL": "https://git.example.com/acme/fleet.git"} | {k: spec.pop(k) for k in ("removal",) if k in spec}
    return {"apiVersion": API, "kind": "Fleet", "metadata": {"name": "acme"}, "spec": {"argocd": argocd, "placement": placement} | spec}


def documents(manifests: Iterable[Manifest], report: Report) -> list[Document]:
    """The manifests as files of their own, in the folders where they belong."""
    found: list[Document] = []
    for manifest in manifests:
        folder = {"ModelDeployment": "models", "Placement": "placements"}.get(manifest["kind"], "fleet")
        namespace = manifest["metadata"].get("namespace")
        parts = [folder, *([namespace] if namespace else []), f"{manifest['kind']}-{manifest['metadata']['name']}.yaml"]
        found += parse("/".join(parts), as_yaml(manifest), report)
    return found


def fleet(*manifests: Manifest, **options: Any) -> Fleet:
    """A resolved fleet; a Fleet document is added when none is given. Any error fails the test."""
    report = Report()
    given = list(manifests) if any(m["kind"] == "Fleet" for m in manifests) else [settings(**options), *manifests]
    resolved = resolve(validate(documents(given, report), report), "0.1.0", report)
    assert not report.errors and resolved is not None, "\n".join(d.text() for d in report.sorted())
    return resolved


def spec_of(manifest: Manifest) -> PlacementSpec:
    """The spec of a Placement manifest."""
    spec = Placement.model_validate(manifest).spec
    assert isinstance(spec, PlacementSpec)
    return spec
