"""The yardstick of the benchmarks gives Modelplane's published answers, also where they are not the ones that one would wish for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from modelfleet import cel

from benchmarks import peer, peer_cel
from tests import builders as b
from tests.builders import engine, pool, request

H100, L4 = b.hardware("h100"), b.hardware("l4", b.gpu(memory="23034Mi", product="NVIDIA L4"))
NIC = b.hardware("nic", b.gpu("nic", 8, claim="Synthetic"))
MIXED = b.hardware("mixed", b.gpu("big", 4, "143771Mi"), b.gpu("small", 4, "23034Mi"))
BOTH = b.hardware("both", b.gpu("nic", 1, "1Gi", claim="Synthetic"), b.gpu("gpu", 8))
LARGE: Any = {"memory": {"atLeast": "40Gi"}}
SMALL: Any = {"memory": {"below": "40Gi"}}
DRAINED = [{"key": "maintenance", "effect": "NoExecute"}]
CORDONED = [{"key": "maintenance", "effect": "NoSchedule"}]


def cluster(name: str, *pools: b.Manifest, **spec: Any) -> b.Manifest:
    """A cluster that can be reached."""
    return b.cluster(name, *pools, **{"gateway": {"hostname": f"{name}.example.com"}} | spec)


def chat(*engines: b.Manifest, **spec: Any) -> b.Manifest:
    return b.deployment("chat", *engines, **spec)


def gang(leader: list[b.Manifest], worker: list[b.Manifest], nodes: int = 1) -> b.Manifest:
    """An engine of a leader and `nodes` workers; no requests: it claims nothing."""
    template = engine()["members"][0]["template"]
    members: list[b.Manifest] = [{"role": "Leader", "template": template}, {"role": "Worker", "worker": {"nodes": nodes}}]
    for member, requests in zip(members, (leader, worker), strict=True):
        if requests:
            member["nodeSelector"] = {"devices": requests}
    return {"name": "main", "members": members}


def at(where: str, index: int = 0, pool: str = "h100", deployment: str = "chat", **more: Any) -> peer.Replica:
    """An observed replica of one engine with one member; more: engine, role, claims, pods, copies, name."""
    claims = more.get("claims", (("gpu", "gpu", 1),))
    member = peer.PinnedMember(more.get("role", "Standalone"), pool, claims, more.get("pods", 1))
    pinned = peer.PinnedEngine(more.get("engine", "main"), (member,), more.get("copies", 1))
    return peer.Replica(deployment, where, index, (pinned,), more.get("name", ""))


def shown(replicas: list[peer.Replica]) -> str:
    """`east/0 h100, west/0 h100+l4`: identity and the pool of each engine."""
    return ", ".join(f"{r.cluster}/{r.index} {'+'.join(e.members[0].pool for e in r.engines)}" for r in replicas)


def run(manifests: list[b.Manifest], observed: list[peer.Replica], **more: Any) -> list[peer.Replica]:
    fleet = b.fleet(*manifests)
    deployment = fleet.deployments[("ml", "chat")]
    return peer.schedule(deployment, peer.candidates(deployment, fleet.clusters.values(), more.pop("cache", None)), observed, **more)


ONE, OTHER = pool(nodes=1), "other"
EAST, WEST, TINY = cluster("east"), cluster("west"), cluster("east", pool(nodes=1))
Case = tuple[str, list[b.Manifest], list[peer.Replica], str]
FILL: list[Case] = [
    ("one replica goes to the first cluster by name", [H100, WEST, EAST, chat()], [], "east/0 h100"),
    ("replicas go where there are fewest, then by name", [H100, EAST, WEST, chat(replicas=3)], [], "east/0 h100, east/1 h100, west/0 h100"),
    ("a pod of one device takes a whole node of eight", [H100, TINY, chat(replicas=3)], [], "east/0 h100"),
    (
        "a large and a small cluster are equal",
        [H100, cluster("east", pool(nodes=9)), cluster("west", ONE), chat(replicas=2)],
        [],
        "east/0 h100, west/0 h100",
    ),
    (
        "a full cluster is passed over, and the others pack",
        [H100, TINY, cluster("west", pool(nodes=3)), chat(replicas=4)],
        [],
        "east/0 h100, west/0 h100, west/1 h100, west/2 h100",
    ),
    ("it stops at the first that fits nowhere", [H100, EAST, chat(replicas=5)], [], "east/0 h100, east/1 h100"),
    ("each copy takes a node", [H100, cluster("east", pool(nodes=3)), chat(engine(copies=2), replicas=2)], [], "east/0 h100"),
    (
        "a gang takes a node for the leader and for each worker",
        [H100, cluster("east", pool(nodes=7)), chat(gang([request()], [request()], 3), replicas=2)],
        [],
        "east/0 h100",
    ),
    ("a leader without requests takes none", [H100, EAST, chat(gang([], [request()], 2))], [], "east/0 h100"),
    ("what matches synthetic devices alone goes nowhere", [NIC, cluster("east", pool("nic")), chat()], [], ""),
    (
        "a member that could claim is not put where it would claim nothing",
        [H100, NIC, cluster("east", pool("nic"), pool()), chat()],
        [],
        "east/0 h100",
    ),
    (
        "the first pool in published order, not the cheapest",
        [H100, L4, cluster("east", pool("h100"), pool("l4")), chat()],
        [],
        "east/0 h100",
    ),
    (
        "the next pool once the first is full",
        [H100, L4, cluster("east", pool("l4", 1), pool("h100", 1)), chat(replicas=2)],
        [],
        "east/0 l4, east/1 h100",
    ),
    (
        "requests take devices greedily: the first takes what only the second could use",
        [MIXED, cluster("east", pool("mixed")), chat(engine(request("any", 4), request("large", 4, **LARGE)))],
        [],
        "",
    ),
    (
        "in the other order both are served",
        [MIXED, cluster("east", pool("mixed")), chat(engine(request("large", 4, **LARGE), request("any", 4)))],
        [],
        "east/0 mixed",
    ),
    ("two requests may share a device group", [H100, EAST, chat(engine(request("a", 4), request("b", 4)))], [], "east/0 h100"),
    ("together they may not exceed it", [H100, EAST, chat(engine(request("a", 4), request("b", 5)))], [], ""),
    (
        "engines of a replica may use different pools",
        [H100, L4, cluster("east", ONE, pool("l4", 1)), chat(engine(request(**LARGE), name="a"), engine(request(**SMALL), name="b"))],
        [],
        "east/0 h100+l4",
    ),
    (
        "engines are placed in order: the first takes the pool that only the second could use",
        [H100, L4, cluster("east", ONE, pool("l4", 1)), chat(engine(name="a"), engine(request(**LARGE), name="b"))],
        [],
        "",
    ),
    (
        "the members of an engine share one pool",
        [H100, L4, cluster("east", pool(), pool("l4")), chat(gang([request(**SMALL)], [request(**LARGE)]))],
        [],
        "",
    ),
    ("a cluster without gateway takes nothing", [H100, b.cluster("east"), WEST, chat()], [], "west/0 h100"),
    ("an unready cluster takes nothing", [H100, cluster("east", state="Offline"), WEST, chat()], [], "west/0 h100"),
    ("a cluster with any untolerated taint takes nothing", [H100, cluster("east", taints=CORDONED), chat()], [], ""),
    (
        "an Exists toleration without key tolerates all",
        [H100, cluster("east", taints=DRAINED), chat(tolerations=[{"operator": "Exists"}])],
        [],
        "east/0 h100",
    ),
    (
        "a toleration of another effect or value tolerates nothing",
        [
            H100,
            cluster("east", taints=DRAINED),
            chat(tolerations=[{"key": "maintenance", "effect": "NoSchedule"}, {"key": "maintenance", "value": "x"}]),
        ],
        [],
        "",
    ),
    (
        "a failing evaluation is no match",
        [H100, EAST, chat(engine(request(selectors=[{"cel": 'device.attributes["gpu.nvidia.com"].nothing == 1'}])))],
        [],
        "",
    ),
    ("the lowest free index is taken", [H100, EAST, chat(replicas=2)], [at("east", 1)], "east/0 h100, east/1 h100"),
    (
        "the replicas of others are charged as they were stamped, to the pool of their pin",
        [H100, EAST, WEST, chat()],
        [at("east", deployment=OTHER, pods=2)],
        "west/0 h100",
    ),
    ("a stamp without claims is charged nothing", [H100, TINY, chat()], [at("east", deployment=OTHER, claims=())], "east/0 h100"),
    ("a pin to a pool that is gone is charged nothing", [H100, TINY, chat()], [at("east", pool="x", deployment=OTHER)], "east/0 h100"),
    ("an over-committed pool takes nothing new", [H100, TINY, WEST, chat()], [at("east", deployment=OTHER, copies=5)], "west/0 h100"),
]
RETAIN: list[Case] = [
    ("a replica stays where it is", [H100, EAST, WEST, chat()], [at("west")], "west/0 h100"),
    ("it stays however full its pool is", [H100, TINY, chat(replicas=2)], [at("east"), at("east", 1)], "east/0 h100, east/1 h100"),
    ("it stays on a cluster that is not ready", [H100, cluster("east", state="Offline"), WEST, chat()], [at("east")], "east/0 h100"),
    ("it stays beside NoSchedule", [H100, cluster("east", taints=CORDONED), WEST, chat()], [at("east")], "east/0 h100"),
    ("NoExecute drops it and the fill replaces it", [H100, cluster("east", taints=DRAINED), WEST, chat()], [at("east")], "west/0 h100"),
    ("it is dropped with its pool", [H100, L4, cluster("east", pool("l4")), chat()], [at("east")], "east/0 l4"),
    ("what was dropped is not charged", [H100, TINY, chat()], [at("east", 3, pool="gone"), at("east", 4, engine="x")], "east/0 h100"),
    (
        "it is dropped when its pool no longer matches",
        [H100, L4, cluster("east", pool(), pool("l4")), chat(engine(request(**SMALL)))],
        [at("east")],
        "east/0 l4",
    ),
    ("another engine name drops it", [H100, EAST, chat()], [at("east", 7, engine="old")], "east/0 h100"),
    ("other roles drop it", [H100, EAST, chat()], [at("east", 7, role="Leader")], "east/0 h100"),
    ("more or fewer copies do not", [H100, EAST, chat(engine(copies=2))], [at("east", 7)], "east/7 h100"),
    (
        "the first of an identity stays, by object name",
        [H100, L4, cluster("east", pool(), pool("l4")), chat()],
        [at("east", name="z"), at("east", pool="l4", name="a")],
        "east/0 l4",
    ),
    (
        "a replica on a cluster that the selector leaves out is dropped",
        [H100, cluster("east", labels={"tier": "test"}), WEST, chat(clusterSelector={"matchLabels": {"modelfleet.io/cluster": "west"}})],
        [at("east")],
        "west/0 h100",
    ),
    (
        "the fullest cluster loses first",
        [H100, EAST, WEST, chat(replicas=2)],
        [at("east"), at("east", 1), at("west")],
        "east/0 h100, west/0 h100",
    ),
    ("of equals the later name loses", [H100, EAST, WEST, chat()], [at("east"), at("west")], "east/0 h100"),
    ("of one cluster the highest index goes", [H100, EAST, chat()], [at("east", 4), at("east", 2)], "east/2 h100"),
    ("none wanted: all go", [H100, EAST, chat(replicas=0)], [at("east")], ""),
]


@pytest.mark.parametrize(("manifests", "observed", "wanted"), [c[1:] for c in FILL + RETAIN], ids=[c[0] for c in FILL + RETAIN])
def test_modelplanes_answer(manifests: list[b.Manifest], observed: list[peer.Replica], wanted: str) -> None:
    assert shown(run(manifests, observed)) == wanted
    assert shown(run(manifests, observed, compiler=peer_cel.interpreted)) == wanted


def test_a_retained_replica_is_stamped_anew() -> None:
    (replica,) = run([H100, EAST, chat(engine(request("gpu", 4), copies=2))], [at("east", claims=(("old", "gpu", 8),))])
    assert replica.engines == (peer.PinnedEngine("main", (peer.PinnedMember("Standalone", "h100", (("gpu", "gpu", 4),)),), 2),)


def test_the_ledger_charges_a_retained_replica_as_it_was_stamped() -> None:
    manifests = [H100, TINY, chat(replicas=2)]
    assert shown(run(manifests, [at("east", claims=())])) == "east/0 h100, east/1 h100"


def test_synthetic_devices_are_matched_and_not_claimed() -> None:
    (replica,) = run([BOTH, cluster("east", pool("both")), chat(engine(request("net", 1), request("gpu", 8)))], [])
    assert replica.engines[0].members[0].claims == (("gpu", "gpu", 8),)


def test_deployments_of_one_name_in_two_namespaces_share_their_replicas() -> None:
    fleet = b.fleet(H100, EAST, chat(), b.deployment("chat", namespace="other"))
    first, second = fleet.deployments.values()
    made = peer.schedule(first, list(fleet.clusters.values()), [])
    assert peer.schedule(second, list(fleet.clusters.values()), made) == made


def test_the_caches_label_wins_over_the_deployments() -> None:
    manifests = [H100, EAST, WEST, chat(clusterSelector={"matchLabels": {"modelfleet.io/cluster": "east"}})]
    assert shown(run(manifests, [], cache={"modelfleet.io/cluster": "west"})) == "west/0 h100"


def test_an_unknown_footprint_keeps_and_adds_nothing() -> None:
    assert shown(run([H100, EAST, chat(replicas=3)], [at("east")], fill=False)) == "east/0 h100"


def test_a_selector_that_does_not_compile_ends_the_pass() -> None:
    broken = b.fleet(H100, EAST, chat(engine(request(selectors=[{"cel": "device.driver =="}]))))
    with pytest.raises(cel.SelectorError):
        peer.schedule(broken.deployments[("ml", "chat")], list(broken.clusters.values()), [])


def test_object_names() -> None:
    assert [peer.object_name(*parts) for parts in (("chat", "east", 0), ("chat", "east", 1), ("my-model", "cluster-a", 0))] == [
        "chat-32a9b",
        "chat-f7a54",
        "my-model-5ab63",
    ]


def test_order_of_input_does_not_matter() -> None:
    fleet = b.fleet(H100, EAST, WEST, chat(replicas=3))
    clusters, observed = list(fleet.clusters.values()), [at("west"), at("west", 1), replace(at("east"), name="x")]
    deployment = fleet.deployments[("ml", "chat")]
    assert peer.schedule(deployment, clusters, observed) == peer.schedule(deployment, clusters[::-1], observed[::-1])
