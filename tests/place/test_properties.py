"""The stability properties of placement, over random fleets."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from modelfleet.api.placement import PlacementSpec
from modelfleet.place.place import Placing, place
from modelfleet.place.tolerate import untolerated
from modelfleet.resolve import Fleet

from tests import builders as b
from tests.place.fleets import clusters, deployments, fleets

Records = Mapping[tuple[str, str], PlacementSpec]


def everything(fleet: Fleet, recorded: Records) -> Records:
    return place(fleet, recorded, list(fleet.deployments)).placements


def unchanged(before: Records, after: Records) -> None:
    """Nothing that ran has moved: every entry of `before` is in `after` with no replica less."""
    for key, spec in before.items():
        now = {entry.key: entry for entry in after[key].replicas}
        for entry in spec.replicas:
            assert entry.key in now and now[entry.key].count >= entry.count and now[entry.key].retiring == entry.retiring


@given(fleets(), st.randoms(use_true_random=False))
def test_input_order_does_not_matter(manifests: list[dict[str, Any]], shuffle: random.Random) -> None:
    shuffled = list(manifests)
    shuffle.shuffle(shuffled)
    assert everything(b.fleet(*manifests), {}) == everything(b.fleet(*shuffled), {})


@given(fleets())
def test_deciding_again_changes_nothing(manifests: list[dict[str, Any]]) -> None:
    fleet = b.fleet(*manifests)
    once = everything(fleet, {})
    assert everything(fleet, once) == once
    assert place(fleet, once).placements == once


@given(fleets())
def test_no_fill_exceeds_a_pool_and_every_entry_is_allowed(manifests: list[dict[str, Any]]) -> None:
    fleet = b.fleet(*manifests)
    placements = everything(fleet, {})
    placing = Placing.begin(fleet, placements)
    for key, spec in placements.items():
        deployment = fleet.deployments[key]
        inner = deployment.spec.template.spec
        on: dict[str, int] = {}
        for entry in spec.replicas:
            cluster = fleet.clusters[entry.cluster]
            assert cluster.spec.state == "Ready"
            assert inner.cluster_selector.matches(dict(cluster.labels))
            assert untolerated(cluster.spec.taints, inner.tolerations) is None
            on[cluster.name] = on.get(cluster.name, 0) + entry.count
        assert sum(on.values()) <= deployment.wanted
        limit = deployment.spec.placement.max_per_cluster
        assert limit is None or all(count <= limit for count in on.values())
        assert all(
            entry.candidate and entry.candidate.recorded(fleet.clusters[entry.cluster]) == entry.choices for entry in placing.entries[key]
        )
    ledger = placing.filler.ledger
    ledger.use_headroom()
    assert all(a.fits(ledger.accounting, a.nodes(headroom=True)) for accounts in ledger.accounts.values() for a in accounts)
    assert placing.excesses() == ()


@given(fleets(), clusters(6))
def test_more_clusters_move_nothing(manifests: list[dict[str, Any]], more: list[dict[str, Any]]) -> None:
    before = everything(b.fleet(*manifests), {})
    there = {m["metadata"]["name"] for m in manifests if m["kind"] == "InferenceCluster"}
    added = [m for m in more if m["metadata"]["name"] not in there]
    assume(added)
    unchanged(before, everything(b.fleet(*manifests, *added), before))


@given(fleets(deployments=2), deployments(5))
def test_more_deployments_move_nothing(manifests: list[dict[str, Any]], more: list[dict[str, Any]]) -> None:
    before = everything(b.fleet(*manifests), {})
    there = {m["metadata"]["name"] for m in manifests if m["kind"] == "ModelDeployment"}
    added = [m for m in more if m["metadata"]["name"] not in there]
    assume(added)
    after = everything(b.fleet(*manifests, *added), before)
    assert {key: after[key].replicas for key in before} == {key: spec.replicas for key, spec in before.items()}


@given(fleets(), st.data())
def test_fewer_deployments_move_nothing(manifests: list[dict[str, Any]], data: st.DataObject) -> None:
    before = everything(b.fleet(*manifests), {})
    gone = data.draw(st.sampled_from(sorted(before)))
    left = [m for m in manifests if (m["kind"], m["metadata"]["name"]) != ("ModelDeployment", gone[1])]
    unchanged({k: v for k, v in before.items() if k != gone}, everything(b.fleet(*left), {k: v for k, v in before.items() if k != gone}))


@given(fleets(), st.data())
def test_a_lost_cluster_replaces_its_own_replicas_alone(manifests: list[dict[str, Any]], data: st.DataObject) -> None:
    fleet = b.fleet(*manifests)
    before = everything(fleet, {})
    name = data.draw(st.sampled_from(sorted(fleet.clusters)))
    lost = fleet.clusters[name]
    gone = replace(fleet, clusters=dict(fleet.clusters) | {name: replace(lost, spec=lost.spec.model_copy(update={"state": "Lost"}))})
    after = place(gone, before).placements
    for key, spec in before.items():
        if all(entry.cluster != name for entry in spec.replicas):
            assert after[key] == spec
    unchanged(before, after)


@given(fleets())
def test_a_shortfall_has_a_refusal_for_each_cluster(manifests: list[dict[str, Any]]) -> None:
    fleet = b.fleet(*manifests)
    plan = place(fleet, {}, list(fleet.deployments))
    for key, spec in plan.placements.items():
        live = sum(entry.count for entry in spec.replicas)
        short = plan.shortfalls.get(key)
        assert (short.missing if short else 0) == fleet.deployments[key].wanted - live
        if short:
            assert [r.cluster for r in short.refusals] == sorted(fleet.clusters)
            assert all(r.reason and r.text for r in short.refusals)
            assert spec.shortfall is not None and spec.shortfall.summary == short.summary
