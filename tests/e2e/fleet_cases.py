"""The fleet that the tests of Argo CD use: two clusters, the hub among them, and four models in two namespaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.builders import Manifest, cluster, deployment, engine, gpu, hardware, pool, request, settings
from tests.e2e.argocd import Repository
from tests.e2e.client import Object
from tests.e2e.cluster import Cluster
from tests.run import modelfleet, repository

MODELS = [("ml", "chat"), ("ml", "talk"), ("ml", "code"), ("search", "find")]
HUB = {"server": "https://kubernetes.default.svc"}
SMALL = {"resources": {"requests": {"cpu": "10m", "memory": "16Mi"}}}


def model(name: str, namespace: str = "ml", where: str = "east", **spec: Any) -> Manifest:
    """A small model that only cluster `where` may hold."""
    found = deployment(
        name, engine(request()), namespace=namespace, clusterSelector={"matchLabels": {"modelfleet.io/cluster": where}}, **spec
    )
    return found


def declarations(url: str, removal: str) -> list[Manifest]:
    """The fleet's documents. Half of its replicas may go at once, so that one command can drain a cluster."""
    fleet = settings(removal=removal)
    fleet["spec"]["argocd"]["repoURL"] = url
    fleet["spec"]["placement"]["maxRemovals"] = {"percent": 50, "atLeast": 4}
    east = cluster("east", pool(nodes=2), gateway={"hostname": "east.example.com", "tls": {"wellKnown": "System"}})
    hub = cluster("hub", pool(nodes=2), destination=HUB, gateway={"hostname": "hub.example.com", "tls": {"wellKnown": "System"}})
    models = [model(name, namespace, "hub" if name == "find" else "east") for namespace, name in MODELS]
    return [fleet, hardware("h100", gpu()), east, hub, *models]


def write(fleet: Repository, removal: str) -> None:
    """The fleet's files, placed."""
    repository(fleet.tree, *declarations(fleet.url, removal))
    command(fleet, "place")


def command(fleet: Repository, *arguments: str) -> str:
    """What a command of modelfleet prints; it must succeed."""
    done = modelfleet(fleet.tree, *arguments)
    assert done.code == 0, f"{arguments}: {done.err}"
    return done.out


def kinds(fleet: Repository) -> set[tuple[str, str]]:
    """Group and kind of every object that the fleet's units hold."""
    found = yaml.load_all(command(fleet, "generate", "--recorded"), yaml.CSafeLoader)
    return {(m["apiVersion"].rpartition("/")[0], m["kind"]) for m in found}


def nodes(number: int) -> list[Object]:
    """Nodes of the pool h100, with the devices that its class declares."""
    found: list[Object] = []
    for name in (f"h100-{index}" for index in range(number)):
        room = {"cpu": "64", "memory": "640Gi", "pods": "110"}
        metadata = {"name": name, "labels": {"kubernetes.io/hostname": name, "modelfleet.io/pool": "h100"}}
        found.append({"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"capacity": room, "allocatable": room}})
        attributes = {"productName": {"string": "NVIDIA H100 80GB HBM3"}}
        devices = [{"name": f"gpu-{n}", "attributes": attributes, "capacity": {"memory": {"value": "81559Mi"}}} for n in range(8)]
        shared = {"name": name, "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": "gpu.nvidia.com", "nodeName": name, "pool": shared, "devices": devices}
        found.append({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": name}, "spec": spec})
    device_class = {"selectors": [{"cel": {"expression": "device.driver == 'gpu.nvidia.com'"}}]}
    found.append({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu.nvidia.com"}, "spec": device_class})
    return found


def equip(where: Cluster, tools: Path, wanted: set[tuple[str, str]]) -> None:
    """The definitions and nodes that a cluster of the fleet has before Argo CD comes."""
    where.install(tools / "crds", wanted)
    for each in nodes(2):
        if each["kind"] == "Node":
            where.create("v1", "Node", yaml.safe_dump(each))
        else:
            where.apply(each)


def identities(where: Cluster, namespaces: Sequence[str]) -> Mapping[str, str]:
    """UID of everything that serves, by kind, namespace and name. Pods are told by their number: their names come and go."""
    found: dict[str, str] = {}
    for version, kind in (("apps/v1", "Deployment"), ("v1", "Service"), ("resource.k8s.io/v1", "ResourceClaimTemplate"), ("v1", "Pod")):
        for namespace in namespaces:
            for each in where.list(version, kind, namespace):
                if "deletionTimestamp" not in each["metadata"]:
                    found[f"{kind} {namespace}/{each['metadata']['name']}"] = each["metadata"]["uid"]
    return found
