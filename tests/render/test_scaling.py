"""ScaledObjects."""

from __future__ import annotations

from typing import Any

import pytest
from modelfleet.render.scaling import scaled_object
from modelfleet.render.workload import workloads

from .builders import cluster, deployment, engine, entry, fleet, gang, placement, plan, pool, scaling
from .kinds import GANG, KEY, chosen

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
    return {"name": name, "type": "prometheus", "metricType": metric, "metadata": metadata}


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


def scalers(declared: Any, *entries: dict[str, Any], pools: tuple[str, ...] = ("h100",), **record: Any) -> list[dict[str, Any]]:
    """Specs of the scalers of a deployment on `east`, by name."""
    found = fleet(declared, clusters=(cluster("east", *(pool(name) for name in pools)), cluster("west")))
    made = workloads(found, plan({KEY: placement(*entries, **record)}), found.clusters["east"], KEY)
    return [scaler["spec"] for scaler in map(scaled_object, made) if scaler]


IN_FLIGHT = {"type": "RequestsInFlight", "target": "2"}
SERIES_OF_THE_ROUTE = 'sum(envoy_cluster_upstream_rq_active{envoy_cluster_name="httproute/search/model-qwen/rule/0"})'


def test_requests_in_flight_are_those_of_the_deployments_route() -> None:
    (found,) = scalers(deployment(scaling=scaling(IN_FLIGHT)), entry(2, minimum=1, maximum=4))
    assert found["triggers"][0]["metadata"]["query"] == SERIES_OF_THE_ROUTE


def test_workloads_behind_one_route_share_its_requests() -> None:
    shares = [entry(1, minimum=1, maximum=1), entry(2, pool="h200", minimum=1, maximum=3)]
    found = scalers(deployment(scaling=scaling(IN_FLIGHT)), *shares, pools=("h100", "h200"))
    queries = {one["maxReplicaCount"]: one["triggers"][0]["metadata"]["query"] for one in found}
    assert queries == {1: f"{SERIES_OF_THE_ROUTE} * 1 / 4", 3: f"{SERIES_OF_THE_ROUTE} * 3 / 4"}


def test_a_gang_scales_as_a_whole() -> None:
    (found,) = scalers(deployment(gang(), scaling=scaling()), entry(2, engines=GANG, minimum=1, maximum=3))
    assert {key: found["scaleTargetRef"][key] for key in ("apiVersion", "kind")} == {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
    }
    assert (found["minReplicaCount"], found["maxReplicaCount"], found["fallback"]["replicas"]) == (1, 3, 2)


def test_each_phase_scales_by_itself_and_by_its_copies_in_each_replica() -> None:
    night = {"start": "0 7 * * *", "end": "0 19 * * *", "timezone": "UTC", "minCopies": 3}
    rules = {"minCopies": 2, "maxCopies": 4, "reservedCopies": 3, "triggers": [IN_FLIGHT], "schedules": [night], "fallback": {"copies": 4}}
    phases = [engine("p", phase="Prefill", scaling=rules), engine("d", phase="Decode", copies=2)]
    choice = {"p": chosen(gpu="gpu"), "d": chosen(gpu="gpu")}
    (found,) = scalers(deployment(*phases, serving={"mode": "PrefillDecode"}, replicas=2), entry(2, engines=choice))
    assert (found["minReplicaCount"], found["maxReplicaCount"], found["fallback"]["replicas"]) == (4, 8, 8)
    in_flight, schedule = found["triggers"]
    assert in_flight["metadata"]["query"] == SERIES_OF_THE_ROUTE  # every request passes through each phase
    assert schedule["metadata"]["desiredReplicas"] == "6"


def test_a_schedule_that_raises_no_floor_here_is_left_out() -> None:
    window = {"start": "0 7 * * *", "end": "0 19 * * *", "timezone": "UTC"}
    rules = {**scaling(low=2, high=6), "schedules": [{**window, "minReplicas": 2}, {**window, "minReplicas": 5}]}
    (found,) = scalers(deployment(scaling=rules), entry(3, minimum=1, maximum=3), entry(3, "west", minimum=1, maximum=3))
    assert [t["name"] for t in found["triggers"]] == ["requests-waiting", "schedule-2"]
    assert found["triggers"][1]["metadata"]["desiredReplicas"] == "3"


def test_what_may_sleep_reads_missing_series_as_zero_and_is_not_woken_by_a_fault() -> None:
    rules = {**scaling(low=0), "wake": "Never"}
    (found,) = scalers(deployment(scaling=rules), entry(2, minimum=0, maximum=4))
    assert [t["metadata"]["ignoreNullValues"] for t in found["triggers"]] == ["true"]
    assert (found["fallback"]["behavior"], found["cooldownPeriod"], found["minReplicaCount"]) == ("currentReplicas", 1800, 0)


def test_a_fallback_is_this_shares_part() -> None:
    rules = {**scaling(low=2, high=8), "reservedReplicas": 6, "fallback": {"replicas": 4, "failureThreshold": 9}}
    (found,) = scalers(deployment(scaling=rules), entry(4, minimum=1, maximum=5), entry(2, "west", minimum=1, maximum=3))
    assert found["fallback"] == {"behavior": "static", "failureThreshold": 9, "replicas": 3}


def test_the_users_behavior_replaces_what_it_names() -> None:
    rules = {**scaling(), "behavior": {"scaleUp": {"stabilizationWindowSeconds": 0}}}
    (found,) = scalers(deployment(scaling=rules), entry(2, minimum=1, maximum=4))
    up = found["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]["scaleUp"]
    assert up == {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 300}], "selectPolicy": "Max", "stabilizationWindowSeconds": 0}
