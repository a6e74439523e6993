"""ScaledObject: KEDA's autoscaling of a workload within the share that placement gave it.

Metric names are vLLM 0.33's. KEDA divides the value of an AverageValue trigger by the number of replicas, so such a query sums over
the workload's pods: what users state is the mean of one pod. Pods that still load export nothing and are counted, so a scale-up that
is under way lowers the mean instead of asking for more pods. A Value trigger compares the query's result itself with the target.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .. import names
from ..api.scaling import Trigger
from . import sync
from .metadata import metadata
from .unit import Manifest
from .workload import Workload

_POLLING_SECONDS = 15
_COOLDOWN_SECONDS = 300
_FAILURES_BEFORE_FALLBACK = 3

# type: (query with the series' filter for %s, metricType, whether no result means zero). The gauges are exported by every engine that
# runs, so no result means unknown, and the fallback holds; a latency has no value without requests, and then nothing is to be done.
_SIGNALS = {
    "RequestsWaiting": ("sum(vllm:num_requests_waiting{%s})", "AverageValue", False),
    "RequestsRunning": ("sum(vllm:num_requests_running{%s})", "AverageValue", False),
    "KVCacheUsage": ("sum(avg by (pod) (vllm:kv_cache_usage_perc{%s}))", "AverageValue", False),
    "TimeToFirstToken": ("histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{%s}[2m])))", "Value", True),
}


def scaled_object(workload: Workload) -> Manifest | None:
    """The scaler of an autoscaled workload; None for a fixed one. Suspended: it stays, paused at 0."""
    scaling = workload.deployment.spec.scaling
    if scaling is None or not workload.autoscaled:
        return None
    notes = sync.annotations_of("ScaledObject", workload.removal, retiring=workload.retiring)
    if workload.suspended:
        notes[names.PAUSED_REPLICAS] = "0"
    triggers = _triggers(workload, scaling.triggers)
    spec: dict[str, Any] = {
        "advanced": {
            "horizontalPodAutoscalerConfig": {"behavior": _behavior(workload.startup_seconds)},
            "restoreToOriginalReplicaCount": False,
        },
        "cooldownPeriod": _COOLDOWN_SECONDS,
        "maxReplicaCount": workload.maximum,
        "minReplicaCount": workload.minimum,
        "pollingInterval": _POLLING_SECONDS,
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": workload.name},
        "triggers": triggers,
    }
    if any(trigger["metricType"] == "AverageValue" for trigger in triggers):  # KEDA refuses a fallback without one
        spec["fallback"] = {"behavior": "static", "failureThreshold": _FAILURES_BEFORE_FALLBACK, "replicas": workload.count}
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": metadata(workload.name, workload.namespace, labels=workload.labels, annotations=notes),
        "spec": spec,
    }


def _triggers(workload: Workload, declared: Sequence[Trigger]) -> list[dict[str, Any]]:
    seen: dict[str, int] = {}
    found = []
    for trigger in declared:
        seen[trigger.type] = seen.get(trigger.type, 0) + 1
        nth = f"-{seen[trigger.type]}" if seen[trigger.type] > 1 else ""
        found.append(_trigger(workload, trigger, f"{_kebab(trigger.type)}{nth}"))
    return found


def _trigger(workload: Workload, trigger: Trigger, name: str) -> dict[str, Any]:
    """A prometheus trigger. An own query gives a total, which KEDA divides by the replicas like the gauges'."""
    if trigger.query is None:
        template, metric, none_is_zero = _SIGNALS[trigger.type]
        query = template % _filter(workload)
    else:
        query, metric, none_is_zero = trigger.query, "AverageValue", False
    metadata = {
        "activationThreshold": "0",
        "ignoreNullValues": "true" if none_is_zero else "false",
        "query": query,
        "serverAddress": workload.cluster.spec.monitoring.prometheus_url,
        "threshold": trigger.target,
    }
    return {"name": name, "type": "prometheus", "metricType": metric, "metadata": metadata, "useCachedMetrics": False}


def _filter(workload: Workload) -> str:
    """Label matchers of this workload's series; `workload` is put on them by the PodMonitor."""
    wanted = {"namespace": workload.namespace, "model_name": workload.deployment.model_name, "workload": workload.name}
    return ",".join(f"{label}={json.dumps(value, ensure_ascii=False)}" for label, value in wanted.items())


def _behavior(startup: int) -> dict[str, Any]:
    """One pod at a time, and time for it to load before the next is judged.

    A model usually loads in a small part of its `startupTimeout`, which is a limit: a new pod is allowed each sixth of it (30m: 5 minutes).
    A loaded pod is dear, so it goes only when it was not needed for the whole `startupTimeout` (at most an hour, HPA's limit).
    """
    period = min(1800, max(60, startup // 6))
    up = {"policies": [_policy(period)], "selectPolicy": "Max", "stabilizationWindowSeconds": min(300, max(30, startup // 30))}
    down = {"policies": [_policy(300)], "selectPolicy": "Max", "stabilizationWindowSeconds": min(3600, max(300, startup))}
    return {"scaleDown": down, "scaleUp": up}


def _policy(period: int) -> dict[str, Any]:
    return {"periodSeconds": period, "type": "Pods", "value": 1}


def _kebab(word: str) -> str:
    """`KVCacheUsage` as `kv-cache-usage`."""
    edges = (i for i in range(1, len(word)) if word[i].isupper() and (word[i - 1].islower() or word[i + 1 : i + 2].islower()))
    starts = [0, *edges]
    return "-".join(word[a:b].lower() for a, b in zip(starts, [*starts[1:], len(word)], strict=True))
