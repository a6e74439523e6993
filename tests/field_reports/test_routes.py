"""What went wrong elsewhere between callers and models: paths, shares, time limits, routes to nothing. Named by entry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import builders as b
from tests.run import modelfleet, repository

Object = dict[str, Any]

DOOR = {"apiVersion": b.API, "kind": "InferenceGateway", "metadata": {"name": "door"}, "spec": {"clusterName": "c1"}}


def declared(kind: str, name: str, **spec: Any) -> str:
    """A document of namespace `ml`."""
    return yaml.safe_dump({"apiVersion": b.API, "kind": kind, "metadata": {"name": name, "namespace": "ml"}, "spec": spec})


def provider(name: str = "outside", **spec: Any) -> str:
    return declared("ModelEndpoint", name, **({"origin": "https://api.example.com", "model": "ml/chat"} | spec))


def fleet(root: Path, *deployments: Object, clusters: int = 1, prepare: bool = True, **texts: str) -> Path:
    """A fleet with a front door on its first cluster, placed unless not `prepare`. texts: documents of `ml`, by name."""
    reached = [b.cluster(f"c{number + 1}", gateway=gateway(f"c{number + 1}")) for number in range(clusters)]
    files = {f"models__ml__{name}": text for name, text in texts.items()}
    repository(root, b.settings(), b.hardware("h100"), *reached, DOOR, *deployments, **files)
    if prepare:
        done = modelfleet(root, "place")
        assert done.code == 0, done.err
    return root


def gateway(name: str) -> Object:
    return {"hostname": f"{name}.example.com", "tls": {"wellKnown": "System"}}


def routes(root: Path) -> list[Object]:
    """What the front door's unit of the namespace holds."""
    result = modelfleet(root, "generate", "--cluster", "c1", "--unit", "routes/ml")
    assert result.code == 0, result.err
    return [found for found in yaml.safe_load_all(result.out) if found]


def rule(found: list[Object], name: str) -> Object:
    (only,) = (m["spec"]["rules"] for m in found if m["kind"] == "HTTPRoute" and m["metadata"]["name"] == name)
    (one,) = only
    return dict(one)


def upstreams(root: Path, path: str) -> list[str | None]:
    answers = json.loads(modelfleet(root, "endpoints", "--check-path", path, "--format", "json").out)
    return [share["upstream"] for answer in answers for share in answer["shares"]]


TWO_BASES = {
    "front": declared("ModelService", "front", endpoints=[{"endpoint": "a"}, {"endpoint": "b"}]),
    "a": provider("a", origin="https://a.example.com", api={"prefix": "/api/openai/v1"}),
    "b": provider("b", origin="https://b.example.com", api={"prefix": "/v1"}),
}


def test_g01_two_providers_with_paths_of_their_own_rewrite_at_a_rule_and_never_at_a_backend(tmp_path: Path) -> None:
    found = routes(fleet(tmp_path, b.deployment("chat"), **TWO_BASES))
    assert all("filters" not in ref for ref in rule(found, "service-front")["backendRefs"])
    paths = {
        name: [f["urlRewrite"]["path"]["replacePrefixMatch"] for f in rule(found, name)["filters"] if f["type"] == "URLRewrite"]
        for name in ("service-front", "provider-a", "provider-b")
    }
    assert paths == {"service-front": ["/"], "provider-a": ["/api/openai/v1"], "provider-b": []}


@pytest.mark.parametrize(
    ("spec", "upstream"),
    [
        ({"origin": "https://api.example.com"}, "https://api.example.com/v1/chat/completions"),
        ({"origin": "https://api.example.com", "api": {"prefix": "/v1/"}}, "https://api.example.com/v1/chat/completions"),
        ({"origin": "https://api.example.com", "api": {"prefix": "/"}}, "https://api.example.com/chat/completions"),
        ({"origin": None, "url": "https://api.example.com/v1"}, "https://api.example.com/v1/chat/completions"),
        ({"origin": None, "url": "https://api.example.com/v1//"}, "https://api.example.com/v1/chat/completions"),
        ({"origin": None, "url": "https://api.example.com/", "rewritePath": "/"}, "https://api.example.com/v1/chat/completions"),
        ({"origin": None, "url": "https://api.example.com/", "rewritePath": "/v1/"}, "https://api.example.com/v1/chat/completions"),
        ({"origin": None, "url": "https://api.example.com/v1", "rewritePath": "/v1"}, "https://api.example.com/v1/chat/completions"),
        ({"origin": None, "url": "http://api.example.com:8080/o/v1/"}, "http://api.example.com:8080/o/v1/chat/completions"),
        ({"origin": None, "url": "https://api.example.com/v1beta/openai"}, "https://api.example.com/v1beta/openai/chat/completions"),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(str(part) for part in value.values()),
)
def test_g02_v1_stands_upstream_once_whoever_writes_it(tmp_path: Path, spec: Object, upstream: str) -> None:
    given = {key: value for key, value in spec.items() if value is not None}
    outside = declared("ModelEndpoint", "outside", model="ml/chat", **given)
    root = fleet(tmp_path, b.deployment("chat"), front=declared("ModelService", "front", endpoints=[{"endpoint": "outside"}]), e=outside)
    assert upstreams(root, "/ml/front/v1/chat/completions") == [upstream]
    rewrites = [
        f["urlRewrite"]["path"]["replacePrefixMatch"] for f in rule(routes(root), "provider-outside")["filters"] if "urlRewrite" in f
    ]
    base = upstream.split(".com", 1)[1].removeprefix(":8080").removesuffix("/chat/completions") or "/"
    assert rewrites == ([] if base == "/v1" else [base])


def test_g02_two_paths_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    text = declared("ModelEndpoint", "outside", url="https://api.example.com/openai/v1", rewritePath="/v2")
    result = modelfleet(repository(tmp_path, b.settings(), models__ml__outside=text), "check")
    assert result.code == 1
    assert "error[Contradiction]: the path of url sends /v1 to /openai/v1, and rewritePath sends it to /v2/v1" in result.err


def weights(root: Path) -> list[int]:
    return [ref["weight"] for ref in rule(routes(root), "service-front")["backendRefs"]]


@pytest.mark.parametrize(("replicas", "expected"), [(3, [4, 4, 4, 3]), (5, [4, 4, 4, 4, 4, 5])])
def test_g04_a_canary_keeps_its_share_while_the_other_side_grows(tmp_path: Path, replicas: int, expected: list[int]) -> None:
    stable = b.deployment("stable", replicas=replicas, serving={"modelName": "m"}, placement={"maxPerCluster": 1})
    canary = b.deployment("canary", serving={"modelName": "m"})
    entries = [{"deployment": "stable", "weight": 80}, {"deployment": "canary", "weight": 20}]
    root = fleet(tmp_path, stable, canary, clusters=replicas, front=declared("ModelService", "front", endpoints=entries))
    assert weights(root) == expected


def test_g04_replicas_on_one_cluster_are_one_target(tmp_path: Path) -> None:
    entries = [{"deployment": "stable", "weight": 80}, {"deployment": "canary", "weight": 20}]
    both = [b.deployment(name, replicas=count, serving={"modelName": "m"}) for name, count in (("stable", 3), ("canary", 1))]
    assert weights(fleet(tmp_path, *both, front=declared("ModelService", "front", endpoints=entries))) == [4, 1]


@pytest.mark.parametrize(("timeouts", "limit"), [({}, "0s"), ({"request": "90s", "idle": "30s"}, "90s")], ids=["none", "declared"])
def test_g06_every_hop_says_its_limit_and_none_ends_before_the_first(tmp_path: Path, timeouts: Object, limit: str) -> None:
    front = declared("ModelService", "front", endpoints=[{"deployment": "chat"}, {"endpoint": "outside", "priority": 1}], timeouts=timeouts)
    found = routes(fleet(tmp_path, b.deployment("chat"), front=front, e=provider()))
    said = {name: rule(found, name)["timeouts"] for name in ("service-front", "provider-outside", "model-chat")}
    assert said == {"service-front": {"request": limit}, "provider-outside": {"request": "0s"}, "model-chat": {"request": "0s"}}
    (policy,) = (m["spec"] for m in found if m["kind"] == "BackendTrafficPolicy" and m["metadata"]["name"] == "service-front")
    assert policy["timeout"]["http"] == {"requestTimeout": limit} | ({"streamIdleTimeout": "30s"} if timeouts else {})
    assert "timeout" not in policy["retry"]["perRetry"]


def test_g09_a_selector_that_matches_nothing_is_said_and_makes_no_route(tmp_path: Path) -> None:
    front = declared("ModelService", "front", endpoints=[{"selector": {"matchLabels": {"modelfleet.io/deployment": "chatt"}}}])
    root = fleet(tmp_path, b.deployment("chat"), front=front)
    assert "warning[SelectsNothing]: the selector matches no deployment and no endpoint of namespace `ml`" in modelfleet(root, "check").err
    assert [m["metadata"]["name"] for m in routes(root) if m["kind"] == "HTTPRoute"] == ["model-chat"]


def test_g09_what_is_parked_is_told_apart_and_answers_503(tmp_path: Path) -> None:
    parked = b.deployment("chat", suspend=True)
    root = fleet(tmp_path, parked, front=declared("ModelService", "front", endpoints=[{"deployment": "chat"}]))
    said = modelfleet(root, "check").err
    assert "warning[NothingAnswers]: nothing answers `ml/front` at front door `door`" in said
    assert "chat on c1: the deployment is suspended" in said and "SelectsNothing" not in said
    found = rule(routes(root), "service-front")
    assert "backendRefs" not in found and found["matches"] == [{"path": {"type": "PathPrefix", "value": "/ml/front"}}]
    assert [f["extensionRef"]["name"] for f in found["filters"]] == ["modelfleet-unavailable"]
