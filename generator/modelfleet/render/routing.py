"""Gateway, HTTPRoute, Service and their company on a workload cluster.

A deployment answers by its host name at the cluster's gateway; what has no route there answers 503, so that a front fails over.
"""

from __future__ import annotations

from typing import Any

from .. import names
from ..resolve.fleet import Cluster, Deployment
from . import defaults, envoy, sync
from .metadata import metadata
from .picker import POOL_GROUP, uses_picker
from .sync import Removal
from .unit import Manifest


def gateway(cluster: Cluster, removal: Removal) -> Manifest:
    """The cluster's gateway: routes of all namespaces attach to it. Without a certificate something before it ends TLS."""
    settings = cluster.spec.gateway
    certificate = settings.tls.server_certificate_ref if settings.tls else None
    listener = envoy.listener("https" if certificate else "http", settings.listens_at, [certificate.name] if certificate else [])
    spec = {"gatewayClassName": settings.class_name, "listeners": [listener]}
    return envoy.gateway_api("Gateway", envoy.system("Gateway", names.GATEWAY, removal), spec)


def gateway_class(cluster: Cluster, removal: Removal) -> Manifest:
    """The class of the cluster's gateway, where the stack installs the controller: its chart brings none."""
    return {
        "apiVersion": f"{envoy.GATEWAY_GROUP}/v1",
        "kind": "GatewayClass",
        "metadata": metadata(cluster.spec.gateway.class_name, annotations=sync.annotations_of("GatewayClass", removal)),
        "spec": {"controllerName": "gateway.envoyproxy.io/gatewayclass-controller"},
    }


def token_policy(secret: str, removal: Removal, *, by_model: bool) -> Manifest:
    """Only callers with the fleet's token pass the gateway; without it anyone who reaches it passes by the front's keys.

    by_model: a front door that routes by model name sends the token as providers get their keys.
    """
    keys = envoy.api_keys([secret], [names.TOKEN_HEADER, "Authorization"] if by_model else [names.TOKEN_HEADER])
    spec = {"apiKeyAuth": keys, "targetRefs": [envoy.target("Gateway", names.GATEWAY)]}
    return envoy.envoy("SecurityPolicy", envoy.system("SecurityPolicy", names.TOKEN_POLICY, removal), spec)


def catch_all(removal: Removal) -> Manifest:
    """The route of every host name without one of its own: 503."""
    rule = {"filters": [envoy.filter_ref(names.UNAVAILABLE)], "matches": [envoy.prefix("/")]}
    spec = {"parentRefs": [envoy.target("Gateway", names.GATEWAY)], "rules": [rule]}
    return envoy.gateway_api("HTTPRoute", envoy.system("HTTPRoute", names.UNAVAILABLE, removal), spec)


def unavailable_filter(namespace: str, removal: Removal, *, wave: int | None = None, retiring: bool = False) -> Manifest:
    """The answer 503. A route can name only a filter of its own namespace, so each has one."""
    notes = sync.annotations_of("HTTPRouteFilter", removal, retiring=retiring, wave=wave)
    answer = envoy.answer(503, "no replica answers for this model here, or it is switched off", "unavailable")
    return envoy.envoy("HTTPRouteFilter", metadata(names.UNAVAILABLE, namespace, annotations=notes), answer)


def traffic_policy(removal: Removal) -> Manifest:
    """What holds for every route of the gateway that has no policy of its own: as many streams as come, each as long as it takes."""
    spec = {**_traffic(), "targetRefs": [envoy.target("Gateway", names.GATEWAY)]}
    return envoy.envoy("BackendTrafficPolicy", envoy.system("BackendTrafficPolicy", names.GATEWAY, removal, kept=True), spec)


def _traffic() -> dict[str, Any]:
    return {"circuitBreaker": dict(envoy.CONNECTIONS), "timeout": {"http": {"requestTimeout": envoy.NO_LIMIT}}}


def monitor(gateway_name: str, removal: Removal, *, retiring: bool = False) -> Manifest:
    """Scrapes a gateway's proxies, wherever their controller runs them: scaling by requests in flight reads their series."""
    selector = {"matchLabels": {names.LABEL_GATEWAY: gateway_name, names.LABEL_GATEWAY_NAMESPACE: names.SYSTEM_NAMESPACE}}
    endpoint = {"interval": "15s", "path": "/stats/prometheus", "port": "metrics"}
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PodMonitor",
        "metadata": envoy.system("PodMonitor", gateway_name, removal, retiring=retiring),
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
        "metadata": _deployment_metadata("Service", deployment, cluster, removal, retiring, envoy.BACKENDS),
        "spec": defaults.service({"ports": [port], "selector": selector}),
    }


def called_policy(deployment: Deployment, cluster: Cluster, removal: Removal, *, retiring: bool) -> Manifest | None:
    """Of a deployment that wakes on a request: its route goes to the Service's address instead of its pods'.

    With no pod behind a route the gateway answers 503 without counting the request for it, and nothing would see that somebody called.
    """
    scaling = deployment.spec.scaling
    if scaling is None or scaling.wake != "OnRequest" or uses_picker(deployment, cluster):
        return None
    target = envoy.target("HTTPRoute", names.service(deployment.namespace, deployment.name))
    meta = _deployment_metadata("BackendTrafficPolicy", deployment, cluster, removal, retiring, envoy.ROUTES)
    return envoy.envoy("BackendTrafficPolicy", meta, {**_traffic(), "routingType": "Service", "targetRefs": [target]})


def http_route(deployment: Deployment, cluster: Cluster, domain: str, removal: Removal, *, retiring: bool) -> Manifest:
    """The route to a deployment by host name, without a time limit: answers are streams.

    Suspended, or on a cluster that is Offline or Lost, the route stays and answers 503: left out of Git it would go on serving, since
    nothing that is left out is pruned.
    """
    withdrawn = deployment.spec.suspend or cluster.spec.state != "Ready"
    rule: dict[str, Any] = {"matches": [envoy.prefix("/")]}
    if withdrawn:
        rule["filters"] = [envoy.filter_ref(names.UNAVAILABLE)]
    else:
        target = names.service(deployment.namespace, deployment.name)
        backend: dict[str, Any] = {"name": target, "group": "", "kind": "Service", "port": names.SERVICE_PORT, "weight": 1}
        if uses_picker(deployment, cluster):
            backend = {"name": target, "group": POOL_GROUP, "kind": "InferencePool", "weight": 1}
        rule["backendRefs"] = [backend]
        rule["timeouts"] = {"request": envoy.NO_LIMIT}
    host = names.host(deployment.namespace, deployment.name, cluster.name, domain)
    meta = _deployment_metadata("HTTPRoute", deployment, cluster, removal, retiring, envoy.ROUTES)
    return envoy.gateway_api("HTTPRoute", meta, {"hostnames": [host], "parentRefs": [envoy.parent(names.GATEWAY)], "rules": [rule]})


def _deployment_metadata(
    kind: str, deployment: Deployment, cluster: Cluster, removal: Removal, retiring: bool, wave: int
) -> dict[str, Any]:
    labels = names.common_labels(deployment.namespace, deployment.name, cluster.name)
    notes = sync.annotations_of(kind, removal, retiring=retiring, wave=wave)
    return metadata(names.service(deployment.namespace, deployment.name), deployment.namespace, labels=labels, annotations=notes)
