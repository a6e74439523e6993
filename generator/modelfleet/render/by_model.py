"""The routes of services on a front door's cluster, by model name: one URL, and `model` says <namespace>/<service>.

Envoy AI Gateway reads the body, chooses the route by a header that it makes of `model`, puts the name in that the target knows, speaks
its API, adds its key and counts tokens. Of each AIGatewayRoute it makes a HTTPRoute of the same name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .. import names
from ..balance import Balance, Share
from ..resolve.fleet import Endpoint, Fleet, Front, Service
from . import envoy, providers, services, sync
from .metadata import metadata
from .unit import Manifest

AI_GROUP = "aigateway.envoyproxy.io"
MODEL_HEADER = "x-ai-eg-model"
_COSTS = [
    {"metadataKey": "llm_input_token", "type": "InputToken"},
    {"metadataKey": "llm_output_token", "type": "OutputToken"},
    {"metadataKey": "llm_total_token", "type": "TotalToken"},
]
_PRIVATE = ["cookie", names.CLIENT_HEADER, names.TOKEN_HEADER]  # of no provider's business
_KEYS = ["authorization", "x-api-key"]  # of callers, where the provider asks for none


def service(fleet: Fleet, found: Service, front: Front, balance: Balance) -> Iterator[Manifest]:
    """What a service needs besides the providers'. The Backends are there already where it has another route."""
    if not balance.known:
        return
    own = [share for share in balance.shares if share.cluster]
    for share in own:
        if not front.by_path:
            yield services.backend(fleet, found, front, share)
        name = names.backend(found.namespace, found.name, share.target, share.cluster)
        schema = {"name": "OpenAI", "prefix": "/v1"}
        meta = services.share_metadata(fleet, "AIServiceBackend", found, share)
        yield _ai("AIServiceBackend", meta, {"backendRef": _backend_ref(name), "schema": schema})
    token = fleet.settings.spec.routing.token_secret_ref
    if token and own:
        backends = [names.backend(found.namespace, found.name, share.target, share.cluster) for share in own]
        yield _key(_metadata(fleet, "BackendSecurityPolicy", found), "APIKey", token.name, backends)
    meta = _metadata(fleet, "BackendTrafficPolicy", found, kept=True)
    target = envoy.target("HTTPRoute", names.model_route(found.name))
    yield envoy.envoy("BackendTrafficPolicy", meta, {"targetRefs": [target], **services.traffic(found, balance)})
    yield _route(fleet, found, balance)


def provider(fleet: Fleet, endpoint: Endpoint, *, by_path: bool) -> Iterator[Manifest]:
    """A provider as the AI gateway calls it: its API, and its key. by_path: its Backend is there already."""
    if not by_path:
        yield providers.backend(fleet, endpoint)
    spec, name = endpoint.spec, names.provider(endpoint.name)
    schema = {"name": spec.api.schema_, **({"prefix": spec.base} if spec.base != "/" else {})}
    mutation = {"remove": _PRIVATE if spec.credential else [*_KEYS, *_PRIVATE]}
    meta = providers.metadata_of(fleet, "AIServiceBackend", endpoint)
    yield _ai("AIServiceBackend", meta, {"backendRef": _backend_ref(name), "headerMutation": mutation, "schema": schema})
    if spec.credential:
        meta = providers.metadata_of(fleet, "BackendSecurityPolicy", endpoint)
        kind = "APIKey" if spec.api.schema_ == "OpenAI" else "AnthropicAPIKey"
        yield _key(meta, kind, spec.credential.api_key.secret_ref.name, [name])


def _route(fleet: Fleet, found: Service, balance: Balance) -> Manifest:
    """One rule; without a backend the gateway answers it with an error."""
    header = {"name": MODEL_HEADER, "type": "Exact", "value": found.ref}
    rule: dict[str, Any] = {
        "matches": [{"headers": [header]}],
        "modelsOwnedBy": found.namespace,
        "timeouts": {"request": found.spec.timeouts.request or envoy.NO_LIMIT},
    }
    if balance.shares:
        rule["backendRefs"] = [_ref(fleet, found, share) for share in balance.shares]
    if found.spec.timeouts.idle:
        rule["streamIdleTimeout"] = found.spec.timeouts.idle
    spec = {"llmRequestCosts": _COSTS, "parentRefs": [envoy.parent(names.FRONT)], "rules": [rule]}
    return _ai("AIGatewayRoute", _metadata(fleet, "AIGatewayRoute", found, wave=envoy.ROUTES), spec)


def _ref(fleet: Fleet, found: Service, share: Share) -> dict[str, Any]:
    """A share with its tier, and the name by which its target knows the model."""
    if share.cluster:
        name = names.backend(found.namespace, found.name, share.target, share.cluster)
        model: str | None = fleet.deployments[found.namespace, share.target].model_name
    else:
        name, model = names.provider(share.target), fleet.endpoints[found.namespace, share.target].spec.model
    ref: dict[str, Any] = {"name": name, "priority": share.tier, "weight": share.weight}
    return {**ref, "modelNameOverride": model} if model else ref


def _backend_ref(name: str) -> dict[str, str]:
    return {"name": name, "group": envoy.ENVOY_GROUP, "kind": "Backend"}


def _key(meta: dict[str, Any], kind: str, secret: str, backends: Sequence[str]) -> Manifest:
    """The key `apiKey` of a Secret for some backends."""
    field = "apiKey" if kind == "APIKey" else "anthropicAPIKey"
    refs = [{"name": name, "group": AI_GROUP, "kind": "AIServiceBackend"} for name in backends]
    key = {"secretRef": {"name": secret, "group": "", "kind": "Secret"}}
    return _ai("BackendSecurityPolicy", meta, {field: key, "targetRefs": refs, "type": kind})


def _ai(kind: str, meta: dict[str, Any], spec: dict[str, Any]) -> Manifest:
    return {"apiVersion": f"{AI_GROUP}/v1beta1", "kind": kind, "metadata": meta, "spec": spec}


def _metadata(fleet: Fleet, kind: str, found: Service, *, wave: int = envoy.BACKENDS, kept: bool = False) -> dict[str, Any]:
    notes = sync.annotations_of(kind, fleet.settings.spec.argocd.removal, retiring=found.leaving, wave=wave, kept=kept)
    return metadata(names.model_route(found.name), found.namespace, annotations=notes)
