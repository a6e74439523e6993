"""Deployment, PodDisruptionBudget and PodMonitor of a workload."""

from __future__ import annotations

from typing import Any

from .. import names
from . import sync
from .metadata import metadata
from .pod import pod_template
from .unit import Manifest
from .workload import Workload

# What a rollout may take beyond the load of one pod before it counts as failed: scheduling and pulling the image.
_PROGRESS_MARGIN_SECONDS = 300
_SCRAPE_INTERVAL = "15s"


def deployment(workload: Workload) -> Manifest:
    """The pods of the workload. No surge: a rollout waits for devices that its own old pods hold."""
    written = workload.deployment.spec.template.metadata
    labels = {**written.labels, **workload.labels}
    notes = {**written.annotations, **sync.annotations_of("Deployment", workload.removal, retiring=workload.retiring)}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(workload.name, workload.namespace, labels=labels, annotations=notes),
        "spec": {
            "progressDeadlineSeconds": workload.startup_seconds + _PROGRESS_MARGIN_SECONDS,
            "replicas": workload.replicas,
            "revisionHistoryLimit": 10,
            "selector": {"matchLabels": workload.selector},
            "strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}, "type": "RollingUpdate"},
            "template": pod_template(workload),
        },
    }


def pod_disruption_budget(workload: Workload) -> Manifest:
    """One pod of the workload at a time may be taken by a node's drain."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": _metadata("PodDisruptionBudget", workload),
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": workload.selector}},
    }


def pod_monitor(workload: Workload) -> Manifest:
    """Scrapes the engines. Their series carry the label `workload`, by which the scaler's queries find them."""
    source = "__meta_kubernetes_pod_label_" + "".join(c if c.isalnum() else "_" for c in names.LABEL_WORKLOAD)
    relabel: dict[str, Any] = {"action": "replace", "sourceLabels": [source], "targetLabel": "workload"}
    endpoint = {"interval": _SCRAPE_INTERVAL, "path": workload.serving.metrics_path, "port": workload.port_name, "relabelings": [relabel]}
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PodMonitor",
        "metadata": _metadata("PodMonitor", workload),
        "spec": {"podMetricsEndpoints": [endpoint], "selector": {"matchLabels": workload.selector}},
    }


def _metadata(kind: str, workload: Workload) -> dict[str, Any]:
    notes = sync.annotations_of(kind, workload.removal, retiring=workload.retiring)
    return metadata(workload.name, workload.namespace, labels=workload.labels, annotations=notes)
