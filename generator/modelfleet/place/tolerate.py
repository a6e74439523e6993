"""Whether tolerations let a replica stand on what carries taints; Kubernetes' rule."""

from __future__ import annotations

from collections.abc import Iterable

from ..api.base import Taint
from ..api.deployment import Toleration

DRAIN = "modelfleet.io/drain"  # the key of the taint that `modelfleet drain` writes; no toleration matches it


def untolerated(taints: Iterable[Taint], tolerations: Iterable[Toleration], effect: str | None = None) -> Taint | None:
    """The first taint (of `effect`, if given) that no toleration matches."""
    for taint in taints:
        if effect in (None, taint.effect) and not any(_tolerates(t, taint) for t in tolerations):
            return taint
    return None


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if taint.key == DRAIN or toleration.effect not in (None, taint.effect):
        return False
    if toleration.operator == "Exists":
        return not toleration.key or toleration.key == taint.key
    return toleration.key == taint.key and (toleration.value or "") == taint.value
