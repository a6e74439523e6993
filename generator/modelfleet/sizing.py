"""How much memory a model takes on each device, and how long a context is left room for.

The reckoning is vLLM's own at start: of each device it takes a share (--gpu-memory-utilization, 0.92 by default), loads the weights,
measures what activations and CUDA graphs need at most, and gives the rest to the KV cache; it does not start unless one request of
--max-model-len tokens fits into that. Weights are split over tensor and pipeline ranks. A token keeps, in each layer,
`2 x key-value heads x head size` values with grouped-query attention (heads are split over the tensor ranks and copied when there are
more ranks than heads) and one latent vector with multi-head latent attention (on every tensor rank whole); layers are split over
pipeline ranks. What is measured at start cannot be reckoned; people report 2 to 4 GiB.
"""

from __future__ import annotations

from dataclasses import dataclass

from .api.model_size import ModelSize

GIB = 1024**3
UTILIZATION = 0.92
LEAST_OVERHEAD = 2 * GIB  # for a warning, which must be sure
SAFE_OVERHEAD = 3 * GIB  # for a proposal, which must hold


@dataclass(frozen=True, slots=True)
class Split:
    """Over how many devices a model is spread. Data-parallel ranks share the experts of a mixture and nothing else."""

    tensor: int = 1
    pipeline: int = 1
    data: int = 1

    @property
    def devices(self) -> int:
        return self.tensor * self.pipeline * self.data


def weights_on_device(size: ModelSize, split: Split) -> int:
    """Bytes of weights on each device, at least: of a dense model each data-parallel rank has all of them."""
    return -(-size.weight_bytes // split.devices)


def cache_of_token(size: ModelSize, split: Split, value_bytes: int = 2) -> int | None:
    """Bytes that one token of context keeps on each device; None if the model's shape is not known."""
    if not size.layers:
        return None
    layers = -(-size.layers // split.pipeline)
    if size.latent_dim:
        return layers * size.latent_dim * value_bytes
    if size.key_value_heads and size.head_dim:
        return 2 * layers * -(-size.key_value_heads // split.tensor) * size.head_dim * value_bytes
    return None


def usable(memory: int, utilization: float = UTILIZATION) -> int:
    """Bytes of a device that the engine takes."""
    return int(memory * utilization)


def tokens_that_fit(size: ModelSize, memory: int, split: Split, overhead: int = SAFE_OVERHEAD) -> int | None:
    """Tokens of context that all requests together may have on a device with `memory` bytes: 0 if not even the weights fit, None if the
    weights fit and a token's share is not known."""
    left = usable(memory) - weights_on_device(size, split) - overhead
    each = cache_of_token(size, split)
    if left <= 0:
        return 0
    return left // each if each else None


def splits_heads(size: ModelSize, tensor: int) -> bool:
    """Whether the attention heads can be split so: vLLM refuses to start otherwise, and when key-value heads neither split nor repeat."""
    heads, kept = size.attention_heads, size.key_value_heads
    if heads and heads % tensor:
        return False
    return not kept or kept % tensor == 0 or tensor % kept == 0


def gib(amount: int) -> str:
    """`79.65Gi`."""
    return f"{amount / GIB:.2f}".rstrip("0").rstrip(".") + "Gi"
