"""Everything that is rendered is what Kubernetes takes: for each scenario, and for names that are as long and as odd as they may be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from modelfleet import names, render
from modelfleet.render.unit import UnitId

from . import builders as b
from .scenarios import SCENARIOS_OF_UNITS
from .valid import faults

LABEL = st.one_of(
    st.from_regex(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True),
    st.sampled_from(["a", "0", "1e3", "y", "base", "root", "a" * 63, "0" * 63, "a" + "-" * 61 + "b", "a" * 54 + "-deadbeef", "x-deadbeef"]),
)


@pytest.mark.parametrize("name", SCENARIOS_OF_UNITS)
def test_a_scenario(name: str) -> None:
    fleet, plan, unit = SCENARIOS_OF_UNITS[name]
    assert faults(render.render_unit(fleet, plan, UnitId(sorted(fleet.clusters)[0], unit)).manifests) == []


def rendered(fleet: Any, plan: Any, cluster: str) -> list[dict[str, Any]]:
    return [m for unit in render.unit_ids(fleet, plan) if unit.cluster == cluster for m in render.render_unit(fleet, plan, unit).manifests]


@given(LABEL, LABEL, LABEL, LABEL, LABEL, st.booleans(), st.booleans())
def test_names_as_odd_as_they_may_be(namespace: str, name: str, engine: str, pool: str, cluster: str, gang: bool, picks: bool) -> None:
    """Two deployments, of which one is named as what is left of the other's name when it is cut."""
    if not names.may_be_namespace(namespace):
        return
    other = names.service(namespace, name).removeprefix("model-")[:63].rstrip("-")
    serving = {"picker": "EndpointPicker"} if picks else {}
    template = b.pod({"ports": [{"containerPort": 8000, "protocol": "UDP"}]}, volumes=[{"name": "a", "configMap": {"name": "chat"}}])
    made = b.gang(engine, leader=template) if gang else b.engine(engine, template)
    deployments = [b.deployment(made, name=each, namespace=namespace, serving=serving) for each in sorted({name, other})]
    choice = {"Leader/gpu": "gpu", "Worker/gpu": "gpu"} if gang else {"gpu": "gpu"}
    entry = b.entry(where=cluster, engines={engine: {"pool": pool, "devices": choice}})
    here = b.cluster(cluster, b.pool(pool), gateway={"inferencePools": True})
    config = b.config_map("chat", namespace, data={"a": "b"})
    fleet = b.fleet(*deployments, clusters=(here,), config_maps=[config], routing={"domain": f"{'d' * 61}.{'e' * 61}"})
    plan = b.plan({deployment.key: b.placement(entry) for deployment in deployments})
    assert faults(rendered(fleet, plan, cluster)) == []
