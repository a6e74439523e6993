"""Shares of a service: where its requests go, in which tier, with which weight, and what is left out and why."""

from __future__ import annotations

from typing import Any

import pytest
from modelfleet.balance import Balance, balance
from modelfleet.resolve.fleet import Fleet

from tests.render.builders import cluster, deployment, endpoint, entry, fleet, front, placement, reached, scaling, service

HUB = cluster("hub", location={"region": "eu"})
EAST, WEST = reached("east", location={"region": "eu"}), reached("west", location={"region": "us"})
SELECT = {"selector": {"matchLabels": {"tier": "gold"}}}
SLEEPS = {**scaling({"type": "RequestsInFlight", "target": "2"}, low=0), "wake": "OnRequest"}


def shown(found: Balance) -> tuple[list[str], list[str], list[str]]:
    """`tier 0: qwen on east 3`, why others are left out, and what matches nothing."""
    shares = [f"{share.tier}: {share.shown} {share.weight}" for share in found.shares]
    return shares, [f"{left.shown}: {left.reason}" for left in found.left_out], list(found.unmatched)


def answer(*entries: Any, declared: Any = None, others: Any = None, **rest: Any) -> tuple[list[str], list[str], list[str]]:
    """The shares of a service of the deployment `qwen` with these recorded entries; `others`: deployments with theirs."""
    more = others or {}
    options: dict[str, Any] = {"clusters": (HUB, EAST, WEST), "fronts": (front(),), "deployments": (), **rest}
    given = (*options.pop("deployments"), *(deployment(name=name) for name in more))
    made: Fleet = fleet(*(given if rest.get("deployments") else (deployment(), *given)), services=(declared or service(),), **options)
    placements = {("search", "qwen"): placement(*entries)} if entries else {}
    placements |= {("search", name): placement(*own) for name, own in more.items()}
    return shown(balance(made, placements, next(iter(made.services.values())), made.fronts["hub"]))


def test_replicas_divide_a_share_over_clusters() -> None:
    assert answer(entry(3), entry(1, "west")) == (["0: qwen on east 3", "0: qwen on west 1"], [], [])


def test_two_entries_on_one_cluster_are_one_share() -> None:
    assert answer(entry(2), entry(1, pool="h200"), entry(1, "west")) == (["0: qwen on east 3", "0: qwen on west 1"], [], [])


def test_a_canary_keeps_its_part_whatever_the_replicas() -> None:
    canary = service({"weight": 90, "deployment": "qwen"}, {"weight": 10, "deployment": "next"})
    found = answer(entry(7), entry(2, "west"), declared=canary, others={"next": [entry(1, "west")]})
    assert found[0] == ["0: qwen on east 7", "0: qwen on west 2", "0: next on west 1"]


def test_a_weight_of_none_is_none() -> None:
    parked = service({"weight": 0, "deployment": "qwen"}, {"deployment": "next"})
    assert answer(entry(), declared=parked, others={"next": [entry()]}) == (["0: next on east 1"], ["qwen on east: its weight is 0"], [])


def test_tiers_have_weights_of_their_own() -> None:
    tiers = service({"weight": 6, "deployment": "qwen"}, {"weight": 4, "priority": 9, "endpoint": "together"})
    assert answer(entry(), declared=tiers, endpoints=(endpoint(),))[0] == ["0: qwen on east 1", "1: together 1"]


def test_an_empty_first_tier_is_taken_by_the_second() -> None:
    tiers = service({"deployment": "qwen"}, {"priority": 1, "endpoint": "together"})
    found = answer(entry(), declared=tiers, endpoints=(endpoint(),), clusters=(HUB, reached("east", state="Offline")))
    assert found == (["0: together 1"], ["qwen on east: the cluster is Offline"], [])


def test_what_retires_is_in_the_second_tier_and_not_at_none() -> None:
    assert answer(entry(2), entry(2, "west", retiring=True, replaced=2))[0] == ["0: qwen on east 1", "1: qwen on west 1"]


def test_one_retiring_entry_beside_a_staying_one_does_not_count() -> None:
    assert answer(entry(2), entry(5, pool="h200", retiring=True), entry(1, "west"))[0] == ["0: qwen on east 2", "0: qwen on west 1"]


def test_what_nothing_replaces_keeps_serving_before_a_provider_does() -> None:
    tiers = service({"deployment": "qwen"}, {"priority": 1, "endpoint": "together"})
    found = answer(entry(2, retiring=True), declared=tiers, endpoints=(endpoint(),))
    assert found[0] == ["0: qwen on east 1", "1: together 1"]


def test_the_gateways_region_comes_first() -> None:
    assert answer(entry(), entry(3, "west"), declared=service(locality="PreferRegion"))[0] == ["0: qwen on east 1", "1: qwen on west 1"]


def test_without_a_share_in_its_region_all_are_first() -> None:
    assert answer(entry(1, "west"), declared=service(locality="PreferRegion"))[0] == ["0: qwen on west 1"]


def test_a_gateway_without_a_region_prefers_none() -> None:
    found = answer(entry(), entry(1, "west"), declared=service(locality="PreferRegion"), clusters=(cluster("hub"), EAST, WEST))
    assert found[0] == ["0: qwen on east 1", "0: qwen on west 1"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"deployments": (deployment(suspend=True),)}, "qwen on east: the deployment is suspended"),
        ({"clusters": (HUB, reached("east", state="Lost"))}, "qwen on east: the cluster is Lost"),
        ({"clusters": (HUB, cluster("east"))}, "qwen on east: the cluster's gateway has no host name"),
    ],
    ids=["suspended", "lost", "no gateway"],
)
def test_what_is_withdrawn_is_left_out(changes: dict[str, Any], reason: str) -> None:
    assert answer(entry(), **changes) == ([], [reason], [])


def test_what_has_no_replica_is_parked_and_what_is_misspelt_is_not() -> None:
    assert answer() == ([], ["qwen: no replica is recorded"], [])
    assert answer(declared=service(SELECT)) == ([], [], ["gold"])


def test_a_cluster_that_is_gone_is_no_share() -> None:
    assert answer(entry(1, "nowhere"), entry()) == (["0: qwen on east 1"], [], [])


def test_labels_select_deployments_providers_and_places() -> None:
    gold = deployment(metadata={"labels": {"tier": "gold"}})
    found = answer(entry(), declared=service(SELECT), deployments=(gold,), endpoints=(endpoint(labels={"tier": "gold"}),))
    assert found[0] == ["0: qwen on east 1", "0: together 1"]
    near = service({"selector": {"matchLabels": {"modelfleet.io/cluster": "west"}}})
    assert answer(entry(), entry(1, "west"), declared=near)[0] == ["0: qwen on west 1"]
    stamped = reached("east", placement={"metadata": {"labels": {"tier": "gold"}}})
    assert answer(entry(), entry(1, "west"), declared=service(SELECT), clusters=(HUB, stamped, WEST))[0] == ["0: qwen on east 1"]


def test_what_two_entries_match_belongs_to_the_first() -> None:
    both = service(
        {"name": "a", "weight": 3, "deployment": "qwen"}, {"name": "b", "deployment": "qwen"}, {"name": "c", "deployment": "next"}
    )
    assert answer(entry(), declared=both, others={"next": [entry()]})[0] == ["0: qwen on east 3", "0: next on east 1"]


def test_a_service_sees_its_own_namespace_alone() -> None:
    elsewhere = endpoint("together", namespace="voice", labels={"tier": "gold"})
    assert answer(declared=service({"endpoint": "together"}), endpoints=(elsewhere,)) == ([], [], ["together"])


def test_replaced_shares_make_room_for_sixteen() -> None:
    clusters = tuple(reached(f"c{number:02}") for number in range(18))
    leaving = {"retiring": True, "replaced": 1}
    entries = [entry(1, one.name, **(leaving if index < 2 else {})) for index, one in enumerate(clusters)]
    shares, left, _ = answer(*entries, clusters=(HUB, *clusters))
    reason = "18 shares are more than 16, and its replicas have successors"
    assert (len(shares), left) == (16, [f"qwen on c00: {reason}", f"qwen on c01: {reason}"])


def test_seventeen_that_are_all_wanted_stay_seventeen() -> None:
    clusters = tuple(reached(f"c{number:02}") for number in range(17))
    assert len(answer(*(entry(1, one.name) for one in clusters), clusters=(HUB, *clusters))[0]) == 17


def test_what_sleeps_says_so() -> None:
    made = fleet(deployment(scaling=SLEEPS), clusters=(HUB, EAST), services=(service(),), fronts=(front(),))
    record = {("search", "qwen"): placement(entry(minimum=0, maximum=2))}
    (share,) = balance(made, record, made.services["search", "chat"], made.fronts["hub"]).shares
    assert (share.wakes, share.part) == (True, 1_000_000)
