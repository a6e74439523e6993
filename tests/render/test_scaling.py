"""ScaledObjects."""

from __future__ import annotations

from typing import Any

import pytest
from modelfleet.render.scaling import scaled_object
from modelfleet.render.workload import workloads

from .builders import cluster, deployment, engine, entry, fleet, placement, plan, scaling
from .scenarios import KEY

SERIES = 'namespace="search",model_name="search/qwen",workload="qwen-main-cc16f6ee"'


def spec(*triggers: dict[str, Any], copies: int = 1, serving: Any = None, **record: Any) -> dict[str, Any]:
    found = fleet(
        deployment(engine(copies=copies), scaling=scaling(*triggers), serving=serving),
        clusters=(cluster(monitoring={"prometheusURL": "http://prometheus:9090"}),),
    )
    shares = {"minimum": 1, "maximum": 4, **record}
    manifest = scaled_object(workloads(found, plan({KEY: placement(entry(2, **shares))}), found.clusters["east"], KEY)[0])
    assert manifest is not None
    return dict(manifest["spec"])


def trigger(name: str, query: str, metric: str = "AverageValue", none_is_zero: str = "false", target: str = "4") -> dict[str, Any]:
    metadata = {
        "activationThreshold": "0",
        "ignoreNullValues": none_is_zero,
        "query": query,
        "serverAddress": "http://prometheus:9090",
        "threshold": target,
    }
    return {"name": name, "type": "prometheus", "metricType": metric, "metadata": metadata, "useCachedMetrics": False}


LATENCY = f"histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{{{SERIES}}}[2m])))"
TRIGGERS = [
    ({"type": "RequestsWaiting"}, trigger("requests-waiting", f"sum(vllm:num_requests_waiting{{{SERIES}}})")),
    ({"type": "RequestsRunning"}, trigger("requests-running", f"sum(vllm:num_requests_running{{{SERIES}}})")),
    ({"type": "KVCacheUsage"}, trigger("kv-cache-usage", f"sum(avg by (pod) (vllm:kv_cache_usage_perc{{{SERIES}}}))", target="0.8")),
    ({"type": "TimeToFirstToken"}, trigger("time-to-first-token", LATENCY, "Value", "true")),
    ({"type": "Prometheus", "query": "sum(up) or vector(0)"}, trigger("prometheus", "sum(up) or vector(0)")),
]


@pytest.mark.parametrize(("declared", "expected"), TRIGGERS, ids=[t[0]["type"] for t in TRIGGERS])
def test_trigger(declared: dict[str, Any], expected: dict[str, Any]) -> None:
    assert spec({"target": expected["metadata"]["threshold"], **declared})["triggers"] == [expected]


def test_two_triggers_of_a_type_have_two_names() -> None:
    signal = {"type": "RequestsWaiting", "target": "4"}
    assert [t["name"] for t in spec(signal, signal)["triggers"]] == ["requests-waiting", "requests-waiting-2"]


def test_numbers_are_the_share_of_this_cluster_times_copies() -> None:
    found = spec(copies=2)
    assert (found["minReplicaCount"], found["maxReplicaCount"], found["fallback"]["replicas"]) == (2, 8, 4)


def test_an_entry_without_a_recorded_maximum_is_fixed() -> None:
    found = fleet(deployment(scaling=scaling()))
    assert scaled_object(workloads(found, plan({KEY: placement(entry(2))}), found.clusters["east"], KEY)[0]) is None


def test_a_fallback_needs_an_average() -> None:
    latency, waiting = {"type": "TimeToFirstToken", "target": "2"}, {"type": "RequestsWaiting", "target": "4"}
    fallback = {"behavior": "static", "failureThreshold": 3, "replicas": 2}
    assert (spec(latency).get("fallback"), spec(latency, waiting).get("fallback")) == (None, fallback)


def test_a_model_name_is_quoted() -> None:
    query = spec(serving={"modelName": 'a"b\\c'})["triggers"][0]["metadata"]["query"]
    assert 'model_name="a\\"b\\\\c"' in query


@pytest.mark.parametrize(
    ("startup", "up_period", "up_window", "down_window"),
    [("1m", 60, 30, 300), ("30m", 300, 60, 1800), ("2h", 1200, 240, 3600), ("24h", 1800, 300, 3600)],
)
def test_a_model_has_time_to_load_within_the_limits_of_hpa(startup: str, up_period: int, up_window: int, down_window: int) -> None:
    behavior = spec(serving={"startupTimeout": startup})["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    up = {"policies": [{"type": "Pods", "value": 1, "periodSeconds": up_period}], "stabilizationWindowSeconds": up_window}
    down = {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 300}], "stabilizationWindowSeconds": down_window}
    assert behavior == {"scaleUp": {**up, "selectPolicy": "Max"}, "scaleDown": {**down, "selectPolicy": "Max"}}
