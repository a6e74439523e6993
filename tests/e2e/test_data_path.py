"""Requests of the official client through what was generated, on a real Envoy: who gets them, with which path, Host and headers.

While the tests run, streams flow through the front door, and no change that a test makes may cut them.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import openai
import pytest
import urllib3
from modelfleet import names

from tests.e2e import data_path
from tests.e2e.data_path import KEYS, PROVIDER_KEY, DataPath, host
from tests.e2e.engine import LOCAL, Received
from tests.e2e.process import until

pytestmark = pytest.mark.e2e

SECONDS = 90  # of a stream; longer than the 15 seconds after which a route without a limit of its own ends, and than a listener's drain
SERVICES = "models/shop/services.yaml"
LONG = "A long prompt. " * 14_000  # 200 kB: more than a proxy keeps of a request by itself


def ask(client: openai.OpenAI, text: str = "Hi", model: str = "shop/chat", gap: float = 0) -> str:
    """The answer in one piece; engines answer with their name."""
    messages: list[openai.types.chat.ChatCompletionMessageParam] = [{"role": "user", "content": text}]
    answer = client.chat.completions.create(model=model, messages=messages, extra_body={"gap": gap})
    return answer.choices[0].message.content or ""


def stream(client: openai.OpenAI, model: str, tokens: int, gap: float) -> int:
    """The tokens that arrived of a stream that was read to its end."""
    messages: list[openai.types.chat.ChatCompletionMessageParam] = [{"role": "user", "content": "Count"}]
    found = client.chat.completions.create(model=model, messages=messages, stream=True, max_tokens=tokens, extra_body={"gap": gap})
    chunks = [chunk.choices[0] for chunk in found]
    assert chunks[-1].finish_reason == "stop"
    return len(chunks)


@pytest.fixture(scope="module")
def fleet(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataPath]:
    with data_path.start(tools, tmp_path_factory.mktemp("path")) as started:
        yield started


@pytest.fixture(scope="module", autouse=True)
def streams(fleet: DataPath) -> Iterator[dict[str, Future[int | str]]]:
    """Long answers that begin before everything else: two hops, three hops to a provider, a long silence, a long wait for all of it."""
    steady, outside = fleet.client("steady"), fleet.client("outside")
    with ThreadPoolExecutor(4) as pool:
        answers = {
            "stream": pool.submit(stream, steady, "shop/steady", SECONDS, 1),
            "provider": pool.submit(stream, outside, "gpt", SECONDS, 1),
            "silence": pool.submit(stream, steady, "shop/steady", 2, SECONDS / 2),
            "whole": pool.submit(partial(ask, steady, model="shop/steady", gap=SECONDS)),
        }
        until(lambda: len(fleet.engines["steady", "west"].received) == 3 and len(fleet.acme.received) == 1, "all have begun")
        yield answers


@pytest.fixture
def chat(fleet: DataPath) -> openai.OpenAI:
    return fleet.client("chat")


# A cluster's own gateway.


@pytest.mark.parametrize(("cluster", "deployment"), [("west", "big"), ("east", "small")])
def test_a_clusters_gateway_leads_to_the_deployment_of_the_host_name(fleet: DataPath, cluster: str, deployment: str) -> None:
    engine = fleet.engines[deployment, cluster]
    engine.taken()
    assert ask(fleet.client_of_cluster(cluster, deployment)) == f"{deployment}@{cluster}"
    (got,) = engine.taken()
    assert (got.method, got.path, got.host) == ("POST", "/v1/chat/completions", host(cluster, deployment))
    assert names.TOKEN_HEADER not in got.headers


def test_a_deployment_that_is_not_on_a_cluster_is_unavailable_there(fleet: DataPath) -> None:
    with pytest.raises(openai.InternalServerError) as refused:
        ask(fleet.client_of_cluster("west", "small"))
    assert refused.value.status_code == 503
    assert refused.value.body == {"message": "no replica answers for this model here, or it is switched off", "type": "unavailable"}


@pytest.mark.parametrize("token", ["", "another"])
def test_a_clusters_gateway_answers_none_but_the_fleets_fronts(fleet: DataPath, token: str) -> None:
    with pytest.raises(openai.AuthenticationError):
        ask(fleet.client_of_cluster("west", "big", token))


# The front door: paths, hosts, keys.

PATHS = {
    "/shop/steady/v1/models": "/v1/models",
    "/shop/steady/v1/models?limit=1&after=a%2Fb": "/v1/models?limit=1&after=a%2Fb",
    "/shop/steady//v1/models": "/v1/models",
    "/shop/steady/v1/v1/models": "/v1/v1/models",
    "/shop/steady/shop/steady/v1/models": "/shop/steady/v1/models",
    "/shop/steady/": "/",
    "/shop/steady": "/",
}


@pytest.mark.parametrize(("called", "arrived"), PATHS.items())
def test_the_path_arrives_without_the_service_and_otherwise_as_it_was(fleet: DataPath, called: str, arrived: str) -> None:
    engine = fleet.engines["steady", "west"]
    engine.taken()
    get(fleet, called)
    assert [(got.path, got.host) for got in engine.taken()] == [(arrived, host("west", "steady"))]


def get(fleet: DataPath, path: str, **headers: str) -> urllib3.BaseHTTPResponse:
    """An answer of the front door to a caller who knows a key."""
    url = f"http://{LOCAL}:{fleet.ports['FRONT']}{path}"
    return urllib3.request("GET", url, headers={"Authorization": f"Bearer {KEYS['alice']}", **headers}, retries=False)


@pytest.mark.parametrize("path", ["/", "/shop", "/shop/nothing/v1/models", "/shop/steadyx/v1/models", "/v1/models"])
def test_what_is_no_service_is_not_found_in_json(fleet: DataPath, path: str) -> None:
    answer = get(fleet, path)
    assert (answer.status, answer.headers["content-type"]) == (404, "application/json")
    message = "no such service: the path is /<namespace>/<service>/v1/..."
    assert answer.json() == {"error": {"message": message, "type": "invalid_request_error"}}


def test_the_client_shows_what_is_wrong_with_a_service_and_with_a_model(fleet: DataPath, chat: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="no such service: the path is"):
        ask(fleet.client("nothing"))
    with pytest.raises(openai.NotFoundError, match="The model `shop/other` does not exist"):
        ask(chat, model="shop/other")


@pytest.mark.parametrize("key", ["", "another", "key-of-alicex"])
@pytest.mark.parametrize("service", ["chat", "outside", "nothing"])
def test_nobody_comes_in_without_a_key(fleet: DataPath, service: str, key: str) -> None:
    engines = [*fleet.engines.values(), fleet.acme]
    for engine in engines:
        engine.taken()
    with pytest.raises(openai.AuthenticationError):
        ask(fleet.client(service, key or "none"))
    url = f"http://{LOCAL}:{fleet.ports['FRONT']}/shop/{service}/v1/models"
    assert urllib3.request("GET", url, headers={"x-api-key": key} if key else {}, retries=False).status == 401
    assert [engine.name for engine in engines if engine.received] == []


def test_engines_learn_who_calls_and_not_by_which_key(fleet: DataPath) -> None:
    engine = fleet.engines["steady", "west"]
    engine.taken()
    get(fleet, "/shop/steady/v1/models", **{names.CLIENT_HEADER: "root", names.TOKEN_HEADER: "mine"})
    url = f"http://{LOCAL}:{fleet.ports['FRONT']}/shop/steady/v1/models"
    assert urllib3.request("GET", url, headers={"x-api-key": KEYS["bob"]}, retries=False).status == 200
    got = engine.taken()
    assert [one.headers[names.CLIENT_HEADER] for one in got] == ["alice", "bob"]
    assert not {"authorization", "x-api-key", names.TOKEN_HEADER} & {name for one in got for name in one.headers}


# Shares.


def test_requests_are_shared_as_declared(fleet: DataPath, chat: openai.OpenAI) -> None:
    """Three to one of 2,000, and nothing to the weight of zero or to the second tier."""
    with ThreadPoolExecutor(8) as pool:
        found = Counter(pool.map(lambda _: ask(chat), range(2000)))
    assert found.keys() == {"big@west", "small@east"}
    assert abs(found["big@west"] - 1500) <= 20


# Failover.

Answers = list[str | openai.OpenAIError]


@contextmanager
def calling(client: openai.OpenAI, model: str = "shop/chat") -> Iterator[Answers]:
    """Four callers that go on and on, every fourth request long; what they were told, in the order of the answers."""
    answers: Answers = []
    going = True

    def call() -> None:
        number = 0
        while going:
            number += 1
            try:
                answers.append(ask(client, LONG if number % 4 == 0 else "Hi", model))
            except openai.OpenAIError as failed:
                answers.append(failed)
            time.sleep(0.02)

    with ThreadPoolExecutor(4) as pool:
        callers = [pool.submit(call) for _ in range(4)]
        try:
            yield answers
        finally:
            going = False
        for caller in callers:
            caller.result()


def answered(answers: Answers) -> set[str]:
    """Who answered; fails when anybody was told of a failure."""
    failed = [answer for answer in answers if isinstance(answer, openai.OpenAIError)]
    assert not failed, f"{len(failed)} of {len(answers)}, the first: {failed[0]!r}"
    return {answer for answer in answers if isinstance(answer, str)}


def seen(answers: Answers, number: int = 40) -> Callable[[], set[str]]:
    """Who gave the answers from now on, once there are so many."""
    start = len(answers)

    def found() -> set[str]:
        until(lambda: len(answers) >= start + number, "answers go on")
        return answered(answers[start : start + number])

    return found


def come_back(answers: Answers, name: str) -> None:
    """Returns when somebody answers again."""
    start = len(answers)
    until(lambda: name in answered(answers[start:]), f"{name} answers again", deadline=60)


FAILURES = [("big", "killed"), ("small", "killed"), ("big", "503"), ("small", "502")]


@pytest.mark.parametrize(("deployment", "how"), FAILURES)
def test_a_side_that_fails_is_left_and_found_again(fleet: DataPath, chat: openai.OpenAI, deployment: str, how: str) -> None:
    big, small = fleet.engines["big", "west"], fleet.engines["small", "east"]
    failing, other = (big, small) if deployment == "big" else (small, big)
    with calling(chat) as answers:
        with failing.dead() if how == "killed" else failing.answering(int(how)):
            assert other.name in seen(answers, 200)()
            assert failing.name not in seen(answers)()
        come_back(answers, failing.name)
    assert other.name in answered(answers)


def test_the_second_tier_answers_while_all_of_the_first_is_gone(fleet: DataPath, chat: openai.OpenAI) -> None:
    big, small = fleet.engines["big", "west"], fleet.engines["small", "east"]
    with calling(chat) as answers:
        with big.dead(), small.answering(503):
            assert "acme" in seen(answers, 100)()
            assert seen(answers)() == {"acme"}
        come_back(answers, "big@west")
        come_back(answers, "small@east")
        until(lambda: "acme" not in seen(answers)(), "the first tier has all of it again", deadline=60)
    assert answered(answers) == {"big@west", "small@east", "acme"}


def test_too_many_requests_are_no_reason_to_pay_a_provider(fleet: DataPath, chat: openai.OpenAI) -> None:
    fleet.acme.taken()
    with fleet.engines["big", "west"].answering(429), fleet.engines["small", "east"].answering(429):
        for _ in range(4):
            with pytest.raises(openai.RateLimitError):
                ask(chat)
    assert fleet.acme.taken() == []
    until(lambda: {ask(chat) for _ in range(8)} == {"big@west", "small@east"}, "both answer again")


def test_a_retiring_share_answers_only_while_the_others_are_gone(fleet: DataPath) -> None:
    moving = partial(ask, fleet.client("moving"), model="shop/moving")
    assert {moving() for _ in range(50)} == {"moving@west"}
    with calling(fleet.client("moving"), "shop/moving") as answers:
        with fleet.engines["moving", "west"].dead():
            assert "moving@east" in seen(answers, 100)()
            assert seen(answers)() == {"moving@east"}
        come_back(answers, "moving@west")
        until(lambda: seen(answers)() == {"moving@west"}, "the retiring share rests again", deadline=60)
    assert answered(answers) == {"moving@west", "moving@east"}


# Changes.

ANOTHER_WEIGHT = (SERVICES, "{deployment: big, weight: 3}", "{deployment: big, weight: 1}")
SUSPENDED = (
    "models/shop/deployments.yaml",
    "name: moving, namespace: shop}\nspec:\n",
    "name: moving, namespace: shop}\nspec:\n  suspend: true\n",
)


def test_what_is_declared_anew_takes_effect_without_a_failed_request(fleet: DataPath, chat: openai.OpenAI) -> None:
    """Another weight, and a deployment that is switched off."""
    moving = partial(ask, fleet.client("moving"), model="shop/moving")
    with calling(chat) as answers, fleet.changed(ANOTHER_WEIGHT, SUSPENDED):
        found = Counter(ask(chat) for _ in range(200))
        with pytest.raises(openai.InternalServerError, match="switched off") as refused:
            moving()
    assert abs(found["big@west"] - 100) <= 10
    assert answered(answers) == {"big@west", "small@east"}
    assert refused.value.status_code == 503
    assert moving() == "moving@west"


def test_a_gateway_whose_certificate_nobody_vouches_for_gets_nothing(fleet: DataPath, chat: openai.OpenAI) -> None:
    """Another weight makes the connections anew; those that stand were trusted when they were made."""
    with fleet.changed(ANOTHER_WEIGHT, trusted="other.crt"):
        fleet.engines["small", "east"].taken()
        assert {ask(chat) for _ in range(20)} == {"big@west"}
        assert fleet.engines["small", "east"].taken() == []
    until(lambda: "small@east" in {ask(chat) for _ in range(8)}, "east is trusted again")


# Providers.


def test_a_provider_gets_its_own_path_host_and_key_and_nothing_of_ours(fleet: DataPath) -> None:
    fleet.acme.taken()
    client = fleet.client("outside").with_options(default_headers={"x-api-key": KEYS["bob"], "Cookie": "session=1"})
    assert ask(client, model="gpt") == "acme"
    (got,) = fleet.acme.taken()
    assert (got.path, got.host, got.headers["authorization"]) == ("/api/openai/v1/chat/completions", "acme.localhost", PROVIDER_KEY)
    assert ours(got) == []


def ours(got: Received) -> list[str]:
    """Headers that tell a provider of the fleet, its callers or their keys."""
    private = {"cookie", "x-api-key", "x-envoy-external-address", "x-forwarded-for", "x-forwarded-host"}
    words = ("modelfleet", "fleet.internal", "shop", *KEYS, *KEYS.values(), data_path.TOKEN)
    return [f"{name}: {value}" for name, value in got.headers.items() if name in private or any(w in name + value for w in words)]


# What was used, and what went on all the time.


def test_the_front_door_writes_down_who_used_what(fleet: DataPath) -> None:
    answer = get(fleet, "/shop/steady/v1/models?written=down")
    assert answer.status == 200
    route = f"httproute/front--shop/{names.front_route('steady')}/rule/0/match/0/*"
    until(lambda: route in used(fleet, "/v1/models?written=down"), "the log is written")
    line = used(fleet, "/v1/models?written=down")[route]
    found = {key: line[key] for key in ("answered_by", "attempts", "bytes_out", "caller", "status")}
    expected = {"answered_by": host("west", "steady"), "attempts": 1, "bytes_out": len(answer.data), "caller": "alice", "status": 200}
    assert found == expected


def used(fleet: DataPath, path: str) -> dict[str, dict[str, Any]]:
    """What was written down of a path, by the route that it took."""
    return {line["route"]: line for line in fleet.usage() if line["path"] == path}


@pytest.mark.parametrize(("name", "expected"), [("stream", SECONDS), ("provider", SECONDS), ("silence", 2), ("whole", "steady@west")])
def test_a_long_answer_comes_whole(streams: dict[str, Future[int | str]], name: str, expected: int | str) -> None:
    assert streams[name].result(2 * SECONDS) == expected
