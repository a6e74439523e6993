"""Every ModelDeployment of Modelplane's documentation, with the cache that it uses, is accepted by a real API server as it is rendered.

MODELFLEET_PEERS: the folder that holds `modelplane/`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from modelfleet.emit import document

from tests.e2e import cluster
from tests.e2e.cluster import Cluster
from tests.e2e.judge import judge, kinds, parse
from tests.render.test_peers import PEERS, declared, rendered

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(not PEERS, reason="MODELFLEET_PEERS names no folder with other projects' manifests")]

DEPLOYMENTS = dict(declared("ModelDeployment"))


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What clusters get of each deployment, namespaces first."""
    found = {}
    for name, one in DEPLOYMENTS.items():
        manifests = [m for m in rendered(tmp_path_factory.mktemp("peer"), one) if not m["apiVersion"].startswith("argoproj.io/")]
        ordered = sorted(manifests, key=lambda manifest: manifest["kind"] != "Namespace")
        found[name] = "".join(f"---\n{document(manifest)}" for manifest in ordered)
    return found


@pytest.fixture(scope="module")
def started(tools: Path, texts: dict[str, str]) -> Iterator[Cluster]:
    with cluster.start(tools) as found:
        found.install(tools / "crds", {kind for name, text in texts.items() for kind in kinds(parse(text, name))})
        found.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "modelfleet-system"}})
        yield found


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_a_deployment_is_accepted(started: Cluster, texts: dict[str, str], name: str) -> None:
    manifests: Any = parse(texts[name], name)
    assert manifests
    assert judge(started, manifests) == []
