"""Requests of the official client through what was generated, on a real Envoy: who gets them, with which path, Host and headers."""

from collections.abc import Iterator
from pathlib import Path

import openai
import pytest

from tests.e2e import data_path
from tests.e2e.data_path import DataPath, host

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def fleet(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataPath]:
    with data_path.start(tools, tmp_path_factory.mktemp("path")) as started:
        yield started


def ask(client: openai.OpenAI, model: str = "shop/chat") -> str:
    """The answer to a small question; engines answer with their name."""
    answer = client.chat.completions.create(model=model, messages=[{"role": "user", "content": "Hi"}])
    return answer.choices[0].message.content or ""


@pytest.mark.parametrize(("cluster", "deployment"), [("west", "big"), ("east", "small")])
def test_a_clusters_gateway_leads_to_the_deployment_of_the_host_name(fleet: DataPath, cluster: str, deployment: str) -> None:
    engine = fleet.engines[deployment, cluster]
    engine.taken()
    assert ask(fleet.client(cluster, deployment)) == f"{deployment}@{cluster}"
    (got,) = engine.taken()
    assert (got.method, got.path, got.host) == ("POST", "/v1/chat/completions", host(cluster, deployment))


def test_a_deployment_that_is_not_there_is_unavailable(fleet: DataPath) -> None:
    with pytest.raises(openai.InternalServerError) as refused:
        ask(fleet.client("west", "small"))
    assert refused.value.status_code == 503
    assert refused.value.body == {"message": "no such deployment on this cluster, or it is switched off", "type": "unavailable"}


@pytest.mark.parametrize("token", ["", "another"])
def test_a_clusters_gateway_answers_none_but_the_fleets_fronts(fleet: DataPath, token: str) -> None:
    with pytest.raises(openai.AuthenticationError):
        ask(fleet.client("west", "big", token))
