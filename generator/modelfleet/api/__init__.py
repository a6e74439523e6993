"""What a user may write: one module for each group of kinds.

`model(kind)` imports a kind's module on first use, so that a command pays for the kinds it meets.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# kind: (module, folder). The folder says where documents of the kind stand: fleet, models or placements.
KINDS: dict[str, tuple[str, str]] = {
    "Fleet": ("fleet", "fleet"),
    "InferenceClass": ("hardware", "fleet"),
    "InferenceCluster": ("cluster", "fleet"),
    "ModelDeployment": ("deployment", "models"),
    "Placement": ("placement", "placements"),
}


def model(kind: str) -> Any:
    """The pydantic model of `kind`; KeyError for a kind that is not ours."""
    return getattr(import_module(f".{KINDS[kind][0]}", __name__), kind)
