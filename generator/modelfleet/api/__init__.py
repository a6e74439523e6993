"""What a user may write: one module for each group of kinds.

`model(kind)` imports a kind's module on first use, so that a command pays for the kinds it meets.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# kind: (module, folder). The folder says where documents of the kind stand: fleet, models or placements.
KINDS: dict[str, tuple[str, str]] = {
    "AddOn": ("addon", "fleet"),
    "ConfigMap": ("configmap", "models"),
    "Fleet": ("fleet", "fleet"),
    "InferenceClass": ("hardware", "fleet"),
    "InferenceCluster": ("cluster", "fleet"),
    "InferenceGateway": ("gateway", "fleet"),
    "ModelCache": ("cache", "models"),
    "ModelDeployment": ("deployment", "models"),
    "ModelEndpoint": ("endpoint", "models"),
    "ModelService": ("service", "models"),
    "Placement": ("placement", "placements"),
    "Team": ("team", "fleet"),
}


def model(kind: str) -> Any:
    """The pydantic model of `kind`; KeyError for a kind that is not ours."""
    return getattr(import_module(f".{KINDS[kind][0]}", __name__), kind)
