"""Deployment or LeaderWorkerSet, PodDisruptionBudget and PodMonitor of a workload."""

from __future__ import annotations

from typing import Any

from .. import names
from . import caches, sync
from .members import Pod
from .metadata import metadata
from .pod import pod_template
from .unit import Manifest
from .workload import Workload

GANG_API = "leaderworkerset.x-k8s.io/v1"

# What a rollout may take beyond the load of one pod before it counts as failed: scheduling and pulling the image; staging the files.
_PROGRESS_MARGIN_SECONDS = 300
_STAGING_MARGIN_SECONDS = 4 * 3600
_SCRAPE_INTERVAL = "15s"


def pods_of(workload: Workload, pods: tuple[Pod, ...]) -> Manifest:
    """What makes the pods of the workload: a Deployment, or of a gang a LeaderWorkerSet."""
    return leader_worker_set(workload, pods) if workload.gang else deployment(workload, pods[0])


def deployment(workload: Workload, pod: Pod) -> Manifest:
    """A pod for each copy. Without surge, the default, a rollout waits for devices that its own old pods hold."""
    rollout = workload.deployment.spec.rollout
    staging = _STAGING_MARGIN_SECONDS if workload.cache and caches.staged(workload.cache) else 0
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _owner_metadata("Deployment", workload),
        "spec": {
            "progressDeadlineSeconds": workload.startup_seconds + _PROGRESS_MARGIN_SECONDS + staging,
            "replicas": workload.replicas,
            "revisionHistoryLimit": 10,
            "selector": {"matchLabels": workload.selector},
            "strategy": {
                "rollingUpdate": {"maxSurge": rollout.max_surge, "maxUnavailable": rollout.max_unavailable},
                "type": "RollingUpdate",
            },
            "template": pod_template(pod),
        },
    }


def leader_worker_set(workload: Workload, pods: tuple[Pod, ...]) -> Manifest:
    """A gang for each copy: a leader with its workers, one of which is never replaced alone.

    The user's annotations are on it: the controller reads there how gangs are kept in one part of the network.
    """
    leader, worker = pods
    rollout = workload.deployment.spec.rollout
    update = {"maxSurge": rollout.max_surge, "maxUnavailable": rollout.max_unavailable, "partition": 0}
    return {
        "apiVersion": GANG_API,
        "kind": "LeaderWorkerSet",
        "metadata": _owner_metadata("LeaderWorkerSet", workload),
        "spec": {
            "leaderWorkerTemplate": {
                "leaderTemplate": pod_template(leader),
                "restartPolicy": "RecreateGroupOnPodRestart",
                "size": 1 + worker.member.pods,
                "workerTemplate": pod_template(worker),
            },
            "networkConfig": {"subdomainPolicy": "Shared"},
            "replicas": workload.replicas,
            "rolloutStrategy": {"rollingUpdateConfiguration": update, "type": "RollingUpdate"},
            "startupPolicy": "LeaderCreated",
        },
    }


def pod_disruption_budget(workload: Workload) -> Manifest:
    """One pod of the workload at a time may be taken by a node's drain.

    A gang's workers count too: one that is taken brings its whole gang down, and the next may go only when the leader answers again.
    """
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": _metadata("PodDisruptionBudget", workload),
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": workload.selector}},
    }


def pod_monitor(workload: Workload, pod: Pod) -> Manifest:
    """Scrapes the engines that answer. Their series carry the label `workload`, by which the scaler's queries find them."""
    source = "__meta_kubernetes_pod_label_" + "".join(c if c.isalnum() else "_" for c in names.LABEL_WORKLOAD)
    relabel: dict[str, Any] = {"action": "replace", "sourceLabels": [source], "targetLabel": "workload"}
    endpoint = {"interval": _SCRAPE_INTERVAL, "path": workload.serving.metrics_path, "port": pod.port_name, "relabelings": [relabel]}
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PodMonitor",
        "metadata": _metadata("PodMonitor", workload),
        "spec": {"podMetricsEndpoints": [endpoint], "selector": {"matchLabels": {**workload.selector, names.LABEL_SERVING: "true"}}},
    }


def _owner_metadata(kind: str, workload: Workload) -> dict[str, Any]:
    written, stamped = workload.deployment.spec.template.metadata, workload.cluster.spec.placement.metadata.labels
    notes = {**written.annotations, **sync.annotations_of(kind, workload.removal, retiring=workload.retiring)}
    return metadata(workload.name, workload.namespace, labels={**written.labels, **stamped, **workload.labels}, annotations=notes)


def _metadata(kind: str, workload: Workload) -> dict[str, Any]:
    notes = sync.annotations_of(kind, workload.removal, retiring=workload.retiring)
    return metadata(workload.name, workload.namespace, labels=workload.labels, annotations=notes)
