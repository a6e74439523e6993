"""Services and routes where they differ from the golden ones."""

from __future__ import annotations

from typing import Any

import pytest
from modelfleet.render.routing import http_route, service

from .builders import cluster, deployment, engine, pod

NAMED = pod({"ports": [{"containerPort": 8000, "name": "api"}]})


@pytest.mark.parametrize(
    ("engines", "serving", "target"), [([engine()], {}, 8000), ([engine()], {"port": 9000}, 9000), ([engine(template=NAMED)], {}, 8000)]
)
def test_target_port(engines: list[dict[str, Any]], serving: dict[str, Any], target: int) -> None:
    ports = service(deployment(*engines, serving=serving), cluster(), "Retire", retiring=False)["spec"]["ports"]
    assert ports == [{"name": "http", "port": 8000, "protocol": "TCP", "targetPort": target}]


@pytest.mark.parametrize(
    ("state", "suspend", "serves"), [("Ready", False, True), ("Offline", False, False), ("Lost", False, False), ("Ready", True, False)]
)
def test_a_withdrawn_route_stays_and_answers_503(state: str, suspend: bool, serves: bool) -> None:
    route = http_route(deployment(suspend=suspend), cluster(state=state), "fleet.internal", "Retire", retiring=False)
    (rule,) = route["spec"]["rules"]
    assert ("backendRefs" in rule, "filters" in rule) == (serves, not serves)


def test_host_names_stay_within_a_label_for_the_longest_name() -> None:
    (host,) = http_route(deployment(name="d" * 63), cluster(), "fleet.internal", "Retire", retiring=False)["spec"]["hostnames"]
    assert len(host.split(".")[0]) == 63
    assert host.endswith(".east.fleet.internal")
