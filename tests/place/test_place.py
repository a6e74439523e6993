"""Placement as tables: declarations and records in, records and reasons out."""

from __future__ import annotations

from typing import Any

import pytest
from modelfleet.place.place import place
from modelfleet.records import document
from modelfleet.resolve import Fleet

from tests.builders import cluster, deployment, engine, entry, fleet, gpu, hardware, placement, pool, request

H100, L4 = hardware("h100", cost="80"), hardware("l4", gpu(count=1, memory="23034Mi", product="NVIDIA L4"), cost="1")


def short(found: Fleet, targets: list[tuple[str, str]] | None = None) -> dict[str, str]:
    """Records in one line each: `east/h100 2, west/h100 1 retiring`."""
    plan = place(found, found.placements, targets)
    lines = {}
    for (_, name), spec in plan.placements.items():
        parts = []
        for e in spec.replicas:
            pools = "+".join(sorted(c.pool for c in e.engines.values()))
            parts.append(f"{e.cluster}/{pools} {e.count}" + (f" retiring({e.replaced})" if e.retiring else ""))
        lines[name] = ", ".join(parts)
    return lines


def reasons(found: Fleet, name: str = "chat") -> dict[str, str]:
    shortfall = place(found, found.placements).shortfalls[("ml", name)]
    return {r.cluster: f"{r.reason}: {r.text}" for r in shortfall.refusals}


CASES: list[tuple[str, list[Any], dict[str, str]]] = [
    ("one replica goes to the first cluster by name", [H100, cluster("east"), cluster("west"), deployment()], {"chat": "east/h100 1"}),
    (
        "replicas spread, the first name gets the odd one",
        [H100, cluster("east"), cluster("west"), deployment(replicas=3)],
        {"chat": "east/h100 2, west/h100 1"},
    ),
    (
        "of the pools of a cluster the cheapest devices are taken",
        [H100, L4, cluster("east", pool("h100"), pool("l4")), deployment()],
        {"chat": "east/l4 1"},
    ),
    (
        "eight one-device pods fill a node of eight; the ninth finds nothing",
        [H100, cluster("east", pool(nodes=1)), deployment(replicas=9)],
        {"chat": "east/h100 8"},
    ),
    (
        "three devices twice fit a node of eight, the rest is not pooled across nodes",
        [H100, cluster("east", pool(nodes=1)), deployment("chat", engine(request(count=3)), replicas=3)],
        {"chat": "east/h100 2"},
    ),
    (
        "a larger block on one node beats a larger sum",
        [
            H100,
            cluster("a", pool(nodes=4)),
            cluster("b", pool(nodes=1)),
            deployment("small", engine(request(count=5)), replicas=4, clusterSelector={"matchLabels": {"modelfleet.io/cluster": "a"}}),
            placement("small", entry("a", 4)),
            deployment("chat", engine(request(count=4))),
        ],
        {"small": "a/h100 4", "chat": "b/h100 1"},
    ),
    (
        "a recorded entry stays where it is, however full or spread out",
        [H100, cluster("east"), cluster("west"), deployment(replicas=2), placement("chat", entry("west", 2))],
        {"chat": "west/h100 2"},
    ),
    (
        "scaling up fills, and moves nothing",
        [H100, cluster("east"), cluster("west"), deployment(replicas=3), placement("chat", entry("west", 2))],
        {"chat": "east/h100 1, west/h100 2"},
    ),
    (
        "scaling down takes from the fullest cluster in one commit",
        [H100, cluster("east"), cluster("west"), deployment(replicas=2), placement("chat", entry("east", 1), entry("west", 2))],
        {"chat": "east/h100 1, west/h100 1"},
    ),
    (
        "an entry that would fall to nothing retires instead",
        [H100, cluster("east"), cluster("west"), deployment(replicas=1), placement("chat", entry("east", 1), entry("west", 1))],
        {"chat": "east/h100 1, west/h100 1 retiring(1)"},
    ),
    (
        "a drained cluster's entry retires and is replaced",
        [
            H100,
            cluster("east", taints=[{"key": "maintenance", "effect": "NoExecute"}]),
            cluster("west"),
            deployment(replicas=2),
            placement("chat", entry("east", 2)),
        ],
        {"chat": "east/h100 2 retiring(2), west/h100 2"},
    ),
    (
        "a retiring entry that finds no successor says how many have none",
        [
            H100,
            cluster("east", taints=[{"key": "maintenance", "effect": "NoExecute"}]),
            cluster("west", pool(nodes=1)),
            deployment("chat", engine(request(count=8)), replicas=2),
            placement("chat", entry("east", 2)),
        ],
        {"chat": "east/h100 2 retiring(1), west/h100 1"},
    ),
    (
        "a cordoned cluster keeps what it has and takes nothing new",
        [
            H100,
            cluster("east", taints=[{"key": "maintenance", "effect": "NoSchedule"}]),
            cluster("west"),
            deployment(replicas=2),
            placement("chat", entry("east", 1)),
        ],
        {"chat": "east/h100 1, west/h100 1"},
    ),
    (
        "a tolerated taint repels nobody",
        [
            H100,
            cluster("east", taints=[{"key": "team", "value": "ml", "effect": "NoSchedule"}]),
            deployment(tolerations=[{"key": "team", "value": "ml"}]),
        ],
        {"chat": "east/h100 1"},
    ),
    (
        "an offline cluster keeps what it has and takes nothing new",
        [H100, cluster("east", state="Offline"), cluster("west"), deployment(replicas=2), placement("chat", entry("east", 1))],
        {"chat": "east/h100 1, west/h100 1"},
    ),
    (
        "a lost cluster's replicas are replaced, and stay recorded",
        [H100, cluster("east", state="Lost"), cluster("west"), deployment(replicas=1), placement("chat", entry("east", 1))],
        {"chat": "east/h100 1, west/h100 1"},
    ),
    (
        "when the lost cluster is back, what exceeds is scaled down",
        [H100, cluster("east"), cluster("west"), deployment(replicas=1), placement("chat", entry("east", 1), entry("west", 1), wanted=1)],
        {"chat": "east/h100 1, west/h100 1 retiring(1)"},
    ),
    (
        "a fill takes a retiring entry back before it opens another",
        [H100, cluster("east"), deployment(replicas=1), placement("chat", entry("east", 1, retiring=True), wanted=0)],
        {"chat": "east/h100 1"},
    ),
    (
        "an over-committed record is kept whole, and others are not filled there",
        [H100, cluster("east", pool(nodes=1)), deployment(replicas=9), placement("chat", entry("east", 9)), deployment("other")],
        {"chat": "east/h100 9", "other": ""},
    ),
    (
        "priority fills first, whatever the name",
        [
            H100,
            cluster("east", pool(nodes=1)),
            deployment("a", engine(request(count=8))),
            deployment("b", engine(request(count=8)), priority=5),
        ],
        {"a": "", "b": "east/h100 1"},
    ),
    (
        "two engines of a replica may use two pools of one cluster",
        [
            H100,
            L4,
            cluster("east", pool("h100", 1), pool("l4", 1)),
            deployment("chat", engine(request(memory={"atLeast": "40Gi"}), name="a"), engine(request(memory={"below": "40Gi"}), name="b")),
        ],
        {"chat": "east/h100+l4 1"},
    ),
    (
        "engines are assigned jointly: the one that can move makes room",
        [
            H100,
            L4,
            cluster("east", pool("h100", 1), pool("l4", 1)),
            deployment("chat", engine(request(), name="a"), engine(request(memory={"below": "40Gi"}), name="b")),
        ],
        {"chat": "east/h100+l4 1"},
    ),
    (
        "maxPerCluster holds",
        [H100, cluster("east"), cluster("west"), deployment(replicas=4, placement={"maxPerCluster": 1})],
        {"chat": "east/h100 1, west/h100 1"},
    ),
    (
        "an autoscaled deployment uses at most minReplicas clusters",
        [
            H100,
            cluster("east"),
            cluster("north"),
            cluster("west"),
            deployment(scaling={"minReplicas": 2, "maxReplicas": 6, "triggers": [{"type": "RequestsWaiting", "target": "4"}]}),
        ],
        {"chat": "east/h100 3, north/h100 3"},
    ),
]


@pytest.mark.parametrize(("manifests", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_placement(manifests: list[Any], wanted: dict[str, str]) -> None:
    assert short(fleet(*manifests)) == wanted


@pytest.mark.parametrize(("manifests", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_deciding_again_changes_nothing(manifests: list[Any], wanted: dict[str, str]) -> None:
    found = fleet(*manifests)
    once = place(found, found.placements, list(found.deployments)).placements
    assert place(found, once, list(found.deployments)).placements == once


def test_node_accounting_charges_a_node_for_each_pod() -> None:
    found = fleet(H100, cluster("east", pool(nodes=2)), deployment(replicas=3), accounting="Node")
    assert short(found) == {"chat": "east/h100 2"}
    assert reasons(found) == {"east": "InsufficientNodes: pool h100: needs 1 nodes, 0 of 2 free; held by ml/chat 2"}


def test_prune_drops_what_may_not_stay() -> None:
    tainted = cluster("east", taints=[{"key": "maintenance", "effect": "NoExecute"}])
    found = fleet(H100, tainted, cluster("west"), deployment(replicas=2), placement("chat", entry("east", 2)), removal="Prune")
    assert short(found) == {"chat": "west/h100 2"}


def test_only_targets_change() -> None:
    found = fleet(H100, cluster("east"), deployment("a", replicas=2), placement("a", entry("east", 1)), deployment("b"))
    assert short(found, [("ml", "b")]) == {"a": "east/h100 1", "b": "east/h100 1"}


def test_a_shortfall_names_a_reason_for_each_cluster() -> None:
    found = fleet(
        H100,
        L4,
        cluster("full", pool(nodes=1)),
        cluster("labels", labels={"tier": "test"}),
        cluster("none", pool("l4")),
        cluster("off", state="Offline"),
        cluster("taint", taints=[{"key": "x", "effect": "NoSchedule"}]),
        cluster("tiny", pool(nodes=0)),
        deployment(
            "big", engine(request(count=8, memory={"atLeast": "40Gi"})), clusterSelector={"matchLabels": {"modelfleet.io/cluster": "full"}}
        ),
        placement("big", entry("full", 1)),
        deployment(
            "chat",
            engine(request(count=4, memory={"atLeast": "40Gi"})),
            clusterSelector={"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]},
        ),
    )
    assert reasons(found) == {
        "full": "InsufficientDevices: pool h100: needs 4 gpu, 0 of 8 free; held by ml/big 8",
        "labels": "SelectorMismatch: its labels do not match clusterSelector",
        "none": "NoMatchingClass: request `gpu` wants memory of at least 40Gi; gpu of l4: memory is 23034Mi",
        "off": "Offline: the cluster is Offline",
        "taint": "UntoleratedTaint: taint x:NoSchedule is not tolerated",
        "tiny": "NeverFits: one replica needs 1 x 4 gpu in pool h100, more than there is when nothing else runs",
    }
    assert place(found, found.placements).shortfalls[("ml", "chat")].summary == (
        "0/6 clusters can take another: "
        "1 InsufficientDevices, 1 NeverFits, 1 NoMatchingClass, 1 Offline, 1 SelectorMismatch, 1 UntoleratedTaint"
    )


def test_fragmentation_names_the_largest_block() -> None:
    found = fleet(
        H100,
        cluster("east", pool(nodes=2)),
        deployment("small", engine(request(count=5)), replicas=2),
        placement("small", entry("east", 2)),
        deployment("chat", engine(request(count=4))),
    )
    assert reasons(found) == {"east": "Fragmented: pool h100: needs 4 gpu on one node, largest free block is 3; held by ml/small 10"}


def test_an_excess_is_said_with_its_holders() -> None:
    found = fleet(H100, cluster("east", pool(nodes=1)), deployment(replicas=9), placement("chat", entry("east", 9)))
    excess = place(found, found.placements).excesses
    assert [(e.cluster, e.pool, e.text) for e in excess] == [("east", "h100", "9 of 8 gpu recorded; held by ml/chat 9")]


def test_shares_of_an_autoscaled_deployment() -> None:
    scaling = {"minReplicas": 3, "maxReplicas": 9, "reservedReplicas": 5, "triggers": [{"type": "RequestsWaiting", "target": "4"}]}
    found = fleet(H100, cluster("east"), cluster("west"), deployment(scaling=scaling))
    spec = place(found, {}).placements[("ml", "chat")]
    assert document("ml/chat", spec, {})["spec"] == {
        "wanted": 5,
        "replicas": [
            {"cluster": "east", "engines": {"main": {"pool": "h100", "devices": {"gpu": "gpu"}}}, "count": 3, "minimum": 2, "maximum": 5},
            {"cluster": "west", "engines": {"main": {"pool": "h100", "devices": {"gpu": "gpu"}}}, "count": 2, "minimum": 1, "maximum": 4},
        ],
    }


def test_requests_are_matched_exactly_not_greedily() -> None:
    """The first request could take either group, the second only the larger one."""
    mixed = hardware("mixed", gpu("big", 4, "143771Mi", "NVIDIA H200"), gpu("small", 4, "23034Mi", "NVIDIA L4"))
    wants = engine(request("any", 4), request("big", 4, memory={"atLeast": "100Gi"}))
    found = fleet(mixed, cluster("east", pool("mixed", 1)), deployment("chat", wants))
    (record,) = place(found, {}).placements[("ml", "chat")].replicas
    assert dict(record.engines["main"].devices) == {"any": "small", "big": "big"}
