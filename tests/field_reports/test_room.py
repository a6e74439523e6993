"""What went wrong elsewhere with room: what a pool has, what it is charged, who gets the last of it. Named by entry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from modelfleet.place.capacity import rows
from modelfleet.place.place import place
from modelfleet.resolve import Fleet

from tests import builders as b
from tests.place.test_place import reasons
from tests.run import modelfleet, repository

H100 = b.hardware("h100")
WHOLE = b.engine(b.request(count=8))
TWO_NODES = b.engine(b.request(count=8), copies=2)
CORDONED = b.pool(nodes=4, unavailable=[{"nodes": 3, "reason": "cordoned"}])
SHARED = b.pool(nodes=2, reserved=[{"device": "gpu", "perNode": 2, "reason": "another stack"}])
NEVER = "more than there is when nothing else runs"


def placed(fleet: Fleet) -> dict[str, list[str]]:
    """Every deployment's entries, as `NS/NAME: [cluster/pool count]`."""
    return {
        "/".join(key): [f"{e.cluster}/{'+'.join(c.pool for c in e.engines.values())} {e.count}" for e in spec.replicas]
        for key, spec in place(fleet, fleet.placements).placements.items()
    }


def of(product: str) -> dict[str, Any]:
    return b.engine({"name": "gpu", "products": [product]})


def only(name: str) -> dict[str, Any]:
    return {"matchLabels": {"modelfleet.io/cluster": name}}


def scaled(name: str, **more: Any) -> dict[str, Any]:
    scaling = {"minReplicas": 1, "maxReplicas": 8, "triggers": [{"type": "RequestsWaiting", "target": "4"}]} | more
    return b.deployment(name, scaling=scaling)


Case = tuple[str, list[Any], dict[str, list[str]]]
PLACED: list[Case] = [
    (
        "P01: nodes that are there are taken before nodes that a cloud could add",
        [H100, b.cluster("a", b.pool(nodes=2, maxNodeCount=4)), b.cluster("b", b.pool(nodes=3)), b.deployment("chat", WHOLE, replicas=5)],
        {"ml/chat": ["a/h100 2", "b/h100 3"]},
    ),
    (
        "P01: where nothing else is left the headroom is used",
        [H100, b.cluster("a", b.pool(nodes=2, maxNodeCount=4)), b.deployment("chat", WHOLE, replicas=3)],
        {"ml/chat": ["a/h100 3"]},
    ),
    (
        "P01: a bound without a working autoscaler is no room",
        [H100, b.cluster("a", b.pool(nodes=2, maxNodeCount=4, headroom="Never")), b.deployment("chat", WHOLE, replicas=3)],
        {"ml/chat": ["a/h100 2"]},
    ),
    (
        "P02: of two like clusters the one whose nodes are in service is taken",
        [H100, b.cluster("a", CORDONED), b.cluster("b", b.pool(nodes=4)),
         b.deployment("chat", TWO_NODES)],
        {"ml/chat": ["b/h100 1"]},
    ),
    (
        "P03: eight engines of one device share a node of eight, and the ninth has no place",
        [H100, b.cluster("a", b.pool(nodes=1)), *(b.deployment(f"m{n}") for n in range(9))],
        {f"ml/m{n}": ["a/h100 1"] if n < 8 else [] for n in range(9)},
    ),
    (
        "P03: two of three devices each fit a node of eight, and what is left is not added up over nodes",
        [H100, b.cluster("a", b.pool(nodes=1)), *(b.deployment(f"m{n}", b.engine(b.request(count=3))) for n in range(3))],
        {"ml/m0": ["a/h100 1"], "ml/m1": ["a/h100 1"], "ml/m2": []},
    ),
    (
        "P10: four free devices on one node are worth more than ten spread over ten",
        [H100, b.cluster("a", b.pool(nodes=10)), b.cluster("b", b.pool(nodes=2)),
         b.placement("seven", b.entry("a", 10)),
         b.deployment("seven", b.engine(b.request(count=7)), replicas=10, clusterSelector=only("a")),
         b.deployment("four", b.engine(b.request(count=4)), replicas=2, clusterSelector=only("b")), b.placement("four", b.entry("b", 2)),
         b.deployment("wide", b.engine(b.request(count=4)))],
        {"ml/seven": ["a/h100 10"], "ml/four": ["b/h100 2"], "ml/wide": ["b/h100 1"]},
    ),
    (
        "P14: three replicas over two like clusters lie two and one, the first name getting the odd one",
        [H100, b.cluster("a"), b.cluster("b"), b.deployment("chat", replicas=3, placement={"strategy": "Spread"})],
        {"ml/chat": ["a/h100 2", "b/h100 1"]},
    ),
    (
        "P14: packing goes on where it is fullest although that pool is the larger one",
        [b.hardware("one", b.gpu(count=1)), b.hardware("two", b.gpu(count=2)),
         b.cluster("a", b.pool("one", 1)), b.cluster("b", b.pool("two", 1)),
         b.deployment("old", clusterSelector=only("b")), b.placement("old", b.entry("b", 1, "two")),
         b.deployment("chat", placement={"strategy": "Pack"})],
        {"ml/old": ["b/two 1"], "ml/chat": ["b/two 1"]},
    ),
    (
        "P15: two devices of every node belong to others, so six fit and eight never do",
        [H100, b.cluster("a", SHARED),
         b.deployment("eight", WHOLE), b.deployment("six", b.engine(b.request(count=6)))],
        {"ml/eight": [], "ml/six": ["a/h100 1"]},
    ),
    (
        "P17: a product is its whole name, so that the small card is not taken for the large one",
        [b.hardware("h100", b.gpu(memory="40Gi", product="NVIDIA A100")),
         b.hardware("big", b.gpu(memory="80Gi", product="NVIDIA A100-80GB")),
         b.cluster("a", b.pool("h100")), b.cluster("b", b.pool("big")),
         b.deployment("large", of("NVIDIA A100-80GB"), replicas=2),
         b.deployment("small", of("NVIDIA A100"), replicas=2),
         b.deployment("neither", b.engine({"name": "gpu", "products": ["A100", "NVIDIA A100-80", "nvidia a100"]}))],
        {"ml/large": ["b/big 2"], "ml/small": ["a/h100 2"], "ml/neither": []},
    ),
    (
        "P20: autoscaled deployments are charged their maximum: beyond every one's minimum there is room for one of them",
        [H100, b.cluster("a", b.pool(nodes=1)), scaled("one"), scaled("two")],
        {"ml/one": ["a/h100 7"], "ml/two": ["a/h100 1"]},
    ),
    (
        "P20: it is charged less only where a smaller reservation is written down",
        [H100, b.cluster("a", b.pool(nodes=1)), scaled("one", reservedReplicas=4), scaled("two", reservedReplicas=4)],
        {"ml/one": ["a/h100 4"], "ml/two": ["a/h100 4"]},
    ),
    (
        "P22: a surge takes room, and where there is none the update replaces without one",
        [H100, b.cluster("a", b.pool(nodes=1)), b.deployment("chat", b.engine(b.request(count=2)), replicas=4, rollout={"maxSurge": 1})],
        {"ml/chat": ["a/h100 3"]},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("manifests", "wanted"), [case[1:] for case in PLACED], ids=[case[0] for case in PLACED])
def test_placed(manifests: list[Any], wanted: dict[str, list[str]]) -> None:
    assert placed(b.fleet(*manifests)) == wanted


REFUSED: list[tuple[str, list[Any], str, dict[str, str]]] = [
    (
        "P02: the refusal counts the nodes that are usable",
        [H100, b.cluster("a", CORDONED), b.deployment("chat", TWO_NODES)],
        "chat",
        {"a": f"NeverFits: one replica needs 2 x 8 gpu in pool h100, {NEVER}; pool h100: 1 of 4 nodes usable"},
    ),
    (
        "P03: the ninth is told how many are free and who has the others",
        [H100, b.cluster("a", b.pool(nodes=1)), b.deployment("chat", replicas=9)],
        "chat",
        {"a": "InsufficientDevices: pool h100: needs 1 gpu, 0 of 8 free; held by ml/chat 8"},
    ),
    (
        "P10: the refusal names the largest block on a single node",
        [H100, b.cluster("a", b.pool(nodes=10)), b.placement("seven", b.entry("a", 10)),
         b.deployment("seven", b.engine(b.request(count=7)), replicas=10), b.deployment("wide", b.engine(b.request(count=4)))],
        "wide",
        {"a": "Fragmented: pool h100: needs 4 gpu on one node, largest free block is 1; held by ml/seven 70"},
    ),
    (
        "P15: what others hold on every node never becomes free",
        [H100, b.cluster("a", SHARED), b.deployment("chat", WHOLE)],
        "chat",
        {"a": f"NeverFits: one replica needs 1 x 8 gpu in pool h100, {NEVER}"},
    ),
    (
        "P17: the refusal shows both names",
        [b.hardware("h100", b.gpu(product="NVIDIA A100")), b.cluster("a"), b.deployment("chat", of("NVIDIA A100-80GB"))],
        "chat",
        {"a": "NoMatchingClass: request `gpu` wants productName NVIDIA A100-80GB; gpu of h100: productName is NVIDIA A100"},
    ),
    (
        "P20: the one that is capped learns who holds the pool",
        [H100, b.cluster("a", b.pool(nodes=1)), scaled("one"), scaled("two")],
        "two",
        {"a": "InsufficientDevices: pool h100: needs 1 gpu, 0 of 8 free; held by ml/one 7, ml/two 1"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("manifests", "name", "wanted"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused(manifests: list[Any], name: str, wanted: dict[str, str]) -> None:
    assert reasons(b.fleet(*manifests), name) == wanted


def test_p01_capacity_shows_the_nodes_there_the_headroom_and_how_many_must_come() -> None:
    record = b.placement("chat", b.entry("a", 3))
    found = b.fleet(H100, b.cluster("a", b.pool(nodes=2, maxNodeCount=4)), b.deployment("chat", WHOLE, replicas=3), record)
    (row,) = rows(found, found.placements)
    assert (row.nodes, row.devices, row.used, row.headroom, row.needs_nodes) == (2, 16, 24, 16, 1)
    assert place(found, found.placements).excesses == ()


def test_p01_explaining_counts_the_headroom_that_placing_would_use(tmp_path: Path) -> None:
    root = repository(
        tmp_path, b.settings(), H100, b.cluster("a", b.pool(nodes=2, maxNodeCount=4)), b.deployment("chat", WHOLE, replicas=3),
        b.placement("chat", b.entry("a", 3)),
    )  # fmt: skip
    assert modelfleet(root, "explain", "ml/chat").out == (
        "ml/chat: 3 of 3 replicas recorded\n1/1 clusters can take another\n\nCLUSTER  REPLICAS   ANOTHER  WHY\na        3 on h100  yes\n"
    )


def test_p15_capacity_leaves_out_what_is_reserved() -> None:
    found = b.fleet(H100, b.cluster("a", SHARED))
    (row,) = rows(found, {})
    assert (row.nodes, row.devices, row.used, row.free, row.usable) == (2, 12, 0, 12, 12)


@pytest.mark.parametrize("order", [lambda files: files, lambda files: files[::-1]], ids=["as written", "the other way round"])
def test_p21_one_of_two_namespaces_gets_the_last_nodes_whatever_is_read_first(order: Callable[[list[Any]], list[Any]]) -> None:
    four = b.engine(b.request(count=8), copies=4)
    one, two = b.deployment("zeta", four, namespace="art"), b.deployment("alpha", four, namespace="lab")
    cluster = b.cluster("a", b.pool(nodes=4))
    found = b.fleet(*order([H100, cluster, one, two]))
    plan = place(found, {})
    assert placed(found) == {"art/zeta": ["a/h100 1"], "lab/alpha": []}
    summary = "0/1 clusters can take another: 1 InsufficientDevices"
    assert {key: shortfall.summary for key, shortfall in plan.shortfalls.items()} == {("lab", "alpha"): summary}
    two["spec"]["priority"] = 1
    assert placed(b.fleet(*order([H100, cluster, one, two]))) == {"art/zeta": [], "lab/alpha": ["a/h100 1"]}
