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


_FIELD, _RESOURCE, _TOKEN = {"fieldPath": "f"}, {"resource": "limits.cpu"}, {"path": "t"}
_ITEMS = [{"path": "p", "fieldRef": _FIELD}, {"path": "q", "resourceFieldRef": _RESOURCE}]
_NORMAL_ITEMS = [
    {"path": "p", "fieldRef": {"apiVersion": "v1", **_FIELD}},
    {"path": "q", "resourceFieldRef": {"divisor": "0", **_RESOURCE}},
]
VOLUMES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"emptyDir": {}}),
    ({"configMap": {"name": "x"}}, {"configMap": {"name": "x", "defaultMode": 420}}),
    ({"secret": {"defaultMode": 256}}, {"secret": {"defaultMode": 256}}),
    ({"hostPath": {"path": "/x"}}, {"hostPath": {"path": "/x", "type": ""}}),
    ({"emptyDir": {"sizeLimit": "1024Mi", "medium": "Memory"}}, {"emptyDir": {"sizeLimit": "1Gi", "medium": "Memory"}}),
    ({"image": {"reference": "x:1"}}, {"image": {"reference": "x:1", "pullPolicy": "IfNotPresent"}}),
    ({"persistentVolumeClaim": {"claimName": "x"}}, {"persistentVolumeClaim": {"claimName": "x"}}),
    ({"downwardAPI": {"items": _ITEMS}}, {"downwardAPI": {"defaultMode": 420, "items": _NORMAL_ITEMS}}),
    (
        {"projected": {"sources": [{"serviceAccountToken": _TOKEN}, {"downwardAPI": {"items": _ITEMS}}]}},
        {
            "projected": {
                "defaultMode": 420,
                "sources": [{"serviceAccountToken": {"expirationSeconds": 3600, **_TOKEN}}, {"downwardAPI": {"items": _NORMAL_ITEMS}}],
            }
        },
    ),
]


@pytest.mark.parametrize(("written", "expected"), VOLUMES)
def test_volume(written: dict[str, Any], expected: dict[str, Any]) -> None:
    assert defaults.volume({"name": "a", **written}) == {"name": "a", **expected}


def test_probe() -> None:
    expected = {"failureThreshold": 3, "periodSeconds": 30, "successThreshold": 1, "timeoutSeconds": 1, "grpc": {"port": 1, "service": ""}}
    assert defaults.probe({"grpc": {"port": 1}, "periodSeconds": 30}) == expected


def test_the_old_name_of_the_service_account_gets_the_new_one() -> None:
    assert defaults.pod_spec({"serviceAccount": "x"})["serviceAccountName"] == "x"
