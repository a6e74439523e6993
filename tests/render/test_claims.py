"""ResourceClaimTemplates and the CEL of requests."""

from __future__ import annotations

from typing import Any

import pytest
from modelfleet.api.deployment import DeviceRequest
from modelfleet.render.claims import resource_claim_template
from modelfleet.render.members import Pod, pods
from modelfleet.render.workload import workloads
from modelfleet.resolve.selectors import expressions

from .builders import cluster, deployment, engine, entry, fleet, gpu, placement, plan, pool
from .scenarios import KEY

ATTRIBUTE = '"productName" in device.attributes["gpu.nvidia.com"] && device.attributes["gpu.nvidia.com"].productName'
CAPACITY = '"memory" in device.capacity["gpu.nvidia.com"] && device.capacity["gpu.nvidia.com"].memory'

EXPRESSIONS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("a selector is verbatim", {"selectors": [{"cel": " a  == 'b' "}]}, [" a  == 'b' "]),
    ("one product", {"products": ["NVIDIA H200"]}, [f'{ATTRIBUTE} == "NVIDIA H200"']),
    ("several products", {"products": ["A", "B"]}, [f'{ATTRIBUTE} in ["A", "B"]']),
    ("quotes are escaped", {"products": ['a"\\b']}, [f'{ATTRIBUTE} == "a\\"\\\\b"']),
    ("memory from below", {"memory": {"atLeast": "22Gi"}}, [f'{CAPACITY}.compareTo(quantity("22Gi")) >= 0']),
    (
        "memory from above",
        {"memory": {"below": "90Gi"}},
        [f'{CAPACITY}.compareTo(quantity("90Gi")) < 0'],
    ),
    (
        "all of it, the user's own first",
        {"selectors": [{"cel": "x"}, {"cel": "y"}], "products": ["A"], "memory": {"atLeast": "1Gi", "below": "2Gi"}},
        ["x", "y", f'{ATTRIBUTE} == "A"', f'{CAPACITY}.compareTo(quantity("1Gi")) >= 0', f'{CAPACITY}.compareTo(quantity("2Gi")) < 0'],
    ),
]


@pytest.mark.parametrize(("request_", "expected"), [case[1:] for case in EXPRESSIONS], ids=[case[0] for case in EXPRESSIONS])
def test_expressions(request_: dict[str, Any], expected: list[str]) -> None:
    assert list(expressions(DeviceRequest.model_validate({"name": "gpu", **request_}), "gpu.nvidia.com")) == expected


def claiming(groups: list[dict[str, Any]], requests: list[dict[str, Any]], devices: dict[str, str], **selector: Any) -> Pod:
    member = engine()
    member["members"][0]["nodeSelector"] = {"devices": requests, **selector}
    found = fleet(deployment(member), clusters=(cluster("east", pool("h100", *groups)),))
    record = placement(entry(1, engines={"main": {"pool": "h100", "devices": devices}}))
    return pods(workloads(found, plan({KEY: record}), found.clusters["east"], KEY)[0])[0]


NIC = {"name": "nic", "driver": "rdma.example.com", "deviceClassName": "rdma", "count": 8}
LINK = gpu(name="link", claim="Synthetic", deviceClassName=None)


def test_each_request_asks_for_the_class_of_the_group_that_is_recorded() -> None:
    requests = [
        {"name": "accelerator", "count": 4, "products": ["A"]},
        {"name": "network", "memory": {"atLeast": "1Gi"}},
        {"name": "bond", "products": ["L"]},
    ]
    found = claiming([gpu(), NIC, LINK], requests, {"accelerator": "gpu", "network": "nic", "bond": "link"})
    template = resource_claim_template(found)
    assert template is not None
    memory = CAPACITY.replace("gpu.nvidia.com", "rdma.example.com") + '.compareTo(quantity("1Gi")) >= 0'
    accelerator = {"allocationMode": "ExactCount", "count": 4, "deviceClassName": "gpu.nvidia.com"}
    network = {"allocationMode": "ExactCount", "count": 1, "deviceClassName": "rdma"}
    requests = [
        {"name": "accelerator", "exactly": {**accelerator, "selectors": [{"cel": {"expression": f'{ATTRIBUTE} == "A"'}}]}},
        {"name": "network", "exactly": {**network, "selectors": [{"cel": {"expression": memory}}]}},
    ]
    assert template["spec"] == {"spec": {"devices": {"requests": requests}}}
    assert found.device_count == 5


def test_another_spec_is_another_object_and_the_same_spec_the_same() -> None:
    def name(count: int) -> str:
        template = resource_claim_template(claiming([gpu()], [{"name": "gpu", "count": count, "products": ["A"]}], {"gpu": "gpu"}))
        assert template is not None
        return str(template["metadata"]["name"])

    assert name(1) == name(1) != name(2)
    assert name(1).rpartition("-")[0] == name(2).rpartition("-")[0]


def test_what_is_only_matched_is_not_claimed() -> None:
    assert resource_claim_template(claiming([LINK], [{"name": "bond", "products": ["L"]}], {"bond": "link"})) is None


def test_a_request_without_a_recorded_group_is_a_fault_of_ours() -> None:
    with pytest.raises(KeyError):
        resource_claim_template(claiming([gpu()], [{"name": "gpu", "products": ["A"]}], {}))
