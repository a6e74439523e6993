"""Grafana's dashboards of the fleet, of a cluster and of a model, as ConfigMaps that its sidecar loads.

They read what `rules` record, so one dashboard serves every engine, and an unrecorded series is nowhere shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .. import names
from . import sync
from .metadata import metadata
from .unit import Manifest

Panel = tuple[str, str, str, str]  # title, query, legend, unit

_LABEL = "grafana_dashboard"  # by which the sidecar of kube-prometheus-stack finds them
_WIDTH, _HEIGHT = 12, 8  # two in a row

_MISSING = "sum by (namespace, model) (modelfleet:replicas_wanted - modelfleet:replicas_ready) > 0"
_BUDGET = "sum by (team) (modelfleet:cost_per_hour) / on (team) max by (team) (modelfleet:budget_per_hour)"
_HELD = "sum by (cluster, pool) (modelfleet:devices_recorded) / on (cluster, pool) modelfleet:devices_capacity"
_FIRING = 'sum by (alertname) (ALERTS{alertstate="firing",alertname=~"Model.+|TeamOverBudget"})'
_ALL = 'cluster=~"$cluster",namespace=~"$namespace"'
_MODEL = f'{_ALL},model=~"$model"'
DASHBOARDS: dict[str, tuple[tuple[str, ...], tuple[Panel, ...]]] = {
    "fleet": (
        (),
        (
            ("Replicas ready, by cluster", "sum by (cluster) (modelfleet:replicas_ready)", "{{cluster}}", "short"),
            ("Replicas that are missing", _MISSING, "{{namespace}}/{{model}}", "short"),
            ("Cost an hour, by team", "sum by (team) (modelfleet:cost_per_hour)", "{{team}}", "none"),
            ("Budget used, by team", _BUDGET, "{{team}}", "percentunit"),
            ("Devices recorded of those that are there", _HELD, "{{cluster}} {{pool}}", "percentunit"),
            ("Output tokens a second", "sum by (namespace, model) (modelfleet:output_tokens:rate5m)", "{{namespace}}/{{model}}", "short"),
            ("Alerts", _FIRING, "{{alertname}}", "short"),
        ),
    ),
    "cluster": (
        ("cluster", "namespace"),
        (
            ("Replicas ready", f"sum by (namespace, model) (modelfleet:replicas_ready{{{_ALL}}})", "{{namespace}}/{{model}}", "short"),
            ("Requests waiting", f"sum by (namespace, model) (modelfleet:requests_waiting{{{_ALL}}})", "{{namespace}}/{{model}}", "short"),
            ("KV cache", f"max by (namespace, model) (modelfleet:kv_cache_usage{{{_ALL}}})", "{{namespace}}/{{model}}", "percentunit"),
            ("Devices recorded, by pool", f"sum by (pool) (modelfleet:devices_recorded{{{_ALL}}})", "{{pool}}", "short"),
            ("Cost an hour", f"sum by (namespace) (modelfleet:cost_per_hour{{{_ALL}}})", "{{namespace}}", "none"),
        ),
    ),
    "model": (
        ("cluster", "namespace", "model"),
        (
            ("Replicas ready and wanted", f"sum by (cluster) (modelfleet:replicas_ready{{{_MODEL}}})", "{{cluster}}", "short"),
            ("Requests waiting", f"sum by (cluster, engine) (modelfleet:requests_waiting{{{_MODEL}}})", "{{cluster}} {{engine}}", "short"),
            ("Requests running", f"sum by (cluster, engine) (modelfleet:requests_running{{{_MODEL}}})", "{{cluster}} {{engine}}", "short"),
            ("First token, p95", f"max by (cluster) (modelfleet:time_to_first_token_seconds:p95{{{_MODEL}}})", "{{cluster}}", "s"),
            ("KV cache", f"max by (cluster) (modelfleet:kv_cache_usage{{{_MODEL}}})", "{{cluster}}", "percentunit"),
            ("Output tokens a second", f"sum by (cluster) (modelfleet:output_tokens:rate5m{{{_MODEL}}})", "{{cluster}}", "short"),
            ("Cost an hour", f"sum by (cluster) (modelfleet:cost_per_hour{{{_MODEL}}})", "{{cluster}}", "none"),
        ),
    ),
}  # fmt: skip


def dashboards(removal: sync.Removal) -> Iterator[Manifest]:
    """The three, in the system namespace."""
    notes = sync.annotations_of("ConfigMap", removal)
    for name, (variables, panels) in DASHBOARDS.items():
        labels = {names.LABEL_MANAGED_BY: names.MANAGED_BY, _LABEL: "1"}
        yield {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": metadata(names.dashboard(name), names.SYSTEM_NAMESPACE, labels=labels, annotations=notes),
            "data": {f"modelfleet-{name}.json": json.dumps(_dashboard(name, variables, panels), indent=1, sort_keys=True) + "\n"},
        }


def _dashboard(name: str, variables: tuple[str, ...], panels: tuple[Panel, ...]) -> dict[str, Any]:
    source = {"type": "datasource", "name": "datasource", "label": "Prometheus", "query": "prometheus"}
    return {
        "editable": False,
        "panels": [_panel(nth, panel) for nth, panel in enumerate(panels)],
        "schemaVersion": 39,
        "tags": ["modelfleet"],
        "templating": {"list": [source, *(_variable(variable) for variable in variables)]},
        "time": {"from": "now-6h", "to": "now"},
        "title": f"Models: {name}",
        "uid": f"modelfleet-{name}",
    }


def _panel(nth: int, panel: Panel) -> dict[str, Any]:
    title, query, legend, unit = panel
    source = {"type": "prometheus", "uid": "${datasource}"}
    return {
        "datasource": source,
        "fieldConfig": {"defaults": {"unit": unit}, "overrides": []},
        "gridPos": {"h": _HEIGHT, "w": _WIDTH, "x": nth % 2 * _WIDTH, "y": nth // 2 * _HEIGHT},
        "id": nth + 1,
        "targets": [{"datasource": source, "expr": query, "legendFormat": legend, "refId": "A"}],
        "title": title,
        "type": "timeseries",
    }


def _variable(name: str) -> dict[str, Any]:
    query = f"label_values(modelfleet:replicas_wanted, {name})"
    source = {"type": "prometheus", "uid": "${datasource}"}
    return {"type": "query", "name": name, "datasource": source, "query": query, "includeAll": True, "multi": True, "refresh": 2}
