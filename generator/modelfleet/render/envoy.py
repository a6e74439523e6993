"""Parts that objects of the Gateway API and of Envoy Gateway have in common. Lists and defaults stand as the API server writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import names
from . import sync
from .metadata import metadata
from .unit import Manifest

GATEWAY_GROUP = "gateway.networking.k8s.io"
ENVOY_GROUP = "gateway.envoyproxy.io"

# A route must not name what is not there yet.
BACKENDS, ROUTES = 0, 1

NO_LIMIT = "0s"  # without it the gateway ends every answer after 15 seconds
MANY = 65536  # the default of 1024 is less than one busy front door has open streams
CONNECTIONS: Mapping[str, int] = {
    "maxConnections": MANY,
    "maxParallelRequests": MANY,
    "maxParallelRetries": 1024,
    "maxPendingRequests": MANY,
}


def envoy(kind: str, meta: Mapping[str, Any], spec: Mapping[str, Any]) -> Manifest:
    """An object of Envoy Gateway."""
    return {"apiVersion": f"{ENVOY_GROUP}/v1alpha1", "kind": kind, "metadata": dict(meta), "spec": dict(spec)}


def gateway_api(kind: str, meta: Mapping[str, Any], spec: Mapping[str, Any]) -> Manifest:
    """An object of the Gateway API."""
    return {"apiVersion": f"{GATEWAY_GROUP}/v1", "kind": kind, "metadata": dict(meta), "spec": dict(spec)}


def system(kind: str, name: str, removal: sync.Removal, *, retiring: bool = False, kept: bool = False) -> dict[str, Any]:
    """Metadata of an object of a cluster's base unit."""
    return metadata(name, names.SYSTEM_NAMESPACE, annotations=sync.annotations_of(kind, removal, retiring=retiring, kept=kept))


def target(kind: str, name: str) -> dict[str, str]:
    """What a policy or a route is attached to."""
    return {"name": name, "group": GATEWAY_GROUP, "kind": kind}


def parent(gateway: str) -> dict[str, str]:
    """The Gateway that a route of another namespace attaches to."""
    return {**target("Gateway", gateway), "namespace": names.SYSTEM_NAMESPACE}


def listener(name: str, port: int, certificates: Sequence[str] = (), hostname: str | None = None) -> dict[str, Any]:
    """A listener for routes of all namespaces; with certificates it ends TLS."""
    found: dict[str, Any] = {"name": name, "allowedRoutes": {"namespaces": {"from": "All"}}, "port": port, "protocol": "HTTP"}
    if certificates:
        refs = [{"name": certificate, "group": "", "kind": "Secret"} for certificate in certificates]
        found |= {"protocol": "HTTPS", "tls": {"certificateRefs": refs, "mode": "Terminate"}}
    return {**found, "hostname": hostname} if hostname else found


def prefix(path: str) -> dict[str, Any]:
    """A match of a path and everything below it."""
    return {"path": {"type": "PathPrefix", "value": path}}


def rewrite(path: str) -> dict[str, Any]:
    """The filter that puts `path` in the place of what was matched."""
    return {"type": "URLRewrite", "urlRewrite": {"path": {"type": "ReplacePrefixMatch", "replacePrefixMatch": path}}}


def filter_ref(name: str) -> dict[str, Any]:
    """A HTTPRouteFilter of the route's own namespace."""
    return {"type": "ExtensionRef", "extensionRef": {"name": name, "group": ENVOY_GROUP, "kind": "HTTPRouteFilter"}}


def api_keys(secrets: Sequence[str], headers: Sequence[str], client: str = "") -> dict[str, Any]:
    """Who may call: each key of a Secret names a caller. client: the header that tells who it is to those behind."""
    found: dict[str, Any] = {
        "credentialRefs": [{"name": secret, "group": "", "kind": "Secret"} for secret in secrets],
        "extractFrom": [{"headers": [header]} for header in headers],
        "sanitize": True,
    }
    return {**found, "forwardClientIDHeader": client} if client else found


def answer(status: int, message: str, kind: str) -> dict[str, Any]:
    """The spec of a filter that answers by itself, with an error in the form of OpenAI's API."""
    inline = f'{{"error":{{"message":"{message}","type":"{kind}"}}}}'
    return {"directResponse": {"body": {"inline": inline, "type": "Inline"}, "contentType": "application/json", "statusCode": status}}
