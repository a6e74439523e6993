"""The rendered endpoint picker picks: it sees the pods that the rendered pool selects, and each request goes where it is best served."""

from collections.abc import Iterator
from pathlib import Path

import openai
import pytest

from tests.e2e import data_path, merged, picker
from tests.e2e.picker import Picked
from tests.e2e.process import until
from tests.run import modelfleet

pytestmark = pytest.mark.e2e

MODEL = "shop/picked"


@pytest.fixture(scope="module")
def picked(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Picked]:
    folder = tmp_path_factory.mktemp("picker")
    repository = data_path.declare(folder / "repository", data_path.free_ports())
    result = modelfleet(repository, "generate", "-o", str(folder / "generated"))
    assert result.code == 0, result.err
    with picker.start(tools, folder, merged.read(folder / "generated" / "west"), MODEL) as started:
        yield started


@pytest.fixture(autouse=True)
def idle(picked: Picked) -> None:
    for engine in picked.engines.values():
        engine.waiting = 0


def ask(client: openai.OpenAI, text: str) -> str:
    """The pod that answered."""
    answer = client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": text}])
    return answer.choices[0].message.content or ""


@pytest.mark.parametrize(("busy", "free"), [("pod-2", "pod-3"), ("pod-3", "pod-2")])
def test_a_request_goes_to_the_pod_with_the_shorter_queue(picked: Picked, busy: str, free: str) -> None:
    picked.engines[busy].waiting = 20
    # One answer may be chance: the picker reads the queues now and then.
    until(lambda: {ask(picked.client, f"Hi {n}") for n in range(20)} == {free}, f"{busy} is known to be busy")


def test_a_prompt_that_begins_like_another_goes_to_the_pod_that_has_read_it(picked: Picked) -> None:
    manual = "How to run an inference fleet. " * 200
    first = ask(picked.client, manual)
    (other,) = picked.engines.keys() - {first}
    assert {ask(picked.client, f"{manual} Question {n}?") for n in range(10)} == {first}
    # A long queue outweighs no long prefix: a cached one counts twice.
    picked.engines[first].waiting = 20
    until(lambda: {ask(picked.client, f"Hi {n}") for n in range(20)} == {other}, f"{first} is known to be busy")
    assert ask(picked.client, f"{manual} Question again?") == first


def test_a_pod_that_is_not_ready_gets_nothing(picked: Picked) -> None:
    picked.ready("pod-2", ready=False)
    until(lambda: {ask(picked.client, f"{n}") for n in range(10)} == {"pod-3"}, "pod-2 is known to be unready")
    picked.ready("pod-2")
    until(lambda: "pod-2" in {ask(picked.client, f"{n}") for n in range(10)}, "pod-2 is known to be ready")


def test_a_stream_comes_through_the_picker_token_by_token(picked: Picked) -> None:
    stream = picked.client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": "Count"}], stream=True, max_tokens=50, extra_body={"gap": 0.01}
    )
    assert len([chunk for chunk in stream if chunk.choices[0].delta.content]) == 50
