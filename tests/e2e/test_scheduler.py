"""A real kube-scheduler starts every pod of what `Guaranteed` admits, and strands a pod of what it does not.

Nodes and ResourceSlices are plain objects and kwok makes pods run; who goes where is the scheduler's choice alone.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from modelfleet.place.guaranteed import safe
from modelfleet.place.packing import packs

from tests.e2e import cluster as clusters
from tests.e2e.client import Client, Object
from tests.e2e.cluster import Cluster
from tests.e2e.process import Process, free_port
from tests.place.simulation import find_stuck

pytestmark = pytest.mark.e2e

POOLS = 200  # under each strategy
UNSAFE = 20
STRATEGIES = ("LeastAllocated", "MostAllocated")
DRIVER = "gpu.example.com"
NAMESPACES = ("pair", "safe", "unsafe")  # one for each test
WRITERS = 4  # connections that create objects
QUIET = 30.0  # seconds; a pod that was refused is tried again after at most 10


@dataclass(frozen=True, slots=True)
class Pool:
    """Like nodes and the pods for them, by devices. strategy: how the scheduler ranks nodes for these pods."""

    name: str
    nodes: int
    devices: int
    pods: tuple[int, ...]
    strategy: str

    @property
    def namespace(self) -> str:
        return self.name.partition("-")[0]

    def node(self, index: int) -> str:
        return f"{self.name}-{index}"


def counted(pods: Sequence[int]) -> dict[tuple[tuple[str, int], ...], int]:
    return {(("gpu", size),): pods.count(size) for size in set(pods)}


def filled(draw: random.Random, name: str, strategy: str) -> Pool:
    """A pool that takes random pods for as long as they are safe."""
    nodes, devices = draw.randint(1, 4), draw.choice([2, 4, 4, 8])
    sizes = draw.sample(range(1, devices + 1), min(devices, draw.randint(1, 3)))
    pods: list[int] = []
    refused = 0
    while refused < 4:
        size = draw.choice(sizes)
        if safe(counted([*pods, size]), nodes, {"gpu": devices}):
            pods.append(size)
        else:
            refused += 1
    draw.shuffle(pods)
    return Pool(name, nodes, devices, tuple(pods), strategy)


def stranding(draw: random.Random, name: str) -> tuple[Pool, tuple[int, ...]]:
    """A pool whose pods pack but are not safe: pods in the order that strands the last, and the node of each but the last."""
    while True:
        nodes, devices = draw.randint(2, 4), draw.choice([4, 8])
        sizes = draw.sample(range(1, devices + 1), 2)
        pods = [draw.choice(sizes) for _ in range(draw.randint(nodes + 1, 2 * nodes))]
        counts = [pods.count(size) for size in sizes]
        if not packs(counted(pods), nodes, {"gpu": devices}) or safe(counted(pods), nodes, {"gpu": devices}):
            continue
        stuck = find_stuck([(size,) for size in sizes], counts, nodes, (devices,))
        assert stuck is not None
        placed = [(size, index) for index, node in enumerate(stuck.nodes) for size, n in zip(sizes, node, strict=True) for _ in range(n)]
        order = (*(size for size, _ in placed), sizes[stuck.pod])
        return Pool(name, nodes, devices, order, "LeastAllocated"), tuple(index for _, index in placed)


def node_objects(pool: Pool, index: int) -> Iterator[Object]:
    name = pool.node(index)
    room = {"cpu": "64", "memory": "64Gi", "pods": "110"}
    labels = {"kubernetes.io/hostname": name, "pool": pool.name}
    yield {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"capacity": room, "allocatable": room},
    }
    slices = {"name": name, "generation": 1, "resourceSliceCount": 1}
    devices = [{"name": f"gpu-{n}"} for n in range(pool.devices)]
    spec = {"driver": DRIVER, "nodeName": name, "pool": slices, "devices": devices}
    yield {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": name}, "spec": spec}


def pod_objects(pool: Pool, index: int, node: str | None = None) -> Iterator[Object]:
    """A claim and the pod that has it; `node` ties the pod to one node."""
    name = f"{pool.name}-{index}"
    exactly = {"deviceClassName": DRIVER, "allocationMode": "ExactCount", "count": pool.pods[index]}
    metadata = {"name": name, "namespace": pool.namespace}
    claim = {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}
    yield {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": metadata, "spec": claim}
    # Devices count for no score; processors do, so that the strategy has something to go by.
    resources = {"requests": {"cpu": str(pool.pods[index])}, "claims": [{"name": "gpu"}]}
    spec = {
        "schedulerName": pool.strategy,
        "nodeSelector": {"pool": pool.name} | ({"kubernetes.io/hostname": node} if node else {}),
        "tolerations": [{"operator": "Exists"}],
        "automountServiceAccountToken": False,
        "resourceClaims": [{"name": "gpu", "resourceClaimName": name}],
        "containers": [{"name": "engine", "image": "engine", "resources": resources}],
    }
    yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def create(client: Client, objects: Sequence[Sequence[Object]]) -> None:
    """Creates groups of objects, each group in its order, several groups at a time."""

    def write(group: Sequence[Object]) -> None:
        for each in group:
            client.create(each["apiVersion"], each["kind"], json.dumps(each), each["metadata"].get("namespace", ""))

    with ThreadPoolExecutor(WRITERS) as writers:
        list(writers.map(write, objects))


def configuration(cluster: Cluster) -> str:
    """A scheduler with one profile for each strategy, in which nothing else ranks nodes."""

    def profile(strategy: str) -> dict[str, Any]:
        scoring = {"type": strategy, "resources": [{"name": "cpu", "weight": 1}]}
        return {
            "schedulerName": strategy,
            "plugins": {"score": {"disabled": [{"name": "*"}], "enabled": [{"name": "NodeResourcesFit"}]}},
            "pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": scoring}}],
        }

    return yaml.safe_dump(
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": str(cluster.kubeconfig), "qps": 1000, "burst": 1000},
            "leaderElection": {"leaderElect": False},
            "profiles": [profile(strategy) for strategy in STRATEGIES],
        }
    )


@pytest.fixture(scope="module")
def cluster(tools: Path) -> Iterator[Cluster]:
    """A cluster with a DeviceClass, a scheduler of both strategies, and kwok."""
    with clusters.start(tools) as started, ExitStack() as stack:
        for name in NAMESPACES:
            started.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
            # A pod is admitted with the account of its namespace alone, which a controller would make.
            started.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": name}})
        spec = {"selectors": [{"cel": {"expression": f"device.driver == '{DRIVER}'"}}]}
        started.apply({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": DRIVER}, "spec": spec})
        settings = started.folder / "scheduler.yaml"
        settings.write_text(configuration(started))
        commands = [
            ["kube-scheduler", f"--config={settings}", "--secure-port=0"],
            # Leases of a thousand nodes would be most of the work here, and no controller looks at them.
            [
                "kwok",
                f"--kubeconfig={started.kubeconfig}",
                f"--config={tools / 'kwok-stages.yaml'}",
                f"--server-address=127.0.0.1:{free_port()}",
                "--manage-all-nodes=true",
                "--node-lease-duration-seconds=0",
            ],
        ]
        for name, *flags in commands:
            stack.callback(Process(name, [str(tools / name), *flags], started.folder).stop)
        yield started


def by_name(cluster: Cluster, namespace: str) -> dict[str, Object]:
    return {pod["metadata"]["name"]: pod for pod in cluster.list("v1", "Pod", namespace)}


def running(pod: Object) -> bool:
    return bool(pod["status"].get("phase") == "Running")


def unschedulable(pod: Object) -> bool:
    """Whether the scheduler looked at all nodes and found none."""
    conditions = pod["status"].get("conditions") or ()
    return any(entry["type"] == "PodScheduled" and entry.get("reason") == "Unschedulable" for entry in conditions)


class Quiet:
    """Whether all pods run, or none more for QUIET seconds. A refusal alone says little: the node's devices may not have been known."""

    def __init__(self, cluster: Cluster, namespace: str) -> None:
        self._cluster, self._namespace = cluster, namespace
        self._seen, self._since = -1, time.monotonic()

    def __call__(self) -> bool:
        time.sleep(1)
        pods = by_name(self._cluster, self._namespace)
        now = sum(map(running, pods.values()))
        if now != self._seen:
            self._seen, self._since = now, time.monotonic()
        return now == len(pods) or time.monotonic() - self._since > QUIET


def test_the_strategies_differ(cluster: Cluster) -> None:
    """Two small pods on two nodes: apart under one, together under the other."""
    pools = [Pool(f"pair-{strategy.lower()}", 2, 4, (1, 1), strategy) for strategy in STRATEGIES]
    create(cluster, [list(node_objects(pool, index)) for pool in pools for index in range(pool.nodes)])
    for index in range(2):
        create(cluster, [list(pod_objects(pool, index)) for pool in pools])
        cluster.until(lambda: all(map(running, by_name(cluster, "pair").values())), "pods of a pair running")
    pods = by_name(cluster, "pair")
    used = [{pods[f"{pool.name}-{index}"]["spec"]["nodeName"] for index in range(2)} for pool in pools]
    assert [len(nodes) for nodes in used] == [2, 1]


def test_every_pod_of_safe_pools_starts(cluster: Cluster) -> None:
    draw = random.Random(20_261)
    drawn = [filled(draw, f"safe-{number}", STRATEGIES[0]) for number in range(POOLS)]
    pools = [Pool(f"{p.name}-{s[0].lower()}", p.nodes, p.devices, p.pods, s) for p in drawn for s in STRATEGIES]
    create(cluster, [list(node_objects(pool, index)) for pool in pools for index in range(pool.nodes)])
    pods = [(pool, index) for pool in pools for index in range(len(pool.pods))]
    draw.shuffle(pods)
    create(cluster, [list(pod_objects(pool, index)) for pool, index in pods])

    cluster.until(Quiet(cluster, "safe"), "pods running, or as many as before")
    assert sorted(name for name, pod in by_name(cluster, "safe").items() if not running(pod)) == []
    print(f"{len(pods)} pods of {len(pools)} pools with {sum(pool.nodes for pool in pools)} nodes run")


def test_an_unsafe_set_strands_a_pod(cluster: Cluster) -> None:
    """The judge can fail: pods that pack, but are not safe, in an order and on nodes that a scheduler may choose."""
    draw = random.Random(8)
    drawn = [stranding(draw, f"unsafe-{number}") for number in range(UNSAFE)]
    pools = [pool for pool, _ in drawn]
    create(cluster, [list(node_objects(pool, index)) for pool in pools for index in range(pool.nodes)])
    create(cluster, [list(pod_objects(pool, i, pool.node(at))) for pool, nodes in drawn for i, at in enumerate(nodes)])
    cluster.until(lambda: all(map(running, by_name(cluster, "unsafe").values())), "the first pods running")
    create(cluster, [list(pod_objects(pool, len(pool.pods) - 1)) for pool in pools])
    last = {f"{pool.name}-{len(pool.pods) - 1}" for pool in pools}
    cluster.until(lambda: all(unschedulable(by_name(cluster, "unsafe")[name]) for name in last), "the last pods refused")
    assert sorted(name for name, pod in by_name(cluster, "unsafe").items() if not running(pod)) == sorted(last)
