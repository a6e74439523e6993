"""Defaults of the API server."""

from __future__ import annotations

from typing import Any

import pytest
from modelfleet.render import defaults


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("vllm", "Always"),
        ("vllm:latest", "Always"),
        ("registry:5000/vllm", "Always"),
        ("registry:5000/vllm:v1", "IfNotPresent"),
        ("vllm/vllm-openai:v0.33.0", "IfNotPresent"),
        ("vllm@sha256:00", "IfNotPresent"),
        ("vllm:latest@sha256:00", "Always"),
    ],
)
def test_pull_policy(image: str, policy: str) -> None:
    assert defaults.pull_policy(image) == policy


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("1024Mi", "1Gi"),
        ("0.5", "500m"),
        (4, "4"),
        (0.25, "250m"),
        ("1e3", "1e3"),
        ("2", "2"),
        ("much", "much"),
        (True, True),
        (None, None),
    ],
)
def test_quantity(written: Any, normal: Any) -> None:
    assert defaults.quantity(written) == normal


VOLUMES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"name": "a"}, {"name": "a", "emptyDir": {}}),
    ({"name": "a", "configMap": {"name": "x"}}, {"name": "a", "configMap": {"name": "x", "defaultMode": 420}}),
    ({"name": "a", "secret": {"defaultMode": 256}}, {"name": "a", "secret": {"defaultMode": 256}}),
    ({"name": "a", "hostPath": {"path": "/x"}}, {"name": "a", "hostPath": {"path": "/x", "type": ""}}),
    ({"name": "a", "emptyDir": {"sizeLimit": "1024Mi", "medium": "Memory"}}, {"name": "a", "emptyDir": {"sizeLimit": "1Gi", "medium": "Memory"}}),
    ({"name": "a", "image": {"reference": "x:1"}}, {"name": "a", "image": {"reference": "x:1", "pullPolicy": "IfNotPresent"}}),
    ({"name": "a", "persistentVolumeClaim": {"claimName": "x"}}, {"name": "a", "persistentVolumeClaim": {"claimName": "x"}}),
    (
        {"name": "a", "downwardAPI": {"items": [{"path": "p", "fieldRef": {"fieldPath": "f"}}, {"path": "q", "resourceFieldRef": {"resource": "limits.cpu"}}]}},
        {"name": "a", "downwardAPI": {"defaultMode": 420, "items": [
            {"path": "p", "fieldRef": {"apiVersion": "v1", "fieldPath": "f"}}, {"path": "q", "resourceFieldRef": {"resource": "limits.cpu", "divisor": "0"}}]}},
    ),
    (
        {"name": "a", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}, {"downwardAPI": {"items": []}}]}},
        {"name": "a", "projected": {"defaultMode": 420, "sources": [{"serviceAccountToken": {"expirationSeconds": 3600, "path": "t"}}, {"downwardAPI": {"items": []}}]}},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("written", "expected"), VOLUMES)
def test_volume(written: dict[str, Any], expected: dict[str, Any]) -> None:
    assert defaults.volume(written) == expected


def test_probe() -> None:
    expected = {"failureThreshold": 3, "periodSeconds": 30, "successThreshold": 1, "timeoutSeconds": 1, "grpc": {"port": 1, "service": ""}}
    assert defaults.probe({"grpc": {"port": 1}, "periodSeconds": 30}) == expected


def test_the_old_name_of_the_service_account_gets_the_new_one() -> None:
    assert defaults.pod_spec({"serviceAccount": "x"})["serviceAccountName"] == "x"
