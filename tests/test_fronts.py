"""Front doors from declarations to what Argo CD gets: which units there are, what stops them, and names that never meet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from modelfleet import names

from tests import builders as b
from tests.field_reports.test_routes import declared, fleet, gateway, provider, routes
from tests.run import Result, modelfleet, repository

HUB = {"apiVersion": b.API, "kind": "InferenceCluster", "metadata": {"name": "hub"}, "spec": {"nodePools": []}}
DOOR = {"apiVersion": b.API, "kind": "InferenceGateway", "metadata": {"name": "door"}, "spec": {"clusterName": "hub"}}
FRONT = declared("ModelService", "front", endpoints=[{"deployment": "chat"}])


def plugin(root: Path, cluster: str = "", unit: str = "") -> Result:
    parameters = [{"name": "cluster", "string": cluster}, {"name": "unit", "string": unit}] if unit else []
    return modelfleet(root, "cmp", "generate", ARGOCD_APP_PARAMETERS=json.dumps(parameters))


def listed(root: Path, cluster: str) -> list[str]:
    """The units of a cluster, as its ApplicationSet lists them."""
    found = [one for one in yaml.safe_load_all(plugin(root).out) if one]
    (elements,) = (
        m["spec"]["generators"][0]["list"]["elements"] for m in found if m["kind"] == "ApplicationSet" and m["metadata"]["name"] == cluster
    )
    return [element["unit"] for element in elements]


def apart(root: Path, **texts: str) -> Path:
    """A placed fleet whose front door stands on a cluster of its own."""
    files = {f"models__{name}": text for name, text in texts.items()}
    model = b.deployment("chat", replicas=2)
    repository(root, b.settings(), b.hardware("h100"), b.cluster("c1", gateway=gateway("c1")), HUB, DOOR, model, **files)
    assert modelfleet(root, "place").code == 0
    return root


def kinds(result: Result) -> list[str]:
    return [one["kind"] for one in yaml.safe_load_all(result.out) if one]


def test_a_cluster_of_front_doors_has_no_pools_and_no_gateway_of_its_own(tmp_path: Path) -> None:
    root = apart(tmp_path, ml__front=FRONT)
    assert modelfleet(root, "check", "--strict").err == ""
    found = kinds(modelfleet(root, "generate", "--cluster", "hub", "--unit", "base"))
    assert found.count("Gateway") == 2 and "SecurityPolicy" not in found  # the front and its egress
    assert listed(root, "hub") == ["base", "tenant/ml", "routes/ml"]


def test_a_namespace_of_providers_alone_has_its_routes_without_any_placement(tmp_path: Path) -> None:
    bought = declared("ModelService", "bought", endpoints=[{"endpoint": "outside"}]).replace("ml", "shop")
    root = apart(tmp_path, shop__bought=bought, shop__outside=provider(model="m").replace("namespace: ml", "namespace: shop"))
    assert listed(root, "hub") == ["base", "tenant/ml", "tenant/shop", "routes/ml", "routes/shop"]
    assert listed(root, "c1") == ["base", "tenant/ml", "caches/ml", "model/ml/chat", "routes/ml"]
    assert kinds(plugin(root, "hub", "routes/shop")).count("HTTPRoute") == 2
    assert kinds(plugin(root, "hub", "tenant/shop"))[0] == "Namespace"
    projects = {m["metadata"]["name"]: m for m in yaml.safe_load_all(plugin(root).out) if m and m["kind"] == "AppProject"}
    assert [d["namespace"] for d in projects["modelfleet-models"]["spec"]["destinations"]] == ["ml", "shop"]


def test_folders_that_cannot_be_namespaces_are_none(tmp_path: Path) -> None:
    root = apart(tmp_path, ml__front=FRONT)
    for name in ("kube-system", "modelfleet-system", "Upper", ".hidden"):
        (root / "models" / name).mkdir()
    assert listed(root, "hub") == ["base", "tenant/ml", "routes/ml"]


def test_a_namespace_that_is_gone_keeps_what_runs(tmp_path: Path) -> None:
    result = plugin(apart(tmp_path, ml__front=FRONT), "hub", "routes/gone")
    assert (result.code, result.out) == (1, "")
    assert "error[DeclarationMissing]: namespace `gone` has no placements" in result.err


def broken(root: Path, name: str, text: str | None) -> Result:
    path = root / "models" / "ml" / name
    path.unlink() if text is None else path.write_text(text)
    return plugin(root, "hub", "routes/ml")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "front.yaml",
            FRONT.replace("deployment: chat", "deployment: chatt"),
            "error[UnknownTarget]: namespace `ml` has no deployment `chatt`",
        ),
        ("front.yaml", FRONT.replace("endpoints", "endpoint"), "error[UnknownField]"),
        ("modeldeployment-chat.yaml", None, "error[DeclarationMissing]: no ModelDeployment `ml/chat` is declared"),
    ],
    ids=["a target is misspelt", "a service is wrong", "a deployment is gone"],
)
def test_what_would_move_requests_by_mistake_stops_the_routes_and_nothing_else(
    tmp_path: Path, name: str, text: str | None, said: str
) -> None:
    root = apart(tmp_path, ml__front=FRONT)
    base = plugin(root, "hub", "base").out
    result = broken(root, name, text)
    assert (result.code, result.out) == (1, "") and said in result.err
    assert plugin(root, "hub", "base").out == base and plugin(root).code == 0


def test_more_shares_than_a_route_holds_stop_the_routes(tmp_path: Path) -> None:
    wide = b.deployment("chat", replicas=17, placement={"maxPerCluster": 1})
    root = fleet(tmp_path, wide, clusters=17, prepare=False)
    assert modelfleet(root, "place").code == 0
    (root / "models/ml/front.yaml").write_text(FRONT)
    result = plugin(root, "c1", "routes/ml")
    assert (result.code, result.out) == (1, "")
    assert "error[TooManyShares]: 17 shares at front door `door`, and a route holds 16" in result.err
    assert modelfleet(root, "generate").code == 1


def test_two_services_with_one_path_are_one_object_twice(tmp_path: Path) -> None:
    """The path is the namespace and the name, so only the same object could claim it."""
    root = repository(apart(tmp_path, ml__front=FRONT), models__ml__again=FRONT)
    assert "error[DuplicateObject]: ModelService `ml/front` is declared twice" in modelfleet(root, "check").err


def test_paths_that_begin_alike_are_told_apart(tmp_path: Path) -> None:
    longer = FRONT.replace("name: front", "name: front-two")
    found = routes(fleet(tmp_path, b.deployment("chat"), front=FRONT, longer=longer))
    paths = [m["spec"]["rules"][0]["matches"][0]["path"]["value"] for m in found if m["kind"] == "HTTPRoute"]
    assert sorted(paths) == ["/", "/ml/front", "/ml/front-two"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (names.host("a", "b-c", "east", "x"), names.host("a-b", "c", "east", "x")),
        (names.host("a", "m", "east", "x"), names.host("b", "m", "east", "x")),
        (names.provider_host("a", "b.c", "x"), names.provider_host("a", "b-c", "x")),
        (names.backend("a", "s", "t", "c"), names.backend("a", "s-t", "c", "")),
        (names.backend("a", "s", "t-c", ""), names.backend("a", "s", "t", "c")),
        (names.backend("a", "s", "x" * 63, "c"), names.backend("a", "s", "x" * 63, "d")),
    ],
)
def test_names_of_two_teams_or_two_targets_never_meet(one: str, other: str) -> None:
    assert one != other


def test_the_longest_names_fit() -> None:
    long = "n" * 63
    assert max(map(len, names.host(long, long, long, "x").split("."))) <= 63
    assert len(names.backend(long, long, long, long)) <= 63
    assert max(map(len, names.provider_host(long, "e." * 126 + "e", "x").split("."))) <= 63


def test_one_secret_of_keys_twice_is_refused(tmp_path: Path) -> None:
    """A key that stands in two Secrets of a policy makes the gateway refuse every request."""
    twice: dict[str, Any] = {"clusterName": "hub", "auth": {"apiKey": {"secretRefs": [{"name": "callers"}, {"name": "callers"}]}}}
    result = modelfleet(repository(tmp_path, b.settings(), HUB, {**DOOR, "spec": twice}), "check")
    assert "error[DuplicateItem]: name `callers` stands twice in this list" in result.err


@pytest.mark.parametrize(
    ("front", "endpoint", "said"),
    [
        ({"auth": {"apiKey": {"secretRefs": [{"name": "a"}]}}}, {}, "`door` asks for API keys on a listener without TLS"),
        (
            {
                "auth": {"apiKey": {"secretRefs": [{"name": "a"}]}},
                "tls": {"certificateRefs": [{"name": "a"}]},
                "listeners": [{"name": "a", "port": 80, "protocol": "HTTP"}, {"name": "b", "port": 443, "protocol": "HTTPS"}],
            },
            {},
            "`door` asks for API keys on a listener without TLS",
        ),
        ({"auth": {"apiKey": {"secretRefs": [{"name": "a"}]}}, "tls": {"certificateRefs": [{"name": "a"}]}}, {}, ""),
        ({}, {"origin": "http://lan.example.com"}, "the key of `ml/e` is sent without TLS"),
        ({}, {"origin": "https://api.example.com"}, ""),
    ],
    ids=["a front door in the clear", "one of two listeners", "a front door with TLS", "a provider in the clear", "a provider with TLS"],
)
def test_keys_that_travel_in_the_clear_are_said(tmp_path: Path, front: dict[str, Any], endpoint: dict[str, Any], said: str) -> None:
    door = {**DOOR, "spec": {"clusterName": "hub", **front}}
    key = {"credential": {"apiKey": {"secretRef": {"name": "k"}}}}
    files = {"models__ml__e": declared("ModelEndpoint", "e", **endpoint, **key)} if endpoint else {}
    result = modelfleet(repository(tmp_path, b.settings(), HUB, door, **files), "check")
    found = [line for line in result.err.splitlines() if "[KeysInClear]" in line]
    assert (result.code, [line.split("]: ")[1] for line in found]) == (0, [said] if said else [])


@pytest.mark.parametrize(
    "url",
    ["https://me:hunter2@api.example.com", "https://api.example.com/v1?api_key=hunter2", "https://hunter2@api.example.com/v1"],
)
def test_a_url_with_a_secret_is_refused_without_showing_it(tmp_path: Path, url: str) -> None:
    result = modelfleet(repository(tmp_path, b.settings(), models__ml__e=declared("ModelEndpoint", "e", url=url)), "check")
    assert result.code == 1 and "error[BadURL]: a URL holds neither user nor password nor query" in result.err
    assert "hunter2" not in result.out + result.err


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com:0/v1",
        "http://[fd00::1]:9000/v1",
        "https://10.0.0.7/v1",
        "ftp://api.example.com",
        "https://api..example.com",
        "api",
    ],
)
def test_a_url_that_leads_nowhere_is_refused(tmp_path: Path, url: str) -> None:
    result = modelfleet(repository(tmp_path, b.settings(), models__ml__e=declared("ModelEndpoint", "e", url=url)), "check")
    assert (result.code, "error[BadURL]" in result.err) == (1, True)


@pytest.mark.parametrize("weight", [0, 1_000_000])
def test_the_least_and_the_most_weight(tmp_path: Path, weight: int) -> None:
    both = [{"deployment": "chat"}, {"deployment": "next", "weight": weight}]
    pair = [b.deployment(name, serving={"modelName": "m"}) for name in ("chat", "next")]
    found = routes(fleet(tmp_path, *pair, front=declared("ModelService", "front", endpoints=both)))
    (refs,) = (m["spec"]["rules"][0]["backendRefs"] for m in found if m["metadata"]["name"] == "service-front" and m["kind"] == "HTTPRoute")
    assert [ref["weight"] for ref in refs] == ([1] if weight == 0 else [1, 1_000_000])
