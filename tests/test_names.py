"""Names: stable, told apart, within the limits of the place where they are used."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from modelfleet import names

LABEL = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)
DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
LONG = "n" * 63


def is_label(name: str, limit: int = 63) -> bool:
    return len(name) <= limit and DNS_LABEL.fullmatch(name) is not None


@given(LABEL, LABEL, LABEL, LABEL)
def test_names_fit_their_places(namespace: str, deployment: str, engine: str, pool: str) -> None:
    workload = names.workload(namespace, deployment, engine, pool)
    assert is_label(workload, 54)
    assert is_label(f"keda-hpa-{workload}")
    assert is_label(names.claim_template(workload, "{}"))
    gang = names.gang(namespace, deployment, engine, pool)
    assert gang[0].isalpha() and is_label(f"{gang}-999-63") and is_label(f"{gang}-999-{'0' * 10}")
    assert gang != names.service(namespace, deployment)
    assert is_label(names.picker(namespace, deployment))
    assert is_label(names.staging_job(names.cache_claim(deployment, "content"), "{}"))
    assert len(names.config_map("c" * 253, deployment, "content")) <= 253
    assert is_label(names.service(namespace, deployment))
    assert names.service(namespace, deployment)[0].isalpha()
    assert is_label(names.host_label(namespace, deployment))
    assert is_label(names.application(engine, f"model/{namespace}/{deployment}"))
    assert is_label(names.report(f"model/{namespace}/{deployment}"))


@given(st.tuples(LABEL, LABEL, LABEL, LABEL), st.tuples(LABEL, LABEL, LABEL, LABEL))
def test_two_workloads_have_two_names(one: tuple[str, str, str, str], other: tuple[str, str, str, str]) -> None:
    assert (names.workload(*one) == names.workload(*other)) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (names.application("c", "model/a/b-c"), names.application("c", "model/a-b/c")),
        (names.application("a", "model/b/c"), names.application("a-model", "b/c")),
        (names.workload("a", "b-c", "d", "p"), names.workload("a", "b", "c-d", "p")),
        (names.workload("a", "b", "c", "p"), names.workload("a", "b", "c", "p", "alternative")),
        (names.workload("a", LONG, "c", "p"), names.workload("b", LONG, "c", "p")),
        (names.service("a", LONG), names.service("b", LONG)),
        (names.picker("a", LONG), names.picker("b", LONG)),
        (names.cache_claim("a", "b"), names.cache_claim("a", "c")),
        (names.config_map("a", "b", "c"), names.config_map("a", "d", "c")),
        (names.gang("a", "b", "c", "p"), names.gang("a", "b", "c", "q")),
        (names.host_label("a", "b"), names.host_label("c", "b")),
        (names.report(f"model/a/{LONG}1"), names.report(f"model/a/{LONG}2")),
    ],
)
def test_what_flattens_to_the_same_text_is_told_apart(one: str, other: str) -> None:
    assert one != other


LONGEST = "a" * 63
SHORTER = st.from_regex(r"[a-b][-a-b]{0,3}[a-b]", fullmatch=True)
FITTED = {
    "service": names.service,
    "picker": names.picker,
    "application": lambda namespace, deployment: names.application(f"{namespace}-{deployment}", "base"),
    "report": lambda namespace, deployment: f"{namespace}/{names.report(f'model/{namespace}/{deployment}')}",
}


@pytest.mark.parametrize("name", FITTED)
@given(data=st.data())
def test_no_name_that_is_whole_is_one_that_was_cut(name: str, data: st.DataObject) -> None:
    """The worst that can be chosen: a deployment named as what is left of another one's name."""
    make = FITTED[name]
    long = data.draw(st.sampled_from([LONGEST, "a" * 40 + "-" * 22 + "b", "a" * 30 + "-" + "a" * 32]) | LABEL)
    cut = make("ns", long)
    for crafted in {cut[start:] for start in range(len(cut))} - {long}:
        if is_label(crafted):
            assert make("ns", crafted) != cut


@given(st.sampled_from(["a", "a" * 63]), SHORTER, st.from_regex(r"-[0-9a-f]{8}", fullmatch=True))
def test_a_name_that_ends_like_a_hash_holds_one(head: str, middle: str, tail: str) -> None:
    name = f"{head}{middle}"[: 63 - len(tail)].rstrip("-") + tail
    assert names.service("ns", name) != f"model-{name}"
    assert names.service("ns", name) != names.service("other", name)
    assert names.picker("ns", f"{head[:20]}{middle}") == f"picker-{head[:20]}{middle}"


def test_names_do_not_change() -> None:
    assert names.workload("search", "qwen3-8b", "main", "h100") == "qwen3-8b-main-c963921f"
    assert names.service("search", "qwen3-8b") == "model-qwen3-8b"
    assert names.host("search", "qwen3-8b", "east", "fleet.internal") == "qwen3-8b-db42de16.east.fleet.internal"
    assert names.application("east", "base") == "east-base"
    assert names.application("east", "model/search/qwen3-8b") == "east-model-search-qwen3-8b-7e95f811"
    assert names.report("model/search/qwen3-8b") == "modelfleet-report-model-search-qwen3-8b"


@pytest.mark.parametrize(
    ("kind", "namespace", "recorded", "paths"),
    [
        ("base", "", True, "/fleet"),
        ("tenant", "search", True, "/fleet;/models/search;/placements/search"),
        ("model", "search", True, "/fleet;/models/search;/placements/search"),
        ("routes", "search", True, "/fleet;/models/search;/placements/search"),
        ("base", "", False, "/fleet;/models;/placements"),
        ("model", "search", False, "/fleet;/models;/placements"),
    ],
)
def test_manifest_paths(kind: str, namespace: str, recorded: bool, paths: str) -> None:
    assert names.manifest_paths(kind, namespace, recorded) == paths


def test_the_folder_of_the_platform_and_of_a_namespace() -> None:
    assert (names.folder(""), names.folder("search")) == ("fleet", "models/search")


def test_the_names_in_a_pod_are_port_names() -> None:
    assert all(is_label(name, 15) for name in (names.PORT, names.OTHER_PORT))
