"""The queries of rendered scalers, asked of a real Prometheus: each gives exactly one number, the right one, and never another model's.

Prometheus scrapes small servers that replay the /metrics pages of vLLM's pods and of the gateway's proxies, with the labels that
PodMonitors put on them. Counters grow with time, so that rates have something to see.
"""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
import urllib3
from modelfleet.render.signals import triggers
from modelfleet.render.workload import Workload, workloads

from tests.e2e import prometheus as prometheuses
from tests.render.builders import cluster, deployment, entry, fleet, placement, plan, pool, scaling

pytestmark = pytest.mark.e2e

SIGNALS: list[dict[str, Any]] = [
    {"type": "RequestsWaiting", "target": "4"},
    {"type": "RequestsRunning", "target": "4"},
    {"type": "KVCacheUsage", "target": "0.8"},
    {"type": "TimeToFirstToken", "target": "2"},
    {"type": "RequestsInFlight", "target": "2"},
    {"type": "Prometheus", "target": "1", "query": 'sum(vllm:num_requests_waiting{namespace="search"})'},
]


def workload(namespace: str, name: str, where: str = "h100") -> Workload:
    """A workload that scales by every signal and sleeps, on one of two pools."""
    rules = {**scaling(*SIGNALS, low=0, high=4), "wake": "OnRequest"}
    found = fleet(deployment(name=name, namespace=namespace, scaling=rules), clusters=(cluster("east", pool("h100"), pool("h200")),))
    key = (namespace, name)
    record = plan({key: placement(entry(2, pool=where, minimum=0, maximum=4))})
    return workloads(found, record, found.clusters["east"], key)[0]


QWEN, OTHER_POOL, ASR = workload("search", "qwen"), workload("search", "qwen", "h200"), workload("voice", "asr")


def engine_page(model: str, waiting: int, running: int, usage: tuple[float, ...], bucket: float, seconds: float) -> str:
    """A page of vLLM 0.33: gauges of each engine, and a histogram whose new observations all fall into one bucket."""
    seen = int(10 * seconds)
    lines = [f'vllm:num_requests_waiting{{engine="0",model_name="{model}"}} {waiting}.0']
    lines.append(f'vllm:num_requests_running{{engine="0",model_name="{model}"}} {running}.0')
    lines.append(f'vllm:num_requests_waiting_by_reason{{engine="0",model_name="{model}",reason="capacity"}} {waiting}.0')
    lines += [f'vllm:kv_cache_usage_perc{{engine="{nth}",model_name="{model}"}} {share}' for nth, share in enumerate(usage)]
    for limit in (0.5, 1.0, 10.0, 20.0):
        count = seen if limit >= bucket else 0
        lines.append(f'vllm:time_to_first_token_seconds_bucket{{engine="0",le="{limit}",model_name="{model}"}} {count}.0')
    lines.append(f'vllm:time_to_first_token_seconds_bucket{{engine="0",le="+Inf",model_name="{model}"}} {seen}.0')
    return "\n".join(lines) + "\n"


def proxy_page(active: dict[str, int], called: set[str], seconds: float) -> str:
    """A page of Envoy: what is under way for each route, and the calls that found no pod."""
    lines = []
    for route, number in active.items():
        label = f'{{envoy_cluster_name="httproute/{route}/rule/0"}}'
        pending = int(seconds) if route in called else 7
        lines += [f"envoy_cluster_upstream_rq_active{label} {number}", f"envoy_cluster_upstream_rq_total{label} 3"]
        lines.append(f"envoy_cluster_upstream_rq_pending_total{label} {pending}")
    return "\n".join(lines) + "\n"


# (labels that the PodMonitor gives, page): two pods of the workload, then everything that must not be counted.
def pages(seconds: float) -> list[tuple[dict[str, str], str]]:
    def pod(name: str, of: Workload, *page: Any) -> tuple[dict[str, str], str]:
        return {"namespace": of.namespace, "pod": name, "workload": of.name}, engine_page(*page, seconds)

    foreign = {"namespace": "elsewhere", "pod": "e", "workload": "qwen-main-00000000"}
    routes = {"search/model-qwen": 5, "voice/model-asr": 90}
    return [
        pod("a1", QWEN, "search/qwen", 3, 2, (0.2, 0.4), 1.0),
        pod("a2", QWEN, "search/qwen", 1, 4, (0.5, 0.5), 1.0),
        pod("a3", OTHER_POOL, "search/qwen", 50, 60, (0.9,), 20.0),
        pod("b1", ASR, "voice/asr", 8, 9, (0.1,), 10.0),
        (foreign, engine_page("search/qwen", 1000, 1000, (1.0,), 20.0, seconds)),
        ({"namespace": "envoy-gateway-system", "pod": "p1"}, proxy_page(routes, {"search/model-qwen"}, seconds)),
        ({"namespace": "envoy-gateway-system", "pod": "p2"}, proxy_page({"search/model-qwen": 2, "voice/model-asr": 0}, set(), seconds)),
    ]


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a Prometheus that has scraped every page long enough for a rate."""
    began = time.monotonic()

    def page(number: int) -> str:
        return pages(time.monotonic() - began)[number][1]

    folder, labels = tmp_path_factory.mktemp("prometheus"), [own for own, _ in pages(0)]
    with prometheuses.start(folder, page, labels, _has_seen_enough, "every page scraped six times") as url:
        yield url


def _has_seen_enough(url: str) -> bool:
    try:
        return bool(ask(url, "min(count_over_time(up[1m])) >= 6"))
    except (urllib3.exceptions.HTTPError, json.JSONDecodeError):  # it listens before it can answer
        return False


def ask(url: str, query: str) -> list[float]:
    """The numbers that a query gives."""
    response = urllib3.request("GET", f"{url}/api/v1/query", fields={"query": query}, retries=False)
    answer = json.loads(response.data)
    assert answer["status"] == "success", answer
    return [float(one["value"][1]) for one in answer["data"]["result"]]


# What a workload's queries give: waiting, running, usage summed over pods, p95, in flight, own query, wake.
EXPECTED = {
    "qwen": (QWEN, {"requests-waiting": 4, "requests-running": 6, "kv-cache-usage": 0.8, "time-to-first-token": 0.975}),
    "the other pool": (OTHER_POOL, {"requests-waiting": 50, "requests-running": 60, "kv-cache-usage": 0.9, "time-to-first-token": 19.5}),
    "asr": (ASR, {"requests-waiting": 8, "requests-running": 9, "kv-cache-usage": 0.1, "time-to-first-token": 9.55}),
}
AT_THE_GATEWAY = {
    "qwen": {"requests-in-flight": 7, "prometheus": 54, "wake": 1},
    "the other pool": {"requests-in-flight": 7, "prometheus": 54, "wake": 1},
    "asr": {"requests-in-flight": 90, "prometheus": 54, "wake": 0},
}
CASES = [(name, trigger["name"]) for name, (of, _) in EXPECTED.items() for trigger in triggers(of)]


@pytest.mark.parametrize(("name", "trigger"), CASES)
def test_a_query_gives_one_number_the_right_one(prometheus: str, name: str, trigger: str) -> None:
    of, expected = EXPECTED[name]
    query = next(t["metadata"]["query"] for t in triggers(of) if t["name"] == trigger)
    assert ask(prometheus, query) == [pytest.approx({**expected, **AT_THE_GATEWAY[name]}[trigger])]


@pytest.mark.parametrize("trigger", [t["name"] for t in triggers(QWEN) if t["name"] != "prometheus"])
def test_a_model_that_exports_nothing_gives_nothing(prometheus: str, trigger: str) -> None:
    """Never a zero that belongs to another model: what a missing answer means is said in the trigger."""
    query = next(t["metadata"]["query"] for t in triggers(workload("search", "gone")) if t["name"] == trigger)
    assert ask(prometheus, query) == []
