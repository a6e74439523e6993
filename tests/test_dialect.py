"""Documents of `modelplane.ai/v1alpha1`: what they become here, and where mistakes in them are said to be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from modelfleet import dialect
from modelfleet.diagnostics import Report
from modelfleet.load import parse

from tests.written import checked, problems, resources

THEIRS = "apiVersion: modelplane.ai/v1alpha1\n"
OURS = "apiVersion: modelfleet.io/v1alpha1\n"

CLUSTER = (
    f"{THEIRS}kind: InferenceCluster\nmetadata: {{name: east, labels: {{modelplane.ai/region: us, modelplane.ai/cluster: east}}}}\nspec:\n"
)
DEPLOYMENT = f"{THEIRS}kind: ModelDeployment\nmetadata: {{name: chat, namespace: ml}}\nspec:\n"


def deployment(container: str, serving: str = "") -> str:
    member = f"nodeSelector: {{devices: [{{name: gpu, memory: {{atLeast: 1Gi}}}}]}}, template: {{spec: {{containers: [{{{container}}}]}}}}"
    return f"{DEPLOYMENT}  template:\n    spec:\n{serving}      engines:\n      - {{name: main, members: [{{{member}}}]}}\n"


def translated(text: str) -> Any:
    """The value of a document in our group."""
    found = dialect.ours(parse("x.yaml", text, Report())[0], Report())
    assert found is not None
    return found.value


def test_the_group_and_five_label_keys_are_ours() -> None:
    text = f"""\
{THEIRS}kind: ModelService
metadata: {{name: front, namespace: ml, labels: {{modelplane.ai/tier: gold}}}}
spec:
  endpoints:
  - selector:
      matchLabels: {{modelplane.ai/deployment: chat, modelplane.ai/external-provider: together}}
      matchExpressions: [{{key: modelplane.ai/cluster, operator: Exists}}, {{key: modelplane.ai/tier, operator: Exists}}]
"""
    assert translated(text) == {
        "apiVersion": "modelfleet.io/v1alpha1",
        "kind": "ModelService",
        "metadata": {"name": "front", "namespace": "ml", "labels": {"modelplane.ai/tier": "gold"}},
        "spec": {
            "endpoints": [
                {
                    "selector": {
                        "matchLabels": {"modelfleet.io/deployment": "chat", "modelplane.ai/external-provider": "together"},
                        "matchExpressions": [
                            {"key": "modelfleet.io/cluster", "operator": "Exists"},
                            {"key": "modelplane.ai/tier", "operator": "Exists"},
                        ],
                    }
                }
            ]
        },
    }


POOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "nodes carry Modelplane's label": ("{name: l4, className: l4}", {"nodeSelector": {"modelplane.ai/pool": "l4"}}),
    "a label that is written stays as it is": (
        "{name: l4, className: l4, nodeSelector: {modelplane.ai/pool: other}}",
        {"nodeSelector": {"modelplane.ai/pool": "other"}},
    ),
    "headroom counts like nodes that are there": (
        "{name: l4, className: l4, maxNodeCount: 3}",
        {"maxNodeCount": 3, "nodeSelector": {"modelplane.ai/pool": "l4"}, "headroom": "Equal"},
    ),
    "headroom that is written stays as it is": (
        "{name: l4, className: l4, maxNodeCount: 3, headroom: Never}",
        {"maxNodeCount": 3, "headroom": "Never", "nodeSelector": {"modelplane.ai/pool": "l4"}},
    ),
}


@pytest.mark.parametrize(("pool", "more"), POOLS.values(), ids=POOLS)
def test_a_pool(pool: str, more: dict[str, Any]) -> None:
    assert translated(f"{CLUSTER}  nodePools: [{pool}]\n")["spec"]["nodePools"] == [{"name": "l4", "className": "l4"} | more]


def test_the_version_that_a_source_asks_for_is_the_clusters() -> None:
    source = '  cluster: {source: GKE, gke: {region: us-central1, kubernetesVersion: "1.36"}}\n  nodePools: []\n'
    assert translated(CLUSTER + source)["spec"]["kubernetesVersion"] == "1.36"


SERVED: dict[str, tuple[str, str, str | None]] = {
    "an argument": ("name: engine, image: v, args: [--model=a/b, --served-model-name=chat]", "", "chat"),
    "an argument of two words": ("name: engine, image: v, args: [--served-model-name, chat]", "", "chat"),
    "the model, where no name is given": ("name: engine, image: v, args: [--model=a/b]", "", "a/b"),
    "the path of SGLang": ("name: engine, image: v, args: [--model-path, a/b]", "", "a/b"),
    "a line of a shell": ("name: engine, image: v, command: [sh, -c, exec vllm serve /mnt/models --served-model-name=chat]", "", "chat"),
    "the model of a line of a shell": (
        "name: engine, image: v, command: [sh, -c, exec vllm serve /mnt/models --port=1]",
        "",
        "/mnt/models",
    ),
    "the variable": ("name: engine, image: v, args: [--model=a/b, --served-model-name=$(MODELPLANE_SERVED_MODEL_NAME)]", "", None),
    "nothing that is known": ("name: engine, image: v, args: [--config=x]", "", None),
    "a name that is declared": ("name: engine, image: v, args: [--model=a/b]", "      serving: {modelName: mine}\n", "mine"),
    "a mode beside it": ("name: engine, image: v, args: [--model=a/b]", "      serving: {mode: Unified}\n", "a/b"),
}


@pytest.mark.parametrize(("container", "serving", "name"), SERVED.values(), ids=SERVED)
def test_the_served_name_comes_from(container: str, serving: str, name: str | None) -> None:
    """What Modelplane passes on is what the engine answers to."""
    replica = translated(deployment(container, serving))["spec"]["template"]["spec"]
    assert replica.get("serving", {}).get("modelName") == name


def test_a_mistake_is_said_at_its_place_in_the_file() -> None:
    text = f"{CLUSTER}  nodePools:\n  - name: l4\n    className: l4\n    nodeCuont: 2\n  - {{name: l4, className: 4}}\n"
    assert problems("fleet/x.yaml", text) == [
        "fleet/x.yaml:8:5: error[UnknownField]: `nodeCuont` is not a field of InferenceCluster.spec.nodePools[0] "
        "(hint: did you mean `nodeCount`?)",
        'fleet/x.yaml:9:27: error[WrongType]: `spec.nodePools[1].className` must be text, not the number 4 (hint: write "4")',
    ]


def test_a_mistake_in_a_renamed_label_is_said_at_its_value() -> None:
    head = f"{THEIRS}kind: ModelService\nmetadata: {{name: a, namespace: ml}}\nspec:\n  endpoints:\n"
    text = f"{head}  - selector: {{matchLabels: {{modelplane.ai/deployment: 'a b'}}}}\n"
    assert [line.split(": ", 1)[0] for line in problems("models/ml/x.yaml", text)] == ["models/ml/x.yaml:6:56"]


REFUSED: dict[str, tuple[str, list[str]]] = {
    "another version": (
        "apiVersion: modelplane.ai/v1beta1\nkind: ModelService\n",
        [
            "fleet/x.yaml:1:13: error[WrongVersion]: apiVersion `modelplane.ai/v1beta1` is not known "
            "(hint: apiVersion: modelplane.ai/v1alpha1)"
        ],
    ),
    "a kind that only we have": (
        f"{THEIRS}kind: Team\n",
        [
            "fleet/x.yaml:2:7: error[UnknownKind]: `Team` is not a kind of modelplane.ai (hint: known: "
            "`InferenceClass`, `InferenceCluster`, `InferenceGateway`, `ModelCache`, `ModelDeployment`, `ModelEndpoint`, `ModelService`)"
        ],
    ),
    "a replica, which is made": (
        f"{THEIRS}kind: ModelReplica\n",
        ["fleet/x.yaml:2:7: notice[NoMeaning]: ModelReplica is skipped: where replicas run is recorded in a Placement"],
    ),
    "a status": (
        f"{THEIRS}kind: InferenceGateway\nmetadata: {{name: default}}\nspec: {{}}\nstatus: {{address: 10.0.0.1}}\n",
        ["fleet/x.yaml:5:1: notice[NoMeaning]: status is skipped: nothing is running yet when this is read"],
    ),
    "an internal kind of another group": (
        "apiVersion: infrastructure.modelplane.ai/v1alpha1\nkind: ServingStack\n",
        ["fleet/x.yaml:1:13: notice[ForeignDocument]: a document of `infrastructure.modelplane.ai/v1alpha1` was skipped"],
    ),
}


@pytest.mark.parametrize(("text", "said"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_meaning_here(text: str, said: list[str]) -> None:
    assert problems("fleet/x.yaml", text) == said


def test_a_mixed_repository(tmp_path: Path) -> None:
    """Their deployment on our cluster, behind our service."""
    files = {
        "fleet/class.yaml": f"{THEIRS}kind: InferenceClass\nmetadata: {{name: l4}}\nspec:\n  devices:\n"
        "  - {name: gpu, driver: gpu.nvidia.com, deviceClassName: gpu.nvidia.com, capacity: {memory: {value: 23034Mi}}}\n",
        "fleet/east.yaml": f"{OURS}kind: InferenceCluster\nmetadata: {{name: east}}\nspec: {{nodePools: [{{name: l4, className: l4}}]}}\n",
        "models/ml/chat.yaml": deployment("name: engine, image: v, args: [--model=a/b]"),
        "models/ml/front.yaml": f"{OURS}kind: ModelService\nmetadata: {{name: front, namespace: ml}}\n"
        "spec: {endpoints: [{selector: {matchLabels: {modelfleet.io/deployment: chat}}}]}\n",
    }
    assert checked(tmp_path, files, "NoFrontDoor") == []


def test_one_object_in_both_groups_is_one_object_twice() -> None:
    spec = yaml.safe_dump({"spec": {"devices": [{"name": "g", "driver": "d", "deviceClassName": "d"}]}})
    report = Report()
    files = {f"fleet/{n}.yaml": f"{head}kind: InferenceClass\nmetadata: {{name: a}}\n{spec}" for n, head in (("a", OURS), ("b", THEIRS))}
    assert dict(resources(files, report).of("InferenceClass")) == {}
    assert [d.line() for d in report.sorted()] == [
        "fleet/b.yaml:3:18: error[DuplicateObject]: InferenceClass `a` is declared twice; first at fleet/a.yaml:3:18 "
        "(hint: remove or rename one)"
    ]


SHAPES = {
    "the gateway of v0.3": (
        "fleet/x.yaml",
        "kind: InferenceGateway\nmetadata: {name: default}\nspec:\n  backend: Traefik\n"
        '  traefik: {version: "40.2.0", loadBalancer: MetalLB, metallb: {addressPool: 172.18.255.200-172.18.255.250}}\n',
    ),
    "the gateway of v0.5": (
        "fleet/x.yaml",
        "kind: InferenceGateway\nmetadata: {name: east}\nspec:\n  clusterName: east\n  tls: {certificateRefs: [{name: tls}]}\n"
        "  auth: {method: APIKey, apiKey: {secretSelector: {matchLabels: {modelplane.ai/callers: a}}}}\n"
        "  serviceSelector: {matchLabels: {tier: gold}}\n",
    ),
    "the service of v0.3": (
        "models/ml/x.yaml",
        "kind: ModelService\nmetadata: {name: chat, namespace: ml}\nspec:\n  endpoints:\n"
        "  - {weight: 80, selector: {matchLabels: {modelplane.ai/deployment: a}}}\n"
        "  - {weight: 20, selector: {matchLabels: {modelplane.ai/deployment: b}}}\n",
    ),
    "the service of v0.5": (
        "models/ml/x.yaml",
        "kind: ModelService\nmetadata: {name: chat, namespace: ml}\nspec:\n  timeouts: {request: 10m, idle: 30s}\n  endpoints:\n"
        "  - {name: own, selector: {matchLabels: {modelplane.ai/deployment: a}}}\n"
        "  - {name: out, priority: 1, weight: 3, selector: {matchLabels: {modelplane.ai/external-provider: together}}}\n",
    ),
    "the endpoint of v0.3": (
        "models/ml/x.yaml",
        "kind: ModelEndpoint\nmetadata: {name: together, namespace: ml}\nspec: {url: 'https://api.together.xyz/', rewritePath: /}\n",
    ),
    "the endpoint of v0.5": (
        "models/ml/x.yaml",
        "kind: ModelEndpoint\nmetadata: {name: together, namespace: ml}\nspec:\n  origin: https://api.together.xyz\n"
        "  api: {schema: OpenAI, prefix: /v1}\n  model: Qwen/Qwen3-8B\n"
        "  credential: {method: APIKey, apiKey: {secretRef: {name: together, key: apiKey}}}\n",
    ),
    "the labels of a cluster's replicas of v0.5, and its stack": (
        "fleet/x.yaml",
        "kind: InferenceCluster\nmetadata: {name: east}\nspec:\n  stack: Dynamo\n  placement: {metadata: {labels: {residency: eu}}}\n"
        "  cluster: {source: Existing, existing: {secretRef: {name: kubeconfig}, components: Provided}}\n"
        "  nodePools: [{name: l4, className: l4}]\n",
    ),
}


@pytest.mark.parametrize(("path", "text"), SHAPES.values(), ids=SHAPES)
def test_a_shape_is_read_as_it_is(path: str, text: str) -> None:
    assert problems(path, THEIRS + text) == []
