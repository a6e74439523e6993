"""Which units there are, and that nothing but the arguments decides what they hold."""

from __future__ import annotations

import ast
import copy
import subprocess
import sys
from pathlib import Path

import pytest
from modelfleet import emit, render
from modelfleet.render.unit import UnitId

from .builders import NAME, NAMESPACE, cluster, deployment, engine, entry, fleet, placement, plan, pool
from .scenarios import KEY, scenarios

_PRINT = """
from tests.render.scenarios import scenarios
from modelfleet import emit, render
from modelfleet.render.unit import UnitId
for fleet, plan, unit in scenarios().values():
    one = render.render_root(fleet, plan) if unit == "root" else render.render_unit(fleet, plan, UnitId(sorted(fleet.clusters)[0], unit))
    print(emit.to_yaml(one), emit.to_json([one]))
"""


def listed(*names: str) -> tuple[UnitId, ...]:
    return tuple(UnitId(*name.split(" ")) for name in names)


def test_units_are_listed_by_cluster_then_kind_then_name() -> None:
    found = fleet(clusters=(cluster("west"), cluster("east")))
    placements = {
        ("b", "x"): placement(entry(1, "west")),
        ("a", "y"): placement(entry(1, "east"), entry(1, "west", retiring=True)),
        ("a", "x"): placement(entry(1, "east"), entry(1, "east", pool="h200")),
        ("a", "gone"): placement(entry(1, "nowhere")),
    }
    assert render.unit_ids(found, plan(placements)) == listed(
        "east base", "east tenant/a", "east caches/a", "east model/a/x", "east model/a/y", "east routes/a",
        "west base", "west tenant/a", "west tenant/b", "west caches/a", "west caches/b", "west model/a/y", "west model/b/x",
        "west routes/a", "west routes/b",
    )  # fmt: skip


def test_the_root_and_the_list_read_no_deployment() -> None:
    whole, root = fleet(), fleet()
    empty = type(root)(root.settings, {}, root.clusters, {}, {})
    assert render.unit_ids(empty, plan()) == render.unit_ids(whole, plan())
    assert render.render_root(empty, plan()) == render.render_root(whole, plan())


def test_every_listed_unit_prints_its_report_in_its_own_namespace() -> None:
    found = fleet()
    for unit in render.unit_ids(found, plan()):
        reports = [
            m["metadata"]["namespace"] for m in render.render_unit(found, plan(), unit).manifests if "report" in m["metadata"]["name"]
        ]
        assert reports == [unit.namespace or "modelfleet-system"]


def test_a_unit_that_is_not_listed_prints_its_report_alone_and_needs_no_deployment() -> None:
    found = fleet()
    empty = type(found)(found.settings, {}, found.clusters, {}, {})
    for unit in ("model/search/other", "tenant/other", "routes/other"):
        assert [m["kind"] for m in render.render_unit(empty, plan(), UnitId("east", unit)).manifests] == ["ConfigMap"]


@pytest.mark.parametrize("unit", ["model/search/qwen", "routes/search"])
def test_a_record_that_does_not_fit_the_declarations_is_a_fault_of_ours(unit: str) -> None:
    found = fleet()
    missing = type(found)(found.settings, {}, found.clusters, {}, {})
    with pytest.raises(KeyError):
        render.render_unit(missing, plan(), UnitId("east", unit))


def test_a_recorded_pool_that_is_gone_is_named() -> None:
    with pytest.raises(KeyError, match="cluster east has no pool h100"):
        render.render_unit(fleet(clusters=(cluster("east", pool("h200")),)), plan(), UnitId("east", "model/search/qwen"))


def test_entries_that_differ_in_another_engine_share_a_workload() -> None:
    def choice(second: str) -> dict[str, object]:
        return {name: {"pool": where, "devices": {"gpu": "gpu"}} for name, where in (("main", "h100"), ("draft", second))}

    found = fleet(deployment(engine("main"), engine("draft", copies=2)), clusters=(cluster("east", pool("h100"), pool("l4")),))
    record = placement(entry(2, engines=choice("h100")), entry(1, engines=choice("l4"), retiring=True))
    unit = render.render_unit(found, plan({KEY: record}), UnitId("east", f"model/{NAMESPACE}/{NAME}"))
    deployments = {
        m["metadata"]["labels"]["modelfleet.io/engine"] + " " + m["metadata"]["labels"]["modelfleet.io/pool"]: m
        for m in unit.manifests
        if m["kind"] == "Deployment"
    }
    numbers = {
        key: (m["spec"]["replicas"], m["metadata"]["annotations"]["argocd.argoproj.io/sync-options"].split(",")[0])
        for key, m in deployments.items()
    }
    assert numbers == {"main h100": (3, "Prune=false"), "draft h100": (4, "Prune=false"), "draft l4": (2, "Prune=true")}


def test_rendering_leaves_its_arguments_as_they_are() -> None:
    for name, (found, planned, unit) in scenarios().items():
        before = copy.deepcopy((found, planned))
        if unit != "root":
            render.render_unit(found, planned, UnitId(sorted(found.clusters)[0], unit))
        assert (found, planned) == before, name


def test_the_order_in_which_things_are_found_does_not_matter() -> None:
    clusters, placements = (cluster("west"), cluster("east")), {KEY: placement(), ("a", "b"): placement(entry(1, "west"))}
    there = fleet(clusters=clusters), plan(placements)
    back = fleet(clusters=clusters[::-1]), plan(dict(reversed(placements.items())))
    assert emit.to_json([render.render_root(*there)]) == emit.to_json([render.render_root(*back)])
    assert render.unit_ids(*there) == render.unit_ids(*back)


def test_render_imports_nothing_that_reaches_outside() -> None:
    folder = Path(render.__file__).parent
    allowed = {"__future__", "collections", "dataclasses", "json", "typing"}
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names.append(node.module or "")
            assert {name.split(".")[0] for name in names} <= allowed, path.name


def test_the_same_bytes_under_another_hash_seed() -> None:
    def output(seed: str) -> bytes:
        folder = Path(__file__).parents[2]
        return subprocess.run(
            [sys.executable, "-c", _PRINT], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True, cwd=folder
        ).stdout

    assert len({output(seed) for seed in ("1", "2", "3")}) == 1
