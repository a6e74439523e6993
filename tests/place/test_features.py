"""What deployments, pools and teams may ask of placement, one table for each subject."""

from __future__ import annotations

from typing import Any

import pytest
from modelfleet.place.capacity import rows
from modelfleet.place.place import place
from modelfleet.resolve.fleet import Fleet

from tests import builders as b
from tests.place.test_place import reasons, short

H100 = b.hardware("h100", cost="80")
H200 = b.hardware("h200", b.gpu(memory="143771Mi", product="NVIDIA H200"), cost="100")
L4 = b.hardware("l4", b.gpu(count=1, memory="23034Mi", product="NVIDIA L4"), cost="1")


def team(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": b.API, "kind": "Team", "metadata": {"name": "search"}, "spec": {"namespaces": ["ml"]} | spec}


def alternatives(*named: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """An engine whose hardware is only said by its alternatives."""
    made = b.engine()
    del made["members"][0]["nodeSelector"]
    made["alternatives"] = [{"name": name, "members": [{"devices": [request]}]} for name, request in named]
    return made


def region(name: str, where: str, *pools: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return b.cluster(name, *pools, location={"region": where}, **spec)


Case = tuple[str, list[Any], dict[str, str]]

ALTERNATIVES: list[Case] = [
    (
        "the first alternative that some cluster has is taken",
        [
            H100,
            b.cluster("east"),
            b.deployment("chat", alternatives(("big", b.request(memory={"atLeast": "100Gi"})), ("small", b.request()))),
        ],
        {"chat": "east/h100 1"},
    ),
    (
        "each alternative is tried on every cluster before the next one",
        [
            H100,
            H200,
            b.cluster("a"),
            b.cluster("b", b.pool("h200")),
            b.deployment("chat", alternatives(("big", b.request(memory={"atLeast": "100Gi"})), ("small", b.request())), replicas=2),
        ],
        {"chat": "b/h200 2"},
    ),
    (
        "what the first alternative has no room for goes to the second",
        [
            H100,
            H200,
            b.cluster("a"),
            b.cluster("b", b.pool("h200", 1)),
            b.deployment(
                "chat", alternatives(("big", b.request(count=8, memory={"atLeast": "100Gi"})), ("small", b.request(count=8))), replicas=2
            ),
        ],
        {"chat": "a/h100 1, b/h200 1"},
    ),
]
STRATEGIES: list[Case] = [
    (
        "Pack fills the fullest that still fits, even when pools differ in size",
        [
            H100,
            b.cluster("a", b.pool(nodes=4)),
            b.cluster("b", b.pool(nodes=1)),
            b.deployment("old"),
            b.placement("old", b.entry("b", 1)),
            b.deployment(replicas=2, placement={"strategy": "Pack"}),
        ],
        {"old": "b/h100 1", "chat": "b/h100 2"},
    ),
    (
        "Cheapest goes where a replica costs least",
        [H100, L4, b.cluster("a"), b.cluster("b", b.pool("l4", 4)), b.deployment(replicas=3, placement={"strategy": "Cheapest"})],
        {"chat": "b/l4 3"},
    ),
    (
        "a preference goes before cost, and its weights add up",
        [
            H100,
            L4,
            b.cluster("a", labels={"tier": "prod", "fast": "yes"}),
            b.cluster("b", b.pool("l4", 4), labels={"tier": "prod"}),
            b.deployment(
                placement={
                    "strategy": "Cheapest",
                    "prefer": [{"weight": 5, "matchLabels": {"tier": "prod"}}, {"weight": 1, "matchLabels": {"fast": "yes"}}],
                }
            ),
        ],
        {"chat": "a/h100 1"},
    ),
    (
        "Spread takes the preferred one of equally loaded clusters",
        [
            H100,
            b.cluster("a"),
            b.cluster("b", labels={"tier": "prod"}),
            b.deployment(replicas=3, placement={"prefer": [{"weight": 5, "matchLabels": {"tier": "prod"}}]}),
        ],
        {"chat": "a/h100 1, b/h100 2"},
    ),
]
SPREAD: list[Case] = [
    (
        "replicas lie evenly over regions, not clusters",
        [
            H100,
            region("a", "eu"),
            region("b", "eu"),
            region("c", "us"),
            b.deployment(replicas=4, placement={"spread": {"topologyKey": "topology.kubernetes.io/region"}}),
        ],
        {"chat": "a/h100 1, b/h100 1, c/h100 2"},
    ),
    (
        "a full region stops the others at maxSkew",
        [
            H100,
            region("a", "eu"),
            region("c", "us", b.pool(nodes=1)),
            b.deployment(
                "chat", b.engine(b.request(count=8)), replicas=4, placement={"spread": {"topologyKey": "topology.kubernetes.io/region"}}
            ),
        ],
        {"chat": "a/h100 2, c/h100 1"},
    ),
    (
        "ScheduleAnyway only ranks",
        [
            H100,
            region("a", "eu"),
            region("c", "us", b.pool(nodes=1)),
            b.deployment(
                "chat",
                b.engine(b.request(count=8)),
                replicas=3,
                placement={"spread": {"topologyKey": "topology.kubernetes.io/region", "whenUnsatisfiable": "ScheduleAnyway"}},
            ),
        ],
        {"chat": "a/h100 2, c/h100 1"},
    ),
    (
        "minDomains holds replicas back while there are too few regions",
        [
            H100,
            region("a", "eu"),
            b.deployment(replicas=3, placement={"spread": {"topologyKey": "topology.kubernetes.io/region", "minDomains": 2}}),
        ],
        {"chat": "a/h100 1"},
    ),
]
POOLS: list[Case] = [
    (
        "nodes out of service are not counted",
        [
            H100,
            b.cluster("a", b.pool(nodes=4, unavailable=[{"nodes": 3, "reason": "repair"}])),
            b.cluster("b", b.pool(nodes=4)),
            b.deployment("chat", b.engine(b.request(count=8)), replicas=5),
        ],
        {"chat": "a/h100 1, b/h100 4"},
    ),
    (
        "a part-broken node may be any node, so a whole one must be left",
        [
            H100,
            b.cluster("a", b.pool(nodes=2, unavailable=[{"nodes": 1, "devices": [{"name": "gpu", "count": 2}], "reason": "Xid 79"}])),
            b.deployment("chat", b.engine(b.request(count=8)), replicas=2),
        ],
        {"chat": "a/h100 1"},
    ),
    (
        "devices reserved on each node are someone else's",
        [
            H100,
            b.cluster("a", b.pool(nodes=1, reserved=[{"device": "gpu", "perNode": 2, "reason": "batch"}])),
            b.deployment("six", b.engine(b.request(count=6))),
            b.deployment("eight", b.engine(b.request(count=8))),
        ],
        {"six": "a/h100 1", "eight": ""},
    ),
    (
        "headroom is used when nothing else fits",
        [
            H100,
            b.cluster("a", b.pool(nodes=1, maxNodeCount=3)),
            b.cluster("b", b.pool(nodes=1)),
            b.deployment("chat", b.engine(b.request(count=8)), replicas=3),
        ],
        {"chat": "a/h100 2, b/h100 1"},
    ),
    (
        "headroom Never is not used at all",
        [
            H100,
            b.cluster("a", b.pool(nodes=1, maxNodeCount=3, headroom="Never")),
            b.deployment("chat", b.engine(b.request(count=8)), replicas=3),
        ],
        {"chat": "a/h100 1"},
    ),
    (
        "headroom Equal counts from the start",
        [
            H100,
            b.cluster("a", b.pool(nodes=1, maxNodeCount=3, headroom="Equal")),
            b.cluster("b", b.pool(nodes=1)),
            b.deployment("chat", b.engine(b.request(count=8)), replicas=2),
        ],
        {"chat": "a/h100 1, b/h100 1"},
    ),
    (
        "spot pools are for those who allow them",
        [H100, b.cluster("a", b.pool(spot=True)), b.cluster("b"), b.deployment("no"), b.deployment("yes", placement={"spot": "Only"})],
        {"no": "b/h100 1", "yes": "a/h100 1"},
    ),
    (
        "a surge is charged once for all replicas of a place",
        [H100, b.cluster("a", b.pool(nodes=1)), b.deployment("chat", b.engine(b.request(count=2)), replicas=4, rollout={"maxSurge": 1})],
        {"chat": "a/h100 3"},
    ),
    (
        "CPU counts where the class declares it and the pod asks for it",
        [
            b.hardware("h100", resources={"cpu": "10"}),
            b.cluster("a", b.pool(nodes=1)),
            b.deployment(
                "chat", b.engine(containers=[{"name": "engine", "image": "i:1", "resources": {"requests": {"cpu": "4"}}}]), replicas=3
            ),
        ],
        {"chat": "a/h100 2"},
    ),
    (
        "a gang stands on one pool, each pod on a node of its own count",
        [
            H100,
            b.cluster("a", b.pool(nodes=1)),
            b.cluster("b", b.pool(nodes=2)),
            b.deployment(
                "chat",
                {
                    "name": "main",
                    "members": [
                        {"role": "Leader"} | b.engine(b.request(count=8))["members"][0],
                        {"role": "Worker", "nodeSelector": {"devices": [b.request(count=8)]}},
                    ],
                },
            ),
        ],
        {"chat": "b/h100 1"},
    ),
    (
        "a prioritized list takes whichever the cluster has",
        [
            H100,
            b.cluster("a"),
            b.deployment(
                "chat",
                b.engine(
                    {
                        "name": "gpu",
                        "firstAvailable": [
                            {"name": "h200", "products": ["NVIDIA H200"]},
                            {"name": "h100", "products": ["NVIDIA H100 80GB HBM3"], "count": 2},
                        ],
                    }
                ),
            ),
        ],
        {"chat": "a/h100 1"},
    ),
]
TEAMS: list[Case] = [
    (
        "a quota bounds the devices of its classes over the whole team",
        [
            H100,
            team(quota=[{"name": "q", "classes": ["h100"], "devices": 5}]),
            b.cluster("a"),
            b.deployment("chat", b.engine(b.request(count=2)), replicas=2),
            b.deployment("code", b.engine(b.request(count=2))),
        ],
        {"chat": "a/h100 2", "code": ""},
    ),
    (
        "a budget bounds what the team spends",
        [H100, team(budget={"perHour": "25"}), b.cluster("a"), b.deployment(replicas=4)],
        {"chat": "a/h100 2"},
    ),
    (
        "maxCostPerHour bounds one deployment",
        [H100, b.cluster("a"), b.deployment(replicas=4, placement={"maxCostPerHour": "31"})],
        {"chat": "a/h100 3"},
    ),
    (
        "a team's classes are the only ones it may use",
        [H100, L4, team(classes=["l4"]), b.cluster("a", b.pool("h100"), b.pool("l4", 1)), b.deployment(replicas=2)],
        {"chat": "a/l4 1"},
    ),
    (
        "a team's clusters are the only ones it may use",
        [
            H100,
            team(clusterSelector={"matchLabels": {"tier": "prod"}}),
            b.cluster("a"),
            b.cluster("b", labels={"tier": "prod"}),
            b.deployment(),
        ],
        {"chat": "b/h100 1"},
    ),
    (
        "what is recorded beyond a quota stays",
        [
            H100,
            team(quota=[{"name": "q", "classes": ["h100"], "devices": 1}]),
            b.cluster("a"),
            b.deployment(replicas=3),
            b.placement("chat", b.entry("a", 3)),
        ],
        {"chat": "a/h100 3"},
    ),
]
CASES = [*ALTERNATIVES, *STRATEGIES, *SPREAD, *POOLS, *TEAMS]


@pytest.mark.parametrize(("manifests", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_feature(manifests: list[Any], wanted: dict[str, str]) -> None:
    assert short(b.fleet(*manifests)) == wanted


@pytest.mark.parametrize(
    ("manifests", "said"),
    [
        (
            [H100, team(quota=[{"name": "q", "classes": ["h100"], "devices": 1}]), b.cluster("a"), b.deployment(replicas=2)],
            "QuotaExceeded: quota q of team search: 1 of 1 devices used, needs 1",
        ),
        (
            [H100, team(budget={"perHour": "15"}), b.cluster("a"), b.deployment(replicas=2)],
            "BudgetExceeded: budget of team search is 15 an hour, 10.00 are spent and one more costs 10.00",
        ),
        (
            [b.hardware("h100"), team(budget={"perHour": "15"}), b.cluster("a"), b.deployment()],
            "BudgetExceeded: the price of h100 is not declared, and a budget applies",
        ),
        (
            [H100, b.cluster("a"), b.deployment(replicas=2, placement={"maxCostPerHour": "10"})],
            "CostLimit: maxCostPerHour is 10, 10.00 are spent and one more costs 10.00",
        ),
        ([H100, b.cluster("a", b.pool(spot=True)), b.deployment()], "SpotRefused: pool h100 is spot, and placement.spot is Never"),
        ([H100, team(classes=["l4"]), b.cluster("a"), b.deployment()], "NoMatchingClass: team search may not use class h100"),
        (
            [H100, region("a", "eu"), b.deployment(replicas=2, placement={"spread": {"topologyKey": "zone"}})],
            "SpreadUnsatisfied: it has no label zone",
        ),
        (
            [H100, b.cluster("a"), b.deployment("chat", b.engine(b.request(products=["NVIDIA H200"])))],
            "NoMatchingClass: request `gpu` wants productName NVIDIA H200; gpu of h100: productName is NVIDIA H100 80GB HBM3",
        ),
        (
            [
                H100,
                b.cluster("a", b.pool(nodes=4, unavailable=[{"nodes": 3, "reason": "repair"}])),
                b.deployment("chat", b.engine(b.request(count=8), copies=2)),
            ],
            "NeverFits: one replica needs 2 x 8 gpu in pool h100, more than there is when nothing else runs"
            "; pool h100: 1 of 4 nodes usable",
        ),
    ],
)
def test_reasons_have_numbers(manifests: list[Any], said: str) -> None:
    assert reasons(b.fleet(*manifests)) == {"a": said}


def test_the_choice_of_an_alternative_is_recorded() -> None:
    made = alternatives(("big", b.request("gpu", 2, memory={"atLeast": "100Gi"})), ("small", b.request("gpu", 4)))
    found = b.fleet(H100, b.cluster("a"), b.deployment("chat", made))
    (record,) = place(found, {}).placements[("ml", "chat")].replicas
    assert record.engines["main"].model_dump() == {"pool": "h100", "alternative": "small", "devices": {"gpu": "gpu"}}


def test_giving_up_retires_what_stands_on_a_pool_that_holds_too_much() -> None:
    found = b.fleet(
        H100, b.cluster("a", b.pool(nodes=1)), b.cluster("b"), b.deployment("chat", replicas=9), b.placement("chat", b.entry("a", 9))
    )
    plan = place(found, found.placements, [], give_up=[("ml", "chat")])
    assert [(e.cluster, e.count, e.retiring) for e in plan.placements[("ml", "chat")].replicas] == [("a", 9, True), ("b", 9, False)]


def test_guaranteed_admits_what_no_order_of_starts_can_break() -> None:
    """Seven one-device pods and one of eight on two nodes: spread over both, they leave no whole node."""
    small = [b.deployment("chat", replicas=7), b.placement("chat", b.entry("a", 7))]
    whole = b.deployment("whole", b.engine(b.request(count=8)))
    for accounting, wanted in (("Packed", "a/h100 1"), ("Guaranteed", ""), ("Node", "")):
        found = b.fleet(H100, b.cluster("a"), *small, whole, accounting=accounting)
        assert short(found, [("ml", "whole")])["whole"] == wanted, accounting


def test_capacity_says_what_is_stranded_and_what_headroom_is_needed() -> None:
    found = b.fleet(
        H100,
        b.cluster("a", b.pool(nodes=2, maxNodeCount=4)),
        b.deployment("chat", b.engine(b.request(count=8)), replicas=3),
        b.placement("chat", b.entry("a", 3)),
        accounting="Guaranteed",
    )
    (row,) = rows(found, found.placements)
    assert (row.devices, row.used, row.free, row.usable, row.headroom, row.needs_nodes, row.cost) == (16, 24, -8, 0, 16, 1, 240_000_000)


def test_a_claim_holds_32_devices() -> None:
    def fleet(count: int) -> Fleet:
        return b.fleet(b.hardware("h100", b.gpu(count=64)), b.cluster("east"), b.deployment("chat", b.engine(b.request(count=count))))

    assert short(fleet(32)) == {"chat": "east/h100 1"}
    assert reasons(fleet(33)) == {"east": "NoMatchingClass: a pod of engine `main` asks for 33 devices, and a claim holds at most 32"}
