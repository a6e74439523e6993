"""Whether a model fits: figures against the ones that people report, and what `check` says of an engine."""

from __future__ import annotations

from typing import Any

import pytest
from modelfleet.api.model_size import ModelSize
from modelfleet.catalog import model_size, model_sizes
from modelfleet.sizing import Split, cache_of_token, tokens_that_fit

from tests import builders as b
from tests.test_advice import GOOD, said

MI = 1024**2
L4, L40S, H100, H200, B200 = 23034, 46068, 81559, 143771, 183359


@pytest.mark.parametrize(
    ("model", "split", "each"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", Split(), 128 * 1024),
        ("meta-llama/Llama-3.3-70B-Instruct", Split(), 320 * 1024),
        ("meta-llama/Llama-3.3-70B-Instruct", Split(4), 80 * 1024),
        ("meta-llama/Llama-3.3-70B-Instruct", Split(8, 2), 20 * 1024),
        ("Qwen/Qwen3-235B-A22B-FP8", Split(), 188 * 1024),
        ("Qwen/Qwen3-235B-A22B-FP8", Split(8), 47 * 1024),  # four heads on eight devices: each is there twice
        ("deepseek-ai/DeepSeek-R1", Split(), 70272),
        ("deepseek-ai/DeepSeek-R1", Split(8), 70272),  # a latent vector is not split
        ("openai/gpt-oss-120b", Split(), 36 * 1024),
    ],
)
def test_a_token_of_context(model: str, split: Split, each: int) -> None:
    assert cache_of_token(_known(model), split) == each


@pytest.mark.parametrize(
    ("model", "memory", "split", "tokens"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", L4, Split(), (20_000, 24_000)),
        ("meta-llama/Llama-3.1-8B-Instruct", H100, Split(), (440_000, 460_000)),
        ("RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic", H100, Split(), (0, 14_000)),
        ("RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic", H100, Split(2), (230_000, 250_000)),
        ("RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic", H200, Split(), (185_000, 200_000)),
        ("meta-llama/Llama-3.3-70B-Instruct", H100, Split(4), (480_000, 495_000)),
        ("Qwen/Qwen3-235B-A22B-FP8", H100, Split(4), (330_000, 350_000)),
        ("deepseek-ai/DeepSeek-R1", H200, Split(8), (690_000, 730_000)),
        ("deepseek-ai/DeepSeek-R1", H100, Split(8), (0, 0)),
        ("deepseek-ai/DeepSeek-R1", H100, Split(8, 2), (850_000, 950_000)),
        ("deepseek-ai/DeepSeek-R1", B200, Split(8), (1_200_000, 1_300_000)),
    ],
)
def test_contexts_that_people_report(model: str, memory: int, split: Split, tokens: tuple[int, int]) -> None:
    found = tokens_that_fit(_known(model), memory * MI, split)
    assert found is not None and tokens[0] <= found <= tokens[1]


def test_a_shape_that_is_not_known() -> None:
    size = ModelSize.model_validate({"weights": "100Gi"})
    assert tokens_that_fit(size, H100 * MI, Split()) == 0
    assert tokens_that_fit(size, H100 * MI, Split(2)) is None


def test_every_entry_of_the_table_is_whole_and_once() -> None:
    names = [name.casefold() for name in model_sizes()]
    assert len(names) == len(set(names)) > 50
    for name, size in model_sizes().items():
        assert size.layers and size.attention_heads and size.context_length, name
        assert size.latent_dim or size.key_value_heads, name


def _known(name: str) -> ModelSize:
    size = model_size(name)
    assert size is not None
    return size


def of(model: str, *args: str, count: int = 1, memory: int = H100, size: Any = None, **container: Any) -> dict[str, str]:
    """What is said of one engine that serves `model` on `count` devices."""
    engine = {"name": "engine", "image": "vllm/vllm-openai:v0.33.0", "args": [*GOOD, f"--model={model}", *args], **container}
    main = b.engine(b.request(count=count))
    main["members"][0]["template"]["spec"] = {"containers": [engine]}
    serving = {"size": size} if size else {"port": 8000}
    known = (b.settings(), b.hardware("h100", b.gpu(memory=f"{memory}Mi")), b.cluster("east"))
    return said(*known, b.deployment("chat", main, serving=serving, replicas=2), b.placement("chat", b.entry("east", 2)))


SEVENTY = "RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic"
TWO = ("--tensor-parallel-size=$(MODELFLEET_DEVICE_COUNT)",)
TOO_LARGE = "engine `main` needs {} of each device; pool h100 of cluster east has {}, {} to use"
CASES: list[tuple[str, Any, dict[str, str]]] = [
    ("it fits", lambda: of(SEVENTY, *TWO, "--max-model-len=65536", count=2), {}),
    (
        "its context does not",
        lambda: of(SEVENTY, "--max-model-len=32768"),
        {"ModelDoesNotFit": TOO_LARGE.format("79.67Gi", "79.65Gi", "73.28Gi")},
    ),
    ("a shorter context does", lambda: of(SEVENTY, "--max-model-len=8k"), {}),
    ("a cache of FP8 takes half", lambda: of(SEVENTY, "--max-model-len=20000", "--kv-cache-dtype=fp8_e4m3"), {}),
    ("vLLM may find the context itself", lambda: of(SEVENTY, "--max-model-len=auto"), {}),
    (
        "without a limit it is the model's own",
        lambda: of("Qwen/Qwen3-8B", memory=L4),
        {"ModelDoesNotFit": TOO_LARGE.format("22.88Gi", "22.49Gi", "20.69Gi")},
    ),
    (
        "the model after serve",
        lambda: of("", memory=L4, command=["vllm", "serve"], args=["Qwen/Qwen3-8B", *GOOD]),
        {"ModelDoesNotFit": TOO_LARGE.format("22.88Gi", "22.49Gi", "20.69Gi")},
    ),
    ("a model that nobody knows", lambda: of("acme/secret-70b"), {}),
    (
        "a model that is declared",
        lambda: of("acme/secret-70b", size={"weights": "140Gi"}),
        {"ModelDoesNotFit": TOO_LARGE.format("142Gi", "79.65Gi", "73.28Gi")},
    ),
    ("a declaration wins over the table", lambda: of("Qwen/Qwen3-32B", size={"weights": "30Gi"}), {}),
    ("weights that are made smaller while they load", lambda: of("Qwen/Qwen3-32B", "--quantization=fp8"), {}),
    ("a share that leaves too little", lambda: of(SEVENTY, "--max-model-len=8192", "--gpu-memory-utilization", "0.85"), {
        "ModelDoesNotFit": TOO_LARGE.format("72.17Gi", "79.65Gi", "67.7Gi")
    }),
    (
        "heads that do not split",
        lambda: of("Qwen/Qwen3-14B", *TWO, count=3),
        {"TensorSplit": "engine `main` splits 40 attention heads and 8 key-value heads over 3 devices, which does not come out even"},
    ),
    (
        "a longer context than the model's",
        lambda: of("Qwen/Qwen3-8B", "--max-model-len=131072"),
        {"ContextTooLong": "engine `main` is told a context of 131072 tokens, and the model's own is 40960"},
    ),
    ("which is stretched", lambda: of("Qwen/Qwen3-8B", "--max-model-len=131072", '--hf-overrides={"rope_scaling": {}}'), {}),
    ("whose stretching is meant", lambda: of("Qwen/Qwen3-8B", "--max-model-len=131072", "--hf-overrides.rope_scaling.factor=4"), {}),
    ("another engine's memory is not reckoned", lambda: of("Qwen/Qwen3-32B", image="lmsysorg/sglang:v0.5"), {}),
]  # fmt: skip


@pytest.mark.parametrize(("found", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_said(found: Any, expected: dict[str, str]) -> None:
    assert found() == expected
