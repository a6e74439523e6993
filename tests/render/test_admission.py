"""Rules of webhooks that no schema holds, for every scenario: LeaderWorkerSet's, KEDA's, and the API server's on claims and ports."""

from __future__ import annotations

import re
from typing import Any

import pytest
from modelfleet import render
from modelfleet.render.unit import UnitId

from .scenarios import SCENARIOS_OF_UNITS

DNS_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")


def objects(name: str, *kinds: str) -> list[dict[str, Any]]:
    fleet, plan, unit = SCENARIOS_OF_UNITS[name]
    found = render.render_unit(fleet, plan, UnitId(sorted(fleet.clusters)[0], unit)).manifests
    return [manifest for manifest in found if manifest["kind"] in kinds]


@pytest.mark.parametrize("name", SCENARIOS_OF_UNITS)
def test_leader_worker_sets_pass_their_webhook(name: str) -> None:
    for manifest in objects(name, "LeaderWorkerSet"):
        spec, update = manifest["spec"], manifest["spec"]["rolloutStrategy"]["rollingUpdateConfiguration"]
        assert DNS_1035.fullmatch(manifest["metadata"]["name"])
        assert spec["replicas"] >= 0 and spec["leaderWorkerTemplate"]["size"] >= 2
        assert update["maxUnavailable"] or update["maxSurge"]
        services = {service["metadata"]["name"] for service in objects(name, "Service")}
        assert manifest["metadata"]["name"] not in services


@pytest.mark.parametrize("name", SCENARIOS_OF_UNITS)
def test_scaled_objects_pass_their_webhook(name: str) -> None:
    targets = [tuple(sorted(o["spec"]["scaleTargetRef"].items())) for o in objects(name, "ScaledObject")]
    assert len(set(targets)) == len(targets)
    for manifest in objects(name, "ScaledObject"):
        spec = manifest["spec"]
        assert len(manifest["metadata"]["name"]) <= 54
        assert 0 <= spec["minReplicaCount"] <= spec["maxReplicaCount"] > 0
        assert len({trigger["name"] for trigger in spec["triggers"]}) == len(spec["triggers"])
        assert all(isinstance(value, str) for trigger in spec["triggers"] for value in trigger["metadata"].values())
        assert "fallback" not in spec or any(trigger["metricType"] == "AverageValue" for trigger in spec["triggers"])


@pytest.mark.parametrize("name", SCENARIOS_OF_UNITS)
def test_pods_name_what_they_have(name: str) -> None:
    claims = {template["metadata"]["name"] for template in objects(name, "ResourceClaimTemplate")} | {"nic"}
    for manifest in objects(name, "Deployment", "LeaderWorkerSet", "Job"):
        template = manifest["spec"].get("leaderWorkerTemplate")
        for pod in [template["leaderTemplate"], template["workerTemplate"]] if template else [manifest["spec"]["template"]]:
            spec = pod["spec"]
            volumes = {volume["name"] for volume in spec["volumes"]}
            declared = {claim["name"] for claim in spec.get("resourceClaims", ())}
            assert {claim["resourceClaimTemplateName"] for claim in spec.get("resourceClaims", ())} <= claims
            for container in [*spec["containers"], *spec.get("initContainers", ())]:
                assert {mount["name"] for mount in container.get("volumeMounts", ())} <= volumes
                assert {claim["name"] for claim in container.get("resources", {}).get("claims", ())} <= declared
            ports = [port for c in [*spec["containers"], *spec.get("initContainers", ())] for port in c.get("ports", ())]
            assert len({port.get("name") for port in ports}) == len({port["containerPort"] for port in ports}) == len(ports)
