"""CPU time of loading, validating and checking a fleet repository, against PyYAML's C loader alone on the same files.

    python -m benchmarks.check_scaling [DOCUMENTS]

Two repositories are written, one with four times the documents of the other (10,000 unless told). Each stage is timed in this
process, the best of three. Asked for: four times the documents within five times the CPU, and all of it within four times PyYAML.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from modelfleet import load, pipeline
from modelfleet.diagnostics import Report
from modelfleet.emit import document
from modelfleet.pods import check_pods

API = "modelfleet.io/v1alpha1"
# Of 100 documents.
CLASSES, CLUSTERS = 1, 3
GPUS = (("NVIDIA L4", "23034Mi"), ("NVIDIA H100 80GB HBM3", "81559Mi"), ("NVIDIA H200", "143771Mi"))


def write(root: Path, documents: int) -> int:
    """A repository of about `documents` documents: half deployments, half their records; how many it has."""
    classes = max(1, documents * CLASSES // 100)
    clusters = max(1, documents * CLUSTERS // 100)
    deployments = (documents - 1 - classes - clusters) // 2
    settings = {"argocd": {"repoURL": "https://git.example.com/fleet.git"}, "placement": {"accounting": "Packed"}}
    _put(root, "fleet/fleet.yaml", _head("Fleet", "fleet") | {"spec": settings})
    for i in range(classes):
        _put(root, f"fleet/classes/c{i}.yaml", _class(i))
    for i in range(clusters):
        _put(root, f"fleet/clusters/k{i}.yaml", _cluster(i, classes))
    for i in range(deployments):
        namespace = f"team-{i % 50}"
        _put(root, f"models/{namespace}/m{i}.yaml", _deployment(i, namespace))
        _put(root, f"placements/{namespace}/m{i}.yaml", _placement(i, namespace, clusters))
    return 1 + classes + clusters + 2 * deployments


def _put(root: Path, path: str, manifest: dict[str, Any]) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(document(manifest), encoding="utf-8")


def _head(kind: str, name: str, **more: str) -> dict[str, Any]:
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name} | more}


def _class(i: int) -> dict[str, Any]:
    product, memory = GPUS[i % len(GPUS)]
    device = {
        "name": "gpu",
        "driver": "gpu.nvidia.com",
        "deviceClassName": "gpu.nvidia.com",
        "count": 8,
        "attributes": {
            "productName": {"string": product},
            "cudaComputeCapability": {"version": "9.0.0"},
            "driverVersion": {"version": "580.126.20"},
        },
        "capacity": {"memory": {"value": memory}},
    }
    spec = {"description": product, "devices": [device], "resources": {"cpu": "200", "memory": "1750Gi"}, "cost": {"perNodeHour": "87.84"}}
    return _head("InferenceClass", f"c{i}") | {"spec": spec}


def _cluster(i: int, classes: int) -> dict[str, Any]:
    pools = [{"name": f"p{p}", "className": f"c{(i + p) % classes}", "nodeCount": 64} for p in range(2)]
    spec = {"location": {"provider": "gcp", "region": f"us-{i % 9}"}, "gateway": {"hostname": f"k{i}.example.com"}, "nodePools": pools}
    return _head("InferenceCluster", f"k{i}") | {"spec": spec}


def _deployment(i: int, namespace: str) -> dict[str, Any]:
    container = {
        "name": "engine",
        "image": "vllm/vllm-openai:v0.33.0",
        "args": ["--model=Qwen/Qwen3-32B", f"--served-model-name=model-{i}", "--max-model-len=131072", "--tensor-parallel-size=2"],
        "env": [{"name": "HF_HOME", "value": "/weights"}, {"name": "VLLM_LOGGING_LEVEL", "value": "INFO"}],
        "resources": {"requests": {"cpu": "8", "memory": "64Gi"}},
        "volumeMounts": [{"name": "weights", "mountPath": "/weights"}],
    }
    pod = {"containers": [container], "volumes": [{"name": "weights", "emptyDir": {"sizeLimit": "200Gi"}}]}
    selectors = [{"cel": 'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("20Gi")) >= 0'}]
    member = {"nodeSelector": {"devices": [{"name": "gpu", "count": 2, "selectors": selectors}]}, "template": {"spec": pod}}
    replica = {"serving": {"modelName": f"model-{i}", "startupTimeout": "60m"}, "engines": [{"name": "main", "members": [member]}]}
    return _head("ModelDeployment", f"m{i}", namespace=namespace) | {"spec": {"replicas": 2, "template": {"spec": replica}}}


def _placement(i: int, namespace: str, clusters: int) -> dict[str, Any]:
    choice = {"main": {"pool": "p0", "devices": {"gpu": "gpu"}}}
    names = sorted({f"k{i % clusters}", f"k{(i + 1) % clusters}"})
    entries = [{"cluster": name, "engines": choice, "count": 2 // len(names), "minimum": 2 // len(names)} for name in names]
    return _head("Placement", f"m{i}", namespace=namespace) | {"spec": {"wanted": 2, "replicas": entries}}


def measure(root: Path) -> dict[str, float]:
    """CPU seconds of each stage, the best of three."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.yaml"))]
    repositories: list[pipeline.Repository] = []

    def pyyaml() -> None:
        for text in texts:
            list(yaml.load_all(text, Loader=yaml.CSafeLoader))

    def loading() -> None:
        report = Report()
        for relative, path in load.files(root, ["fleet", "models", "placements"], report):
            load.read(relative, path, report)
        assert not report.found, report.sorted()[:5]

    def reading() -> None:
        report = Report()
        repositories[:] = [pipeline.read(root, pipeline.Slice(), report)]
        assert not report.errors, report.sorted()[:5]

    def checking() -> None:
        report = Report()
        pipeline.check(repositories[0], report)
        fleet = repositories[0].fleet
        assert fleet is not None
        check_pods(repositories[0].resources, fleet, report)
        assert not report.errors, report.sorted()[:5]

    stages: dict[str, Callable[[], None]] = {"PyYAML": pyyaml, "load": loading, "load+validate+resolve": reading, "check": checking}
    found = {name: min(_cpu(stage) for _ in range(3)) for name, stage in stages.items()}
    found["placing"] = _cpu(lambda: _place(repositories[0]))
    return found


def _place(repository: pipeline.Repository) -> None:
    assert repository.fleet is not None
    pipeline.plan(repository.fleet)


def _cpu(stage: Callable[[], None]) -> float:
    gc.collect()
    started = time.process_time()
    stage()
    return time.process_time() - started


def main(documents: int = 10_000) -> int:
    """Prints the table; 1 if a ratio is missed."""
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for size in (documents // 4, documents):
            root = Path(folder) / str(size)
            count = write(root, size)
            found.append(measure(root) | {"documents": float(count)})
    small, large = found
    print(f"{'stage':<24}{small['documents']:>10.0f}{large['documents']:>10.0f}   growth   x PyYAML")
    for f in found:
        f["all but placing"] = f["load+validate+resolve"] + f["check"]
    for stage in ("PyYAML", "load", "load+validate+resolve", "check", "placing", "all but placing"):
        before, after = small[stage], large[stage]
        print(f"{stage:<24}{before:>9.2f}s{after:>9.2f}s{after / before:>8.2f}{after / large['PyYAML']:>11.2f}")
    last = "all but placing"
    return int(large[last] > 5 * small[last] or large[last] > 4 * large["PyYAML"])


if __name__ == "__main__":
    sys.exit(main(*(int(argument) for argument in sys.argv[1:])))
