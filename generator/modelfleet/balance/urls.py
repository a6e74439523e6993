"""URLs: what callers use at a front door, and what a request's path becomes on its way to a share. The same rules as the routes'."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .. import names
from ..resolve.fleet import Fleet, Front, Service
from .shares import Share

ADDRESS = "ADDRESS"  # of a front door without a host name: only its cluster knows
CALLED = "/v1"  # where callers' paths begin, below the service's


@dataclass(frozen=True, slots=True)
class Upstream:
    """Where a share is reached. url: without a path; host: the name that is asked for there.

    base: of a provider what stands for callers' /v1; None where paths stay as they are.
    """

    url: str
    host: str
    base: str | None = None

    def path(self, rest: str) -> str | None:
        """The path there of `rest`, what is left of a request's path; None where nothing takes it."""
        if self.base is None:
            return rest
        if not _below(rest, CALLED):
            return None
        return _joined(self.base, rest[len(CALLED) :])


def door_url(front: Front) -> str:
    """Scheme, host and port of a front door; HTTPS where it has both."""
    spec = front.spec
    listeners = sorted(((one.protocol != "HTTPS", index, one) for index, one in enumerate(spec.listeners)), key=lambda item: item[:2])
    secure = not listeners[0][0] if listeners else spec.tls is not None
    port = listeners[0][2].port if listeners else 443 if secure else 80
    return _origin("https" if secure else "http", spec.hostname or ADDRESS, port)


def service_path(service: Service) -> str:
    """Where a service's paths begin."""
    return f"/{service.namespace}/{service.name}"


def upstream(fleet: Fleet, service: Service, share: Share) -> Upstream:
    """Where a share of a service is reached."""
    if share.cluster:
        gateway = fleet.clusters[share.cluster].spec.gateway
        host = names.host(service.namespace, share.target, share.cluster, fleet.settings.spec.routing.domain)
        return Upstream(_origin(gateway.scheme.lower(), gateway.hostname or gateway.address or "", gateway.reached_at), host)
    spec = fleet.endpoints[service.namespace, share.target].spec
    return Upstream(_origin(spec.scheme, spec.host, spec.port), spec.host, spec.base)


def below(path: str, service: Service) -> str | None:
    """What is left of a request's path once the service's is taken off; None if it is not one of the service's.

    Doubled slashes are one, as at the front door. A path that names no service at all is taken to be the rest.
    """
    path = re.sub("/+", "/", path)
    own = service_path(service)
    if _below(path, own):
        return path[len(own) :] or "/"
    return path if _below(path, CALLED) else None


def _below(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith((prefix + "/", prefix + "?"))


def _joined(base: str, rest: str) -> str:
    return base.rstrip("/") + rest if rest.startswith("/") else base + rest


def _origin(scheme: str, host: str, port: int) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}" if port == {"http": 80, "https": 443}[scheme] else f"{scheme}://{shown}:{port}"
