"""CPU time of rendering workloads of every kind, against serialising the same objects, and as their number grows.

    python -m benchmarks.render [WORKLOADS]

A fleet of one cluster is made in memory; deployments of a pod, of an autoscaled pod, of a gang and of two phases take turns. Asked for:
four times the workloads (10,000 unless told) within five times the CPU, and rendering within three times the serialising.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from typing import Any

from modelfleet import emit, pipeline
from modelfleet.place.plan import Plan
from modelfleet.render.unit import Unit
from modelfleet.resolve.fleet import Fleet

from benchmarks import fleets

GROWTH, AGAINST_SERIALISING = 5.0, 3.0
PER_NAMESPACE = 40


def _member(role: str = "Standalone", **more: Any) -> dict[str, Any]:
    devices = [{"name": "gpu", "count": 2, "memory": {"atLeast": "22Gi"}, "products": ["NVIDIA H100 80GB HBM3"]}]
    engine = {"name": "engine", "image": "vllm/vllm-openai:v0.33.0", "args": ["--model=m", "--max-model-len=8192"]}
    template = {"spec": {"containers": [engine], "volumes": [{"name": "cache", "emptyDir": {}}]}}
    return {"role": role, "nodeSelector": {"devices": devices}, "template": template, **more}


def _declared(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """(spec of a deployment, spec of its record); two workloads of four are a scaled one."""
    kind, one = number % 4, {"pool": "h100", "devices": {"gpu": "gpu"}}
    entry: dict[str, Any] = {"cluster": "east", "engines": {"main": one}, "count": 2, "minimum": 2}
    spec: dict[str, Any] = {"replicas": 2, "template": {"spec": {"engines": [{"name": "main", "members": [_member()]}]}}}
    inner = spec["template"]["spec"]
    if kind == 1:
        triggers = [{"type": "RequestsWaiting", "target": "4"}, {"type": "KVCacheUsage", "target": "0.8"}]
        del spec["replicas"]
        spec["scaling"] = {"minReplicas": 1, "maxReplicas": 3, "reservedReplicas": 2, "triggers": triggers}
        entry |= {"minimum": 1, "maximum": 3}
    elif kind == 2:
        inner["engines"][0]["members"] = [_member("Leader"), _member("Worker", worker={"nodes": 3})]
        one["devices"] = {"Leader/gpu": "gpu", "Worker/gpu": "gpu"}
    elif kind == 3:
        inner["serving"] = {"mode": "PrefillDecode"}
        inner["engines"] = [{"name": p.lower(), "phase": p, "members": [_member()]} for p in ("Prefill", "Decode")]
        entry["engines"] = {"prefill": one, "decode": one}
    return spec, {"wanted": 2, "replicas": [entry]}


def fleet(workloads: int) -> tuple[Fleet, Plan]:
    """A fleet with about that many workloads, all recorded on one cluster."""
    east = {"nodePools": [{"name": "h100", "className": "h100"}], "gateway": {"inferencePools": True}}
    hardware = fleets.hardware("h100", "NVIDIA H100 80GB HBM3", "81559Mi", "9.0.0", 8, 9.8)
    manifests = [fleets.settings(), hardware, fleets.head("InferenceCluster", "east") | {"spec": east}]
    for number in range(workloads * 4 // 5):
        spec, record = _declared(number)
        for kind, body in (("ModelDeployment", spec), ("Placement", record)):
            manifests.append(fleets.head(kind, f"model-{number}", namespace=f"team-{number // PER_NAMESPACE}") | {"spec": body})
    found = fleets.resolved(manifests)
    return found, Plan(found.placements, {})


def cpu(run: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of the better of two runs, and what it gave."""
    best, result = float("inf"), None
    for _ in range(2):
        gc.collect()
        started = time.process_time()
        result = run()
        best = min(best, time.process_time() - started)
    return best, result


def measured(workloads: int) -> tuple[float, float]:
    """CPU seconds of rendering every unit and of serialising them all; says what there was."""
    found, plan = fleet(workloads)
    rendering, units = cpu(lambda: pipeline.units(found, plan))
    serialising, text = cpu(lambda: [emit.to_json([unit]) for unit in units])
    objects = sum(_made(unit) for unit in units)
    print(f"{objects:>7} workloads, {sum(map(len, text)) >> 20:>4} MiB: render {rendering:6.2f} s, serialise {serialising:6.2f} s, "
          f"{rendering / serialising:.2f} times")  # fmt: skip
    return rendering, serialising


def _made(unit: Unit) -> int:
    return sum(manifest["kind"] in ("Deployment", "LeaderWorkerSet") for manifest in unit.manifests)


def main() -> int:
    """0 if both bounds hold."""
    workloads = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 10_000
    small, _ = measured(workloads // 4)
    large, serialising = measured(workloads)
    print(f"four times the workloads took {large / small:.2f} times the CPU, at most {GROWTH:.0f}")
    print(f"rendering took {large / serialising:.2f} times the serialising, at most {AGAINST_SERIALISING:.0f}")
    return int(large > GROWTH * small or large > AGAINST_SERIALISING * serialising)


if __name__ == "__main__":
    sys.exit(main())
