"""Projects and ApplicationSets where they differ from the golden ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from modelfleet import render
from modelfleet.render.applications import application_set, destination, literal

from .builders import cluster, entry, fleet, placement, plan
from .scenarios import scenarios


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (None, {"name": "east"}),
        ({"name": "x"}, {"name": "x"}),
        ({"server": "https://kubernetes.default.svc"}, {"server": "https://kubernetes.default.svc"}),
    ],
)
def test_destination(declared: dict[str, str] | None, expected: dict[str, str]) -> None:
    assert destination(cluster(destination=declared)) == expected


@pytest.mark.parametrize(("text", "expected"), [("main", "main"), ("a{{x}}", 'a{{ "{{" }}x}}'), ("{{{", '{{ "{{" }}{')])
def test_a_text_in_a_template_stands_for_itself(text: str, expected: str) -> None:
    assert literal(text) == expected


def test_only_our_own_actions_stand_in_a_template() -> None:
    found, planned, _ = scenarios()["root"]

    def actions(value: Any) -> set[str]:
        if isinstance(value, dict):
            return {a for item in value.values() for a in actions(item)}
        if isinstance(value, list):
            return {a for item in value for a in actions(item)}
        return {value} if isinstance(value, str) and "{{" in value else set()

    for manifest in render.render_root(found, planned).manifests:
        if manifest["kind"] == "ApplicationSet":
            keys = {f"{{{{.{key}}}}}" for key in manifest["spec"]["generators"][0]["list"]["elements"][0]}
            assert actions(manifest["spec"]["template"]) == keys | {'release/{{ "{{" }}x}}'}


def test_elements_all_have_the_same_keys_and_their_own_names() -> None:
    found, planned, _ = scenarios()["root"]
    manifests = [m for m in render.render_root(found, planned).manifests if m["kind"] == "ApplicationSet"]
    elements = [element for m in manifests for element in m["spec"]["generators"][0]["list"]["elements"]]
    assert len({tuple(sorted(element)) for element in elements}) == 1
    assert len({element["name"] for element in elements}) == len(elements)


def test_a_namespace_whose_last_replica_was_dropped_stays_in_its_project() -> None:
    record = placement(wanted=0).model_copy(update={"replicas": ()})
    projects = {m["metadata"]["name"]: m for m in render.render_root(fleet(), plan({("search", "qwen"): record})).manifests}
    assert projects["modelfleet-models"]["spec"]["destinations"] == [{"namespace": "search", "server": "*"}]


def test_a_cluster_without_placements_has_its_base() -> None:
    sets = [
        m for m in render.render_root(fleet(), plan({("a", "b"): placement(entry(1, "west"))})).manifests if m["kind"] == "ApplicationSet"
    ]
    assert [element["unit"] for element in sets[0]["spec"]["generators"][0]["list"]["elements"]] == ["base"]


def test_the_set_of_a_cluster_whose_removal_is_approved_may_go_and_takes_its_applications_along() -> None:
    """And nothing that runs: the Applications have no finalizer."""
    settings = fleet().settings.spec
    stays, goes = (application_set(settings, replace(cluster(), leaving=leaving), [], {}, {}) for leaving in (False, True))
    options = [s["metadata"]["annotations"]["argocd.argoproj.io/sync-options"] for s in (stays, goes)]
    assert options == ["Prune=false,Delete=false", "Prune=true,Delete=confirm"]
    assert [s["metadata"].get("finalizers") for s in (stays, goes)] == [["resources-finalizer.argocd.argoproj.io"], None]
    assert stays["spec"] == goes["spec"] and "finalizers" not in goes["spec"]["template"]["metadata"]
