"""CPU of whole runs of the program, as ratios to importing the three packages that it cannot do without.

    python -m benchmarks.startup [PAIRS]

`import pydantic` alone loads little, as that package imports its parts when they are named; so there are two yardsticks:
`import click, yaml, pydantic`, and the same with `from pydantic import BaseModel`, which whoever declares a model pays. Each run
is paired with one of both right before it, so that a busy machine slows all; shown are the medians of the ratios.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median

EXAMPLE = Path(__file__).parents[1] / "fleet-repo-example"
YARDSTICKS = tuple((sys.executable, "-c", f"import click, yaml, pydantic{more}") for more in ("", "; from pydantic import BaseModel"))
PROGRAM = (sys.executable, "-m", "modelfleet")


def cpu(command: tuple[str, ...], folder: Path, environment: Mapping[str, str]) -> float:
    """CPU seconds of a run, of user and system together; a failing run is an AssertionError."""
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, (command, process.returncode)
    return used.ru_utime + used.ru_stime


def runs() -> dict[str, tuple[tuple[str, ...], Path, Mapping[str, str]]]:
    """(command, folder, environment) by name. The unit is the first that the example records."""
    parameters = [{"name": name, "string": value} for name, value in recorded_unit().items()]
    nowhere = Path("/")
    return {
        "generate, the whole example": ((*PROGRAM, "--repo", str(EXAMPLE), "generate"), nowhere, {}),
        "cmp generate, one unit": ((*PROGRAM, "cmp", "generate"), EXAMPLE, {"ARGOCD_APP_PARAMETERS": json.dumps(parameters)}),
        "cmp generate, the root": ((*PROGRAM, "cmp", "generate"), EXAMPLE, {"ARGOCD_APP_PARAMETERS": "[]"}),
    }


def recorded_unit() -> dict[str, str]:
    """Cluster and unit of the first recorded entry of the example."""
    from modelfleet import pipeline
    from modelfleet.diagnostics import Report

    fleet = pipeline.read(EXAMPLE, pipeline.Slice(), Report()).fleet
    assert fleet is not None
    (namespace, name), spec = next((key, spec) for key, spec in fleet.placements.items() if spec.replicas)
    return {"cluster": spec.replicas[0].cluster, "unit": f"model/{namespace}/{name}"}


def main(pairs: int = 11) -> int:
    """Prints the medians."""
    print(f"{'run':<30}{'/ import':>10}{'/ model':>10}{'ms':>8}")
    for name, run in runs().items():
        ratios: tuple[list[float], list[float]] = ([], [])
        times = []
        cpu(*run)
        for _ in range(pairs):
            floors = [cpu(yardstick, Path("/"), {}) for yardstick in YARDSTICKS]
            times.append(cpu(*run))
            for found, floor in zip(ratios, floors, strict=True):
                found.append(times[-1] / floor)
        print(f"{name:<30}{median(ratios[0]):>10.2f}{median(ratios[1]):>10.2f}{1000 * median(times):>8.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*(int(argument) for argument in sys.argv[1:])))
