"""Names of images by a cluster's rules, and what its Kubernetes knows."""

from __future__ import annotations

from typing import Any

import pytest
from modelfleet.render import images, versions

from .builders import cluster

RULES = [
    {"from": "docker.io", "to": "m/hub"},
    {"from": "docker.io/vllm", "to": "m/vllm"},
    {"from": "ghcr.io/", "to": "m/"},
    {"from": "acme/engine:v1", "to": "m/engine:v2"},
]
NAMES = [
    ("vllm/vllm-openai:v1", "m/vllm/vllm-openai:v1"),
    ("docker.io/vllm/x@sha256:00", "m/vllm/x@sha256:00"),
    ("docker.io/vllm-project/x", "m/hub/vllm-project/x"),
    ("busybox", "m/hub/library/busybox"),
    ("ghcr.io/a/b:c", "m/a/b:c"),
    ("quay.io/a/b", "quay.io/a/b"),
    ("localhost:5000/a", "localhost:5000/a"),
    ("acme/engine:v1", "m/engine:v2"),
    ("acme/engine:v10", "m/hub/acme/engine:v10"),
]


@pytest.mark.parametrize(("written", "expected"), NAMES)
def test_the_longest_prefix_that_fits_is_replaced(written: str, expected: str) -> None:
    assert images.rewritten(cluster(images={"rewrite": RULES}), written) == expected


def test_image_volumes_are_rewritten_too() -> None:
    spec = {"volumes": [{"name": "a", "image": {"reference": "ghcr.io/w:v1"}}, {"name": "b", "emptyDir": {}}]}
    found = images.pod(cluster(images={"rewrite": RULES}), spec)
    assert found == {"volumes": [{"name": "a", "image": {"reference": "m/w:v1"}}, {"name": "b", "emptyDir": {}}]}


FIELDS: list[tuple[dict[str, Any], tuple[int, int], list[str]]] = [
    ({"volumes": [{"name": "a", "image": {}}, {"name": "b"}]}, (1, 34), ["volumes.0.image"]),
    ({"volumes": [{"name": "a", "image": {}}]}, (1, 35), []),
    ({"containers": [{"lifecycle": {"preStop": {"sleep": {}}}}]}, (1, 29), ["containers.0.lifecycle.preStop.sleep"]),
    (
        {"initContainers": [{"restartPolicy": "Always"}], "containers": [{"restartPolicy": None}]},
        (1, 28),
        ["initContainers.0.restartPolicy"],
    ),
    ({"resources": {"limits": {}}}, (1, 33), ["resources"]),
    ({"containers": "odd"}, (1, 1), []),
]


@pytest.mark.parametrize(("spec", "version", "expected"), FIELDS)
def test_what_is_newer_than_a_cluster(spec: dict[str, Any], version: tuple[int, int], expected: list[str]) -> None:
    assert [".".join(map(str, path)) for path, _ in versions.newer(spec, version)] == expected
