"""modelfleet endpoints: what callers use, and where each request goes."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from modelfleet.balance import urls

from tests import builders as b
from tests.field_reports.test_routes import declared, fleet, gateway, provider
from tests.render.builders import front as door
from tests.render.builders import service
from tests.run import modelfleet, repository

FRONT = declared("ModelService", "front", endpoints=[{"deployment": "chat"}, {"endpoint": "outside", "priority": 1}])


@pytest.mark.parametrize(
    ("spec", "url"),
    [
        ({}, "http://ADDRESS"),
        ({"hostname": "m.example.com"}, "http://m.example.com"),
        ({"hostname": "m.example.com", "tls": {"certificateRefs": [{"name": "m"}]}}, "https://m.example.com"),
        ({"hostname": "m.example.com", "listeners": [{"name": "a", "port": 8080, "protocol": "HTTP"}]}, "http://m.example.com:8080"),
        (
            {
                "hostname": "m.example.com",
                "tls": {"certificateRefs": [{"name": "m"}]},
                "listeners": [{"name": "a", "port": 80, "protocol": "HTTP"}, {"name": "b", "port": 8443, "protocol": "HTTPS"}],
            },
            "https://m.example.com:8443",
        ),
    ],
    ids=["nothing said", "host name", "certificate", "own port", "both"],
)
def test_the_url_of_a_front_door(spec: dict[str, Any], url: str) -> None:
    assert urls.door_url(door(**spec)) == url


@pytest.mark.parametrize(
    ("path", "below"),
    [
        ("/search/chat/v1/chat/completions", "/v1/chat/completions"),
        ("/search/chat/v1/models?x=1", "/v1/models?x=1"),
        ("/search/chat//v1/models", "/v1/models"),
        ("/search/chat", "/"),
        ("/search/chat/", "/"),
        ("/search/chat/search/chat/v1/x", "/search/chat/v1/x"),
        ("/search/chatx/v1/x", None),
        ("/search", None),
        ("/v1/models", "/v1/models"),
        ("/v1x", None),
    ],
)
def test_what_is_left_of_a_path(path: str, below: str | None) -> None:
    """As the gateway was seen to do it."""
    assert urls.below(path, service()) == below


@pytest.mark.parametrize(
    ("base", "rest", "path"),
    [
        (None, "/health", "/health"),
        ("/v1", "/v1/models?a=b", "/v1/models?a=b"),
        ("/v1", "/health", None),
        ("/api/v1", "/v1", "/api/v1"),
        ("/api/v1", "/v1?a", "/api/v1?a"),
        ("/", "/v1/models", "/models"),
        ("/", "/v1?a", "/?a"),
        ("/", "/v1", "/"),
    ],
)
def test_what_a_provider_gets(base: str | None, rest: str, path: str | None) -> None:
    assert urls.Upstream("https://a.example.com", "a", base).path(rest) == path


def test_an_ipv6_address_stands_in_brackets(tmp_path: Path) -> None:
    tls = {"caConfigMapRef": {"name": "ca"}}
    root = fleet(tmp_path, b.deployment("chat"), front=declared("ModelService", "front", endpoints=[{"deployment": "chat"}]))
    repository(root, b.cluster("c1", gateway={"address": "fd00::1", "port": 8443, "tls": tls}))
    (share,) = json.loads(modelfleet(root, "endpoints", "--format", "json").out)[0]["shares"]
    assert share["upstream"] == "https://[fd00::1]:8443/v1"


def test_a_service_as_people_read_it(tmp_path: Path) -> None:
    root = fleet(tmp_path, b.deployment("chat", replicas=3), b.deployment("parked", suspend=True), clusters=2, front=FRONT, e=provider())
    extra = declared("ModelService", "two", endpoints=[{"deployment": "chat", "weight": 3}, {"deployment": "parked"}])
    repository(root, models__ml__two=extra)
    result = modelfleet(root, "endpoints", "ml/front")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        "ml/front at front door door on c1",
        "",
        "  by path: http://ADDRESS/ml/front/v1  model: ml/chat",
        "",
        "    curl http://ADDRESS/ml/front/v1/chat/completions -H 'Content-Type: application/json' "
        """-d '{"model": "ml/chat", "messages": [{"role": "user", "content": "Hello"}]}'""",
        "",
        "    from openai import OpenAI",
        '    client = OpenAI(base_url="http://ADDRESS/ml/front/v1", api_key="none")',
        '    client.chat.completions.create(model="ml/chat", messages=[{"role": "user", "content": "Hello"}])',
        "",
        "  ADDRESS, on c1: kubectl get gateway -n modelfleet-system modelfleet-front -o jsonpath='{.status.addresses[0].value}'",
        "",
        "  TIER  SHARE    ENTRY    TARGET   CLUSTER  REPLICAS  UPSTREAM                    HOST",
        "  1     66.67 %  chat     chat     c1       2         https://c1.example.com/v1   chat-12398527.c1.fleet.internal",
        "  1     33.33 %  chat     chat     c2       1         https://c2.example.com/v1   chat-12398527.c2.fleet.internal",
        "  2     100 %    outside  outside  -        -         https://api.example.com/v1  api.example.com",
    ]
    assert modelfleet(root, "endpoints", "ml/two").out.splitlines()[-1] == "  left out: parked on c1: the deployment is suspended"


def test_the_calls_are_valid_shell_and_python(tmp_path: Path) -> None:
    keys = {"apiKey": {"secretRefs": [{"name": "callers"}]}}
    closed = {"clusterName": "c1", "hostname": "m.example.com", "auth": keys, "routing": ["Path"]}
    root = fleet(tmp_path, b.deployment("chat", serving={"modelName": "it's"}), front=FRONT, e=provider(model="it's"))
    repository(root, {"apiVersion": b.API, "kind": "InferenceGateway", "metadata": {"name": "door"}, "spec": closed})
    (call,) = json.loads(modelfleet(root, "endpoints", "--format", "json").out)[0]["calls"]
    words = shlex.split(call["curl"])
    assert (words[1], words[3]) == ("http://m.example.com/ml/front/v1/chat/completions", "Authorization: Bearer $API_KEY")
    assert json.loads(words[-1])["model"] == "it's"
    compile(call["python"], "call.py", "exec")
    assert 'api_key=os.environ["API_KEY"]' in call["python"]


def test_by_model_name_the_url_is_the_front_doors_and_each_target_gets_its_own_name(tmp_path: Path) -> None:
    root = fleet(tmp_path, b.deployment("chat"), front=FRONT, e=provider(model="qwen"), prepare=False)
    only = {"clusterName": "c1", "hostname": "m.example.com", "routing": ["ModelName"]}
    repository(root, {"apiVersion": b.API, "kind": "InferenceGateway", "metadata": {"name": "door"}, "spec": only})
    assert modelfleet(root, "place").code == 0
    (answer,) = json.loads(modelfleet(root, "endpoints", "--format", "json").out)
    (call,) = answer["calls"]
    assert (call["baseURL"], call["anthropicBaseURL"], call["model"]) == (
        "http://m.example.com/v1",
        "http://m.example.com/anthropic",
        "ml/front",
    )
    assert [share["model"] for share in answer["shares"]] == ["ml/chat", "qwen"]
    assert "    Anthropic's clients: base URL http://m.example.com/anthropic" in modelfleet(root, "endpoints").out


def test_a_path_of_another_service_belongs_to_none(tmp_path: Path) -> None:
    root = fleet(tmp_path, b.deployment("chat"), front=FRONT, e=provider())
    assert modelfleet(root, "endpoints", "--check-path", "/ml/fron/v1").out.endswith("  /ml/fron/v1 is not a path of this service\n")
    health = modelfleet(root, "endpoints", "--check-path", "/ml/front/health").out
    assert "https://c1.example.com/health" in health and "  404  " in health


def test_a_service_that_no_front_door_serves(tmp_path: Path) -> None:
    cluster = b.cluster("c1", gateway=gateway("c1"))
    repository(tmp_path, b.settings(), b.hardware("h100"), cluster, b.deployment("chat"), models__ml__front=FRONT)
    assert modelfleet(tmp_path, "endpoints").out == (
        "ml/front: no front door serves it; declare an InferenceGateway, or see its serviceSelector\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("ml/fornt",), 1, "no service is named `ml/fornt`\n  hint: did you mean `ml/front`?"),
        (("--check-path", "v1"), 2, "--check-path takes a path that begins with /"),
    ],
)
def test_what_is_refused(tmp_path: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    root = fleet(tmp_path, b.deployment("chat"), front=FRONT, e=provider())
    result = modelfleet(root, "endpoints", *arguments)
    assert (result.code, result.out, said in result.err) == (code, "", True)
