"""What Argo CD may do, by kind."""

from __future__ import annotations

from typing import Any

import pytest
from modelfleet.render.sync import annotations_of

OPTIONS, COMPARE = "argocd.argoproj.io/sync-options", "argocd.argoproj.io/compare-options"
CRD = "SkipDryRunOnMissingResource=true"
KEPT, LOSABLE, PERMANENT = "Prune=false,Delete=confirm", "Prune=true,Delete=confirm", "Prune=false,Delete=false"

# kind: (Retire, Retire while everything there retires, Prune)
TABLE = {
    "ApplicationSet": (PERMANENT, LOSABLE, None),
    "AppProject": (PERMANENT, PERMANENT, None),
    "ConfigMap": (KEPT, LOSABLE, None),
    "Deployment": (KEPT, LOSABLE, None),
    "Gateway": (f"{KEPT},{CRD}", f"{LOSABLE},{CRD}", CRD),
    "HTTPRoute": (f"{KEPT},{CRD}", f"{LOSABLE},{CRD}", CRD),
    "HTTPRouteFilter": (f"{KEPT},{CRD}", f"{LOSABLE},{CRD}", CRD),
    "Namespace": (PERMANENT, PERMANENT, PERMANENT),
    "NetworkPolicy": (LOSABLE, LOSABLE, None),
    "PodDisruptionBudget": (LOSABLE, LOSABLE, None),
    "PodMonitor": (f"{LOSABLE},{CRD}", f"{LOSABLE},{CRD}", CRD),
    "ResourceClaimTemplate": (KEPT, LOSABLE, "Prune=false"),
    "ScaledObject": (f"{LOSABLE},{CRD}", f"{LOSABLE},{CRD}", CRD),
    "SecurityPolicy": (f"{KEPT},{CRD}", f"{LOSABLE},{CRD}", CRD),
    "Service": (KEPT, LOSABLE, None),
}


@pytest.mark.parametrize("kind", TABLE)
def test_options(kind: str) -> None:
    hashed = {COMPARE: "IgnoreExtraneous"} if kind == "ResourceClaimTemplate" else {}

    def expected(options: str | None) -> dict[str, Any]:
        return {**({OPTIONS: options} if options else {}), **hashed}

    found = annotations_of(kind, "Retire"), annotations_of(kind, "Retire", retiring=True), annotations_of(kind, "Prune")
    assert found == tuple(expected(options) for options in TABLE[kind])


def test_a_wave_is_a_string_and_zero_is_written() -> None:
    assert annotations_of("Service", "Prune", wave=0) == {"argocd.argoproj.io/sync-wave": "0"}
