"""Whole units beside the files that hold them. MODELFLEET_GOLDEN=write writes the files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.client import models
from modelfleet import emit, render
from modelfleet.diagnostics import Report
from modelfleet.load import parse
from modelfleet.render.unit import Manifest, Unit, UnitId

from .scenarios import scenarios

GOLDEN = Path(__file__).parent / "golden"
SCENARIOS = scenarios()
MODELS: dict[str, Any] = {
    "ConfigMap": models.V1ConfigMap,
    "Deployment": models.V1Deployment,
    "Job": models.V1Job,
    "Namespace": models.V1Namespace,
    "PersistentVolumeClaim": models.V1PersistentVolumeClaim,
    "PodDisruptionBudget": models.V1PodDisruptionBudget,
    "ResourceClaimTemplate": models.V1ResourceClaimTemplate,
    "Role": models.V1Role,
    "RoleBinding": models.V1RoleBinding,
    "Service": models.V1Service,
    "ServiceAccount": models.V1ServiceAccount,
}


def rendered(name: str) -> Unit:
    fleet, plan, unit = SCENARIOS[name]
    if unit == "root":
        return render.render_root(fleet, plan)
    return render.render_unit(fleet, plan, UnitId(sorted(fleet.clusters)[0], unit))


@pytest.mark.parametrize("name", SCENARIOS)
def test_unit_is_the_golden_one(name: str) -> None:
    text = emit.to_yaml(rendered(name))
    path = GOLDEN / f"{name}.yaml"
    if os.environ.get("MODELFLEET_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_no_golden_file_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(SCENARIOS)


@pytest.mark.parametrize("name", SCENARIOS)
def test_yaml_and_json_hold_the_same_objects_for_every_reader(name: str) -> None:
    unit = rendered(name)
    manifests = list(unit.manifests)
    report = Report()
    assert list(yaml.load_all(emit.to_yaml(unit), Loader=yaml.CSafeLoader)) == manifests
    assert [document.value for document in parse("x.yaml", emit.to_yaml(unit), report)] == manifests
    assert list(yaml.load_all(emit.to_json([unit]), Loader=yaml.CSafeLoader)) == manifests
    assert not report.found


@pytest.mark.parametrize("name", SCENARIOS)
def test_kubernetes_own_models_take_the_objects_and_know_every_field(name: str) -> None:
    for manifest in rendered(name).manifests:
        if model := MODELS.get(manifest["kind"]):
            # The models take snake_case too and forget what they do not know: what comes back must be what went in.
            assert model.model_validate(manifest).model_dump(by_alias=True, exclude_none=True) == manifest


@pytest.mark.parametrize("name", SCENARIOS)
def test_objects_are_told_apart_and_labels_fit(name: str) -> None:
    def identity(manifest: Manifest) -> tuple[str, str, str]:
        return manifest["kind"], manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"]

    manifests = rendered(name).manifests
    assert len({identity(manifest) for manifest in manifests}) == len(manifests)
    for manifest in manifests:
        assert all(len(value) <= 63 for value in manifest["metadata"]["labels"].values())
