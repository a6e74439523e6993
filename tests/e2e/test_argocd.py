"""Under a real Argo CD: the fleet comes up from the bootstrap, and no mistake costs more than the table in argocd/README.md says.

One Argo CD, one fleet; every case leaves the fleet as it found it. The hub is a cluster of the fleet, `east` is another API server.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e import argocd, cluster, fleet_cases
from tests.e2e.argocd import ArgoCD, Repository, state
from tests.e2e.cluster import Cluster

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(shutil.which("redis-server") is None, reason="needs Redis: apt-get install redis-server"),
]


@dataclass(frozen=True, slots=True)
class World:
    """Everything that runs, and the repository that decides it."""

    argocd: ArgoCD
    fleet: Repository
    east: Cluster
    hub: Cluster

    def commit(self, message: str) -> None:
        """Pushes the work tree and waits until Argo CD has done what it does about it."""
        self.argocd.settle(self.fleet.push(message))

    def serving(self) -> Mapping[str, str]:
        """UIDs of what serves, on both clusters."""
        found = {f"east {name}": uid for name, uid in fleet_cases.identities(self.east, ("ml", "search")).items()}
        return found | {f"hub {name}": uid for name, uid in fleet_cases.identities(self.hub, ("ml", "search")).items()}

    def states(self) -> dict[str, str]:
        """Sync status of every Application."""
        return {name: state(found)[0] for name, found in self.argocd.applications().items()}


@pytest.fixture(scope="module")
def world(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    fleet = Repository.create(tmp_path_factory.mktemp("argocd"))
    fleet_cases.write(fleet, "Retire")
    with ExitStack() as stack:
        hub, east = (stack.enter_context(cluster.start(tools, controllers=True, scheduler=True, kwok=True)) for _ in range(2))
        for each in (hub, east):
            fleet_cases.equip(each, tools, {kind for kind in fleet_cases.kinds(fleet) if "argoproj" not in kind[0]})
        found = stack.enter_context(argocd.start(tools, hub, fleet, {"east": east}))
        first = fleet.push("the fleet")
        argocd.start_root(found, fleet)
        found.settle(first)
        yield World(found, fleet, east, hub)


def test_the_root_syncs_and_everything_follows(world: World) -> None:
    assert set(world.states().values()) == {"Synced"}, {name: state(a) for name, a in world.argocd.applications().items()}
    assert set(world.argocd.sets()) == {"east", "hub"}
    assert sum(" Deployment " in name for name in world.serving()) == len(fleet_cases.MODELS)
