"""Probes of an engine: a long start is allowed for, and a slow answer under load does not kill."""

from __future__ import annotations

from typing import Any

from .members import Pod

_STARTUP_PERIOD = 10


def probes(pod: Pod) -> dict[str, dict[str, Any]]:
    """Probes by field; none for a Worker, which answers nobody.

    The startup probe holds the others back until the model is loaded, at most `startupTimeout`. Engines answer their health path
    slowly under load, so no probe waits only the API server's one second.
    """
    if not pod.answers:
        return {}
    workload = pod.workload
    request = {"httpGet": {"path": workload.serving.health_path, "port": pod.port_name, "scheme": "HTTP"}, "successThreshold": 1}
    attempts = max(1, -(-workload.startup_seconds // _STARTUP_PERIOD))
    return {
        "startupProbe": {**request, "failureThreshold": attempts, "periodSeconds": _STARTUP_PERIOD, "timeoutSeconds": 5},
        "readinessProbe": {**request, "failureThreshold": 3, "periodSeconds": 10, "timeoutSeconds": 5},
        "livenessProbe": {**request, "failureThreshold": 5, "periodSeconds": 15, "timeoutSeconds": 10},
    }
