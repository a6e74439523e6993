"""What Argo CD may do to an object: annotations by kind, under each removal policy."""

from __future__ import annotations

from typing import Literal

from .. import names

Removal = Literal["Retire", "Prune"]

KEPT = "Prune=false,Delete=confirm"
LOSABLE = "Prune=true,Delete=confirm"
PERMANENT = "Prune=false,Delete=false"

# Their loss stops no pod, and autoscaling can be switched off.
_LOSABLE_KINDS = frozenset(
    (
        "BackendTrafficPolicy", "ExternalSecret", "Job", "NetworkPolicy", "PodDisruptionBudget", "PodMonitor", "PrometheusRule",
        "ResourceQuota", "ScaledObject",
    )
)  # fmt: skip
# Their definitions come with the stack and may be missing when a unit is first compared.
_STACK_KINDS = frozenset(
    (
        "AIGatewayRoute", "AIServiceBackend", "Backend", "BackendSecurityPolicy", "BackendTrafficPolicy", "ClientTrafficPolicy",
        "EnvoyProxy", "ExternalSecret", "Gateway", "GatewayClass", "HTTPRoute", "HTTPRouteFilter", "InferencePool", "LeaderWorkerSet",
        "PodMonitor", "PrometheusRule", "ScaledObject", "SecurityPolicy",
    )
)  # fmt: skip
# Their names hold a hash: an old pod needs the old one until no ReplicaSet names it.
_HASHED_KINDS = frozenset(("ResourceClaimTemplate",))


def annotations_of(
    kind: str, removal: Removal, *, retiring: bool = False, wave: int | None = None, hashed: bool = False, kept: bool = False
) -> dict[str, str]:
    """Argo CD's annotations of an object of `kind`.

    retiring: everything that needs the object is on its way out, so leaving it out of Git later deletes it.
    wave: only where order within a unit matters; a wave waits until the one before is healthy.
    hashed: the object's name holds a hash of what it is, though its kind has other objects too.
    kept: it is not to be lost, though other objects of its kind may be.
    """
    hashed = hashed or kind in _HASHED_KINDS
    options = _options(kind, removal, retiring, hashed, kept)
    if kind in _STACK_KINDS:
        options = f"{options},SkipDryRunOnMissingResource=true".removeprefix(",")
    found = {names.SYNC_OPTIONS: options} if options else {}
    if hashed:
        found[names.COMPARE_OPTIONS] = "IgnoreExtraneous"
    if wave is not None:
        found[names.SYNC_WAVE] = str(wave)
    return found


def _options(kind: str, removal: Removal, retiring: bool, hashed: bool, kept: bool) -> str:
    if kind == "ApplicationSet" and removal == "Retire" and retiring:
        return LOSABLE
    if kind in ("Namespace", "ApplicationSet", "AppProject"):
        # A namespace takes every pod along, whatever the policy.
        return PERMANENT if removal == "Retire" or kind == "Namespace" else ""
    if removal == "Prune":
        return "Prune=false" if hashed else ""
    return LOSABLE if retiring or (kind in _LOSABLE_KINDS and not kept) else KEPT
