"""ScaledObject: KEDA's autoscaling of a workload within the share that placement gave it.

KEDA's operator writes the object back without optional fields that are false; where one stood in Git, a sync would never end. So
useCachedMetrics and restoreToOriginalReplicaCount, false by default, are left out.
"""

from __future__ import annotations

from typing import Any

from .. import names
from ..api.scaling import Fallback, Rules
from . import sync
from .engines import GANG_API
from .metadata import metadata
from .shares import part
from .signals import triggers
from .unit import Manifest
from .workload import Workload

_POLLING_SECONDS = 15
_COOLDOWN_SECONDS = 300
_FAILURES_BEFORE_FALLBACK = 3
_WINDOW_LIMIT = 3600  # HPA's


def scaled_object(workload: Workload) -> Manifest | None:
    """The scaler of an autoscaled workload; None for a fixed one. Suspended: it stays, paused at 0."""
    if workload.scaling is None:
        return None
    notes = sync.annotations_of("ScaledObject", workload.removal, retiring=workload.retiring)
    if workload.suspended:
        notes[names.PAUSED_REPLICAS] = "0"
    found = triggers(workload)
    behavior = _behavior(workload)
    spec: dict[str, Any] = {
        "advanced": {"horizontalPodAutoscalerConfig": {"behavior": behavior}},
        # The last copy goes when it was not needed for as long as any other.
        "cooldownPeriod": _COOLDOWN_SECONDS if workload.minimum else behavior["scaleDown"]["stabilizationWindowSeconds"],
        "maxReplicaCount": workload.maximum,
        "minReplicaCount": workload.minimum,
        "pollingInterval": _POLLING_SECONDS,
        "scaleTargetRef": _target(workload),
        "triggers": found,
    }
    # KEDA refuses a fallback without an average over what can fail; a clock cannot.
    if any(trigger["metricType"] == "AverageValue" and trigger["type"] != "cron" for trigger in found):
        spec["fallback"] = _fallback(workload)
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": metadata(workload.name, workload.namespace, labels=workload.labels, annotations=notes),
        "spec": spec,
    }


def _target(workload: Workload) -> dict[str, str]:
    """What is scaled, by its scale subresource: a gang as a whole."""
    api, kind = (GANG_API, "LeaderWorkerSet") if workload.gang else ("apps/v1", "Deployment")
    return {"apiVersion": api, "kind": kind, "name": workload.name}


def _fallback(workload: Workload) -> dict[str, Any]:
    """What holds while the signals cannot be read: this share's part of what is declared, else what is reserved here.

    What may sleep stays as it is: a Prometheus that restarts must not wake it.
    """
    declared = workload.scaling.fallback if workload.scaling else None
    if declared is None:
        behavior = "static" if workload.minimum else "currentReplicas"
        return {"behavior": behavior, "failureThreshold": _FAILURES_BEFORE_FALLBACK, "replicas": workload.count}
    total = declared.replicas if isinstance(declared, Fallback) else declared.copies
    return {"behavior": "static", "failureThreshold": declared.failure_threshold, "replicas": part(workload, total)}


def _behavior(workload: Workload) -> dict[str, Any]:
    """One copy at a time, and time for it to load before the next is judged; what the user says of it instead.

    A model usually loads in a small part of its `startupTimeout`, which is a limit: a new copy is allowed each sixth of it (30m: 5
    minutes). A loaded copy is dear, so it goes only when it was not needed for the whole `startupTimeout` (at most an hour).
    """
    startup = workload.startup_seconds
    declared = workload.scaling.behavior if workload.scaling else None
    period = min(1800, max(60, startup // 6))
    up = _rules(declared.scale_up if declared else None, min(300, max(30, startup // 30)), period)
    down = _rules(declared.scale_down if declared else None, min(_WINDOW_LIMIT, max(300, startup)), 300)
    return {"scaleDown": down, "scaleUp": up}


def _rules(declared: Rules | None, window: int, period: int) -> dict[str, Any]:
    """window, period: what holds where the user says nothing."""
    own = declared or Rules()
    policies = [{"periodSeconds": p.period_seconds, "type": p.type, "value": p.value} for p in own.policies]
    return {
        "policies": policies or [{"periodSeconds": period, "type": "Pods", "value": 1}],
        "selectPolicy": own.select_policy,
        "stabilizationWindowSeconds": window if own.stabilization_window_seconds is None else own.stabilization_window_seconds,
    }
