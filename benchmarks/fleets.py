"""Seeded fleets of any size, built in memory: the declarations are validated and resolved as a repository's are, without YAML."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import cache
from typing import Any

import yaml
from modelfleet import __version__
from modelfleet.diagnostics import Report
from modelfleet.load import Document
from modelfleet.resolve import Fleet, resolve
from modelfleet.validate import validate

Manifest = dict[str, Any]

API = "modelfleet.io/v1alpha1"
DRIVER = "gpu.nvidia.com"
REGIONS = 20
# Product, memory as its driver reports it, compute capability, price of one for an hour.
PRODUCTS = (
    ("NVIDIA L4", "23034Mi", "8.9.0", 0.8),
    ("NVIDIA A10G", "23028Mi", "8.6.0", 1.2),
    ("NVIDIA A100-SXM4-40GB", "40960Mi", "8.0.0", 2.9),
    ("NVIDIA A100-SXM4-80GB", "81920Mi", "8.0.0", 4.1),
    ("NVIDIA H100 80GB HBM3", "81559Mi", "9.0.0", 9.8),
    ("NVIDIA H200", "143771Mi", "9.0.0", 10.6),
    ("NVIDIA B200", "183359Mi", "10.0.0", 14.2),
)
PER_NODE = (2, 4, 8)
MEMORY = f'device.capacity["{DRIVER}"].memory.compareTo(quantity("%s")) >= 0'
CAPABILITY = f'device.attributes["{DRIVER}"].cudaComputeCapability.compareTo(semver("%s")) >= 0'
# What deployments ask of a device; each with the devices that a pod may take.
SELECTORS = (
    (MEMORY % "20Gi", (1, 1, 2)),
    (MEMORY % "39Gi", (1, 2, 4)),
    (MEMORY % "75Gi", (1, 2, 4, 8)),
    (MEMORY % "140Gi", (2, 4, 8)),
    (CAPABILITY % "9.0.0", (1, 2, 4, 8)),
    (f"{CAPABILITY % '8.9.0'} && {MEMORY % '20Gi'}", (1, 2)),
    (f'device.attributes["{DRIVER}"].productName in ["NVIDIA H100 80GB HBM3", "NVIDIA H200"]', (2, 4, 8)),
)


def resolved(manifests: Iterable[Manifest]) -> Fleet:
    """The fleet that the manifests declare; an error in them is an AssertionError."""
    report = Report()
    found = resolve(validate([Document(_path(m), m, _nowhere()) for m in manifests], report), __version__, report)
    assert found is not None and not report.errors, [d.text() for d in report.sorted()[:5]]
    return found


def fleet(clusters: int, deployments: int, replicas: int, *, seed: int = 0, nodes: int = 8, **policy: str) -> Fleet:
    """`clusters` of one to three pools of 1 to `nodes` nodes, and `deployments` of `replicas` each; policy: the placement's."""
    rng = random.Random(seed)
    manifests = [settings(**policy), *_classes()]
    manifests += [_cluster(rng, f"c{i:04}", nodes) for i in range(clusters)]
    manifests += [_deployment(rng, f"m{i:05}", f"team-{i % 50:02}", replicas) for i in range(deployments)]
    return resolved(manifests)


def settings(**policy: str) -> Manifest:
    """The Fleet document; policy: accounting, strategy."""
    return head("Fleet", "bench") | {"spec": {"argocd": {"repoURL": "https://git.example.com/fleet.git"}, "placement": policy}}


def head(kind: str, name: str, **metadata: Any) -> Manifest:
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name} | metadata}


def hardware(name: str, product: str, memory: str, capability: str, count: int, price: float) -> Manifest:
    """A class of `count` equal devices a node; price: of a node for an hour."""
    device = {
        "name": "gpu", "driver": DRIVER, "deviceClassName": DRIVER, "count": count,
        "attributes": {"productName": {"string": product}, "cudaComputeCapability": {"version": capability}, "ordinal": {"int": 0}},
        "capacity": {"memory": {"value": memory}},
    }  # fmt: skip
    return head("InferenceClass", name) | {"spec": {"devices": [device], "cost": {"perNodeHour": f"{price:.2f}"}}}


def deployment(name: str, namespace: str, replicas: int, members: list[Manifest], **more: Any) -> Manifest:
    """A deployment of one engine; `more` belongs to template.spec."""
    template = {"spec": {"engines": [{"name": "main", "members": members}]} | more}
    return head("ModelDeployment", name, namespace=namespace) | {"spec": {"replicas": replicas, "template": template}}


def member(count: int, *cel: str, **more: Any) -> Manifest:
    """A member that asks for `count` devices; more: role, worker."""
    container = {"name": "engine", "image": "vllm/vllm-openai:v0.33.0", "args": ["--model=Qwen/Qwen3-32B"]}
    request = {"name": "gpu", "count": count, "selectors": [{"cel": text} for text in cel]}
    return {"nodeSelector": {"devices": [request]}, "template": {"spec": {"containers": [container]}}} | more


def _classes() -> list[Manifest]:
    return [
        hardware(f"{product.split()[1].lower()}-{i}-x{count}", product, memory, capability, count, price * count)
        for i, (product, memory, capability, price) in enumerate(PRODUCTS)
        for count in PER_NODE
    ]


def _cluster(rng: random.Random, name: str, nodes: int) -> Manifest:
    names = [c["metadata"]["name"] for c in _classes()]
    pools = [{"name": n, "className": n, "nodeCount": rng.randint(1, nodes)} for n in sorted(rng.sample(names, rng.choice((1, 2, 2, 3))))]
    spec: Manifest = {
        "nodePools": pools,
        "gateway": {"hostname": f"{name}.example.com"},
        "location": {"region": f"region-{rng.randrange(REGIONS)}"},
    }
    if rng.random() < 0.03:
        spec["taints"] = [{"key": "maintenance", "effect": "NoSchedule"}]
    if rng.random() < 0.02:
        spec["state"] = "Offline"
    return head("InferenceCluster", name, labels={"tier": rng.choice(("production", "production", "test"))}) | {"spec": spec}


def _deployment(rng: random.Random, name: str, namespace: str, replicas: int) -> Manifest:
    cel, counts = rng.choice(SELECTORS)
    count = rng.choice(counts)
    more: Manifest = {}
    members = [member(count, cel)]
    if rng.random() < 0.05:
        members = [member(count, cel, role="Leader"), member(count, cel, role="Worker", worker={"nodes": 1})]
    if rng.random() < 0.3:
        more["clusterSelector"] = {"matchLabels": {"tier": "production"}}
    if rng.random() < 0.1:
        more["tolerations"] = [{"key": "maintenance", "operator": "Exists"}]
    return deployment(name, namespace, replicas, members, **more)


def _path(manifest: Manifest) -> str:
    folder = {"ModelDeployment": "models", "Placement": "placements"}.get(manifest["kind"], "fleet")
    return "/".join([folder, *filter(None, [manifest["metadata"].get("namespace")]), f"{manifest['metadata']['name']}.yaml"])


@cache
def _nowhere() -> yaml.Node:
    """The syntax tree of declarations that were never text."""
    start = yaml.Mark("memory", 0, 0, 0, None, 0)
    return yaml.ScalarNode("tag:yaml.org,2002:null", "", start, start)
