"""What becomes of a member's template: alternatives, workers without one, ports, and what a pod is granted."""

from __future__ import annotations

from typing import Any

import pytest
from modelfleet.render.members import Pod, flag, pods, words
from modelfleet.render.pod import pod_spec
from modelfleet.render.workload import workloads

from .builders import cluster, deployment, engine, entry, fleet, gang, gpu, placement, plan, pod, pool
from .kinds import GANG, KEY, chosen


def made(declared: dict[str, Any], choice: dict[str, Any], where: Any = None, **spec: Any) -> tuple[Pod, ...]:
    """The pods of the one engine of a deployment."""
    found = fleet(deployment(declared, **spec), clusters=(where or cluster(),))
    record = plan({KEY: placement(entry(engines={declared["name"]: choice}))})
    return pods(workloads(found, record, found.clusters["east"], KEY)[0])


def main(of: Pod) -> dict[str, Any]:
    return next(c for c in pod_spec(of)["containers"] if c["name"] == "engine")


LEADER = pod({"args": ["m"], "readinessProbe": {"httpGet": {"port": 1}}, "ports": [{"name": "http", "containerPort": 8000}]})


def test_a_worker_without_a_template_takes_the_leaders_and_is_asked_nothing() -> None:
    leader, worker = made(gang(leader=LEADER), GANG["main"])
    assert (leader.member.role, worker.member.role) == ("Leader", "Worker")
    assert (main(leader)["args"], main(worker)["args"]) == (["m"], ["m", "--headless"])
    assert {"livenessProbe", "readinessProbe", "startupProbe", "lifecycle"} & main(worker).keys() == set()
    assert main(leader)["readinessProbe"]["httpGet"]["port"] == 1


def test_an_alternative_of_the_leader_holds_for_a_worker_that_takes_its_template() -> None:
    differs = [{"role": "Leader", "image": "vllm:alt", "extraArgs": ["--a"]}, {"role": "Worker", "extraArgs": ["--b"]}]
    declared = gang(leader=LEADER, alternatives=[{"name": "alt", "members": differs}])
    leader, worker = made(declared, {**GANG["main"], "alternative": "alt"})
    assert (main(leader)["image"], main(leader)["args"]) == ("vllm:alt", ["m", "--a"])
    assert (main(worker)["image"], main(worker)["args"]) == ("vllm:alt", ["m", "--a", "--headless", "--b"])


def test_an_alternative_without_devices_keeps_those_of_the_member() -> None:
    declared = {**engine(count=2), "alternatives": [{"name": "x", "members": [{"extraArgs": ["--x"]}]}]}
    (found,) = made(declared, chosen(alternative="x", gpu="gpu"))
    assert (found.device_count, main(found)["args"][-1]) == (2, "--x")


def test_of_a_prioritized_list_the_smallest_option_is_sure() -> None:
    options = [{"name": "one", "memory": {"atLeast": "100Gi"}}, {"name": "two", "count": 2, "memory": {"atLeast": "22Gi"}}]
    declared = engine()
    declared["members"][0]["nodeSelector"] = {"devices": [{"name": "gpu", "firstAvailable": options}]}
    where = cluster("east", pool("h100", gpu(name="a"), gpu(name="b")))
    (both,) = made(declared, chosen(gpu__one="a", gpu__two="b"), where)
    (second,) = made(declared, chosen(gpu__two="b"), where)
    assert (both.device_count, both.most_devices, second.device_count, second.most_devices) == (1, 2, 2, 2)
    with pytest.raises(KeyError):
        made(declared, chosen(), where)


@pytest.mark.parametrize(
    ("args", "port"),
    [
        (["--port=8200"], 8200),
        (["--port", "9"], 9),
        (["serve m --port 77 --x"], 77),
        (["--port=$(P)"], 8001),
        ([], 8001),
        (["--port=0"], 8001),
        (["--port=65536"], 8001),
        (["--port=" + "9" * 5000], 8001),
    ],
)
def test_the_port_of_an_engine_behind_the_sidecar(args: list[str], port: int) -> None:
    declared = engine(template=pod({"args": args}), phase="Decode")
    found = fleet(deployment(declared, engine("p", phase="Prefill"), serving={"mode": "PrefillDecode"}))
    record = plan({KEY: placement(entry(engines={"main": chosen(gpu="gpu"), "p": chosen(gpu="gpu")}))})
    decode, prefill = (pods(one)[0] for one in workloads(found, record, found.clusters["east"], KEY))
    assert (decode.port, decode.port_name, prefill.port, prefill.port_name) == (port, "engine", 8000, "http")


def test_an_older_cluster_gets_the_sidecar_as_a_plain_container() -> None:
    found = fleet(
        deployment(engine(phase="Decode"), engine("p", phase="Prefill"), serving={"mode": "PrefillDecode"}),
        clusters=(cluster(kubernetesVersion="1.28"),),
    )
    record = plan({KEY: placement(entry(engines={"main": chosen(gpu="gpu"), "p": chosen(gpu="gpu")}))})
    spec = pod_spec(pods(workloads(found, record, found.clusters["east"], KEY)[0])[0])
    assert [c["name"] for c in spec["containers"]] == ["engine", "modelfleet-routing"]
    assert "initContainers" not in spec


@pytest.mark.parametrize(
    ("container", "value"),
    [
        ({"args": ["--a", "1", "--a=2"]}, "2"),
        ({"args": ["--a"]}, None),
        ({"command": ["sh", "-c", "run --a 3 --b"]}, "3"),
        ({"args": ['{"json": "--a"}']}, None),
        ({}, None),
    ],
)
def test_flag(container: dict[str, Any], value: str | None) -> None:
    assert flag(words(container), "--a") == value
