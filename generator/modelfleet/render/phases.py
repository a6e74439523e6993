"""Prefill and decode apart: the sidecar before a decode engine, which has the prompt read elsewhere and its cache brought over."""

from __future__ import annotations

from typing import Any

from .. import names
from . import versions
from .members import Pod

Part = dict[str, Any]

IMAGE = "ghcr.io/llm-d/llm-d-router-disagg-sidecar:v0.9.0"


def routing_sidecar(pod: Pod) -> Part | None:
    """The sidecar of a decode pod: it takes the serving port, and the engine listens behind it. None for every other pod.

    As a native sidecar it starts before the engine and stops after it; Kubernetes below 1.29 gets a plain container.
    """
    if not pod.decodes:
        return None
    port = pod.workload.serving.port
    health = {"httpGet": {"path": pod.workload.serving.health_path, "port": names.PORT}, "timeoutSeconds": 5}
    found: Part = {
        "name": names.ROUTING_SIDECAR,
        "image": IMAGE,
        "args": [f"--port={port}", f"--vllm-port={pod.port}", "--kv-connector=nixlv2", "--secure-proxy=false"],
        "ports": [{"name": names.PORT, "containerPort": port}],
        "readinessProbe": health,
        "resources": {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    if pod.workload.cluster.version >= versions.SIDECAR:
        found["restartPolicy"] = "Always"
    return found
