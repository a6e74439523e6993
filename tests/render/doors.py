"""Scenarios of front doors: what callers reach, and how their requests get to where models run."""

from __future__ import annotations

from typing import Any

from modelfleet.place.plan import Plan
from modelfleet.resolve.fleet import Cluster, Fleet

from . import kinds
from .builders import NAME, cluster, deployment, endpoint, entry, fleet, front, placement, plan, reached, scaling, service

Scenario = kinds.Scenario
KEY, ROUTES = kinds.KEY, kinds.ROUTES
HUB = cluster("a-hub", location={"region": "eu"})
TOKEN = {"routing": {"tokenSecretRef": {"name": "fleet-token"}}}
CALLERS = {"apiKey": {"secretRefs": [{"name": "callers"}]}}


def doors() -> dict[str, Scenario]:
    """By a name that says what is looked at."""
    return {**_bases(), **_services(), **_shares(), **_by_model()}


def door(*services: Any, where: tuple[Cluster, ...] = (), front_spec: Any = None, **rest: Any) -> Fleet:
    """A fleet whose front door stands on a cluster without models."""
    clusters = (HUB, *(where or (reached("east"), reached("west"))))
    return fleet(*rest.pop("deployments", ()), clusters=clusters, services=services, fronts=(front("a-hub", **(front_spec or {})),), **rest)


def over(*entries: dict[str, Any], **others: Any) -> Plan:
    """The deployment's entries, and those of other deployments by name."""
    return plan({KEY: placement(*entries), **{(KEY[0], name): record for name, record in others.items()}})


BOTH = (entry(3), entry(1, "west"))


def _bases() -> dict[str, Scenario]:
    closed = {"hostname": "models.example.com", "tls": {"certificateRefs": [{"name": "models"}]}, "auth": CALLERS}
    listeners = [{"name": "in", "port": 8080, "protocol": "HTTP"}, {"name": "out", "port": 8443, "protocol": "HTTPS"}]
    address = cluster("east", gateway={"address": "10.1.2.3", "tls": {"caConfigMapRef": {"name": "east-ca"}}})
    ends_tls = {"serverCertificateRef": {"name": "shown"}, "wellKnown": "System"}
    return {
        "front-open": (door(), over(*BOTH), "base"),
        "front-with-keys": (door(front_spec=closed, where=(address,), **TOKEN), over(*BOTH), "base"),
        "front-with-listeners": (door(front_spec={**closed, "listeners": listeners}), over(*BOTH), "base"),
        "front-leaving": (fleet(clusters=(HUB,), fronts=(front("a-hub", leaving=True),)), over(), "base"),
        "base-with-a-certificate": (fleet(clusters=(reached("east", gateway={"tls": ends_tls}),)), plan(), "base"),
    }


def _services() -> dict[str, Scenario]:
    own = cluster("west", gateway={"address": "fd00::1", "tls": {"caConfigMapRef": {"name": "west-ca"}}})
    plain = cluster("east", gateway={"hostname": "east.lan", "scheme": "HTTP", "insecure": True})
    overflow = service({"deployment": NAME}, {"endpoint": "together", "priority": 1})
    limits = service(timeouts={"request": "90s", "idle": "20s"})
    prefixed = endpoint(origin="https://api.example.com:8443", api={"schema": "Anthropic", "prefix": "/anthropic/v1/"}, credential=_key())
    on_lan = endpoint("lan", url="http://10.0.0.7:9000/openai/v1")
    several = service({"endpoint": "together"}, {"endpoint": "lan"}, name="bought")
    asleep = deployment(scaling={**scaling({"type": "RequestsInFlight", "target": "2"}, low=0), "wake": "OnRequest"})
    return {
        "service": (door(service(), **TOKEN), over(*BOTH), ROUTES),
        "service-own-trust": (door(service(), where=(plain, own)), over(*BOTH), ROUTES),
        "service-with-limits": (door(limits), over(entry()), ROUTES),
        "service-overflow": (door(overflow, endpoints=(endpoint(),), **TOKEN), over(*BOTH), ROUTES),
        "service-of-providers": (door(several, endpoints=(prefixed, on_lan)), over(), ROUTES),
        "service-asleep": (door(overflow, endpoints=(endpoint(),), deployments=(asleep,)), over(entry(minimum=0, maximum=2)), ROUTES),
        "service-leaving": (door(service(leaving=True)), over(entry()), ROUTES),
        "service-prune": (door(service(), argocd={"removal": "Prune"}), over(entry()), ROUTES),
        "service-on-its-own-cluster": (
            fleet(clusters=(reached("a-hub"),), services=(service(),), fronts=(front("a-hub"),)), over(entry(1, "a-hub")), ROUTES
        ),
    }  # fmt: skip


def _key() -> dict[str, Any]:
    return {"apiKey": {"secretRef": {"name": "bought"}}}


def _shares() -> dict[str, Scenario]:
    canary = service({"name": "stable", "weight": 80, "deployment": NAME}, {"name": "canary", "weight": 20, "deployment": "next"})
    moving = over(entry(2), entry(2, "west", retiring=True, replaced=2))
    near = reached("east", location={"region": "eu"})
    return {
        "service-canary": (door(canary, deployments=(deployment(), deployment(name="next"))), over(*BOTH, next=placement(entry())), ROUTES),
        "service-moving": (door(service()), moving, ROUTES),
        "service-near-first": (door(service(locality="PreferRegion"), where=(near, reached("west"))), over(*BOTH), ROUTES),
        "service-parked": (door(service(), where=(reached("east", state="Offline"),)), over(entry()), ROUTES),
        "service-of-nothing": (door(service({"selector": {"matchLabels": {"a": "b"}}})), over(entry()), ROUTES),
    }


def _by_model() -> dict[str, Scenario]:
    """`model` chooses the service; targets may know the model by other names."""
    only, both = {"routing": ["ModelName"]}, {"routing": ["Path", "ModelName"]}
    mixed = service({"deployment": NAME}, {"endpoint": "claude", "priority": 1, "weight": 3}, {"endpoint": "free", "priority": 1})
    claude = endpoint("claude", origin="https://api.example.com", api={"schema": "Anthropic"}, model="claude-9", credential=_key())
    free = endpoint("free", origin="https://free.example.com", api={"prefix": "/"})
    limits = service(timeouts={"request": "90s", "idle": "20s"})
    parked = (reached("east", state="Offline"),)
    return {
        "front-by-model": (door(front_spec=only, **TOKEN), over(*BOTH), "base"),
        "service-by-model": (door(mixed, front_spec=only, endpoints=(claude, free), **TOKEN), over(*BOTH), ROUTES),
        "service-by-both": (door(mixed, front_spec=both, endpoints=(claude, free), **TOKEN), over(*BOTH), ROUTES),
        "service-by-model-with-limits": (door(limits, front_spec=only), over(entry()), ROUTES),
        "service-by-model-parked": (door(service(), where=parked, front_spec=only), over(entry()), ROUTES),
        "base-of-a-fleet-by-model": (
            fleet(clusters=(reached("a"), HUB), fronts=(front("a-hub", **only),), services=(service(),), **TOKEN), over(entry()), "base"
        ),
    }  # fmt: skip
