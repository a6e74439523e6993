"""Writes Kubernetes' answers into table.yaml: python -m tests.cel.record PATH/TO/dra-oracle

A group of the table is a sentence, the name of a device in `DEVICES` and selectors with their answers.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import yaml

from tests.cel.cases import theirs
from tests.cel.oracle import Oracle

TABLE = Path(__file__).parent / "table.yaml"
DEVICES: dict[str, dict[str, Any]] = {
    "plain": {
        "driver": "d",
        "attributes": {"s": {"string": "x"}, "i": {"int": 3}, "b": {"bool": True}, "v": {"version": "1.2.3"}},
        "capacity": {"m": {"value": "1Gi"}},
    },
    "h100": {
        "driver": "gpu.nvidia.com",
        "attributes": {
            "type": {"string": "gpu"},
            "uuid": {"string": "GPU-4cf8db2d-06c0-7d70-1a51-e59b25b2c16c"},
            "productName": {"string": "NVIDIA H100 80GB HBM3"},
            "architecture": {"string": "Hopper"},
            "cudaComputeCapability": {"version": "9.0.0"},
            "driverVersion": {"version": "570.86.15"},
            "numaNode": {"int": 1},
            "resource.kubernetes.io/pcieRoot": {"string": "pci0000:64"},
        },
        "capacity": {"memory": {"value": "81559Mi"}},
    },
    "empty": {"driver": "gpu.nvidia.com"},
    "domains": {
        "driver": "d",
        "attributes": {"a.io/x": {"int": 1}, "x": {"int": 2}, "b.io/y/z": {"string": "deep"}},
        "capacity": {"a.io/m": {"value": "1Gi"}},
        "allowMultipleAllocations": True,
    },
}


def groups() -> list[dict[str, Any]]:
    """The table as it stands."""
    loaded: list[dict[str, Any]] = yaml.safe_load(TABLE.read_text())
    return loaded


def main() -> None:
    table = groups()
    with Oracle(Path(sys.argv[1])) as oracle:
        for group in table:
            device = DEVICES[group["device"]]
            for expression in group["answers"]:
                (answer,) = theirs(oracle.ask({"op": "cel", "expression": expression, "devices": [device]}))
                # What follows the first line of a refusal only repeats the selector.
                group["answers"][expression] = answer.partition("\n")[0]
    TABLE.write_text(yaml.safe_dump(table, sort_keys=False, width=10_000, allow_unicode=True))


if __name__ == "__main__":
    main()
