"""CPU of whole runs of the program, as ratios to `python -c "import click, yaml, pydantic"`.

    python -m benchmarks.startup [PAIRS]

Each run is paired with one of the yardstick right before it, so that a busy machine slows both; shown is the median of the ratios.
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
YARDSTICK = (sys.executable, "-c", "import click, yaml, pydantic")
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
    (namespace, _), spec = next((key, spec) for key, spec in fleet.placements.items() if spec.replicas)
    return {"cluster": spec.replicas[0].cluster, "unit": namespace}


def main(pairs: int = 11) -> int:
    """Prints the medians."""
    print(f"{'run':<30}{'ratio':>8}{'ms':>8}")
    for name, run in runs().items():
        ratios, times = [], []
        cpu(*run)
        for _ in range(pairs):
            yardstick = cpu(YARDSTICK, Path("/"), {})
            times.append(cpu(*run))
            ratios.append(times[-1] / yardstick)
        print(f"{name:<30}{median(ratios):>8.2f}{1000 * median(times):>8.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*(int(argument) for argument in sys.argv[1:])))
