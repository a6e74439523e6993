"""What went wrong elsewhere with device claims and their selectors. Named by entry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from modelfleet.place.place import place

from tests import builders as b
from tests.place.test_place import reasons
from tests.run import modelfleet, repository

ATTRIBUTE, MEMORY = 'device.attributes["gpu.nvidia.com"].', 'device.capacity["gpu.nvidia.com"].memory'
NEW = b.hardware("h100", b.gpu(attributes={"productName": {"string": "NVIDIA H100"}, "computeCapability": {"version": "9.0.0"}}))
OLD = b.hardware("old", b.gpu(attributes={"productName": {"string": "NVIDIA P4"}}))
ROOT = "resource.kubernetes.io/pcieRoot"
OPTIONAL = b.settings(recorded="Optional", removal="Prune")
NIC = 'device.driver == "nic.example.com"'


def selecting(*conditions: str, name: str = "gpu") -> dict[str, Any]:
    return b.request(name, selectors=[{"cel": condition} for condition in conditions])


def said(root: Path) -> list[str]:
    """The errors of `check`, without their place."""
    result = modelfleet(root, "check", "--all")
    return [line.split(": ", 1)[1] for line in result.err.splitlines() if ": error[" in line]


def test_d01_a_class_that_lacks_the_attribute_does_not_match_and_says_so(tmp_path: Path) -> None:
    condition = f'{ATTRIBUTE}computeCapability.compareTo(semver("8.0.0")) >= 0'
    clusters = [b.cluster("a", b.pool("old")), b.cluster("b", b.pool("h100", 1))]
    model = b.deployment("chat", b.engine(b.request(count=8, selectors=[{"cel": condition}])), replicas=2)
    found = b.fleet(NEW, OLD, *clusters, model)
    assert [(e.cluster, e.count) for e in place(found, {}).placements[("ml", "chat")].replicas] == [("b", 1)]
    assert reasons(found) == {
        "a": f"NoMatchingClass: request `gpu` wants `{condition}`; gpu of old: no such key: computeCapability",
        "b": "InsufficientDevices: pool h100: needs 8 gpu, 0 of 8 free; held by ml/chat 8",
    }


def test_d01_an_attribute_that_nobody_publishes_is_an_error_that_names_the_nearest(tmp_path: Path) -> None:
    condition = f'{ATTRIBUTE}computeCapabilty.compareTo(semver("8.0.0")) >= 0'
    root = repository(tmp_path, b.settings(), NEW, OLD, b.cluster("a"), b.deployment("chat", b.engine(selecting(condition))))
    result = modelfleet(root, "check")
    assert result.code == 1
    error = "error[UnknownAttribute]: no class publishes the attribute `computeCapabilty` of `gpu.nvidia.com`\n"
    assert f"{error}  hint: did you mean `computeCapability`?\n" in result.err


CAPABLE = f'{ATTRIBUTE}computeCapability.compareTo(semver("8.0.0")) >= 0'
SMALL = b.gpu("small", 1, attributes={"productName": {"string": "NVIDIA P4"}})
MIXED = b.hardware("h100", b.gpu(attributes={"computeCapability": {"version": "9.0.0"}}), SMALL)
OTHER_CLASS = b.hardware(
    "h100", b.gpu(attributes={"computeCapability": {"version": "9.0.0"}}), SMALL | {"deviceClassName": "small.example.com"}
)
GUARDED = f'"computeCapability" in device.attributes["gpu.nvidia.com"] && ({CAPABLE})'
STOPS: list[tuple[str, dict[str, Any], list[str], bool]] = [
    ("a device of the same class of devices lacks the attribute", MIXED, [CAPABLE], True),
    ("the guard of the hint keeps it from being read", MIXED, [GUARDED], False),
    ("a condition before it is false of that device", MIXED, [f'{MEMORY}.compareTo(quantity("90Gi")) < 0', GUARDED], False),
    ("the device belongs to another class of devices", OTHER_CLASS, [CAPABLE], False),
    ("no device of the node would be taken anyway", b.hardware("h100", SMALL), [GUARDED], False),
]


@pytest.mark.parametrize(("node", "conditions", "stops"), [case[1:] for case in STOPS], ids=[f"D01: {case[0]}" for case in STOPS])
def test_a_selector_that_would_stop_the_claim_is_said_with_its_guard(
    tmp_path: Path, node: dict[str, Any], conditions: list[str], stops: bool
) -> None:
    root = repository(
        tmp_path,
        OPTIONAL,
        NEW | {"metadata": {"name": "new"}},
        node,
        b.cluster("a"),
        b.deployment("chat", b.engine(selecting(*conditions))),
    )
    result = modelfleet(root, "check", "--all")
    assert ("warning[SelectorStopsClaim]" in result.err) is stops
    if stops:
        assert "on device `small` of class `h100`" in result.err and "no such key: computeCapability" in result.err
        assert f"hint: cel: {GUARDED}\n" in result.err


@pytest.mark.parametrize(("version", "known"), [("1.34", False), ("1.35", False), ("1.36", True), ("1.37", True)])
def test_what_a_selector_reads_is_known_from_a_version_on(tmp_path: Path, version: str, known: bool) -> None:
    model = b.deployment("chat", b.engine(selecting("!device.allowMultipleAllocations")))
    root = repository(tmp_path, OPTIONAL, NEW, b.cluster("a", kubernetesVersion=version), model)
    assert ("warning[SelectorNeedsVersion]" in modelfleet(root, "check", "--all").err) is not known


def extended() -> dict[str, Any]:
    device = b.gpu(claim="ExtendedResource", resourceName="nvidia.com/gpu")
    del device["deviceClassName"]
    return b.hardware("plain", device)


def test_d02_a_cluster_before_the_stable_claims_is_refused_for_classes_that_claim(tmp_path: Path) -> None:
    clusters = [b.cluster("new", kubernetesVersion="1.34"), b.cluster("old", kubernetesVersion="1.33")]
    root = repository(tmp_path, b.settings(), NEW, *clusters, b.deployment())
    assert said(root) == ["error[DRATooOld]: class `h100` claims by DRA, which needs Kubernetes 1.34; the cluster has 1.33"]


def test_d02_the_claim_is_nested_as_in_v1_and_an_old_cluster_gets_a_plain_limit(tmp_path: Path) -> None:
    clusters = [b.cluster("new", b.pool("h100"), kubernetesVersion="1.34"), b.cluster("old", b.pool("plain"), kubernetesVersion="1.33")]
    driver = 'device.driver == "gpu.nvidia.com"'
    root = repository(tmp_path, b.settings(), NEW, extended(), *clusters, b.deployment("chat", b.engine(selecting(driver)), replicas=2))
    assert modelfleet(root, "place").out == "ml/chat: new 1 (h100), old 1 (plain)\n"
    shapes = {}
    for cluster in ("new", "old"):
        found = list(yaml.safe_load_all(modelfleet(root, "generate", "--cluster", cluster, "--unit", "model/ml/chat").out))
        claims = [(m["apiVersion"], m["spec"]["spec"]["devices"]["requests"]) for m in found if m["kind"] == "ResourceClaimTemplate"]
        (pod,) = (m["spec"]["template"]["spec"] for m in found if m["kind"] == "Deployment")
        shapes[cluster] = (claims, pod["containers"][0]["resources"])
    selectors = [{"cel": {"expression": driver}}]
    exactly = {"allocationMode": "ExactCount", "count": 1, "deviceClassName": "gpu.nvidia.com", "selectors": selectors}
    assert shapes["new"] == ([("resource.k8s.io/v1", [{"name": "gpu", "exactly": exactly}])], {"claims": [{"name": "devices"}]})
    assert shapes["old"] == ([], {"limits": {"nvidia.com/gpu": "1"}, "requests": {"nvidia.com/gpu": "1"}})


def bus(gpu: dict[str, Any], nic: dict[str, Any]) -> list[Any]:
    """A node of both kinds with these attributes, and an engine that wants one of each on one PCIe root."""
    cards = b.gpu("nic", 8, driver="nic.example.com", deviceClassName="nic", attributes=nic)
    wants = b.engine(selecting('device.driver == "gpu.nvidia.com"'), selecting(NIC, name="nic"))
    wants["members"][0]["nodeSelector"]["constraints"] = [{"matchAttribute": ROOT, "requests": ["gpu", "nic"]}]
    return [b.hardware("h100", b.gpu(attributes=gpu), cards), b.cluster("a"), b.deployment("chat", wants)]


SAME, OTHER = {"string": "pci0"}, {"string": "pci1"}


def test_d05_both_drivers_publish_the_standard_name() -> None:
    (entry,) = place(b.fleet(*bus({ROOT: SAME}, {ROOT: SAME})), {}).placements[("ml", "chat")].replicas
    assert dict(entry.engines["main"].devices) == {"gpu": "gpu", "nic": "nic"}


@pytest.mark.parametrize(
    ("nic", "why"),
    [
        pytest.param({"pcieRoot": SAME}, f"request `nic` must have {ROOT}; nic of h100 has nic.example.com/pcieRoot",
                     id="D05: a short name is the driver's own, and both names are shown"),
        pytest.param({"numa": {"int": 0}}, f"request `nic` must have {ROOT}; nic of h100 has no such attribute",
                     id="D05: one of them says nothing of it"),
        pytest.param({ROOT: OTHER}, "the requests of engine `main` cannot be served together on a node of h100",
                     id="D05: the devices sit on two roots"),
    ],
)  # fmt: skip
def test_what_is_not_aligned_is_refused(nic: dict[str, Any], why: str) -> None:
    assert reasons(b.fleet(*bus({ROOT: SAME}, nic))) == {"a": f"NoMatchingClass: {why}"}


def test_d07_devices_are_asked_for_in_one_way_only(tmp_path: Path) -> None:
    limits = {"name": "engine", "image": "vllm/vllm-openai:v0.33.0", "resources": {"limits": {"nvidia.com/gpu": 1}}}
    root = repository(tmp_path, OPTIONAL, NEW, b.cluster(), b.deployment("chat", b.engine(containers=[limits])))
    (error,) = said(root)
    assert error.startswith("error[PodConflict]: `nvidia.com/gpu` is asked for a second time; the device request stands at ")


def test_d09_two_kinds_of_device_are_selected_as_kubernetes_would() -> None:
    nics = b.gpu("nic", 2, driver="nic.example.com", deviceClassName="nic", attributes={"speed": {"int": 400}}, capacity={})
    card = b.gpu(attributes={"productName": {"string": "NVIDIA H100"}, "computeCapability": {"version": "9.0.0"}})
    both = b.hardware("h100", card, nics)
    large = f'device.driver == "gpu.nvidia.com" && {MEMORY}.compareTo(quantity("70Gi")) > 0'
    gpu = selecting(large, f'{ATTRIBUTE}computeCapability.isGreaterThan(semver("8.9.0"))')
    nic = selecting('device.attributes["nic.example.com"].speed >= 400', name="nic")
    (entry,) = place(b.fleet(both, b.cluster("a"), b.deployment("chat", b.engine(gpu, nic))), {}).placements[("ml", "chat")].replicas
    assert dict(entry.engines["main"].devices) == {"gpu": "gpu", "nic": "nic"}


WRONG = [
    ("D09: an answer that is no bool", "device.driver", "a selector is true or false, this is of type string (line 1, column 7"),
    ("D09: a function that Kubernetes has not", "device.driver.glob('x')", "there is no function `glob` (line 1, column 19"),
    ("D09: an order that quantities have not", f'{MEMORY} > quantity("1Gi")',
     "`>` does not order kubernetes.Quantity and kubernetes.Quantity (line 1, column 42"),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "error"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_a_wrong_selector_is_refused_at_its_place(tmp_path: Path, condition: str, error: str) -> None:
    root = repository(tmp_path, OPTIONAL, NEW, b.cluster(), b.deployment("chat", b.engine(selecting(condition))))
    assert f"error[SelectorType]: {error} of the expression)" in said(root)
