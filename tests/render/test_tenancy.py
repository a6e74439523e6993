"""Who may reach whom, as a table of flows; what a team is given; which Secrets are asked for."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from modelfleet import render
from modelfleet.render import secrets, tenancy
from modelfleet.render.unit import Manifest, UnitId
from modelfleet.resolve.fleet import Fleet

from .builders import NAMESPACE, cache, cluster, deployment, endpoint, engine, fleet, front, plan, pod, team

KEY = (NAMESPACE, "qwen")


@dataclass(frozen=True)
class Peer:
    """A pod, or without a namespace an address outside of the cluster."""

    namespace: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    address: str = ""


ENGINE = Peer(NAMESPACE, {"modelfleet.io/role": "Standalone"})
WORKER = Peer(NAMESPACE, {"modelfleet.io/role": "Worker"})
PICKER = Peer(NAMESPACE, {"modelfleet.io/role": "Picker"})
STAGING = Peer(NAMESPACE, {"modelfleet.io/cache": "weights"})
OTHER_TEAM = Peer("voice", {"modelfleet.io/role": "Standalone"})
DISGUISED = Peer("voice", {"gateway.envoyproxy.io/owning-gateway-name": "modelfleet", "app": "prometheus"})
GATEWAY = Peer("envoy-gateway-system")
PROMETHEUS = Peer("monitoring")
KEDA = Peer("keda")
DNS = Peer("kube-system")
NODE_DNS = Peer(address="169.254.20.10")
API_SERVER = Peer(address="203.0.113.9")
INTERNET = Peer(address="198.51.100.7")
INTRANET = Peer(address="10.1.2.3")

# (from, to, port, without egress rules, with egress: [10.0.0.0/8])
FLOWS: list[tuple[str, Peer, Peer, int, bool, bool]] = [
    ("a gang's worker reaches its leader", WORKER, ENGINE, 29500, True, True),
    ("the cache of one phase reaches the other", ENGINE, ENGINE, 5600, True, True),
    ("a picker reads the engines' metrics", PICKER, ENGINE, 8000, True, True),
    ("the gateway reaches an engine", GATEWAY, ENGINE, 8000, True, True),
    ("the gateway asks a picker", GATEWAY, PICKER, 9002, True, True),
    ("Prometheus scrapes an engine", PROMETHEUS, ENGINE, 8000, True, True),
    ("another team reaches no engine", OTHER_TEAM, ENGINE, 8000, False, False),
    ("another team reaches no worker", OTHER_TEAM, WORKER, 29500, False, False),
    ("another team's labels open nothing", DISGUISED, ENGINE, 8000, False, False),
    ("no other controller reaches an engine", KEDA, ENGINE, 8000, False, False),
    ("the internet reaches no engine", INTERNET, ENGINE, 8000, False, False),
    ("a staging Job fetches a model", STAGING, INTERNET, 443, True, False),
    ("a staging Job reaches the company's mirror", STAGING, INTRANET, 443, True, True),
    ("an engine reaches a pod of the cluster", ENGINE, KEDA, 8080, True, True),
    ("an engine resolves names", ENGINE, DNS, 53, True, True),
    ("an engine resolves names on its node", ENGINE, NODE_DNS, 53, True, True),
    ("an engine reaches no API server", ENGINE, API_SERVER, 443, True, False),
    ("a picker watches the API server", PICKER, API_SERVER, 443, True, True),
    ("a picker watches an API server on its own port", PICKER, API_SERVER, 6443, True, True),
    ("a picker reaches nothing else outside", PICKER, INTERNET, 80, True, False),
]


def passes(policies: Sequence[Manifest], one: Peer, other: Peer, port: int) -> bool:
    """Whether Kubernetes lets `one` open a connection to `other`: both ends must agree, policies of a pod add up."""
    return _agrees(policies, "Egress", one, other, port) and _agrees(policies, "Ingress", other, one, port)


def _agrees(policies: Sequence[Manifest], direction: str, pod: Peer, far: Peer, port: int) -> bool:
    mine = [
        policy["spec"]
        for policy in policies
        if policy["metadata"]["namespace"] == pod.namespace
        and direction in policy["spec"]["policyTypes"]
        and _selects(policy["spec"]["podSelector"], pod.labels)
    ]
    rules = [rule for spec in mine for rule in spec.get(direction.lower(), ())]
    return not mine or any(_allows(rule, "to" if direction == "Egress" else "from", pod, far, port) for rule in rules)


def _allows(rule: Mapping[str, Any], side: str, pod: Peer, far: Peer, port: int) -> bool:
    ports = {entry["port"] for entry in rule.get("ports", ())}
    peers = rule.get(side, ())
    return (not ports or port in ports) and (not peers or any(_is(peer, pod, far) for peer in peers))


def _is(peer: Mapping[str, Any], pod: Peer, far: Peer) -> bool:
    if "ipBlock" in peer:
        return bool(far.address) and ipaddress.ip_address(far.address) in ipaddress.ip_network(peer["ipBlock"]["cidr"])
    if not far.namespace:
        return False
    here = peer.get("namespaceSelector")
    place = far.namespace == pod.namespace if here is None else _selects(here, {"kubernetes.io/metadata.name": far.namespace})
    return place and _selects(peer.get("podSelector", {}), far.labels)


def _selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    exact = all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())
    assert all(rule["operator"] == "In" for rule in selector.get("matchExpressions", ()))
    return exact and all(labels.get(rule["key"]) in rule["values"] for rule in selector.get("matchExpressions", ()))


def policies(**spec: Any) -> list[Manifest]:
    return list(tenancy.network_policies(NAMESPACE, cluster(), "envoy-gateway-system", ("ml", team(**spec)), "Retire"))


@pytest.mark.parametrize(("what", "one", "other", "port", "free", "walled"), FLOWS, ids=[flow[0] for flow in FLOWS])
def test_flows(what: str, one: Peer, other: Peer, port: int, free: bool, walled: bool) -> None:
    found = (passes(policies(), one, other, port), passes(policies(egress=["10.0.0.0/8"]), one, other, port))
    assert found == (free, walled)


@pytest.mark.parametrize(
    ("url", "namespace"),
    [
        ("http://prometheus-operated.monitoring.svc:9090", "monitoring"),
        ("http://prometheus-k8s.observability.svc.cluster.local:9090/prefix", "observability"),
        ("http://prometheus.metrics:9090", "metrics"),
        ("https://metrics.example.com/east", "monitoring"),
        ("https://prometheus", "monitoring"),
        ("http://[fd00::1]:9090", "monitoring"),
    ],
)
def test_the_monitoring_namespace_is_that_of_prometheus(url: str, namespace: str) -> None:
    assert tenancy.monitoring_namespace(cluster(monitoring={"prometheusURL": url})) == namespace


def kinds(given: Fleet) -> list[str]:
    unit = render.render_unit(given, plan(), UnitId("east", f"tenant/{NAMESPACE}"))
    return [manifest["kind"] for manifest in unit.manifests]


def test_a_team_gets_what_it_declares_and_nothing_more() -> None:
    plain = ["Namespace", "ConfigMap", "NetworkPolicy"]
    assert kinds(fleet()) == plain
    assert kinds(fleet(teams={"a": team("elsewhere", groups=["x"], kubernetesQuota={"pods": "1"})})) == plain
    assert kinds(fleet(teams={"a": team()})) == plain
    assert kinds(fleet(teams={"a": team(groups=["x"], kubernetesQuota={"pods": "1"})})) == [*plain, "Role", "RoleBinding", "ResourceQuota"]


def test_a_team_reads_no_secret_and_changes_nothing() -> None:
    role = next(tenancy.rights(NAMESPACE, ("a", team(groups=["x"])), "Retire"))
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"get", "list", "watch"}
    named = {resource for rule in role["rules"] for resource in rule["resources"]}
    assert not [resource for resource in named if resource in ("*", "secrets") or "exec" in resource or "portforward" in resource]


@pytest.mark.parametrize("kind", ["Role", "RoleBinding"])
def test_a_right_that_is_taken_back_is_pruned(kind: str) -> None:
    found = {manifest["kind"]: manifest for manifest in tenancy.rights(NAMESPACE, ("a", team(groups=["x"])), "Retire")}
    assert found[kind]["metadata"]["annotations"] == {"argocd.argoproj.io/sync-options": "Prune=true,Delete=confirm"}


EVERY_REFERENCE: dict[str, Any] = {
    "env": [
        {"name": "A", "valueFrom": {"secretKeyRef": {"name": "of-a-variable", "key": "token"}}},
        {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "no-secret", "key": "b"}}},
        {"name": "C", "valueFrom": {"secretKeyRef": {"name": "of-a-variable", "key": "other"}}},
    ],
    "envFrom": [{"secretRef": {"name": "of-all-variables"}}, {"configMapRef": {"name": "no-secret"}}],
}
VOLUMES: list[dict[str, Any]] = [
    {"name": "a", "secret": {"secretName": "of-a-volume"}},
    {"name": "b", "projected": {"sources": [{"secret": {"name": "projected", "items": [{"key": "k", "path": "p"}]}}]}},
    {"name": "c", "csi": {"driver": "d", "nodePublishSecretRef": {"name": "of-a-driver"}}},
    {"name": "d", "configMap": {"name": "no-secret"}},
]


def test_every_kind_of_reference_to_a_secret_is_found() -> None:
    sidecar = {"name": "s", "image": "s:1", "env": [{"name": "D", "valueFrom": {"secretKeyRef": {"name": "of-a-sidecar", "key": "d"}}}]}
    template = pod(EVERY_REFERENCE, volumes=VOLUMES, imagePullSecrets=[{"name": "pull"}], initContainers=[sidecar])
    devices = [{"name": "gpu", "memory": {"atLeast": "22Gi"}}]
    secret = {"secretKeyRef": {"name": "of-an-alternative", "key": "e"}}
    alternatives = [{"name": "other", "members": [{"devices": devices, "env": [{"name": "E", "valueFrom": secret}]}]}]
    hub = cache("HuggingFace", "huggingFace", repo="Qwen/Qwen3-8B", authSecret={"name": "of-a-cache"})
    given = fleet(deployment({**engine(template=template), "alternatives": alternatives}, cache="weights"), caches={"weights": hub})
    assert [(needed.name, needed.keys) for needed in secrets.of_deployments(given, [KEY])] == [
        ("of-a-cache", ("HF_TOKEN",)),
        ("of-a-driver", ()),
        ("of-a-sidecar", ("d",)),
        ("of-a-variable", ("other", "token")),
        ("of-a-volume", ()),
        ("of-all-variables", ()),
        ("of-an-alternative", ("e",)),
        ("projected", ("k",)),
        ("pull", (".dockerconfigjson",)),
    ]


def test_a_secret_that_two_deployments_share_is_one() -> None:
    template = pod({"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "shared", "key": "token"}}}]})
    two = [deployment(engine(template=template), name=name) for name in ("b", "a")]
    found = secrets.of_deployments(fleet(*two), [one.key for one in two])
    assert [needed.line() for needed in found] == ["secret search/shared, key token (a, b)"]


def test_a_group_stands_in_rbac_as_it_is_and_quoted_in_argo_cd_where_it_must() -> None:
    groups = ["CN=ml,OU=acme", "acme:ml search"]
    binding = list(tenancy.rights(NAMESPACE, ("a", team(groups=groups)), "Retire"))[1]
    assert [subject["name"] for subject in binding["subjects"]] == groups
    root = render.render_root(fleet(teams={"a": team(groups=groups)}), plan())
    project = next(m for m in root.manifests if m["metadata"]["name"] == "modelfleet-team-a")
    assert project["spec"]["roles"][0]["groups"] == ['"CN=ml,OU=acme"', "acme:ml search"]


def test_a_namespace_has_one_project_and_no_team_reaches_another() -> None:
    root = render.render_root(fleet(teams={"a": team(), "b": team("voice")}), plan())
    reached = {
        m["metadata"]["name"]: [d["namespace"] for d in m["spec"]["destinations"]] for m in root.manifests if m["kind"] == "AppProject"
    }
    assert reached == {
        "modelfleet-platform": ["modelfleet-system"],
        "modelfleet-models": [],
        "modelfleet-team-a": ["search"],
        "modelfleet-team-b": ["voice"],
    }
    elements = next(m for m in root.manifests if m["kind"] == "ApplicationSet")["spec"]["generators"][0]["list"]["elements"]
    assert {(e["project"], e["team"]) for e in elements} == {("modelfleet-platform", ""), ("modelfleet-team-a", "a")}


def test_at_a_front_door_the_token_and_the_keys_of_providers_are_fetched_too() -> None:
    template = pod({"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "acme", "key": "token"}}}]})
    store = {"storeRef": {"name": "vault"}}
    given = fleet(
        deployment(engine(template=template)),
        endpoints=(endpoint("acme"),),
        fronts=(front("east"),),
        routing={"tokenSecretRef": {"name": "fleet-token"}},
        secrets=store,
    )
    unit = render.render_unit(given, plan(), UnitId("east", f"tenant/{NAMESPACE}"))
    fetched = [m["metadata"]["name"] for m in unit.manifests if m["kind"] == "ExternalSecret"]
    assert fetched == ["acme", "fleet-token"]
