"""The catalog: what a cluster needs besides models, each with a pinned chart or repository and values that fit the others.

It is data with sources: `seen` says where a version was found to exist or to work, and when. A version that nobody has seen is empty, and
whoever installs that component says one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["AI_GATEWAY_EXTENSION", "BY_MODEL_NAME", "DRIVERS", "Entry", "entries"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A component. repo_url: as Argo CD has it (OCI without oci://). Exactly one of chart and path is set.

    wave: lower first. values: of the chart. small: what a cluster of the environment `development` has instead. needs: components without
    which it does not work. also: namespaces besides its own that it writes to. seen: source and date of the version.
    """

    name: str
    repo_url: str
    version: str
    namespace: str
    wave: int
    seen: str
    chart: str = ""
    path: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    small: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


# Versions of the set that routes by model name and to InferencePools: Envoy AI Gateway 1.1 is built on Envoy Gateway 1.8.1.
BY_MODEL_NAME: Mapping[str, str] = {"envoy-gateway": "v1.8.1"}
# What Envoy Gateway is told in that set: whom it asks while it translates, and that a route may name an InferencePool.
_WHOLE = {"includeAll": True}
AI_GATEWAY_EXTENSION: Mapping[str, Any] = {
    "config": {
        "envoyGateway": {
            "extensionApis": {"enableEnvoyPatchPolicy": True},
            "extensionManager": {
                "backendResources": [{"group": "inference.networking.k8s.io", "kind": "InferencePool", "version": "v1"}],
                "hooks": {
                    "xdsTranslator": {
                        "post": ["Translation", "Cluster", "Route"],
                        "translation": {kind: _WHOLE for kind in ("cluster", "listener", "route", "secret")},
                    }
                },
                "service": {"fqdn": {"hostname": "ai-gateway-controller.envoy-ai-gateway-system.svc.cluster.local", "port": 1063}},
            },
        }
    }
}
# The component that publishes the devices of a DRA driver.
DRIVERS: Mapping[str, str] = {
    "gpu.amd.com": "amd-dra-driver",
    "gpu.intel.com": "intel-dra-driver",
    "gpu.nvidia.com": "nvidia-dra-driver",
}


def entries() -> Mapping[str, Entry]:
    """All entries by name. Their module is imported when they are asked for: most runs of the plugin need none."""
    from .known import ENTRIES

    return ENTRIES
