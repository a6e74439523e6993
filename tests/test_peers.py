"""Modelplane's own example manifests load unchanged. MODELFLEET_PEERS names the folder that holds `modelplane/`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from modelfleet import pipeline
from modelfleet.diagnostics import Report
from modelfleet.migrate import migrate

from tests.run import modelfleet
from tests.written import FLEET

PEERS = os.environ.get("MODELFLEET_PEERS", "")
ROOT = Path(PEERS) / "modelplane"
pytestmark = pytest.mark.skipif(not PEERS, reason="MODELFLEET_PEERS names no folder with the manifests of other projects")

CONCEPTS = sorted((ROOT / "concepts").glob("*.yaml")) if PEERS else []
CLOUDS = sorted(path for path in (ROOT / "getting-started").iterdir() if path.is_dir()) if PEERS else []
# Said of what is accepted; and what a file alone cannot have, because its partner is in another file.
ACCEPTED = {"NotYetRendered", "NoMeaning", "ForeignDocument"}
ALONE = {"UnknownClass", "UnknownCache", "SelectsNothing", "NoHub", "NoGateway", "NoFrontDoor"}


def repository(root: Path, files: Sequence[Path]) -> Path:
    """The files, unchanged, in the folders where their kinds belong, and a Fleet."""
    for file in files:
        first = next(d for d in yaml.safe_load_all(file.read_text(encoding="utf-8")) if d)
        namespace = first["metadata"].get("namespace")
        target = root / (f"models/{namespace}" if namespace else "fleet") / f"{file.parent.name}-{file.name}"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    (root / "fleet").mkdir(parents=True, exist_ok=True)
    (root / "fleet/fleet.yaml").write_text(FLEET.replace("Packed", "Node"), encoding="utf-8")
    return root


def said(root: Path) -> list[str]:
    """What loading, validation and the checks across files say, but for what is accepted."""
    report = Report()
    found = pipeline.read(root, pipeline.Slice(), report)
    if not report.errors:
        pipeline.check(found, report)
    return [d.line() for d in report.sorted() if d.code.name not in ACCEPTED | ALONE]


@pytest.mark.parametrize("file", CONCEPTS, ids=lambda file: file.stem)
def test_a_concept_in_a_repository_of_its_own(tmp_path: Path, file: Path) -> None:
    assert said(repository(tmp_path, [file])) == []


def getting_started(cloud: Path) -> list[Path]:
    """A cloud's files without the scaled-up variant, and the gateway and service that all clouds share."""
    own = [path for path in sorted(cloud.glob("*.yaml")) if not path.stem.endswith("-scale")]
    return [*own, ROOT / "getting-started/inference-gateway.yaml", ROOT / "getting-started/model-service.yaml"]


@pytest.mark.parametrize("cloud", CLOUDS, ids=lambda cloud: cloud.name)
def test_a_cloud_as_one_repository(tmp_path: Path, cloud: Path) -> None:
    assert said(repository(tmp_path, getting_started(cloud))) == []


@pytest.mark.parametrize("cloud", [cloud for cloud in CLOUDS if (cloud / "model-deployment.yaml").exists()], ids=lambda cloud: cloud.name)
def test_a_cloud_places_its_model(tmp_path: Path, cloud: Path) -> None:
    root = repository(tmp_path, [cloud / "platform.yaml", cloud / "model-deployment.yaml"])
    result = modelfleet(root, "place")
    assert (result.code, result.out.split(":")[0]) == (0, "ml-team/qwen-demo")


@pytest.mark.parametrize("cloud", CLOUDS, ids=lambda cloud: cloud.name)
def test_a_migrated_cloud_means_what_it_meant(tmp_path: Path, cloud: Path) -> None:
    """Every model is the same before and after."""
    root = repository(tmp_path, getting_started(cloud))
    before = _models(root)
    texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in root.rglob("*.yaml")}
    for path, content in migrate(texts).files.items():
        assert content is not None
        (root / path).write_text(content, encoding="utf-8")
    assert "modelplane.ai/v1alpha1" not in "".join(path.read_text(encoding="utf-8") for path in root.rglob("*.yaml"))
    assert _models(root) == before


def _models(root: Path) -> dict[str, object]:
    found = pipeline.read(root, pipeline.Slice(), Report()).resources
    return {f"{kind} {ref}": resource.model for kind, known in found.kinds.items() for ref, resource in known.items()}
