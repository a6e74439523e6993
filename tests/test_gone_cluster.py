"""A cluster that vanished from Git: `check` refuses, `place` replaces what it held, and an approval does not outlive its change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import cluster, deployment, engine, entry, gpu, hardware, placement, pool, request, settings
from tests.run import modelfleet, repository
from tests.test_base import commit, committed, said

A100 = hardware("a100", gpu(product="NVIDIA A100"))
BASE = [settings(), hardware("h100"), A100, cluster("east", pool(nodes=8)), cluster("west", pool("a100", nodes=8))]


def test_what_a_vanished_cluster_held_retires_and_is_replaced(tmp_path: Path) -> None:
    root = repository(tmp_path, settings(), hardware("h100"), cluster("east"), deployment(), placement("chat", entry("west", 1)))
    refused = modelfleet(root, "check").err
    assert "error[ClusterGone]" in refused and "put it back, and modelfleet drain west; if it is gone for good" in refused
    assert modelfleet(root, "place").out == "ml/chat: east 1 (h100), west 1 (h100) retiring\n"
    again = modelfleet(root, "check")
    assert again.code == 0 and "warning[ClusterLeft]: cluster `west` is not declared; what runs there is left alone" in again.err


@pytest.mark.parametrize("product", ["NVIDIA A100", "NVIDIA H100 80GB HBM3"], ids=["which alone served it", "while another serves it too"])
def test_a_cluster_that_is_gone_for_good_can_be_merged_and_finished(tmp_path: Path, product: str) -> None:
    model = deployment("chat", engine(request(products=[product])), replicas=4)
    held = placement("chat", entry("west", 4, pool="a100"))
    root = committed(tmp_path, *BASE, model, held)
    (root / "fleet/inferencecluster-west.yaml").unlink()
    assert any("ClusterGone" in line for line in said(root))
    assert "error[TooManyRemovals]" in modelfleet(root, "place").err
    assert modelfleet(root, "place", "--allow-removals").code == 0
    assert said(root) == []
    commit(root)
    assert modelfleet(root, "place", "--finish", "--accept-loss", "ml/chat").code == 0
    assert said(root) == []


def test_a_renamed_cluster_is_another_cluster(tmp_path: Path) -> None:
    root = committed(tmp_path, *BASE[:4], deployment(replicas=2), placement("chat", entry("east", 2)))
    (root / "fleet/inferencecluster-east.yaml").unlink()
    repository(root, cluster("east-1", pool(nodes=8)))
    assert said(root)[0].startswith("error[ClusterGone]: cluster `east` is not declared")
    assert modelfleet(root, "place").out == "ml/chat: east 2 (h100) retiring, east-1 2 (h100)\n"
    assert said(root) == ["error[UnapprovedRemoval]: InferenceCluster `east` is gone, and its removal was not approved before"]
    assert modelfleet(root, "place", "--allow-removals").out == "ml/chat: east 2 (h100) retiring, east-1 2 (h100)\n"
    assert said(root) == []
    assert modelfleet(root, "place", "--allow-removals").out == "every record is up to date\n"


def test_a_product_that_nobody_has_is_refused_while_the_clusters_are_there(tmp_path: Path) -> None:
    root = repository(tmp_path, *BASE, deployment("chat", engine(request(products=["NVIDIA H900"]))), placement("chat", entry("east", 1)))
    for command in ("check", "place"):
        assert "error[NoMatchingClass]" in modelfleet(root, command).err


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
