"""A front door: the Gateway where callers come in, on its cluster's base unit, and the egress to providers behind it.

The settings are those that were measured with Envoy Gateway 1.9: without the buffer a long prompt does not fail over, and what a
listener's change cuts off is what its drain does not wait for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .. import names
from ..api.fleet import FleetSpec
from ..resolve.fleet import Cluster, Fleet, Front
from . import envoy, sync
from .metadata import metadata
from .routing import monitor
from .sync import Removal
from .unit import Manifest

_BUFFER = "8Mi"  # of a request that may have to be sent again
_DRAIN = "600s"  # streams of a listener that changes, or of a proxy that goes
_SLOW_CONNECT = "5s"
_JSON_LOG = {
    "answered_by": "%REQ(:AUTHORITY)%",
    "attempts": "%UPSTREAM_REQUEST_ATTEMPT_COUNT%",
    "bytes_in": "%BYTES_RECEIVED%",
    "bytes_out": "%BYTES_SENT%",
    "caller": f"%REQ({names.CLIENT_HEADER.upper()})%",
    "duration_ms": "%DURATION%",
    "first_byte_ms": "%RESPONSE_DURATION%",
    "flags": "%RESPONSE_FLAGS%",
    "path": "%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%",
    "request_id": "%REQ(X-REQUEST-ID)%",
    "route": "%ROUTE_NAME%",
    "status": "%RESPONSE_CODE%",
    "time": "%START_TIME%",
}
_TOKENS_LOG = {
    "input_tokens": "%DYNAMIC_METADATA(io.envoy.ai_gateway:llm_input_token)%",
    "model": "%REQ(X-AI-EG-MODEL)%",
    "output_tokens": "%DYNAMIC_METADATA(io.envoy.ai_gateway:llm_output_token)%",
    "total_tokens": "%DYNAMIC_METADATA(io.envoy.ai_gateway:llm_total_token)%",
}


def front_door(fleet: Fleet, front: Front) -> Iterator[Manifest]:
    """Everything that a front door needs but routes."""
    settings, cluster = fleet.settings.spec, fleet.clusters[front.cluster]
    removal = settings.argocd.removal
    leaving = front.leaving
    log = {**_JSON_LOG, **(_TOKENS_LOG if front.by_model else {})}
    yield _proxy(names.FRONT, removal, log, {"type": "LoadBalancer", "externalTrafficPolicy": "Local"}, leaving)
    yield _gateway(names.FRONT, cluster, _listeners(front), removal, leaving)
    yield _client_policy(removal, leaving)
    if front.spec.auth:
        yield _callers(front, removal, leaving)
    if not front.by_model:  # else the AI gateway answers what no route takes, and it must see the request first
        yield from _not_found(removal, leaving)
    yield monitor(names.FRONT, removal, retiring=leaving)
    if front.by_path:
        yield from _egress(settings, cluster, leaving)
    for name in sorted(fleet.clusters):
        yield from _named_address(fleet.clusters[name], removal)


def _listeners(front: Front) -> list[dict[str, Any]]:
    """As declared; else HTTPS where there is a certificate, HTTP where not."""
    spec = front.spec
    certificates = [ref.name for ref in spec.tls.certificate_refs] if spec.tls else []
    if not spec.listeners:
        port = 443 if certificates else 80
        return [envoy.listener("https" if certificates else "http", port, certificates, spec.hostname)]
    return [envoy.listener(one.name, one.port, certificates if one.protocol == "HTTPS" else (), spec.hostname) for one in spec.listeners]


def _gateway(name: str, cluster: Cluster, listeners: Sequence[dict[str, Any]], removal: Removal, leaving: bool) -> Manifest:
    proxy = {"name": name, "group": envoy.ENVOY_GROUP, "kind": "EnvoyProxy"}
    spec = {
        "gatewayClassName": cluster.spec.gateway.class_name,
        "infrastructure": {"parametersRef": proxy},
        "listeners": list(listeners),
    }
    return envoy.gateway_api("Gateway", envoy.system("Gateway", name, removal, retiring=leaving), spec)


def _proxy(name: str, removal: Removal, log: dict[str, str], service: dict[str, str], leaving: bool) -> Manifest:
    """Two proxies with a log of usage: a line of JSON for each request."""
    entry = {"format": {"json": log, "type": "JSON"}, "sinks": [{"file": {"path": "/dev/stdout"}, "type": "File"}]}
    kubernetes = {"envoyDeployment": {"replicas": 2}, "envoyPDB": {"maxUnavailable": 1}, "envoyService": service}
    spec = {
        "logging": {"level": {"default": "warn"}},
        "provider": {"kubernetes": kubernetes, "type": "Kubernetes"},
        "shutdown": {"drainTimeout": _DRAIN},
        "telemetry": {"accessLog": {"settings": [entry]}},
    }
    return envoy.envoy("EnvoyProxy", envoy.system("EnvoyProxy", name, removal, retiring=leaving), spec)


def _client_policy(removal: Removal, leaving: bool) -> Manifest:
    """What holds for every connection of a caller; nobody says by himself who he is."""
    spec = {
        "connection": {"bufferLimit": _BUFFER, "maxAcceptPerSocketEvent": 1},
        "headers": {"earlyRequestHeaders": {"remove": [names.CLIENT_HEADER, names.TOKEN_HEADER]}},
        "healthCheck": {"path": "/healthz"},
        "targetRefs": [envoy.target("Gateway", names.FRONT)],
    }
    return envoy.envoy("ClientTrafficPolicy", envoy.system("ClientTrafficPolicy", names.FRONT, removal, retiring=leaving), spec)


def _callers(front: Front, removal: Removal, leaving: bool) -> Manifest:
    """Callers by their API keys, in either of the headers that clients use."""
    assert front.spec.auth is not None
    keys = envoy.api_keys(callers(front), ["Authorization", "x-api-key"], names.CLIENT_HEADER)
    spec = {"apiKeyAuth": keys, "targetRefs": [envoy.target("Gateway", names.FRONT)]}
    return envoy.envoy("SecurityPolicy", envoy.system("SecurityPolicy", names.FRONT, removal, retiring=leaving), spec)


def callers(front: Front) -> list[str]:
    """The Secrets that hold the callers' keys."""
    declared = front.spec.auth.api_key.secret_refs if front.spec.auth else ()
    return [ref.name for ref in declared] or [names.CALLERS]


def _not_found(removal: Removal, leaving: bool) -> Iterator[Manifest]:
    """What no service's route takes is answered with 404, in a form that clients can show."""
    answer = envoy.answer(404, "no such service: the path is /<namespace>/<service>/v1/...", "invalid_request_error")
    yield envoy.envoy("HTTPRouteFilter", envoy.system("HTTPRouteFilter", names.NOT_FOUND, removal, retiring=leaving), answer)
    rule = {"filters": [envoy.filter_ref(names.NOT_FOUND)], "matches": [envoy.prefix("/")]}
    spec = {"parentRefs": [envoy.target("Gateway", names.FRONT)], "rules": [rule]}
    yield envoy.gateway_api("HTTPRoute", envoy.system("HTTPRoute", names.NOT_FOUND, removal, retiring=leaving), spec)


def _egress(settings: FleetSpec, cluster: Cluster, leaving: bool) -> Iterator[Manifest]:
    """The second hop to providers, reached inside the cluster alone: only there can a path, a key and a host name differ by backend."""
    removal = settings.argocd.removal
    yield _proxy(names.EGRESS, removal, _JSON_LOG, {"type": "ClusterIP", "externalTrafficPolicy": "Local", "name": names.EGRESS}, leaving)
    yield _gateway(names.EGRESS, cluster, [envoy.listener("http", egress_port())], removal, leaving)
    traffic = {
        "circuitBreaker": dict(envoy.CONNECTIONS),
        "targetRefs": [envoy.target("Gateway", names.EGRESS)],
        "timeout": {"http": {"requestTimeout": envoy.NO_LIMIT}, "tcp": {"connectTimeout": _SLOW_CONNECT}},
    }
    meta = envoy.system("BackendTrafficPolicy", names.EGRESS, removal, retiring=leaving, kept=True)
    yield envoy.envoy("BackendTrafficPolicy", meta, traffic)
    if token := settings.routing.token_secret_ref:
        keys = envoy.api_keys([token.name], [names.TOKEN_HEADER])
        spec = {"apiKeyAuth": keys, "targetRefs": [envoy.target("Gateway", names.EGRESS)]}
        yield envoy.envoy("SecurityPolicy", envoy.system("SecurityPolicy", names.EGRESS, removal, retiring=leaving), spec)
    yield monitor(names.EGRESS, removal, retiring=leaving)


def egress_port() -> int:
    """Port of the egress's listener and Service."""
    return names.SERVICE_PORT


def _named_address(cluster: Cluster, removal: Removal) -> Iterator[Manifest]:
    """A name for a gateway that has only an address: of backends with equal addresses Envoy would keep one."""
    gateway = cluster.spec.gateway
    if not gateway.address:
        return
    name = names.cluster_address(cluster.name)
    port = {"name": "gateway", "port": gateway.reached_at, "protocol": "TCP"}
    spec = {
        "clusterIP": "None",
        "internalTrafficPolicy": "Cluster",
        "ports": [{**port, "targetPort": gateway.reached_at}],
        "sessionAffinity": "None",
        "type": "ClusterIP",
    }
    yield {"apiVersion": "v1", "kind": "Service", "metadata": envoy.system("Service", name, removal), "spec": spec}
    labels = {"kubernetes.io/service-name": name}
    notes = sync.annotations_of("EndpointSlice", removal)
    yield {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": metadata(name, names.SYSTEM_NAMESPACE, labels=labels, annotations=notes),
        "addressType": "IPv6" if ":" in gateway.address else "IPv4",
        "endpoints": [{"addresses": [gateway.address], "conditions": {"ready": True}}],
        "ports": [port],
    }
