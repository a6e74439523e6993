"""Every ModelDeployment and ModelCache of Modelplane's documentation renders. MODELFLEET_PEERS: the folder that holds `modelplane/`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from modelfleet import pipeline
from modelfleet.diagnostics import Report
from modelfleet.emit import document

from tests import builders as b

from .test_golden import MODELS

PEERS = os.environ.get("MODELFLEET_PEERS", "")
pytestmark = pytest.mark.skipif(not PEERS, reason="MODELFLEET_PEERS names no folder with the manifests of other projects")


def declared(*kinds: str) -> list[tuple[str, dict[str, Any]]]:
    """(file, document) of the kinds."""
    files = sorted(Path(PEERS, "modelplane").rglob("*.yaml")) if PEERS else []
    found = [(file, one) for file in files for one in yaml.safe_load_all(file.read_text(encoding="utf-8")) if one]
    return [(str(file.relative_to(PEERS)), one) for file, one in found if one["kind"] in kinds]


CACHES = {(one["metadata"]["namespace"], one["metadata"]["name"]): one for _, one in declared("ModelCache")}


def used(deployment: dict[str, Any]) -> list[dict[str, Any]]:
    """The cache that a deployment refers to."""
    name = deployment["spec"]["template"]["spec"].get("modelCacheRef", {}).get("name")
    return [CACHES[deployment["metadata"]["namespace"], name]] if name else []


def rendered(root: Path, deployment: dict[str, Any]) -> list[dict[str, Any]]:
    """Every object of a fleet of one large cluster that the deployment selects."""
    labels = deployment["spec"]["template"]["spec"].get("clusterSelector", {}).get("matchLabels", {})
    west = b.cluster("west", b.pool("h200", nodes=8), labels=labels, cache={"storageClassName": "shared"})
    documents = [b.settings(), b.hardware("h200", b.gpu(memory="143771Mi", product="NVIDIA H200")), west, deployment, *used(deployment)]
    for number, one in enumerate(documents):
        namespace = one["metadata"].get("namespace")
        path = root / (f"models/{namespace}" if namespace else "fleet") / (f"{number}.yaml" if number else "fleet.yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document(one), encoding="utf-8")
    report = Report()
    fleet = pipeline.read(root, pipeline.Slice(), report).fleet
    assert fleet is not None and not report.errors, report.found
    planned = pipeline.plan(fleet)
    assert not any(spec.shortfall for spec in planned.placements.values()), planned
    return [manifest for unit in pipeline.units(fleet, planned) for manifest in unit.manifests]


@pytest.mark.parametrize("deployment", [pytest.param(one, id=name) for name, one in declared("ModelDeployment")])
def test_a_deployment_renders(tmp_path: Path, deployment: dict[str, Any]) -> None:
    found = rendered(tmp_path, deployment)
    gang = any(member["role"] == "Leader" for engine in deployment["spec"]["template"]["spec"]["engines"] for member in engine["members"])
    kinds = [manifest["kind"] for manifest in found]
    assert kinds.count("LeaderWorkerSet" if gang else "Deployment") == 1
    assert (kinds.count("Job"), kinds.count("PersistentVolumeClaim")) == (len(used(deployment)),) * 2
    for manifest in found:
        if model := MODELS.get(manifest["kind"]):
            assert model.model_validate(manifest).model_dump(by_alias=True, exclude_none=True) == manifest


def test_every_cache_is_one_of_a_deployment() -> None:
    """So that the cases above render them all."""
    assert {id(one) for _, deployment in declared("ModelDeployment") for one in used(deployment)} == {id(one) for one in CACHES.values()}
