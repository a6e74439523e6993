"""The triggers of a ScaledObject: which question is put to Prometheus, and what its answer means.

Metric names are vLLM 0.33's and Envoy's. KEDA divides the value of an AverageValue trigger by the number of replicas, so such a query sums
over the workload's pods: what users state is the mean of one pod. Pods that still load export nothing and are counted, so a scale-up that
is under way lowers the mean instead of asking for more pods. A Value trigger compares the query's result itself with the target.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .. import names
from ..api.scaling import Scaling, Trigger
from ..api.schedule import CopySchedule, Schedule
from .shares import part
from .workload import Workload

# type: (query with the series' filter for %s, metricType, whether no result means zero). The gauges are exported by every engine that
# runs, so no result means unknown, and the fallback holds; a latency has no value without requests, and then nothing is to be done.
_SIGNALS = {
    "RequestsWaiting": ("sum(vllm:num_requests_waiting{%s})", "AverageValue", False),
    "RequestsRunning": ("sum(vllm:num_requests_running{%s})", "AverageValue", False),
    "KVCacheUsage": ("sum(avg by (pod) (vllm:kv_cache_usage_perc{%s}))", "AverageValue", False),
    "TimeToFirstToken": ("histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{%s}[2m])))", "Value", True),
}
_IN_FLIGHT = "sum(envoy_cluster_upstream_rq_active{%s})"
# A request that finds no pod is pending and never sent; one that finds a connection is sent and never pending. Both counters are there
# from the first scrape, so that the first request is an increase.
_CALLED = "sum(increase(envoy_cluster_upstream_rq_pending_total{%s}[2m])) + sum(increase(envoy_cluster_upstream_rq_total{%s}[2m]))"


def triggers(workload: Workload) -> list[dict[str, Any]]:
    """The signals of the workload, what wakes it, and its schedules, each with a name of its own."""
    scaling = workload.scaling
    if scaling is None:
        return []
    seen: dict[str, int] = {}
    found = []
    for trigger in scaling.triggers:
        seen[trigger.type] = seen.get(trigger.type, 0) + 1
        nth = f"-{seen[trigger.type]}" if seen[trigger.type] > 1 else ""
        found.append(_trigger(workload, trigger, f"{_kebab(trigger.type)}{nth}"))
    if isinstance(scaling, Scaling) and scaling.wake == "OnRequest":
        found.append(_wake(workload))
    return found + _schedules(workload, scaling.schedules)


def _trigger(workload: Workload, trigger: Trigger, name: str) -> dict[str, Any]:
    """A prometheus trigger. An own query gives a total, which KEDA divides by the replicas like the gauges'.

    Where nothing may run, the engine's series are missing then: that is zero, and no reason to fall back.
    """
    if trigger.query is not None:
        query, metric, none_is_zero = trigger.query, "AverageValue", False
    elif trigger.type == "RequestsInFlight":
        query, metric, none_is_zero = _in_flight(workload), "AverageValue", False
    else:
        template, metric, none_is_zero = _SIGNALS[trigger.type]
        query = template % _filter(workload)
    return _prometheus(workload, name, query, metric, trigger.target, none_is_zero or workload.minimum == 0)


def _prometheus(workload: Workload, name: str, query: str, metric: str, threshold: str, none_is_zero: bool) -> dict[str, Any]:
    metadata = {
        "activationThreshold": "0",
        "ignoreNullValues": "true" if none_is_zero else "false",
        "query": query,
        "serverAddress": workload.cluster.spec.monitoring.prometheus_url,
        "threshold": threshold,
    }
    return {"name": name, "type": "prometheus", "metricType": metric, "metadata": metadata}


def _filter(workload: Workload) -> str:
    """Label matchers of this workload's series; `workload` is put on them by the PodMonitor."""
    wanted = {"namespace": workload.namespace, "model_name": workload.deployment.model_name, "workload": workload.name}
    return ",".join(f"{label}={json.dumps(value, ensure_ascii=False)}" for label, value in wanted.items())


def _route(workload: Workload) -> str:
    """Label matcher of the gateway's series of the deployment's route: Envoy Gateway names a cluster after it."""
    route = names.service(workload.namespace, workload.deployment.name)
    return f'envoy_cluster_name="httproute/{workload.namespace}/{route}/rule/0"'


def _in_flight(workload: Workload) -> str:
    """Requests under way at the gateway; of several workloads behind one route each takes the part that its size is."""
    query = _IN_FLIGHT % _route(workload)
    if workload.route_pods == workload.maximum:
        return query
    return f"{query} * {workload.maximum} / {workload.route_pods}"


def _wake(workload: Workload) -> dict[str, Any]:
    """1 while somebody called in the last two minutes, answered or not: never more than the first copy is asked for."""
    query = f"({_CALLED % (_route(workload), _route(workload))}) > bool 0"
    return _prometheus(workload, "wake", query, "AverageValue", "1", True)


def _schedules(workload: Workload, schedules: Sequence[Schedule | CopySchedule]) -> list[dict[str, Any]]:
    """A cron trigger for each schedule that raises this share's floor. Its number comes from the place in the declaration."""
    found = []
    for number, schedule in enumerate(schedules, 1):
        total = schedule.min_replicas if isinstance(schedule, Schedule) else schedule.min_copies
        floor = part(workload, total)
        if floor > workload.minimum:
            when = {"start": schedule.start, "end": schedule.end, "timezone": schedule.timezone, "desiredReplicas": str(floor)}
            found.append({"name": f"schedule-{number}", "type": "cron", "metricType": "AverageValue", "metadata": when})
    return found


def _kebab(word: str) -> str:
    """`KVCacheUsage` as `kv-cache-usage`."""
    edges = (i for i in range(1, len(word)) if word[i].isupper() and (word[i - 1].islower() or word[i + 1 : i + 2].islower()))
    starts = [0, *edges]
    return "-".join(word[a:b].lower() for a, b in zip(starts, [*starts[1:], len(word)], strict=True))
