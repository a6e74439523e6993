"""What is accepted and not done yet: every row names a field, and only what is not its default is said."""

from __future__ import annotations

from typing import Any

import pytest
from modelfleet import api
from modelfleet.api import pending

from tests.builders import cluster, deployment, pool
from tests.written import nested

ROWS = [(kind, row.path) for kind, rows in pending._ROWS.items() for row in rows]


@pytest.mark.parametrize(("kind", "path"), ROWS, ids=[f"{kind}: {path}" for kind, path in ROWS])
def test_a_row_names_a_field(kind: str, path: str) -> None:
    """A misspelt row would never be said."""
    models: list[Any] = [api.model(kind)]
    for step in path.split("."):
        if step == "[]":
            continue
        for model in models:
            model.model_rebuild()
        fields = [field for model in models for name, field in model.model_fields.items() if (field.alias or name) == step]
        assert fields, step
        models = [model for field in fields for model in nested(field.annotation, *field.metadata)]


def said(kind: str, manifest: dict[str, Any]) -> list[tuple[str | int, ...]]:
    return [found.loc for found in pending.pending(kind, api.model(kind).model_validate(manifest))]


def test_nothing_is_said_of_defaults() -> None:
    assert said("ModelDeployment", deployment()) == []
    assert said("InferenceCluster", cluster()) == []


def test_nothing_is_said_of_a_default_that_is_written() -> None:
    assert said("InferenceCluster", cluster(stack="Standard", cluster={"source": "Existing"})) == []


def test_what_is_not_its_default_is_said_at_its_value() -> None:
    made = {"source": "GKE", "gke": {"region": "us-central1"}}
    assert said("InferenceCluster", cluster("east", pool(zones=["a"]), cluster=made)) == [("spec", "cluster", "source")]


def test_a_row_within_a_list_stands_at_its_item(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending, "_ROWS", {"InferenceCluster": (pending.Row("spec.nodePools.[].spot", "x"),)})
    assert said("InferenceCluster", cluster("east", pool("a"), pool("b", spot=True))) == [("spec", "nodePools", 1, "spot")]
