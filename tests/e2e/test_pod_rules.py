"""What `check` takes of a pod the API server takes too, and stores as it is written: a whole pod, changed in thousands of ways."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from modelfleet import render
from modelfleet.emit import document
from modelfleet.pods import fields, shape
from modelfleet.render.unit import UnitId
from pydantic import ValidationError

from tests.e2e import cluster
from tests.e2e.client import Rejected
from tests.e2e.judge import altered
from tests.render import builders as b
from tests.test_pods import said

pytestmark = pytest.mark.e2e

WHOLE: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "whole-pod.yaml").read_text())
VALUES: list[Any] = ["", "x", "x y", "X_Y", "a" * 64, "..", "/", "é", 0, -1, 70000, 2**31, 1.5, False, True, "None"]
KEYS = ("x y", "Ü", "a/b/c", "a" * 64)
Loc = tuple[Any, ...]


def places(value: Any, loc: Loc = ()) -> Iterator[Loc]:
    """The way to everything in `value`."""
    for step in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*loc, step)
        yield from places(value[step], (*loc, step))


def at(value: Any, loc: Loc) -> Any:
    for step in loc:
        value = value[step]
    return value


def changed(loc: Loc, new: Any) -> dict[str, Any]:
    """The whole pod with `new` at `loc`."""
    found = copy.deepcopy(WHOLE)
    at(found, loc[:-1])[loc[-1]] = new
    return found


def mutants() -> Iterator[tuple[str, dict[str, Any]]]:
    """(what was done, the pod): another value, nothing, twice the items, another key, each in every place."""
    yield "nothing", copy.deepcopy(WHOLE)
    for loc in places(WHOLE):
        old, name = at(WHOLE, loc), ".".join(map(str, loc))
        without = copy.deepcopy(WHOLE)
        del at(without, loc[:-1])[loc[-1]]
        yield f"{name} left out", without
        if isinstance(old, list):
            yield f"{name} empty", changed(loc, [])
            yield f"{name} twice", changed(loc, old + copy.deepcopy(old))
        elif isinstance(old, dict):
            yield f"{name} empty", changed(loc, {})
            text = next((item for item in old.values() if isinstance(item, str | int)), None)
            yield from ((f"{name} with {key}", changed(loc, {**old, key: text})) for key in KEYS if text is not None)
        else:
            yield from ((f"{name} = {value!r}", changed(loc, value)) for value in VALUES if value is not old)


def taken(spec: dict[str, Any]) -> bool:
    """Whether `check` says nothing: first the rules on parts, which are quick, then all of it."""
    found: list[fields.Finding] = []
    plain = shape.walk(spec, shape.pod_spec(), (), found)
    try:
        shape.pod_spec().model_validate(plain)
    except ValidationError:
        return False
    return not found and not said(document(spec))


def manifest(spec: dict[str, Any]) -> dict[str, Any] | None:
    """The Deployment that is rendered for the pod; None if its declaration is refused before the rules are asked."""
    try:
        declared = b.deployment(b.engine(template={"spec": spec}))
    except ValidationError:
        return None
    unit = render.render_unit(b.fleet(declared), b.plan(), UnitId("east", "model/search/qwen"))
    return next(manifest for manifest in unit.manifests if manifest["kind"] == "Deployment")


def judged(started: cluster.Cluster, what: str, wanted: Mapping[str, Any]) -> list[str]:
    """What the API server says of a Deployment, without storing it."""
    try:
        applied = started.apply(wanted, dry_run=True)
    except Rejected as rejected:
        return [f"{what}: rejected: {rejected}"]
    found = [f"{what}: warning: {warning}" for warning in applied.warnings]
    return found + [f"{what}: altered: {difference}" for difference in altered(wanted["spec"], applied.object["spec"])]


def test_what_check_takes_the_api_server_takes(tools: Path) -> None:
    accepted = [(what, found) for what, spec in mutants() if (found := manifest(spec)) and taken(spec)]
    assert accepted[0][0] == "nothing" and len(accepted) > 1000
    with cluster.start(tools) as started, ThreadPoolExecutor(8) as threads:
        started.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": b.NAMESPACE}})
        started.apply(accepted[0][1], dry_run=True)
        findings = list(threads.map(lambda case: judged(started, *case), accepted))
    assert [line for found in findings for line in found] == []
