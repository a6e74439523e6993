"""Records that are no longer what is declared: each is said, shown with what would change, and decided anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.builders import cluster, deployment, engine, entry, hardware, placement, pool, request, settings
from tests.run import modelfleet, repository
from tests.test_place_command import commit

FLEET = [settings(), hardware("h100"), cluster("east"), cluster("west")]
SCALING = {"minReplicas": 1, "maxReplicas": 8, "reservedReplicas": 2, "triggers": [{"type": "RequestsWaiting", "target": "4"}]}
SCALED = entry("east", 2, minimum=1, maximum=8)
LIMITS: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("another minimum", {"scaling": SCALING | {"minReplicas": 2}}, SCALED, "east 2 (h100, scales 1..8 -> scales 2..8)"),
    ("another maximum", {"scaling": SCALING | {"maxReplicas": 20}}, SCALED, "east 2 (h100, scales 1..8 -> scales 1..20)"),
    ("scaled from now on", {"scaling": SCALING}, entry("east", 2), "east 2 (h100, fixed -> scales 1..8)"),
    ("fixed from now on", {"replicas": 2}, SCALED, "east 2 (h100, scales 1..8 -> fixed)"),
    ("a maximum of a fixed number", {"replicas": 2}, entry("east", 2, maximum=3), "east 2 (h100, scales 2..3 -> fixed)"),
    ("a minimum of a fixed number", {"replicas": 2}, entry("east", 2, minimum=0), "east 2 (h100, scales 0..2 -> fixed)"),
    ("no maximum of a scaled one", {"scaling": SCALING}, entry("east", 2, minimum=1), "east 2 (h100, scales 1..2 -> scales 1..8)"),
]


@pytest.mark.parametrize(("spec", "recorded", "line"), [case[1:] for case in LIMITS], ids=[case[0] for case in LIMITS])
def test_limits_that_are_not_the_deployment_s_are_decided_anew(
    tmp_path: Path, spec: dict[str, Any], recorded: dict[str, Any], line: str
) -> None:
    root = repository(tmp_path, *FLEET, deployment(**spec), placement("chat", recorded))
    checked = modelfleet(root, "check")
    assert checked.code == 1 and "error[PlacementOutdated]" in checked.err and line in checked.err
    assert modelfleet(root, "place", "--check").code == 3
    assert modelfleet(root, "place").out == f"ml/chat: {line}\n"
    assert modelfleet(root, "check").code == 0


def test_another_limit_in_a_change_is_what_placing_from_the_base_must_give(tmp_path: Path) -> None:
    root = repository(tmp_path, *FLEET, deployment(scaling=SCALING), placement("chat", SCALED))
    commit(root)
    repository(root, deployment(scaling=SCALING | {"maxReplicas": 20}))
    edited = modelfleet(root, "place", "--check", "--base", "HEAD")
    assert edited.code == 3 and "scales 1..8 -> scales 1..20" in edited.err


SHORT = {"shortfall": {"missing": 2, "summary": "0/2 clusters can take another: 2 Offline"}}
SUMS: list[tuple[str, dict[str, Any], str]] = [
    ("nothing is recorded", placement("chat", wanted=2), "east 1 (h100), west 1 (h100)"),
    (
        "retiring by hand",
        placement("chat", entry("east", 1, retiring=True), entry("west", 1), wanted=2),
        "east 1 (h100) taken back, west 1 (h100)",
    ),
    ("fewer than wanted", placement("chat", entry("west", 1), wanted=2), "east 1 (h100), west 1 (h100)"),
    ("a shortfall of what is recorded", placement("chat", entry("east", 2), **SHORT), "east 2 (h100)"),
    (
        "a shortfall that is too small",
        placement("chat", wanted=2, shortfall={**SHORT["shortfall"], "missing": 1}),
        "east 1 (h100), west 1 (h100)",
    ),
]


@pytest.mark.parametrize(("recorded", "line"), [case[1:] for case in SUMS], ids=[case[0] for case in SUMS])
def test_a_record_that_does_not_add_up_is_decided_anew(tmp_path: Path, recorded: dict[str, Any], line: str) -> None:
    root = repository(tmp_path, *FLEET, deployment(replicas=2), recorded)
    checked = modelfleet(root, "check")
    assert checked.code == 1 and "error[PlacementOutdated]" in checked.err and "have a place" not in checked.err
    assert modelfleet(root, "place").out == f"ml/chat: {line}\n"
    assert modelfleet(root, "check").code == 0


def test_a_shortfall_goes_when_the_lost_cluster_is_back(tmp_path: Path) -> None:
    east = cluster("east", pool(nodes=1))
    root = repository(tmp_path, settings(), hardware("h100"), east, deployment("chat", engine(request(count=8))))
    record = root / "placements/ml/chat.yaml"
    modelfleet(root, "place")
    before = record.read_text()
    repository(root, cluster("east", pool(nodes=1), state="Lost"))
    assert "0 of 1 replicas of `ml/chat` have a place" in modelfleet(root, "place").err and record.read_text() != before
    repository(root, east)
    checked = modelfleet(root, "check")
    assert checked.code == 1 and "error[PlacementOutdated]" in checked.err and "0 of 1" not in checked.err
    assert modelfleet(root, "place").code == 0 and record.read_text() == before


def test_what_a_lost_cluster_holds_keeps_its_limits(tmp_path: Path) -> None:
    root = repository(tmp_path, *FLEET, deployment(scaling=SCALING), placement("chat", SCALED))
    repository(root, cluster("east", state="Lost"))
    assert modelfleet(root, "place").out == "ml/chat: east 2 (h100, scales 1..8), west 2 (h100, scales 1..8)\n"


def test_what_holds_too_much_is_said_in_kubernetes_units_with_the_command_that_moves_it(tmp_path: Path) -> None:
    resources = {"cpu": "7", "memory": "26Gi"}
    container = {"name": "engine", "image": "vllm/vllm-openai:v0.33.0", "resources": {"requests": {"cpu": "1500m", "memory": "20Gi"}}}
    small = hardware("h100", resources=resources)
    chat = deployment("chat", engine(containers=[container]), replicas=2)
    asked = deployment("rank", engine(containers=[container]), replicas=4, priority=1)
    east = cluster("east", pool(nodes=1))
    root = repository(
        tmp_path, settings(), small, east, chat, asked, placement("chat", entry("east", 2)), placement("rank", entry("east", 4))
    )
    found = modelfleet(root, "check", "--all")
    assert "east`: 6 of 8 gpu, 9 of 7 cpu, 120Gi of 26Gi memory recorded; held by ml/rank 4, ml/chat 2" in found.err
    assert "hint: modelfleet place --give-up ml/chat" in found.err
    said = modelfleet(root, "explain", "ml/chat").out
    assert "needs 1500m cpu, 0 of 7 free" in said or "needs 20Gi memory, 0Gi of 26Gi free" in said
