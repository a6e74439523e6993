"""Recording rules, alerts, dashboards and the collector's mapping, judged by Prometheus' own promtool."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from modelfleet.render import alerts, dashboards, rules
from modelfleet.render.members import pods
from modelfleet.render.workload import workloads
from modelfleet.stock import telemetry

from tests.render.builders import cluster, deployment, engine, entry, fleet, gang, gpu, placement, plan, pool, scaling, team

pytestmark = pytest.mark.e2e

KEY = ("search", "qwen")
AIM = {"type": "TimeToFirstToken", "target": "2"}


@pytest.fixture(scope="module")
def promtool() -> str:
    found = shutil.which("promtool")
    if found is None:
        pytest.skip("needs promtool: apt-get install prometheus")
    return found


def given() -> tuple[Any, list[dict[str, Any]], str]:
    """A fleet with a priced pool and a team's budget, the rule groups of its deployment and cluster, and the workload's name."""
    from dataclasses import replace

    where = cluster("east", replace(pool("h100", gpu(8)), price=8_000_000))
    asked = deployment(engine(count=2), scaling=scaling(AIM))
    found = fleet(asked, clusters=(where,), teams={"ml": team(budget={"perHour": "5"})})
    planned = plan({KEY: placement(entry(2, minimum=1, maximum=4), wanted=2)})
    one = workloads(found, planned, where, KEY)
    groups = rules.model_rules(found, [(workload, pods(workload)) for workload in one])["spec"]["groups"]
    return found, [*groups, *rules.base_rules(found, where, "Retire")["spec"]["groups"]], one[0].name


def run(promtool: str, *arguments: str) -> None:
    done = subprocess.run([promtool, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def write(folder: Path, name: str, value: Any) -> str:
    (folder / name).write_text(yaml.safe_dump(value))
    return str(folder / name)


def test_every_rule_is_one_of_prometheus(promtool: str, tmp_path: Path) -> None:
    _, groups, _ = given()
    run(promtool, "check", "rules", "--lint-fatal", write(tmp_path, "rules.yaml", {"groups": groups}))
    assert {rule["alert"] for group in groups for rule in group["rules"] if "alert" in rule} == {alert.name for alert in alerts.ALL}


def test_the_rules_of_a_gang_count_its_leaders(promtool: str, tmp_path: Path) -> None:
    found = fleet(deployment(gang()))
    devices = {"main": {"pool": "h100", "devices": {"Leader/gpu": "gpu", "Worker/gpu": "gpu"}}}
    one = workloads(found, plan({KEY: placement(entry(engines=devices))}), found.clusters["east"], KEY)
    groups = rules.model_rules(found, [(workload, pods(workload)) for workload in one])["spec"]["groups"]
    run(promtool, "check", "rules", "--lint-fatal", write(tmp_path, "rules.yaml", {"groups": groups}))
    assert f'kube_statefulset_status_replicas_ready{{namespace="search",statefulset="{one[0].name}"}}' in json.dumps(groups).replace(
        '\\"', '"'
    )


def series(workload: str, ready: str, **more: str) -> list[dict[str, str]]:
    """What is scraped, minute by minute: a healthy workload with two wanted copies, and what a case changes."""
    at, engine_at = f'namespace="search",deployment="{workload}"', f'namespace="search",workload="{workload}",model_name="search/qwen"'
    usual = {
        f"kube_deployment_spec_replicas{{{at}}}": "2x120",
        f"kube_deployment_status_replicas_available{{{at}}}": ready,
        f'kube_pod_status_unschedulable{{namespace="search",pod="{workload}-6f-a"}}': more.get("unschedulable", "0x120"),
        f'vllm:kv_cache_usage_perc{{{engine_at},pod="a",engine="0"}}': more.get("cache", "0.5x120"),
        f'vllm:time_to_first_token_seconds_bucket{{{engine_at},le="1"}}': more.get("quick", "0+60x120"),
        f'vllm:time_to_first_token_seconds_bucket{{{engine_at},le="20"}}': "0+60x120",
        f'vllm:time_to_first_token_seconds_bucket{{{engine_at},le="+Inf"}}': "0+60x120",
        f'keda_scaler_detail_errors_total{{exported_namespace="search",scaledObject="{workload}"}}': more.get("errors", "0x120"),
        'modelfleet:devices_recorded{cluster="east",pool="h100",workload="another"}': more.get("others", "0x120"),
        # Another model's trouble is not this one's.
        'kube_pod_status_unschedulable{namespace="search",pod="other-main-00000000-6f-a"}': "1x120",
        'vllm:kv_cache_usage_perc{namespace="search",workload="other",model_name="search/other",pod="b",engine="0"}': "1x120",
        'keda_scaler_detail_errors_total{exported_namespace="search",scaledObject="other"}': "0+9x120",
    }
    return [
        {"series": name, "values": values.replace("x120", "+0x120") if "+" not in values and "x" in values else values}
        for name, values in usual.items()
    ]


CASES: dict[str, tuple[str, dict[str, str], set[str]]] = {
    "all is well": ("2x120", {}, set()),
    "one of two is not ready": ("1x120", {}, {"ModelReplicasShort"}),
    "none answers any more": ("2x10 0x110", {}, {"ModelNoEndpoint", "ModelReplicasShort"}),
    "none has answered yet": ("0x120", {}, {"ModelReplicasShort"}),
    "pods have no node": ("2x120", {"unschedulable": "1x120"}, {"ModelClaimUnallocatable"}),
    "the cache is full": ("2x120", {"cache": "0.99x120"}, {"ModelKVCacheFull"}),
    "first tokens are late": ("2x120", {"quick": "0x120"}, {"ModelSlowFirstToken"}),
    "the scaler cannot read": ("2x120", {"errors": "0+1x120"}, {"ModelScalerFallback"}),
    "the pool holds too much": ("2x120", {"others": "30x120"}, {"ModelPoolOvercommitted"}),
    "the team spends too much": ("4x120", {}, {"TeamOverBudget"}),
}


@pytest.mark.parametrize(("ready", "more", "fired"), CASES.values(), ids=CASES)
def test_who_is_called_when(promtool: str, tmp_path: Path, ready: str, more: dict[str, str], fired: set[str]) -> None:
    """After 110 minutes. Prometheus is asked for the names of what fires, so that one alert too many is seen as well."""
    _, groups, workload = given()
    write(tmp_path, "rules.yaml", {"groups": groups})
    expected = [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in sorted(fired)]
    query = {"expr": 'count by (alertname) (ALERTS{alertstate="firing"})', "eval_time": "110m", "exp_samples": expected}
    test = {"interval": "1m", "input_series": series(workload, ready, **more), "promql_expr_test": [query]}
    run(
        promtool,
        "test",
        "rules",
        write(tmp_path, "test.yaml", {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": [test]}),
    )


def test_what_is_recorded_and_what_it_costs(promtool: str, tmp_path: Path) -> None:
    """A pod takes two of eight devices of a node that costs 8: two copies cost 4 an hour, and the team pays."""
    _, groups, workload = given()
    write(tmp_path, "rules.yaml", {"groups": groups})
    labels = f'cluster="east",engine="main",model="qwen",namespace="search",pool="h100",team="ml",workload="{workload}"'
    values = {"modelfleet:cost_per_hour": 4, "modelfleet:replicas_ready": 2, "modelfleet:kv_cache_usage": 0.5}
    asked = [
        {"expr": f'{name}{{workload="{workload}"}}', "eval_time": "60m", "exp_samples": [{"labels": f"{name}{{{labels}}}", "value": value}]}
        for name, value in {**values, "modelfleet:devices_recorded": 4}.items()
    ]
    test = {"interval": "1m", "input_series": series(workload, "2x120"), "promql_expr_test": asked}
    run(
        promtool,
        "test",
        "rules",
        write(tmp_path, "test.yaml", {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": [test]}),
    )


def test_every_query_of_a_dashboard_is_one_of_prometheus_and_reads_what_is_recorded(promtool: str, tmp_path: Path) -> None:
    recorded = {rule["record"] for group in given()[1] for rule in group["rules"] if "record" in rule}
    shown = []
    for manifest in dashboards.dashboards("Retire"):
        (text,) = manifest["data"].values()
        shown += [target["expr"] for panel in json.loads(text)["panels"] for target in panel["targets"]]
    import re

    assert {name for query in shown for name in re.findall(r"modelfleet:[a-z_0-9:]+", query)} <= recorded
    groups = [{"name": "g", "rules": [{"record": f"panel:{nth}", "expr": query.replace("$", "")} for nth, query in enumerate(shown)]}]
    run(promtool, "check", "rules", write(tmp_path, "rules.yaml", {"groups": groups}))


def test_the_collectors_job_is_one_of_prometheus(promtool: str, tmp_path: Path) -> None:
    found = telemetry.configuration("east", "http://prometheus.monitoring.svc:9090/prefix")
    jobs = json.loads(json.dumps(found["receivers"]["prometheus"]["config"]["scrape_configs"]).replace("$$", "$"))
    run(promtool, "check", "config", write(tmp_path, "prometheus.yaml", {"scrape_configs": jobs}))
    assert (jobs[0]["metrics_path"], jobs[0]["static_configs"][0]["targets"]) == ("/prefix/federate", ["prometheus.monitoring.svc:9090"])
