"""What a cluster gets besides models: which components, of which version, with which values; what is refused."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from modelfleet.api import templates
from modelfleet.api.addon import AddOnSpec
from modelfleet.resolve import stack
from modelfleet.resolve.fleet import Cluster, Fleet
from modelfleet.stock import AI_GATEWAY_EXTENSION, BY_MODEL_NAME, DRIVERS, entries

from tests.code_cases import API, GOOD
from tests.render.builders import cluster, fleet, front, plugin_gpu, pool
from tests.render.scenarios import labelled
from tests.run import modelfleet


def named(given: Fleet, where: Cluster) -> dict[str, stack.Installed]:
    return {item.name: item for item in stack.installed(given, where)}


def listed(*components: dict[str, Any], own: Any = (), labels: dict[str, str] | None = None, **more: Any) -> dict[str, stack.Installed]:
    """What `east` gets of the fleet's components and its own."""
    from dataclasses import replace

    where = replace(cluster("east", components=list(own)), labels=labels or {})
    return named(fleet(clusters=(where,), components=list(components), **more), where)


KEDA: dict[str, Any] = {"name": "keda"}


@pytest.mark.parametrize(
    ("what", "components", "own", "labels", "version"),
    [
        ("nobody names it", [], [], {}, None),
        ("the fleet names it", [KEDA], [], {}, "2.21.0"),
        ("the fleet pins it", [{**KEDA, "version": "2.20.0"}], [], {}, "2.20.0"),
        ("the cluster pins it", [{**KEDA, "version": "2.20.0"}], [{**KEDA, "version": "2.19.0"}], {}, "2.19.0"),
        ("the cluster names it alone", [], [KEDA], {}, "2.21.0"),
        ("someone else installs it there", [KEDA], [{**KEDA, "mode": "Provided"}], {}, None),
        ("it is switched off there", [KEDA], [{**KEDA, "mode": "Disabled"}], {}, None),
        ("it is switched off but for this cluster", [{**KEDA, "mode": "Disabled"}], [KEDA], {}, "2.21.0"),
        ("another environment has another", [KEDA, {**KEDA, "version": "3", "environment": "staging"}], [], {}, "2.21.0"),
        (
            "its environment has another, wherever that stands",
            [{**KEDA, "version": "3", "environment": "staging"}, {**KEDA, "version": "2"}],
            [],
            {"modelfleet.io/environment": "staging"},
            "3",
        ),
    ],
)
def test_which_version_a_cluster_gets(what: str, components: Any, own: Any, labels: dict[str, str], version: str | None) -> None:
    found = listed(*components, own=own, labels=labels).get("keda")
    assert (found.version if found else None) == version, what


def test_values_add_up_and_lists_are_replaced() -> None:
    below = {**KEDA, "values": {"operator": {"replicaCount": 3, "name": "a"}, "list": [1, 2]}}
    above = {**KEDA, "values": {"operator": {"name": "b"}, "list": [3], "prometheus": None}}
    found = listed(below, own=[above])["keda"].values
    assert found == {"operator": {"replicaCount": 3, "name": "b"}, "list": [3], "prometheus": None}


def test_a_development_cluster_gets_the_small_size() -> None:
    small = listed(KEDA, labels={"modelfleet.io/environment": "development"})["keda"].values
    assert (small["operator"], small["prometheus"]) == ({"replicaCount": 1}, entries()["keda"].values["prometheus"])


def test_a_cluster_that_is_someone_elses_gets_add_ons_alone() -> None:
    where = cluster("east", cluster={"source": "Existing", "existing": {"components": "Provided"}})
    addon = {"weaviate": {"chart": {"repoURL": "r", "name": "weaviate", "version": "1"}}}
    assert list(named(fleet(clusters=(where,), components=[KEDA], add_ons=addon), where)) == ["weaviate"]


def test_routing_by_model_name_takes_the_set_that_was_built_together() -> None:
    components = [{"name": "envoy-gateway"}, {"name": "envoy-ai-gateway"}]
    plain = listed(*components)["envoy-gateway"]
    by_model = listed(*components, fronts=(front("east", routing=["ModelName"]),))["envoy-gateway"]
    assert (plain.version, by_model.version) == (entries()["envoy-gateway"].version, BY_MODEL_NAME["envoy-gateway"])
    wired = by_model.values["config"]["envoyGateway"]
    assert wired["extensionManager"] == AI_GATEWAY_EXTENSION["config"]["envoyGateway"]["extensionManager"]
    assert wired["extensionApis"] == {"enableBackend": True, "enableEnvoyPatchPolicy": True}
    assert "extensionManager" not in plain.values["config"]["envoyGateway"]


@pytest.mark.parametrize(("devices", "counted"), [((), False), ((plugin_gpu(),), True)], ids=["DRA", "extended resources"])
def test_the_gpu_operator_counts_devices_only_where_a_class_says_so(devices: Any, counted: bool) -> None:
    where = cluster("east", pool("p", *devices), components=[{"name": "nvidia-gpu-operator"}])
    assert named(fleet(clusters=(where,)), where)["nvidia-gpu-operator"].values["devicePlugin"] == {"enabled": counted}


def test_prometheus_names_its_cluster() -> None:
    values = listed({"name": "kube-prometheus-stack"})["kube-prometheus-stack"].values
    assert values["prometheus"]["prometheusSpec"]["externalLabels"] == {"cluster": "east"}


def test_an_add_on_of_the_catalog_is_its_entry_with_values_of_its_own() -> None:
    found = listed(add_ons={"scaler": {"catalog": "keda", "namespace": "scaling", "values": {"a": "{{ cluster.name }}"}}})["scaler"]
    entry = entries()["keda"]
    assert (found.repo_url, found.version, found.namespace) == (entry.repo_url, entry.version, "scaling")
    assert found.values == {**entry.values, "a": "east"}


def test_what_a_cluster_gets_stands_in_the_order_of_its_waves() -> None:
    names = ["keda", "cert-manager", "envoy-ai-gateway", "inference-extension"]
    assert list(listed(*({"name": name} for name in names))) == ["cert-manager", "inference-extension", "keda", "envoy-ai-gateway"]


def test_the_catalog_holds_together() -> None:
    for name, entry in entries().items():
        assert (entry.name, bool(entry.chart) != bool(entry.path)) == (name, True)
        assert not entry.repo_url.startswith("oci://") and bool(entry.version) == bool(entry.seen), name
        assert set(entry.needs) <= set(entries()) and all(entries()[other].wave <= entry.wave for other in entry.needs), name
        assert json.loads(json.dumps(entry.values)) == entry.values and not set(entry.small) - set(entry.values) - {"alertmanager"}
    assert set(DRIVERS.values()) | set(BY_MODEL_NAME) <= set(entries())


# Templates

TEXTS = st.text(alphabet="{}% \"'ab.[]|clusternamefleetlabels", max_size=40)
KNOWN: templates.Names = {"cluster": {"name": "east", "labels": {"tier": "gold", "a/b": "{{ x }}"}}, "fleet": {"name": "acme"}}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("plain {x} 100%", "plain {x} 100%"),
        ("{{ cluster.name }}", "east"),
        ("{{cluster.name}}-{{ fleet.name }}\n", "east-acme\n"),
        ('{{ cluster.labels["tier"] }}', "gold"),
        ("{{ cluster.labels['a/b'] }}", "{{ x }}"),
        ('{{ cluster.labels["tier"] | upper }}', "GOLD"),
        ('{{ cluster.labels["none"] | default("x") }}', "x"),
        ('{{ cluster.name | replace("e", "a") | capitalize }}', "Aast"),
        ("{{ cluster.name|trim }}\n", "east\n"),
    ],
)
def test_a_template_becomes(text: str, found: str) -> None:
    assert (templates.problem(text), templates.expand(text, KNOWN)) == ("", found)


@given(st.lists(st.sampled_from(["{{ cluster.name }}", "{{fleet.name}}", '{{ cluster.labels["tier"] }}', "a", "}}", " ", "\n", "'"])))
def test_plain_templates_read_as_jinja2_reads_them(parts: list[str]) -> None:
    text = "".join(parts)
    assert templates.expand(text, KNOWN) == templates._compiled(text).render(**KNOWN)


@given(TEXTS)
def test_what_passes_the_check_becomes_text_or_says_why(text: str) -> None:
    if templates.is_template(text) and not templates.problem(text):
        try:
            assert isinstance(templates.expand(text, KNOWN), str)
        except templates.Undefined as said:
            assert str(said)


MULTIPLYING = "{{ cluster.name" + ' | replace("", "aaaaaaaaaaaaaaaaaaaa")' * 60 + " }}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (MULTIPLYING, "a replacement becomes"),
        ("{{ cluster.labels['none'] }}", "no label `none`"),
        ('{{ cluster.labels["none"] | upper }}', "none"),
        ('{{ cluster.name | truncate("x") }}', "truncate"),
    ],
    ids=["multiplies", "no such label", "no such label and a filter", "a filter that fails"],
)
def test_a_template_that_cannot_become_anything_says_why(text: str, said: str) -> None:
    began = time.process_time()
    with pytest.raises((templates.Undefined,), match=said):
        templates.expand(text, KNOWN)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ " + "(" * 4000 + "cluster.name", "nested too deep|is not a template"),
        ("{{ cluster.name }}" * 300, "characters; 4096 are allowed"),
        ("{{ cluster.name | center(1000000000) }}", "is not a filter here"),
        ('{{ "a" * 1000000000 }}', "holds more than"),
        ("{% for x in cluster.name %}{% endfor %}", "holds more than"),
    ],
)
def test_a_template_that_loops_or_multiplies_is_refused(text: str, said: str) -> None:
    import re

    began = time.process_time()
    assert re.search(said, templates.problem(text))
    assert time.process_time() - began < 2


# What check refuses

ADD_ON = API + "kind: AddOn\nmetadata: {name: %s}\nspec: %s\n"
CHART = "{chart: {repoURL: 'https://x.example.com', name: a, version: '1'}, namespace: shared%s}"


def said(root: Path, **files: str) -> list[str]:
    """The codes and messages of `check` for the good repository with more files under fleet/."""
    for path, text in GOOD.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    for name, text in files.items():
        (root / f"fleet/{name}.yaml").write_text(text)
    result = modelfleet(root, "check", "--all")
    return [line.partition(": ")[2] for line in result.err.splitlines() if ": error[" in line or ": warning[Sel" in line]


def with_components(*names: str) -> str:
    shown = ", ".join(name if name.startswith("{") else f"{{name: {name}}}" for name in names)
    return GOOD["fleet/fleet.yaml"].replace("placement:", f"components: [{shown}]\n  placement:")


def test_two_add_ons_that_install_one_chart_in_one_namespace(tmp_path: Path) -> None:
    found = said(tmp_path, a=ADD_ON % ("one", CHART % ""), b=ADD_ON % ("two", CHART % ""))
    assert found == ["error[AddOnCollides]: add-on `two` is what `one` is on cluster `east`, in the same namespace"]


def test_an_add_on_of_what_the_fleet_installs_already(tmp_path: Path) -> None:
    every = with_components("keda", "envoy-gateway", "kube-prometheus-stack", "nvidia-dra-driver")
    found = said(tmp_path, fleet=every, a=ADD_ON % ("scaler", "{catalog: keda}"))
    assert found == ["error[AddOnCollides]: add-on `scaler` is what `keda` is on cluster `east`, in the same namespace"]


def test_an_add_on_that_targets_no_cluster(tmp_path: Path) -> None:
    found = said(tmp_path, a=ADD_ON % ("one", CHART % ", clusterSelector: {matchLabels: {tier: gold}}"))
    assert found == ["warning[SelectsNothing]: clusterSelector of AddOn `one` matches none of the fleet's clusters"]


def test_an_add_on_that_asks_for_a_label_which_a_cluster_lacks(tmp_path: Path) -> None:
    found = said(tmp_path, a=ADD_ON % ("one", CHART % """, values: {a: [{b: '{{ cluster.labels["zone"] }}'}]}"""))
    assert found == ["error[BadTemplate]: on cluster `east`: it has no label `zone`"]


def test_a_component_whose_version_nobody_knows(tmp_path: Path) -> None:
    every = ["envoy-gateway", "kube-prometheus-stack", "nvidia-dra-driver"]
    assert said(tmp_path, fleet=with_components(*every, "intel-dra-driver")) == [
        "error[MissingField]: the catalog has no version of `intel-dra-driver`, which cluster `east` gets"
    ]
    assert said(tmp_path, fleet=with_components(*every, "{name: intel-dra-driver, version: v1}")) == []


def test_models_in_the_namespace_of_a_component(tmp_path: Path) -> None:
    files = {
        path.replace("/ml/", "/keda/"): text.replace("namespace: ml", "namespace: keda") for path, text in GOOD.items() if "/ml/" in path
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = said(tmp_path, fleet=with_components("keda", "envoy-gateway", "kube-prometheus-stack", "nvidia-dra-driver"))
    assert found == ["error[ReservedNamespace]: namespace `keda` is that of component `keda`"]


SCALED = ("replicas: 1", "scaling: {maxReplicas: 1, triggers: [{type: RequestsWaiting, target: '4'}]}")


@pytest.mark.parametrize(
    ("what", "model", "more", "missing"),
    [
        ("routes", (), [], ["`envoy-gateway` is not among its components on cluster `east`: its gateway and routes need it"]),
        (
            "claims",
            (),
            ["envoy-gateway"],
            ["`nvidia-dra-driver` is not among its components on cluster `east`: `ml/chat` claims devices of gpu.nvidia.com"],
        ),
        (
            "scaling",
            SCALED,
            ["envoy-gateway", "nvidia-dra-driver"],
            ["`keda` is not among its components on cluster `east`: `ml/chat` is scaled"],
        ),
        (
            "a component of another",
            (),
            ["envoy-gateway", "nvidia-dra-driver", "nvidia-gpu-operator"],
            ["`node-feature-discovery` is not among its components on cluster `east`: `nvidia-gpu-operator` needs it"],
        ),
        (
            "what is switched off",
            (),
            ["{name: envoy-gateway, mode: Disabled}", "nvidia-dra-driver"],
            ["`envoy-gateway` is Disabled on cluster `east`: its gateway and routes need it"],
        ),
        ("what someone else installs", (), ["{name: envoy-gateway, mode: Provided}", "nvidia-dra-driver"], []),
    ],
)
def test_a_stack_that_lacks_what_models_need(
    tmp_path: Path, what: str, model: tuple[str, ...], more: list[str], missing: list[str]
) -> None:
    assert said(tmp_path, fleet=with_components("kube-prometheus-stack", *more)) is not None
    if model:
        path = tmp_path / "models/ml/chat.yaml"
        path.write_text(path.read_text().replace(*model))
        record = tmp_path / "placements/ml/chat.yaml"
        record.write_text(record.read_text().replace("minimum: 1", "minimum: 1, maximum: 1"))
    result = modelfleet(tmp_path, "check", "--all")
    found = [line.partition("]: ")[2] for line in result.err.splitlines() if "MissingComponent" in line]
    first = missing[:1]
    assert found[: len(first)] == first and bool(found) == bool(missing), result.err


def test_selectors_choose_the_clusters_of_an_add_on() -> None:
    gold, silver = labelled("east", tier="gold"), labelled("west", tier="silver")
    chosen = {"clusterSelector": {"matchLabels": {"tier": "gold"}}, "git": {"repoURL": "r", "revision": "v1"}}
    both = fleet(clusters=(gold, silver), add_ons={"one": chosen})
    assert [list(named(both, where)) for where in (gold, silver)] == [["one"], []]
    assert AddOnSpec.model_validate(chosen).git is not None


# Renovate

ROOT = Path(__file__).parent.parent


def pins(folder: Path) -> dict[str, str]:
    """What Renovate finds below a folder with its configuration: version by package."""
    import re

    found: dict[str, str] = {}
    for custom in json.loads((folder / "renovate.json").read_text())["customManagers"]:
        patterns = [re.compile(text.strip("/")) for text in custom["managerFilePatterns"]]
        searches = [re.compile(text.replace("(?<", "(?P<")) for text in custom["matchStrings"]]
        for path in sorted(folder.rglob("*")):
            if path.is_file() and any(pattern.search(str(path.relative_to(folder))) for pattern in patterns):
                found |= {hit["depName"]: hit["currentValue"] for search in searches for hit in search.finditer(path.read_text())}
    return found


def test_renovate_finds_every_pin_of_the_catalog() -> None:
    assert sorted(pins(ROOT).values()) == sorted(entry.version for entry in entries().values() if entry.version)


def test_renovate_finds_the_pins_of_the_example() -> None:
    assert pins(ROOT / "fleet-repo-example") == {"cert-manager": "v1.21.2", "keda": "2.21.0"}
