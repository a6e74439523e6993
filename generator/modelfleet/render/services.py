"""The routes of services on a front door's cluster, by path: /<namespace>/<service>/v1/... to every share's gateway.

What makes shares exact and failover work, as measured with Envoy Gateway 1.9: no filter on any backendRef (each backend gets its host
name by one filter of the rule), host names in place of addresses, a fixed server name where TLS is spoken, and every Backend there before
the route that names it. Else the gateway makes a cluster of each backend, and a second tier takes its share of healthy traffic.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import names
from ..balance import Balance, Share
from ..resolve.fleet import Cluster, Fleet, Front, Service
from . import envoy, sync
from .metadata import metadata
from .unit import Manifest

_RETRY_ON = ["connect-failure", "refused-stream", "reset-before-request", "retriable-status-codes"]
_OVERLOADED = 429


def service(fleet: Fleet, found: Service, front: Front, balance: Balance) -> Iterator[Manifest]:
    """Backends, policy and route of a service; nothing for one that nothing declared answers."""
    if not balance.known:
        return
    for share in balance.shares:
        yield backend(fleet, found, front, share)
    yield _policy(fleet, found, balance)
    yield _route(fleet, found, balance)


def filters(fleet: Fleet, namespace: str) -> Iterator[Manifest]:
    """What the routes of a namespace share: the host name of the backend, and the fleet's token. A route can name only its own."""
    host = {"urlRewrite": {"appendXForwardedHost": False, "hostname": {"type": "Backend"}}}
    yield envoy.envoy("HTTPRouteFilter", _metadata(fleet, "HTTPRouteFilter", names.HOST_FILTER, namespace), host)
    if token := fleet.settings.spec.routing.token_secret_ref:
        value = {"name": token.name, "group": "", "kind": "Secret"}
        injection = {"credential": {"valueRef": value}, "header": names.TOKEN_HEADER, "overwrite": True}
        meta = _metadata(fleet, "HTTPRouteFilter", names.TOKEN_FILTER, namespace)
        yield envoy.envoy("HTTPRouteFilter", meta, {"credentialInjection": injection})


def backend(fleet: Fleet, found: Service, front: Front, share: Share) -> Manifest:
    """Where a share is reached, and by which host name it is meant there."""
    domain = fleet.settings.spec.routing.domain
    spec: dict[str, Any] = {"type": "Endpoints"}
    if share.cluster:
        cluster = fleet.clusters[share.cluster]
        host = names.host(found.namespace, share.target, share.cluster, domain)
        spec["endpoints"] = [{"fqdn": {"hostname": _reached(cluster), "port": cluster.spec.gateway.reached_at}, "hostname": host}]
        if tls := _tls(cluster, host):
            spec["tls"] = tls
    else:
        reached = f"{names.EGRESS}.{fleet.clusters[front.cluster].spec.gateway.namespace}.{names.CLUSTER_DOMAIN}"
        host = names.provider_host(found.namespace, share.target, domain)
        spec["endpoints"] = [{"fqdn": {"hostname": reached, "port": names.SERVICE_PORT}, "hostname": host}]
    if share.tier:
        spec["fallback"] = True
    return envoy.envoy("Backend", share_metadata(fleet, "Backend", found, share), spec)


def share_metadata(fleet: Fleet, kind: str, found: Service, share: Share) -> dict[str, Any]:
    """Metadata of what stands for a share."""
    name = names.backend(found.namespace, found.name, share.target, share.cluster)
    labels = {names.LABEL_CLUSTER: share.cluster} if share.cluster else {}
    return _metadata(fleet, kind, name, found.namespace, found.leaving or share.retiring, named=True, labels=labels)


def _reached(cluster: Cluster) -> str:
    """A name for the cluster's gateway; an address has one on the front door's cluster."""
    return cluster.spec.gateway.hostname or f"{names.cluster_address(cluster.name)}.{names.SYSTEM_NAMESPACE}.{names.CLUSTER_DOMAIN}"


def _tls(cluster: Cluster, host: str) -> dict[str, Any] | None:
    """Trust in a cluster's gateway, with the name that its certificate must hold: without one the caller's host name would be asked for."""
    gateway = cluster.spec.gateway
    if gateway.scheme == "HTTP" or gateway.tls is None:
        return None
    if gateway.tls.ca_config_map_ref:
        authorities = [{"name": gateway.tls.ca_config_map_ref.name, "group": "", "kind": "ConfigMap"}]
        return {"caCertificateRefs": authorities, "insecureSkipVerify": False, "sni": gateway.tls.server_name or host}
    return {"insecureSkipVerify": False, "sni": gateway.tls.server_name or gateway.hostname, "wellKnownCACertificates": "System"}


def _route(fleet: Fleet, found: Service, balance: Balance) -> Manifest:
    """One rule. With nothing to answer just now it says so: left out of Git the old route would go on serving."""
    rule: dict[str, Any] = {"matches": [envoy.prefix(f"/{found.namespace}/{found.name}")]}
    if balance.shares:
        rule["filters"] = [envoy.rewrite("/"), envoy.filter_ref(names.HOST_FILTER)]
        if fleet.settings.spec.routing.token_secret_ref:
            rule["filters"].append(envoy.filter_ref(names.TOKEN_FILTER))
        rule["backendRefs"] = [_ref(found, share) for share in balance.shares]
        rule["timeouts"] = {"request": found.spec.timeouts.request or envoy.NO_LIMIT}
    else:
        rule["filters"] = [envoy.filter_ref(names.UNAVAILABLE)]
    spec = {"parentRefs": [envoy.parent(names.FRONT)], "rules": [rule]}
    meta = _metadata(fleet, "HTTPRoute", names.front_route(found.name), found.namespace, found.leaving, wave=envoy.ROUTES)
    return envoy.gateway_api("HTTPRoute", meta, spec)


def _ref(found: Service, share: Share) -> dict[str, Any]:
    name = names.backend(found.namespace, found.name, share.target, share.cluster)
    return {"name": name, "group": envoy.ENVOY_GROUP, "kind": "Backend", "weight": share.weight}


def _policy(fleet: Fleet, found: Service, balance: Balance) -> Manifest:
    """Retries that reach the second tier, and the ejection of what fails: each alone loses requests."""
    meta = _metadata(fleet, "BackendTrafficPolicy", names.front_route(found.name), found.namespace, found.leaving, kept=True)
    spec = {"targetRefs": [envoy.target("HTTPRoute", names.front_route(found.name))], **traffic(found, balance)}
    return envoy.envoy("BackendTrafficPolicy", meta, spec)


def traffic(found: Service, balance: Balance) -> dict[str, Any]:
    """How requests of a service are sent: again after a failure, around what fails, and for as long as they take."""
    first, second = balance.tier(0), balance.tier(1)
    # Too many requests are no reason to spend money in a second tier.
    codes = [502, 503, 504] if any(not share.cluster for share in second) else [_OVERLOADED, 502, 503, 504]
    # What sleeps must be asked now and then: a share that is thrown out altogether is never woken.
    ejected = 10 if any(share.wakes for share in balance.shares) else 100
    limits: dict[str, Any] = {"requestTimeout": found.spec.timeouts.request or envoy.NO_LIMIT}
    if found.spec.timeouts.idle:
        limits["streamIdleTimeout"] = found.spec.timeouts.idle
    return {
        "circuitBreaker": dict(envoy.CONNECTIONS),
        "healthCheck": {
            "panicThreshold": 0,
            "passive": {
                "alwaysEjectOneEndpoint": False,
                "baseEjectionTime": "5s",
                "consecutive5XxErrors": 5,
                "consecutiveGatewayErrors": 3,
                "consecutiveLocalOriginFailures": 5,
                "interval": "1s",
                "maxEjectionPercent": ejected,
                "splitExternalLocalOriginErrors": False,
            },
        },
        "retry": {
            "numAttemptsPerPriority": 2 if len(first) > 1 else 1,
            "numRetries": 3,
            "perRetry": {"backOff": {"baseInterval": "25ms", "maxInterval": "250ms"}},
            "retryOn": {"httpStatusCodes": codes, "triggers": _RETRY_ON},
        },
        "timeout": {"http": limits, "tcp": {"connectTimeout": "2s"}},
    }


def _metadata(
    fleet: Fleet,
    kind: str,
    name: str,
    namespace: str,
    leaving: bool = False,
    *,
    wave: int = envoy.BACKENDS,
    named: bool = False,
    kept: bool = False,
    labels: dict[str, str] | None = None,
) -> dict[str, Any]:
    """named: the object stands for one share; when the share goes elsewhere it may lie about, and nothing names it."""
    removal = fleet.settings.spec.argocd.removal
    stale = named and removal == "Retire" and not leaving
    notes = sync.annotations_of(kind, removal, retiring=leaving, wave=wave, hashed=stale, kept=kept)
    return metadata(name, namespace, labels=labels, annotations=notes)
