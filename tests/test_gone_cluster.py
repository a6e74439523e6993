"""A cluster that vanished from Git: `check` refuses, `place` replaces what it held, and an approval does not outlive its change."""

from __future__ import annotations

from pathlib import Path

from tests.builders import cluster, deployment, entry, hardware, placement, pool, settings
from tests.run import modelfleet, repository


def test_what_a_vanished_cluster_held_retires_and_is_replaced(tmp_path: Path) -> None:
    root = repository(tmp_path, settings(), hardware("h100"), cluster("east"), deployment(), placement("chat", entry("west", 1)))
    assert "error[ClusterGone]" in modelfleet(root, "check").err
    assert modelfleet(root, "place").out == "ml/chat: east 1 (h100), west 1 (h100) retiring\n"


def test_an_approval_is_for_one_change(tmp_path: Path) -> None:
    drained = cluster("east", taints=[{"key": "maintenance", "effect": "NoExecute"}])
    root = repository(
        tmp_path,
        settings(),
        hardware("h100"),
        drained,
        cluster("west", pool(nodes=9)),
        deployment(replicas=4),
        placement("chat", entry("east", 4)),
    )
    record = root / "placements/ml/chat.yaml"
    assert modelfleet(root, "place", "--allow-removals").code == 0 and "modelfleet.io/remove" in record.read_text()
    repository(root, deployment(replicas=5))
    assert modelfleet(root, "place").code == 0 and "modelfleet.io/remove" not in record.read_text()
