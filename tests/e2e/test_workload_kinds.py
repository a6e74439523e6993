"""Every scenario of rendering is accepted by a real API server with the real definitions, and a second sync changes nothing."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from modelfleet import emit, render
from modelfleet.render.unit import UnitId

from tests.e2e import cluster
from tests.e2e.cluster import Cluster
from tests.e2e.judge import judge, kinds, parse
from tests.render.scenarios import SCENARIOS_OF_UNITS as SCENARIOS

pytestmark = pytest.mark.e2e

# Definitions that are in no Go module which can be fetched: a folder of YAML files.
MORE = os.environ.get("MODELFLEET_CRDS")
ONLY_THERE = "aigateway.envoyproxy.io"


def text(name: str) -> str:
    """The whole unit of a scenario."""
    fleet, plan, unit = SCENARIOS[name]
    return emit.to_yaml(render.render_unit(fleet, plan, UnitId(sorted(fleet.clusters)[0], unit)))


def kinds_of(name: str) -> set[tuple[str, str]]:
    return kinds(parse(text(name), name))


@pytest.fixture(scope="module")
def started(tools: Path) -> Iterator[Cluster]:
    """A cluster that knows every kind that is rendered, with the namespaces of the scenarios."""
    with cluster.start(tools) as found:
        wanted = {kind for name in SCENARIOS for kind in kinds_of(name)}
        found.install(tools / "crds", wanted)
        if MORE:
            found.install(Path(MORE), {kind for kind in wanted if kind[0] == ONLY_THERE})
        for namespace in ("search", "modelfleet-system"):
            found.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
        yield found


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_unit_is_accepted(started: Cluster, name: str) -> None:
    if not MORE and any(group == ONLY_THERE for group, _ in kinds_of(name)):
        pytest.skip(f"needs MODELFLEET_CRDS: a folder with the definitions of {ONLY_THERE}")
    assert judge(started, parse(text(name), name)) == []
