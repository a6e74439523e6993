"""The end-to-end tests need programs that are built from source, so they run under `make e2e` only."""

import os
from pathlib import Path

import pytest

VARIABLE = "MODELFLEET_TOOLS"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if tools := os.environ.get(VARIABLE):
        for item in items:
            if item.get_closest_marker("scaling") and not (Path(tools) / "keda-operator").exists():
                item.add_marker(pytest.mark.skip(reason="needs LeaderWorkerSet's and KEDA's controllers: run `make e2e-scaling`"))
        return
    for item in items:
        if item.get_closest_marker("e2e"):
            item.add_marker(pytest.mark.skip(reason=f"needs {VARIABLE}: run `make e2e`"))


@pytest.fixture(scope="session")
def tools() -> Path:
    """The folder with the programs and CustomResourceDefinitions."""
    return Path(os.environ[VARIABLE])
