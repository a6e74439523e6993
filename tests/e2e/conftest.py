"""The end-to-end tests need programs that are built from source, so they run under `make e2e` only."""

import os
from pathlib import Path

import pytest

VARIABLE = "MODELFLEET_TOOLS"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get(VARIABLE):
        return
    for item in items:
        if item.get_closest_marker("e2e"):
            item.add_marker(pytest.mark.skip(reason=f"needs {VARIABLE}: run `make e2e`"))


@pytest.fixture(scope="session")
def tools() -> Path:
    """The folder with the programs and CustomResourceDefinitions."""
    return Path(os.environ[VARIABLE])
