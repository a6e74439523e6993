"""A rolling update of a pool that is full finishes: the real controllers replace pods one by one, the scheduler hands their devices on.

And a workload that scales becomes one of a fixed number, and the other way round, without a pod too many on the way.
"""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from modelfleet import render
from modelfleet.render.unit import UnitId

from tests.e2e import cluster as clusters
from tests.e2e.client import Object
from tests.e2e.cluster import Cluster
from tests.render.builders import cluster, deployment, engine, entry, fleet, gpu, placement, plan, pod, pool, scaling

pytestmark = pytest.mark.e2e

DRIVER = "gpu.nvidia.com"
DEVICES = 8  # of the one node
EACH = 2


@pytest.fixture(scope="module")
def started(tools: Path) -> Iterator[Cluster]:
    """A cluster with one node of eight devices."""
    if not (tools / "kube-controller-manager").exists():
        pytest.skip("needs kube-controller-manager: python -m tests.e2e.build kube-controller-manager")
    with clusters.start(tools, controllers=True, scheduler=True, kwok=True) as found:
        found.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "search"}})
        drivers = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": DRIVER}}
        found.apply({**drivers, "spec": {"selectors": [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]}})
        room = {"cpu": "128", "memory": "1900Gi", "pods": "110"}
        labels = {"kubernetes.io/hostname": "node", "modelfleet.io/pool": "h100"}
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node", "labels": labels}}
        found.create("v1", "Node", json.dumps({**node, "status": {"capacity": room, "allocatable": room}}))
        devices = [{"name": f"gpu-{n}", "capacity": {"memory": {"value": "81559Mi"}}} for n in range(DEVICES)]
        there = {"name": "node", "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": DRIVER, "nodeName": "node", "pool": there, "devices": devices}
        found.apply({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "node"}, "spec": spec})
        yield found


def rendered(image: str, count: int = EACH, **spec: Any) -> list[Object]:
    """A model of four pods with two devices each: all that the node has. count: devices of a pod."""
    number = {} if "scaling" in spec else {"replicas": 4}
    declared = deployment(engine(template=pod({"image": image}), count=count), **number, **spec)
    record = entry(4, minimum=2, maximum=4) if "scaling" in spec else entry(4)
    where = cluster("east", pool("h100", gpu(capacity={"memory": {"value": "81559Mi"}})))
    found = fleet(declared, clusters=(where,))
    unit = render.render_unit(found, plan({("search", "qwen"): placement(record)}), UnitId("east", "model/search/qwen"))
    wanted = ("Deployment", "ResourceClaimTemplate", "PodDisruptionBudget")
    return [dict(manifest) for manifest in unit.manifests if manifest["kind"] in wanted]


def apply(found: Cluster, manifests: list[Object]) -> str:
    """Stores them; the name of the Deployment."""
    for manifest in manifests:
        found.apply(manifest)
    return next(m["metadata"]["name"] for m in manifests if m["kind"] == "Deployment")


def complete(found: Cluster, name: str, number: int) -> bool:
    """Whether so many pods are ready and all of them are of the newest template; never more of them than the node holds."""
    stored = found.get("apps/v1", "Deployment", name, "search") or {}
    status = stored.get("status", {})
    assert status.get("readyReplicas", 0) <= DEVICES // EACH
    done = status.get("observedGeneration") == stored["metadata"]["generation"]
    counts = [status.get(f"{kind}", 0) for kind in ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")]
    return done and counts == [number] * 4


def test_an_update_of_a_full_pool_finishes(started: Cluster) -> None:
    name = apply(started, rendered("vllm/vllm-openai:v0.32.0"))
    started.until(partial(complete, started, name, 4), "four pods ready")
    assert apply(started, rendered("vllm/vllm-openai:v0.33.0")) == name
    started.until(partial(complete, started, name, 4), "four pods of the new image ready")
    pods = [p for p in started.list("v1", "Pod", "search") if not p["metadata"].get("deletionTimestamp")]
    assert {p["spec"]["containers"][0]["image"] for p in pods} == {"vllm/vllm-openai:v0.33.0"}


def test_other_devices_make_another_claim_and_roll(started: Cluster) -> None:
    """A claim's template is immutable: another number of devices is another object, which the pods roll to."""
    name = apply(started, rendered("vllm/vllm-openai:v0.33.0", count=1))
    started.until(partial(complete, started, name, 4), "four pods with one device each")
    assert apply(started, rendered("vllm/vllm-openai:v0.33.0")) == name
    started.until(partial(complete, started, name, 4), "four pods with two devices each")


def test_from_a_fixed_number_to_a_scaler_and_back(started: Cluster) -> None:
    """One name all the way: what runs is handed over, and the number that a scaler has chosen stays until Git owns it again."""
    name = apply(started, rendered("vllm/vllm-openai:v0.33.0"))
    started.until(partial(complete, started, name, 4), "four pods ready")
    rules = scaling({"type": "RequestsWaiting", "target": "4"}, low=2, high=4)
    scaled = rendered("vllm/vllm-openai:v0.33.0", scaling=rules)
    first = next(m for m in scaled if m["kind"] == "Deployment")
    assert (first["metadata"]["name"], first["spec"]["replicas"]) == (name, 2)
    # Argo CD leaves replicas alone from here on (ignoreDifferences); the scaler writes them.
    started.apply({**first, "spec": {**first["spec"], "replicas": 4}})
    started.patch("apps/v1", "Deployment", name, {"spec": {"replicas": 3}}, "search")
    started.until(partial(complete, started, name, 3), "three pods, as the scaler said")
    assert apply(started, rendered("vllm/vllm-openai:v0.33.0")) == name
    started.until(partial(complete, started, name, 4), "four pods, as Git says")
