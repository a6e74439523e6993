"""What vLLM is told on its command line, as far as advice needs it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .render.members import Pod, flag, words
from .sizing import UTILIZATION, Split

COUNT = ("$(MODELFLEET_DEVICE_COUNT)", "$(MODELPLANE_DEVICE_COUNT)")

# 16k is 16,000 tokens and 16K 16,384, as vLLM reads them.
_LENGTH = re.compile(r"([0-9]+(?:\.[0-9]+)?)([kKmMgG]?)")
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "K": 2**10, "M": 2**20, "G": 2**30}
_ROPE = ("--hf-overrides", "--rope-scaling", "--config")


def model_of(container: Mapping[str, Any]) -> str:
    """What is served: `--model`, else the word after `serve` or, where the image's own command runs, the first argument."""
    found = words(container)
    if said := flag(found, "--model"):
        return said
    if "serve" in found:
        first = found[found.index("serve") + 1 :][:1]
    else:
        first = [] if container.get("command") else found[:1]
    return first[0] if first and not first[0].startswith("-") else ""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a pod's engine. What cannot be read counts as not given."""

    pod: Pod
    found: tuple[str, ...]

    @classmethod
    def of(cls, pod: Pod) -> Arguments:
        return cls(pod, tuple(words(pod.engine)))

    def said(self, *spellings: str) -> str | None:
        return flag(self.found, *spellings)

    @property
    def split(self) -> Split:
        """Devices by kind of parallelism."""
        tensor, pipeline = self._size("--tensor-parallel-size", "-tp"), self._size("--pipeline-parallel-size", "-pp")
        return Split(tensor, pipeline, self._size("--data-parallel-size", "-dp"))

    @property
    def utilization(self) -> float:
        """Share of each device that it takes; all of it where something else than the share says how much."""
        said = self.said("--gpu-memory-utilization", "--device-memory-utilization")
        if self.said("--kv-cache-memory-bytes", "--cpu-offload-gb") is not None:
            return 1.0
        try:
            return float(said) if said is not None else UTILIZATION
        except ValueError:
            return 1.0

    @property
    def length(self) -> int | None:
        """--max-model-len in tokens; 0 where vLLM is to find what fits, or it cannot be read; None if it is not given."""
        said = self.said("--max-model-len")
        if said is None:
            return None
        read = _LENGTH.fullmatch(said)
        return int(Fraction(read[1]) * _UNITS[read[2]]) if read else 0

    @property
    def value_bytes(self) -> int:
        """Bytes of a value in the KV cache."""
        return 1 if (self.said("--kv-cache-dtype") or "").startswith("fp8") else 2

    @property
    def quantizes(self) -> bool:
        """Whether the weights may be loaded smaller than their files are, or parts of them kept elsewhere."""
        return any(self.said(name) is not None for name in ("--quantization", "-q", "--cpu-offload-gb", "--config"))

    @property
    def stretches(self) -> bool:
        """Whether the model is told to take a longer context than its configuration says."""
        env = {item.get("name"): item.get("value") for item in self.pod.engine.get("env") or ()}
        return env.get("VLLM_ALLOW_LONG_MAX_MODEL_LEN") == "1" or any(w.partition("=")[0].partition(".")[0] in _ROPE for w in self.found)

    def _size(self, *spellings: str) -> int:
        said = self.said(*spellings)
        if said in COUNT:
            return self.pod.device_count
        return int(said) if said and said.isascii() and said.isdigit() and int(said) else 1
