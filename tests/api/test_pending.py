"""What is accepted and not done yet: every row names a field, and each deployment that needs one is held back."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from modelfleet import api
from modelfleet.api import pending
from modelfleet.api.base import Model

from tests.builders import deployment, engine

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
        models = [model for field in fields for model in _models(field.annotation)]


def _models(annotation: Any) -> list[type[Model]]:
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return [annotation]
    return [model for argument in get_args(annotation) for model in _models(argument)]


def spec(**more: Any) -> Any:
    return api.model("ModelDeployment").model_validate(deployment("chat", *more.pop("engines", []), **more)).spec


def test_a_plain_deployment_is_said_nothing_of_and_runs() -> None:
    model = api.model("ModelDeployment").model_validate(deployment("chat"))
    assert (pending.pending("ModelDeployment", model), pending.held_back(model.spec)) == ([], False)


def test_a_default_that_is_written_is_a_default() -> None:
    assert not pending.held_back(spec(serving={"mode": "Unified"}))


def test_what_is_said_without_harm_does_not_hold_back() -> None:
    model = api.model("ModelDeployment").model_validate(deployment("chat", serving={"picker": "EndpointPicker"}))
    found = [(item.loc, item.row.stops) for item in pending.pending("ModelDeployment", model)]
    assert (found, pending.held_back(model.spec)) == ([(("spec", "template", "spec", "serving", "picker"), False)], False)


def test_a_row_within_a_list_stands_at_its_item() -> None:
    two = [engine(name="a") | {"phase": "Prefill"}, engine(name="b") | {"phase": "Decode", "alternatives": [_ALTERNATIVE]}]
    model = api.model("ModelDeployment").model_validate(deployment("chat", *two, serving={"mode": "PrefillDecode"}))
    found = {item.loc: item.row.stops for item in pending.pending("ModelDeployment", model)}
    rows = {row.path for row in pending._ROWS["ModelDeployment"]}
    if "spec.template.spec.engines.[].alternatives" in rows:
        assert found[("spec", "template", "spec", "engines", 1, "alternatives")]
    assert pending.held_back(model.spec) == any(found.values())


_ALTERNATIVE = {"name": "x", "members": [{"image": "v"}]}
