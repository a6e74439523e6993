"""What ships as data: sizes of well-known models, and real hardware. Read when it is asked for, from the package's own files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from ..api.model_size import ModelSize


@cache
def _data(name: str) -> Any:
    return yaml.load(files(__package__).joinpath(name).read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


@cache
def model_sizes() -> dict[str, ModelSize]:
    """Sizes by the name of the checkpoint, as Hugging Face has it."""
    return {name: ModelSize.model_validate(entry["size"]) for entry in _data("models.yaml") for name in entry["names"]}


def model_size(name: str) -> ModelSize | None:
    """Size of a well-known checkpoint, whatever the case of its name."""
    wanted = name.casefold()
    return next((size for known, size in model_sizes().items() if known.casefold() == wanted), None)


@dataclass(frozen=True, slots=True)
class Hardware:
    """A device as its driver publishes it. sold: its size on the box. reported: where the figure of its memory is from."""

    product: str
    memory: str
    sold: str
    reported: str
    brand: str = ""
    architecture: str = ""
    capability: str = ""
    driver: str = "gpu.nvidia.com"
    type: str = "gpu"


@dataclass(frozen=True, slots=True)
class Shape:
    """A machine that a provider has. cpu: cores, 0 if it varies; memory: a quantity. price: of a node and hour in US dollars, and where and
    when it was seen."""

    name: str
    provider: str
    device: Hardware
    count: int
    cpu: int = 0
    memory: str = ""
    price: str = ""
    seen: str = ""


@cache
def shapes() -> dict[str, Shape]:
    """The machines of the catalog by name."""
    data = _data("hardware.yaml")
    devices = {name: Hardware(**fields) for name, fields in data["devices"].items()}
    return {name: Shape(name, **{**fields, "device": devices[fields["device"]]}) for name, fields in data["shapes"].items()}
