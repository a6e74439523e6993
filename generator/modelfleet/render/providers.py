"""Providers outside the fleet, on a front door's cluster: behind the egress, each with its own path, host name and key.

To a service's route a provider looks like any other backend: what differs by provider cannot stand in that route, where a filter on one
backend would break the tiers of all. Here each provider is alone in its route, and its key is a filter of its only backend: at the rule
it would be one of the listener's, and every new one would cut off what streams.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import names
from ..resolve.fleet import Endpoint, Fleet
from . import envoy, sync
from .metadata import metadata
from .unit import Manifest

# What callers send and what is the fleet's own, addresses among it: no provider is to see it.
_PRIVATE = ["authorization", "cookie", "x-api-key", "x-envoy-external-address", "x-forwarded-for", names.CLIENT_HEADER, names.TOKEN_HEADER]
_CALLED = "/v1"  # where callers' paths begin, once the service's is taken off
KEY_HEADERS = {"OpenAI": "Authorization", "Anthropic": "x-api-key"}


def provider(fleet: Fleet, endpoint: Endpoint) -> Iterator[Manifest]:
    """Key, Backend and route of a provider."""
    if endpoint.spec.credential:
        yield _key(fleet, endpoint)
    yield backend(fleet, endpoint)
    yield _route(fleet, endpoint)


def key_form(endpoint: Endpoint) -> str:
    """How the key `credential` of the provider's Secret must read: the whole value of the header."""
    return "Bearer <API key>" if endpoint.spec.api.schema_ == "OpenAI" else "<API key>"


def _key(fleet: Fleet, endpoint: Endpoint) -> Manifest:
    assert endpoint.spec.credential is not None
    secret = {"name": endpoint.spec.credential.api_key.secret_ref.name, "group": "", "kind": "Secret"}
    injection = {"credential": {"valueRef": secret}, "header": KEY_HEADERS[endpoint.spec.api.schema_], "overwrite": True}
    return envoy.envoy("HTTPRouteFilter", metadata_of(fleet, "HTTPRouteFilter", endpoint), {"credentialInjection": injection})


def backend(fleet: Fleet, endpoint: Endpoint) -> Manifest:
    """Where the provider is. An address is alone in its route, so it may stand there as one."""
    spec = endpoint.spec
    where = {"ip": {"address": spec.host, "port": spec.port}} if spec.is_address else {"fqdn": {"hostname": spec.host, "port": spec.port}}
    found: dict[str, Any] = {"endpoints": [where], "type": "Endpoints"}
    if spec.scheme == "https":
        found["tls"] = {"insecureSkipVerify": False, "sni": spec.host, "wellKnownCACertificates": "System"}
    return envoy.envoy("Backend", metadata_of(fleet, "Backend", endpoint), found)


def _route(fleet: Fleet, endpoint: Endpoint) -> Manifest:
    """/v1 of callers becomes what the provider has for it; other paths have no meaning there."""
    name = names.provider(endpoint.name)
    ref: dict[str, Any] = {"name": name, "group": envoy.ENVOY_GROUP, "kind": "Backend", "weight": 1}
    if endpoint.spec.credential:
        ref["filters"] = [envoy.filter_ref(name)]
    filters = [{"type": "RequestHeaderModifier", "requestHeaderModifier": {"remove": _PRIVATE}}]
    if endpoint.spec.base != _CALLED:
        filters.append(envoy.rewrite(endpoint.spec.base))
    if not endpoint.spec.is_address:
        filters.append(envoy.filter_ref(names.HOST_FILTER))
    rule = {"backendRefs": [ref], "filters": filters, "matches": [envoy.prefix(_CALLED)], "timeouts": {"request": envoy.NO_LIMIT}}
    host = names.provider_host(endpoint.namespace, endpoint.name, fleet.settings.spec.routing.domain)
    spec = {"hostnames": [host], "parentRefs": [envoy.parent(names.EGRESS)], "rules": [rule]}
    return envoy.gateway_api("HTTPRoute", metadata_of(fleet, "HTTPRoute", endpoint, wave=envoy.ROUTES), spec)


def metadata_of(fleet: Fleet, kind: str, endpoint: Endpoint, *, wave: int = envoy.BACKENDS) -> dict[str, Any]:
    """Metadata of what stands for a provider."""
    notes = sync.annotations_of(kind, fleet.settings.spec.argocd.removal, retiring=endpoint.leaving, wave=wave)
    return metadata(names.provider(endpoint.name), endpoint.namespace, annotations=notes)
