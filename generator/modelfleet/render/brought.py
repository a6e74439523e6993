"""What people bring to a cluster for its gateway and its front door: Secrets and authorities by name, and what each must hold.

No value of one is ever read.
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import names
from ..balance import Balance
from ..resolve.fleet import Cluster, Fleet, Front
from .providers import key_form


def to_gateway(cluster: Cluster) -> list[str]:
    """`secret modelfleet-system/gateway, keys tls.crt, tls.key (gateway)` where the cluster's own gateway ends TLS."""
    tls = cluster.spec.gateway.tls
    reference = tls.server_certificate_ref if tls else None
    return [f"secret {names.SYSTEM_NAMESPACE}/{reference.name}, keys tls.crt, tls.key (gateway)"] if reference else []


def to_base(front: Front) -> list[str]:
    """`secret modelfleet-system/models, keys tls.crt, tls.key (front door acme)`: certificates, which something else renews."""
    refs = front.spec.tls.certificate_refs if front.spec.tls else ()
    return [f"secret {names.SYSTEM_NAMESPACE}/{ref.name}, keys tls.crt, tls.key (front door {front.name})" for ref in refs]


def to_namespace(fleet: Fleet, front: Front, namespace: str, balances: Iterable[Balance]) -> list[str]:
    """What a namespace's routes name: the fleet's token, keys of providers, authorities of clusters."""
    shares = [share for found in balances for share in found.shares]
    lines = []
    if token := fleet.settings.spec.routing.token_secret_ref:
        keys = [key for key, used in (("credential", front.by_path), ("apiKey", front.by_model)) if used]
        lines.append(f"secret {namespace}/{token.name}, key{'s' if len(keys) > 1 else ''} {', '.join(keys)} (the fleet's token)")
    for name, endpoint in sorted((name, endpoint) for (space, name), endpoint in fleet.endpoints.items() if space == namespace):
        if endpoint.spec.credential:
            reference = endpoint.spec.credential.api_key.secret_ref
            forms = [f"key credential: {key_form(endpoint)}"] if front.by_path else []
            forms += ["key apiKey: <API key>"] if front.by_model else []
            lines.append(f"secret {namespace}/{reference.name}, {', '.join(forms)} (endpoint {name})")
    for name in sorted({share.cluster for share in shares if share.cluster}):
        tls = fleet.clusters[name].spec.gateway.tls
        if tls and tls.ca_config_map_ref:
            lines.append(f"configmap {namespace}/{tls.ca_config_map_ref.name}, key ca.crt (cluster {name})")
    return lines
