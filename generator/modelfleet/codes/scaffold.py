"""What `init` and `new` refuse."""

from __future__ import annotations

from .define import error

ALREADY_THERE = error(
    "AlreadyThere",
    "A new declaration would stand where a file is already.",
    "What somebody wrote there would be lost.",
    "Choose another name, or edit the file that is there.",
    "modelfleet new cluster east  # and fleet/clusters/east.yaml exists",
)
UNKNOWN_SIZE = error(
    "UnknownSize",
    "A deployment is to be sized for a model whose size is not known.",
    "Nothing can be said of the devices that it needs.",
    "Take the numbers from the model's config.json and files, and pass --weights, --layers, --key-value-heads and --head-dim.",
    "modelfleet new deployment acme/secret-70b --namespace search",
)
FITS_NOWHERE = error(
    "FitsNowhere",
    "No hardware class of the fleet can hold a model.",
    "Whatever it claimed, it would not start.",
    "Add a class with more memory, take a checkpoint of smaller weights, or a shorter --context.",
    "modelfleet new deployment deepseek-ai/DeepSeek-R1 --namespace search  # and the fleet has L4 alone",
)
