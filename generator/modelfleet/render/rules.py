"""PrometheusRules: what is recorded of every workload under one name whatever its engine, and when somebody is called.

A workload's rules name it, so that they need no labels that somebody would have to teach an exporter first: the engine's own series, those
of kube-state-metrics, and KEDA's. Every series recorded carries the labels by which cost is attributed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import names
from ..resolve.fleet import Cluster, Fleet, Pool
from . import alerts, sync
from .alerts import Alert
from .members import Pod
from .metadata import metadata
from .unit import Manifest
from .workload import Workload

if TYPE_CHECKING:
    from ..api.scaling import Trigger

Part = dict[str, Any]

_SLOW_SECONDS = 10.0  # of the first token, where no trigger says what is aimed at
_SERVED_LATELY = "1d"


def model_rules(fleet: Fleet, found: Sequence[tuple[Workload, Sequence[Pod]]]) -> Manifest:
    """The rules of a deployment on a cluster, a group for each workload; at least one workload."""
    first = found[0][0]
    owner = fleet.team_of(first.namespace)
    team = {"team": owner[0]} if owner else {}
    groups = [_group(workload, pods, {**_labels(workload), **team}) for workload, pods in found]
    name = names.service(first.namespace, first.deployment.name)
    labels = names.common_labels(first.namespace, first.deployment.name, first.cluster.name)
    return _manifest(name, first.namespace, groups, first.removal, labels)


def base_rules(fleet: Fleet, cluster: Cluster, removal: sync.Removal) -> Manifest:
    """The rules of a cluster: devices of its pools, budgets of teams, and who passes them.

    A cluster's Prometheus knows what runs there alone; one that gathers several knows their sum by the same rules.
    """
    where = {"cluster": cluster.name}
    rules = [
        _record("modelfleet:devices_capacity", _constant(_devices(pool)), {**where, "pool": pool.name}) for pool in _by_name(cluster.pools)
    ]
    budgets = {name: team.budget.per_hour for name, team in sorted(fleet.teams.items()) if team.budget}
    rules += [_record("modelfleet:budget_per_hour", f"vector({amount})", {"team": name}) for name, amount in budgets.items()]
    pools = "sum by (cluster, pool) (modelfleet:devices_recorded) > on (cluster, pool) modelfleet:devices_capacity"
    spent = "sum by (team) (modelfleet:cost_per_hour) > on (team) max by (team) (modelfleet:budget_per_hour)"
    rules += [
        _alert(alerts.OVERCOMMITTED, pools, 900, {}, "pool {{ $labels.pool }} of {{ $labels.cluster }}"),
        _alert(alerts.OVER_BUDGET, spent, 900, {}, "team {{ $labels.team }}"),
    ]
    return _manifest(names.GATEWAY, names.SYSTEM_NAMESPACE, [{"name": "modelfleet.cluster", "rules": rules}], removal, {})


def _group(workload: Workload, pods: Sequence[Pod], labels: Mapping[str, str]) -> Part:
    own = _matchers({"namespace": workload.namespace, "workload": workload.name})
    engine = _matchers({"namespace": workload.namespace, "model_name": workload.deployment.model_name, "workload": workload.name})
    wanted, ready = _counts(workload)
    first_token = f"histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{{{engine}}}[5m])))"
    recorded = {
        "modelfleet:replicas_wanted": wanted,
        "modelfleet:replicas_ready": ready,
        "modelfleet:requests_waiting": f"sum(vllm:num_requests_waiting{{{engine}}})",
        "modelfleet:requests_running": f"sum(vllm:num_requests_running{{{engine}}})",
        "modelfleet:kv_cache_usage": f"max(vllm:kv_cache_usage_perc{{{engine}}})",
        "modelfleet:time_to_first_token_seconds:p95": first_token,
        "modelfleet:output_tokens:rate5m": f"sum(rate(vllm:generation_tokens_total{{{engine}}}[5m]))",
        "modelfleet:devices_recorded": _constant(workload.count * sum(pod.device_count * pod.member.pods for pod in pods)),
    }
    price = _price(workload, pods)
    if price is not None:
        recorded["modelfleet:cost_per_hour"] = f"{ready} * {price}"
    rules = [_record(name, expression, labels) for name, expression in recorded.items()]
    if not workload.retiring:
        rules += _alerts(workload, own, labels)
    return {"name": f"modelfleet.{workload.namespace}.{workload.name}", "rules": rules}


def _alerts(workload: Workload, own: str, labels: Mapping[str, str]) -> list[Part]:
    ready, wanted = f"modelfleet:replicas_ready{{{own}}}", f"modelfleet:replicas_wanted{{{own}}}"
    what = f"{workload.deployment.ref} on {workload.cluster.name} ({workload.name})"
    pods = _matchers({"namespace": workload.namespace}) + f',pod=~"{workload.name.replace(".", "[.]")}-.+"'
    gone = f"({wanted} > 0 unless {ready} > 0) and max_over_time({ready}[{_SERVED_LATELY}]) > 0"
    cases: list[tuple[Alert, str, int]] = [
        (alerts.NO_ENDPOINT, gone, 300),
        (alerts.REPLICAS_SHORT, f"{ready} < {wanted}", workload.startup_seconds + 900),
        (alerts.CLAIM_UNALLOCATABLE, f"sum(kube_pod_status_unschedulable{{{pods}}}) > 0", 900),
        (alerts.KV_CACHE_FULL, f"modelfleet:kv_cache_usage{{{own}}} > 0.95", 600),
        (alerts.SLOW_FIRST_TOKEN, f"modelfleet:time_to_first_token_seconds:p95{{{own}}} > {slow_seconds(workload):g}", 600),
    ]
    if workload.autoscaled:  # KEDA's own label of the namespace is renamed when it is scraped; the name is no other's
        errors = _matchers({"scaledObject": workload.name})
        cases.append((alerts.SCALER_FALLBACK, f"sum(increase(keda_scaler_detail_errors_total{{{errors}}}[10m])) > 0", 300))
    return [_alert(alert, expression, seconds, labels, what) for alert, expression, seconds in cases]


def slow_seconds(workload: Workload) -> float:
    """When a first token is late: at twice what the scaler aims at, else after ten seconds."""
    triggers: Sequence[Trigger] = workload.scaling.triggers if workload.scaling else ()
    aims = [float(trigger.target) for trigger in triggers if trigger.type == "TimeToFirstToken"]
    return 2 * min(aims) if aims else _SLOW_SECONDS


def _counts(workload: Workload) -> tuple[str, str]:
    """(wanted, ready) copies, as kube-state-metrics counts them: of a gang its leaders, which one StatefulSet makes."""
    if workload.gang:
        at = _matchers({"namespace": workload.namespace, "statefulset": workload.name})
        return f"sum(kube_statefulset_replicas{{{at}}})", f"sum(kube_statefulset_status_replicas_ready{{{at}}})"
    at = _matchers({"namespace": workload.namespace, "deployment": workload.name})
    return f"sum(kube_deployment_spec_replicas{{{at}}})", f"sum(kube_deployment_status_replicas_available{{{at}}})"


def _price(workload: Workload, pods: Sequence[Pod]) -> str | None:
    """Price of a copy for an hour, in the fleet's currency: each pod's largest share of a node's devices; None without a price."""
    if workload.pool.price is None:
        return None
    groups = {device.name: device.count for device in workload.pool.hardware.devices}
    whole = workload.settings.placement.accounting == "Node"
    total = 0
    for pod in pods:
        shares = [min(option.count, groups[device.name]) * 10**6 // groups[device.name] for g in pod.grants for option, device in g.options]
        share = 10**6 if whole else max(shares, default=0)
        total += workload.pool.price * share // 10**6 * pod.member.pods
    return f"{total // 10**6}.{total % 10**6:06d}"


def _devices(pool: Pool) -> int:
    """Devices of a pool, with the nodes that an autoscaler can add."""
    return (pool.nodes + pool.more_nodes) * sum(device.count for device in pool.hardware.devices if device.claim != "Synthetic")


def _by_name(pools: Sequence[Pool]) -> list[Pool]:
    return sorted(pools, key=lambda pool: pool.name)


def _labels(workload: Workload) -> dict[str, str]:
    """Labels by which series are found, summed and paid for."""
    return {
        "cluster": workload.cluster.name,
        "namespace": workload.namespace,
        "model": workload.deployment.name,
        "engine": workload.engine.name,
        "pool": workload.pool.name,
        "workload": workload.name,
    }


def _matchers(wanted: Mapping[str, str]) -> str:
    return ",".join(f"{label}={json.dumps(value, ensure_ascii=False)}" for label, value in wanted.items())


def _constant(number: int) -> str:
    return f"vector({number})"


def _record(name: str, expression: str, labels: Mapping[str, str]) -> Part:
    return {"record": name, "expr": expression, "labels": dict(labels)}


def _alert(alert: Alert, expression: str, seconds: int, labels: Mapping[str, str], what: str) -> Part:
    return {
        "alert": alert.name,
        "annotations": {"runbook": alert.runbook, "summary": f"{what}: {alert.summary}"},
        "expr": expression,
        "for": f"{seconds // 60}m",
        "labels": {**labels, "severity": alert.severity},
    }


def _manifest(name: str, namespace: str, groups: Sequence[Part], removal: sync.Removal, labels: Mapping[str, str]) -> Manifest:
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": metadata(name, namespace, labels=labels or None, annotations=sync.annotations_of("PrometheusRule", removal)),
        "spec": {"groups": list(groups)},
    }
