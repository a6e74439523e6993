"""Gateway, HTTPRoute, Service and their company on a workload cluster.

A deployment answers by its host name at the cluster's gateway; what has no route there answers 503, so that a front fails over.
"""

from __future__ import annotations

from typing import Any

from .. import names
from ..resolve.fleet import Cluster, Deployment
from . import defaults, sync
from .metadata import metadata
from .picker import POOL_GROUP, uses_picker
from .sync import Removal
from .unit import Manifest

_GATEWAY_GROUP = "gateway.networking.k8s.io"
_ENVOY_GROUP = "gateway.envoyproxy.io"
_UNAVAILABLE = '{"error":{"message":"no such deployment on this cluster, or it is switched off","type":"unavailable"}}'

# A route must not name what is not there yet.
BACKENDS, ROUTES = 0, 1


def gateway(cluster: Cluster, removal: Removal) -> Manifest:
    """The cluster's gateway: routes of all namespaces attach to it. Without a certificate something before it ends TLS."""
    settings = cluster.spec.gateway
    certificate = settings.tls.server_certificate_ref if settings.tls else None
    listener: dict[str, Any] = {"name": "http", "allowedRoutes": {"namespaces": {"from": "All"}}, "port": settings.port, "protocol": "HTTP"}
    if certificate:
        shown = {"name": certificate.name, "group": "", "kind": "Secret"}
        listener |= {"name": "https", "protocol": "HTTPS", "tls": {"certificateRefs": [shown], "mode": "Terminate"}}
    return {
        "apiVersion": f"{_GATEWAY_GROUP}/v1",
        "kind": "Gateway",
        "metadata": _metadata("Gateway", names.GATEWAY, names.SYSTEM_NAMESPACE, removal),
        "spec": {"gatewayClassName": settings.class_name, "listeners": [listener]},
    }


def token_policy(secret: str, removal: Removal) -> Manifest:
    """Only callers with the fleet's token pass the gateway; without it anyone who reaches it passes by the front's keys."""
    api_key = {
        "credentialRefs": [{"name": secret, "group": "", "kind": "Secret"}],
        "extractFrom": [{"headers": [names.TOKEN_HEADER]}],
        "sanitize": True,
    }
    return {
        "apiVersion": f"{_ENVOY_GROUP}/v1alpha1",
        "kind": "SecurityPolicy",
        "metadata": _metadata("SecurityPolicy", names.TOKEN_POLICY, names.SYSTEM_NAMESPACE, removal),
        "spec": {"apiKeyAuth": api_key, "targetRefs": [{"name": names.GATEWAY, "group": _GATEWAY_GROUP, "kind": "Gateway"}]},
    }


def catch_all(removal: Removal) -> Manifest:
    """The route of every host name without one of its own: 503."""
    return {
        "apiVersion": f"{_GATEWAY_GROUP}/v1",
        "kind": "HTTPRoute",
        "metadata": _metadata("HTTPRoute", names.UNAVAILABLE, names.SYSTEM_NAMESPACE, removal),
        "spec": {"parentRefs": [_parent()], "rules": [{"filters": [_answer_unavailable()], "matches": [_everything()]}]},
    }


def unavailable_filter(namespace: str, removal: Removal, *, wave: int | None = None, retiring: bool = False) -> Manifest:
    """The answer 503. A route can name only a filter of its own namespace, so each has one."""
    body = {"inline": _UNAVAILABLE, "type": "Inline"}
    return {
        "apiVersion": f"{_ENVOY_GROUP}/v1alpha1",
        "kind": "HTTPRouteFilter",
        "metadata": _metadata("HTTPRouteFilter", names.UNAVAILABLE, namespace, removal, retiring=retiring, wave=wave),
        "spec": {"directResponse": {"body": body, "contentType": "application/json", "statusCode": 503}},
    }


def proxies_monitor(removal: Removal) -> Manifest:
    """Scrapes the gateway's proxies, wherever their controller runs them: scaling by requests in flight reads their series."""
    selector = {"matchLabels": {names.LABEL_GATEWAY: names.GATEWAY, names.LABEL_GATEWAY_NAMESPACE: names.SYSTEM_NAMESPACE}}
    endpoint = {"interval": "15s", "path": "/stats/prometheus", "port": "metrics"}
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PodMonitor",
        "metadata": _metadata("PodMonitor", names.GATEWAY, names.SYSTEM_NAMESPACE, removal),
        "spec": {"namespaceSelector": {"any": True}, "podMetricsEndpoints": [endpoint], "selector": selector},
    }


def service(deployment: Deployment, cluster: Cluster, removal: Removal, *, retiring: bool) -> Manifest:
    """The pods of all entries of a deployment on a cluster that answer: of gangs the leaders, of two phases those that decode.

    retiring: all those entries are.
    """
    serving = deployment.spec.template.spec.serving
    port = {"name": names.PORT, "port": names.SERVICE_PORT, "protocol": "TCP", "targetPort": serving.port}
    selector = {names.LABEL_DEPLOYMENT: deployment.name, names.LABEL_SERVING: "true"}
    if serving.mode == "PrefillDecode":
        selector[names.LABEL_PHASE] = "decode"
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _deployment_metadata("Service", deployment, cluster, removal, retiring, BACKENDS),
        "spec": defaults.service({"ports": [port], "selector": selector}),
    }


def called_policy(deployment: Deployment, cluster: Cluster, removal: Removal, *, retiring: bool) -> Manifest | None:
    """Of a deployment that wakes on a request: its route goes to the Service's address instead of its pods'.

    With no pod behind a route the gateway answers 503 without counting the request for it, and nothing would see that somebody called.
    """
    scaling = deployment.spec.scaling
    if scaling is None or scaling.wake != "OnRequest" or uses_picker(deployment, cluster):
        return None
    target = {"name": names.service(deployment.namespace, deployment.name), "group": _GATEWAY_GROUP, "kind": "HTTPRoute"}
    return {
        "apiVersion": f"{_ENVOY_GROUP}/v1alpha1",
        "kind": "BackendTrafficPolicy",
        "metadata": _deployment_metadata("BackendTrafficPolicy", deployment, cluster, removal, retiring, ROUTES),
        "spec": {"routingType": "Service", "targetRefs": [target]},
    }


def http_route(deployment: Deployment, cluster: Cluster, domain: str, removal: Removal, *, retiring: bool) -> Manifest:
    """The route to a deployment by host name, without a time limit: answers are streams.

    Suspended, or on a cluster that is Offline or Lost, the route stays and answers 503: left out of Git it would go on serving, since
    nothing that is left out is pruned.
    """
    withdrawn = deployment.spec.suspend or cluster.spec.state != "Ready"
    rule: dict[str, Any] = {"matches": [_everything()]}
    if withdrawn:
        rule["filters"] = [_answer_unavailable()]
    else:
        target = names.service(deployment.namespace, deployment.name)
        backend: dict[str, Any] = {"name": target, "group": "", "kind": "Service", "port": names.SERVICE_PORT, "weight": 1}
        if uses_picker(deployment, cluster):
            backend = {"name": target, "group": POOL_GROUP, "kind": "InferencePool", "weight": 1}
        rule["backendRefs"] = [backend]
        rule["timeouts"] = {"request": "0s"}
    host = names.host(deployment.namespace, deployment.name, cluster.name, domain)
    return {
        "apiVersion": f"{_GATEWAY_GROUP}/v1",
        "kind": "HTTPRoute",
        "metadata": _deployment_metadata("HTTPRoute", deployment, cluster, removal, retiring, ROUTES),
        "spec": {"hostnames": [host], "parentRefs": [{**_parent(), "namespace": names.SYSTEM_NAMESPACE}], "rules": [rule]},
    }


def _parent() -> dict[str, str]:
    return {"name": names.GATEWAY, "group": _GATEWAY_GROUP, "kind": "Gateway"}


def _everything() -> dict[str, Any]:
    return {"path": {"type": "PathPrefix", "value": "/"}}


def _answer_unavailable() -> dict[str, Any]:
    return {"type": "ExtensionRef", "extensionRef": {"name": names.UNAVAILABLE, "group": _ENVOY_GROUP, "kind": "HTTPRouteFilter"}}


def _metadata(kind: str, name: str, namespace: str, removal: Removal, *, retiring: bool = False, wave: int | None = None) -> dict[str, Any]:
    return metadata(name, namespace, annotations=sync.annotations_of(kind, removal, retiring=retiring, wave=wave))


def _deployment_metadata(
    kind: str, deployment: Deployment, cluster: Cluster, removal: Removal, retiring: bool, wave: int
) -> dict[str, Any]:
    labels = names.common_labels(deployment.namespace, deployment.name, cluster.name)
    notes = sync.annotations_of(kind, removal, retiring=retiring, wave=wave)
    return metadata(names.service(deployment.namespace, deployment.name), deployment.namespace, labels=labels, annotations=notes)
