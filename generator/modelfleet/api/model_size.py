"""The size of a model: what its memory is reckoned from."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from .base import Model, mistake
from .quantity import Quantity, QuantityText


class ModelSize(Model):
    """What a model's `config.json` and files say; from it `check` reckons whether the model fits its devices."""

    weights: QuantityText
    """Memory that the weights take, all devices together: about the size of their files."""
    layers: Annotated[int | None, Field(ge=1, le=1000)] = None
    """Layers that keep keys and values of the whole context (num_hidden_layers, less those with a sliding window or none).
    Default: unknown, and only the weights are reckoned."""
    key_value_heads: Annotated[int | None, Field(ge=1, le=1024)] = None
    """Key-value heads of a layer (num_key_value_heads)."""
    head_dim: Annotated[int | None, Field(ge=1, le=4096)] = None
    """Size of a head (head_dim, or hidden_size / num_attention_heads)."""
    latent_dim: Annotated[int | None, Field(ge=1, le=65536)] = None
    """Of models with latent attention, instead of the two above: kv_lora_rank + qk_rope_head_dim."""
    attention_heads: Annotated[int | None, Field(ge=1, le=4096)] = None
    """Attention heads (num_attention_heads): the tensor-parallel size must divide them."""
    context_length: Annotated[int | None, Field(ge=1, le=100_000_000)] = None
    """Longest context in tokens (max_position_embeddings)."""

    @model_validator(mode="after")
    def _unit(self) -> Self:
        if self.weight_bytes < 10**6:
            unit = f"{self.weights}Gi" if self.weights.isdigit() else "15.3Gi"
            raise mistake("OutOfRange", f"weights of {self.weights} bytes are none", "weights", hint=f"weights: {unit}")
        return self

    @model_validator(mode="after")
    def _one_kind_of_cache(self) -> Self:
        if self.latent_dim and (self.key_value_heads or self.head_dim):
            field = "keyValueHeads" if self.key_value_heads else "headDim"
            raise mistake("OneOf", "latentDim stands instead of keyValueHeads and headDim", field, hint=f"remove {field}")
        if bool(self.key_value_heads) != bool(self.head_dim):
            missing = "headDim" if self.key_value_heads else "keyValueHeads"
            raise mistake("MissingField", f"keyValueHeads and headDim belong together: `{missing}` is missing", hint=f"add `{missing}:`")
        return self

    @property
    def weight_bytes(self) -> int:
        return Quantity.parse(self.weights).nano // 10**9
