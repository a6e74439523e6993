"""The plugin: what it reads, what stops it, what never does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from modelfleet.emit import document

from tests.builders import cluster, deployment, entry, hardware, placement, settings
from tests.run import Result, modelfleet, repository

FLEET = [hardware("h100"), cluster("east"), cluster("west")]
MODELS = [
    deployment("chat", replicas=2),
    placement("chat", entry("east", 1), entry("west", 1)),
    deployment("code", namespace="ml"),
    placement("code", entry("east", 1)),
    deployment("rank", namespace="search"),
    placement("rank", entry("west", 1), namespace="search"),
]
UNITS = [
    ("east", "base"),
    ("west", "base"),
    ("east", "tenant/ml"),
    ("west", "tenant/ml"),
    ("west", "tenant/search"),
    ("east", "model/ml/chat"),
    ("west", "model/ml/chat"),
    ("east", "model/ml/code"),
    ("west", "model/search/rank"),
    ("east", "routes/ml"),
    ("west", "routes/ml"),
    ("west", "routes/search"),
    ("east", "caches/ml"),
    ("west", "caches/ml"),
    ("west", "caches/search"),
]


def plugin(root: Path, cluster: str | None = None, unit: str | None = None, raw: str | None = None) -> Result:
    given = [{"name": name, "string": value} for name, value in (("cluster", cluster), ("unit", unit)) if value is not None]
    return modelfleet(root, "cmp", "generate", ARGOCD_APP_PARAMETERS=json.dumps(given) if raw is None else raw)


def everything(root: Path) -> dict[str, Result]:
    return {"root": plugin(root)} | {f"{c} {u}": plugin(root, c, u) for c, u in UNITS}


def objects(result: Result) -> list[dict[str, Any]]:
    assert result.code == 0, result.err
    return [json.loads(text) for text in result.out.split("\n---\n")]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path, settings(), *FLEET, *MODELS)


@pytest.mark.parametrize("raw", ["", "null", "[]", "  ", '[{"name": "cluster", "string": ""}, {"name": "unit", "string": ""}]'])
def test_parameters_may_be_unset_empty_null_or_a_list(root: Path, raw: str) -> None:
    assert [o["kind"] for o in objects(plugin(root, raw=raw))][-2:] == ["ApplicationSet", "ApplicationSet"]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"a": 1}', "is not a list"),
        ('["a"]', "is not a list"),
        ('[{"name": "clutser", "string": "x"}]', "unknown plugin parameter `clutser`"),
        ('[{"name": "cluster", "string": "east"}]', "belong together"),
    ],
)
def test_parameters_that_name_no_unit_are_a_usage_error(root: Path, raw: str, said: str) -> None:
    result = plugin(root, raw=raw)
    assert (result.code, result.out) == (2, "") and said in result.err


@pytest.mark.parametrize(
    ("cluster", "unit"),
    [
        ("east", "model/../etc"),
        ("east", "model/ml/.."),
        ("east", "tenant/../../etc"),
        ("east", "tenant//"),
        ("east", "tenant"),
        ("east", "base/ml"),
        ("east", "model/ml/chat/more"),
        ("east", "model/ml"),
        ("east", "moddel/ml/chat"),
        ("east", "tenant/ML"),
        ("east", "tenant/ml\n"),
        ("east", "tenant/" + "a" * 64),
        ("../east", "base"),
        ("east/..", "base"),
        ("east\n\x1b[2J", "base"),
    ],
)
def test_parameters_that_could_be_a_path_are_refused_before_anything_is_read(
    root: Path, cluster: str, unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modelfleet.pipeline.read", lambda *_: pytest.fail("something was read"))
    result = plugin(root, cluster, unit)
    assert (result.code, result.out) == (2, "") and "is no unit: base" in result.err and "\x1b" not in result.err


def test_the_plugin_prints_the_objects_that_generate_prints(root: Path) -> None:
    import yaml

    printed = [o for o in yaml.safe_load_all(modelfleet(root, "generate", "--recorded").out) if o]
    by_plugin = [o for part in everything(root).values() for o in objects(part)]
    key = lambda o: (json.dumps(o, sort_keys=True),)  # noqa: E731
    assert sorted(printed, key=key) == sorted(by_plugin, key=key)


def test_a_file_that_does_not_parse_stops_its_namespace_alone(root: Path) -> None:
    before = everything(root)
    (root / "models/ml/broken.yaml").write_text("a: [1")
    after = everything(root)
    for name, result in after.items():
        if "/ml" in name:
            assert (result.code, result.out) == (1, "") and "models/ml/broken.yaml:2:1" in result.err
        else:
            assert result == before[name]


def test_a_wrong_declaration_stops_the_units_that_need_it(root: Path) -> None:
    before = everything(root)
    wrong = root / "models/ml/modeldeployment-code.yaml"
    wrong.write_text(wrong.read_text().replace("replicas:", "replica:"))
    for name, result in everything(root).items():
        if name in (
            "east model/ml/code",
            *(f"{cluster} {kind}/ml" for cluster in ("east", "west") for kind in ("tenant", "caches", "routes")),
        ):
            assert (result.code, result.out) == (1, "") and "did you mean `replicas`?" in result.err
        else:
            assert result == before[name], name


ENV, INIT, PORTS = ("containers", 0, "env"), ("initContainers",), ("containers", 0, "ports")
SHAPES = [
    (ENV, "x", '.containers[0].env` must be a list, not the text "x"'),
    (INIT, [None], ".initContainers[0]` must be a mapping, not empty"),
    (INIT, None, ".initContainers` must be a list, not empty"),
    (("containers", 0, "args"), 5, ".containers[0].args` must be a list, not the number 5"),
    (("containers", 0, "command"), "sh", '.containers[0].command` must be a list, not the text "sh"'),
    (PORTS, [1], ".containers[0].ports[0]` must be a mapping, not the number 1"),
    (("containers", 0, "resources"), {"limits": [1]}, ".containers[0].resources.limits` must be a mapping, not a list"),
    (("affinity",), 5, ".affinity` must be a mapping, not the number 5"),
    (("volumes",), [{"name": "a", "image": {"reference": 1}}], ".volumes[0].image.reference` must be text, not the number 1"),
]


@pytest.mark.parametrize(("loc", "value", "said"), SHAPES, ids=[case[2].split("`")[0] for case in SHAPES])
def test_a_pod_of_a_wrong_shape_is_refused_by_every_command_in_the_same_words(root: Path, loc: Any, value: Any, said: str) -> None:
    import yaml

    path = root / "models/ml/modeldeployment-chat.yaml"
    declared = yaml.safe_load(path.read_text())
    spec = declared["spec"]["template"]["spec"]["engines"][0]["members"][0]["template"]["spec"]
    for step in loc[:-1]:
        spec = spec[step]
    spec[loc[-1]] = value
    path.write_text(document(declared))
    commands = [("check",), ("generate",), ("generate", "--recorded"), ("place",), ("place", "--check"), ("plan", "--without", "east")]
    for result in [*(modelfleet(root, *command) for command in commands), plugin(root, "east", "model/ml/chat")]:
        assert (result.code, result.out) == (1, "") and said in result.err, result


def test_a_broken_file_under_fleet_stops_everything_and_prints_nothing(root: Path) -> None:
    (root / "fleet/inferencecluster-east.yaml").write_text("kind: [")
    for result in everything(root).values():
        assert (result.code, result.out) == (1, "")


@pytest.mark.parametrize(
    "text", ["kind: [", "apiVersion: modelfleet.io/v1alpha1\nkind: Placement\nmetadata: {name: x, namespace: ml}\nspec: {}\n"]
)
def test_a_broken_record_leaves_its_namespace_out_of_the_root(root: Path, text: str) -> None:
    before = everything(root)
    (root / "placements/ml/chat.yaml").write_text(text)
    after = everything(root)
    elements = [e for o in objects(after["root"]) if o["kind"] == "ApplicationSet" for e in o["spec"]["generators"][0]["list"]["elements"]]
    assert {e["unit"] for e in elements} == {"base", "tenant/search", "caches/search", "model/search/rank", "routes/search"}
    assert "placements/ml/chat.yaml" in after["root"].err
    assert {name for name, result in after.items() if result.code} >= {"east model/ml/chat", "west model/ml/chat", "east routes/ml"}
    assert all(after[name] == before[name] for name in ("east base", "west base", "west model/search/rank", "west routes/search"))


def test_a_namespace_that_shows_an_error_keeps_its_project(root: Path) -> None:
    """Out of its project its Applications would show that alone, and not what is wrong with it."""
    before = {m["metadata"]["name"]: m for m in objects(plugin(root)) if m["kind"] == "AppProject"}
    (root / "placements/ml/broken.yaml").write_text("a: [1")
    assert {m["metadata"]["name"]: m for m in objects(plugin(root)) if m["kind"] == "AppProject"} == before
    shutil.rmtree(root / "placements/ml")
    assert {m["metadata"]["name"]: m for m in objects(plugin(root)) if m["kind"] == "AppProject"} == before


def test_a_broken_record_stops_the_root_under_prune(tmp_path: Path) -> None:
    root = repository(tmp_path, settings(removal="Prune"), *FLEET, *MODELS)
    (root / "placements/ml/chat.yaml").write_text("kind: [")
    assert plugin(root).code == 1 and plugin(root).out == ""


def test_a_record_for_a_cluster_that_is_gone_stops_that_clusters_units(root: Path) -> None:
    before = everything(root)
    (root / "fleet/inferencecluster-west.yaml").unlink()
    for name, result in everything(root).items():
        if name.startswith("west"):
            assert (result.code, result.out) == (1, "") and "ClusterGone" in result.err
        elif name != "root":
            assert result == before[name], name
        else:
            assert result.code == 0
    assert "ClusterGone" in modelfleet(root, "check").err


def test_a_unit_that_is_not_listed_prints_its_report_alone(root: Path) -> None:
    for unit in ("model/ml/code", "tenant/search"):
        where = {"model/ml/code": "west", "tenant/search": "east"}[unit]
        assert [o["kind"] for o in objects(plugin(root, where, unit))] == ["ConfigMap"]


def test_a_unit_whose_declaration_and_record_are_gone_exits_1(root: Path) -> None:
    (root / "models/search/modeldeployment-rank.yaml").unlink()
    for unit in ("model/search/rank", "routes/search", "caches/search"):
        assert "DeclarationMissing" in plugin(root, "west", unit).err
    (root / "placements/search/rank.yaml").unlink()
    for unit in ("model/search/rank", "tenant/search", "routes/search"):
        result = plugin(root, "west", unit)
        assert (result.code, result.out) == (1, "") and "DeclarationMissing" in result.err


def test_a_record_that_names_what_is_gone_is_not_rendered(root: Path) -> None:
    east = root / "fleet/inferencecluster-east.yaml"
    east.write_text(east.read_text().replace("- name: h100", "- name: other"))
    result = plugin(root, "east", "model/ml/chat")
    assert (result.code, result.out) == (1, "") and "StillRecorded" in result.err
    assert plugin(root, "west", "model/ml/chat").code == 0


def test_a_field_that_a_cluster_does_not_know_stops_its_unit_as_it_stops_check(tmp_path: Path) -> None:
    newest, old = cluster("east", kubernetesVersion="1.36"), cluster("west")
    main = deployment("chat", replicas=2)
    pod = main["spec"]["template"]["spec"]["engines"][0]["members"][0]["template"]["spec"]
    pod["volumes"] = [{"name": "weights", "image": {"reference": "ghcr.io/acme/weights:v1"}}]
    root = repository(tmp_path, settings(), FLEET[0], newest, old, main, MODELS[1])
    said = "error[FieldTooNew]: `image` needs Kubernetes 1.35; cluster west has 1.34"
    assert (plugin(root, "east", "model/ml/chat").code, plugin(root, "west", "routes/ml").code) == (0, 0)
    refused = plugin(root, "west", "model/ml/chat")
    assert (refused.code, refused.out, said in refused.err) == (1, "", True)
    assert said in modelfleet(root, "check").err


def test_a_full_disk_is_one_line(root: Path) -> None:
    command = [sys.executable, "-m", "modelfleet", "cmp", "generate"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, cwd=root, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (4, "output: No space left on device\n")


def test_the_verdict_is_the_first_line_and_each_problem_one_line(root: Path) -> None:
    (root / "models/ml/broken.yaml").write_text("x: [1")
    lines = plugin(root, "east", "model/ml/chat").err.splitlines()
    assert lines[0] == "unit model/ml/chat of east cannot be rendered: 1 error; what runs is kept"
    assert len(lines) == 2 and lines[1].startswith("models/ml/broken.yaml:2:1")


def test_recorded_optional_places_in_the_plugin_by_the_same_function(tmp_path: Path) -> None:
    root = repository(tmp_path, settings(removal="Prune", recorded="Optional"), *FLEET, deployment("chat", replicas=2))
    assert [o["kind"] for o in objects(plugin(root, "east", "model/ml/chat"))].count("Deployment") == 1
    assert "model/ml/chat" in plugin(root).out
    checked = modelfleet(root, "check")
    assert checked.code == 0 and "warning[PlacementUnrecorded]" in checked.err
    modelfleet(root, "place")
    assert "model/ml/chat" in plugin(root).out


@contextmanager
def opened(root: Path) -> Iterator[set[str]]:
    """The files below `root` that are opened, through Python's audit hook."""
    import sys

    found: set[str] = set()
    live = [True]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if live[0] and event == "open" and isinstance(arguments[0], str | os.PathLike):
            path = Path(os.fspath(arguments[0])) if not isinstance(arguments[0], bytes) else Path(os.fsdecode(arguments[0]))
            if path.is_relative_to(root):
                found.add(path.relative_to(root).as_posix())

    sys.addaudithook(hook)
    yield found
    live[0] = False


def test_nothing_outside_the_listed_paths_is_opened(root: Path) -> None:
    """manifest-generate-paths lists what a unit reads; an input that is not listed would be stale without a word."""
    sets = [o for o in objects(plugin(root)) if o["kind"] == "ApplicationSet"]
    for applications in sets:
        for element in applications["spec"]["generators"][0]["list"]["elements"]:
            listed = tuple(path.lstrip("/") for path in element["paths"].split(";"))
            with opened(root) as found:
                assert plugin(root, applications["metadata"]["name"], element["unit"]).code == 0
            assert found and all(path.startswith(listed) for path in found), (element["unit"], found)
    with opened(root) as found:
        plugin(root)
    assert found and not any(path.startswith("models") for path in found)
