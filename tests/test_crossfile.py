"""What only several files together show: a sentence for a name, what is declared; the whole answers are in across.txt."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.written import FLEET, HEAD, checked

ANSWERS = Path(__file__).parent / "across.txt"
# What the other documents of a case may count on.
CLASSES = f"""\
{HEAD}kind: InferenceClass
metadata: {{name: h100, labels: {{gpu: h100}}}}
spec:
  devices:
  - name: gpu
    driver: gpu.nvidia.com
    deviceClassName: gpu.nvidia.com
    count: 8
    attributes: {{productName: {{string: NVIDIA H100}}}}
    capacity: {{memory: {{value: 81559Mi}}}}
---
{HEAD}kind: InferenceClass
metadata: {{name: l4, labels: {{gpu: l4}}}}
spec:
  devices:
  - name: gpu
    driver: gpu.nvidia.com
    deviceClassName: gpu.nvidia.com
    attributes: {{productName: {{string: NVIDIA L4}}}}
    capacity: {{memory: {{value: 23034Mi}}}}
"""


def cluster(name: str, spec: str = "", pools: str = "[{name: h100, className: h100}]", labels: str = "{tier: production}") -> str:
    return f"{HEAD}kind: InferenceCluster\nmetadata: {{name: {name}, labels: {labels}}}\nspec:\n  nodePools: {pools}\n{spec}"


def deployment(name: str = "chat", request: str = "memory: {atLeast: 20Gi}", inner: str = "", spec: str = "") -> str:
    """`inner` goes into template.spec, `spec` into spec; a line each, indented."""
    template = "template: {spec: {containers: [{name: engine, image: 'v:1'}]}}"
    engine = f"      - {{name: main, members: [{{nodeSelector: {{devices: [{{name: gpu, {request}}}]}}, {template}}}]}}\n"
    head = f"{HEAD}kind: ModelDeployment\nmetadata: {{name: {name}, namespace: ml}}\nspec:\n"
    return f"{head}{spec}  template:\n    spec:\n{inner}      engines:\n{engine}"


def document(kind: str, name: str, spec: str, namespace: str = "") -> str:
    where = f", namespace: {namespace}" if namespace else ""
    return f"{HEAD}kind: {kind}\nmetadata: {{name: {name}{where}}}\nspec:\n" + "".join(f"  {line}\n" for line in spec.splitlines())


PLATFORM = {"fleet/classes.yaml": CLASSES, "fleet/east.yaml": cluster("east")}
CHAT = PLATFORM | {"models/ml/chat.yaml": deployment()}


def service(*endpoints: str) -> str:
    return document("ModelService", "front", "endpoints:\n" + "\n".join(f"- {{{endpoint}}}" for endpoint in endpoints), "ml")


CASES: dict[str, dict[str, str]] = {
    "a cache of another namespace": PLATFORM
    | {
        "models/ml/chat.yaml": deployment(inner="      modelCacheRef: {name: qwen}\n"),
        "models/other/cache.yaml": document("ModelCache", "qwen", "source: OCI\noci: {image: a}", "other"),
    },
    "a cache whose name is misspelt": PLATFORM
    | {
        "models/ml/chat.yaml": deployment(inner="      modelCacheRef: {name: qwem}\n"),
        "models/ml/cache.yaml": document("ModelCache", "qwen", "source: OCI\noci: {image: a}", "ml"),
    },
    "a time zone of another planet": PLATFORM
    | {
        "models/ml/chat.yaml": deployment(
            spec="  scaling:\n    maxReplicas: 2\n    triggers: [{type: RequestsWaiting, target: '4'}]\n    schedules:\n"
            "    - {start: 0 7 * * *, end: 0 9 * * *, timezone: Mars/Base, minReplicas: 2}\n"
            "    - {start: 0 7 * * *, end: 0 9 * * *, timezone: Europe/Berlim, minReplicas: 2}\n"
            "    - {start: 0 7 * * *, end: 0 9 * * *, timezone: Europe, minReplicas: 2}\n"
            "    - {start: 0 7 * * *, end: 0 9 * * *, timezone: UTC, minReplicas: 2}\n"
        ),
    },
    "a class whose name is misspelt": {
        "fleet/classes.yaml": CLASSES,
        "fleet/east.yaml": cluster("east", pools="[{name: a, className: h10}]"),
    },
    "clusters that nothing is labelled as": PLATFORM
    | {"models/ml/chat.yaml": deployment(inner="      clusterSelector: {matchLabels: {tier: producton}}\n")},
    "clusters by a label that no cluster has": PLATFORM
    | {"models/ml/chat.yaml": deployment(inner="      clusterSelector: {matchLabels: {teir: production}}\n")},
    "a front door on a cluster that is not there": PLATFORM
    | {"fleet/door.yaml": document("InferenceGateway", "door", "clusterName: eats")},
    "a front door without a hub": PLATFORM | {"fleet/door.yaml": document("InferenceGateway", "door", "routing: [Path]")},
    "two front doors on one cluster": PLATFORM
    | {
        "fleet/east.yaml": cluster("east", "  gateway: {hostname: a.example.com, tls: {wellKnown: System}}\n"),
        "fleet/a.yaml": document("InferenceGateway", "a", "clusterName: east"),
        "fleet/b.yaml": document("InferenceGateway", "b", "clusterName: east"),
    },
    "TLS that nobody trusts": PLATFORM
    | {
        "fleet/east.yaml": cluster("east", "  gateway: {hostname: a.example.com}\n"),
        "fleet/a.yaml": document("InferenceGateway", "a", "clusterName: east"),
    },
    "a reserved device that the class does not have": {
        "fleet/classes.yaml": CLASSES,
        "fleet/east.yaml": cluster("east", pools="[{name: a, className: h100, reserved: [{device: gpus, perNode: 1, reason: x}]}]"),
    },
    "more broken devices than a node has": {
        "fleet/classes.yaml": CLASSES,
        "fleet/east.yaml": cluster(
            "east", pools="[{name: a, className: h100, unavailable: [{nodes: 1, devices: [{name: gpu, count: 9}], reason: x}]}]"
        ),
    },
    "an add-on named like a component": PLATFORM
    | {"fleet/fleet.yaml": FLEET + "  components: [{name: keda}]\n", "fleet/keda.yaml": document("AddOn", "keda", "catalog: keda")},
    "a team's class that is not there": PLATFORM
    | {"fleet/team.yaml": document("Team", "ml", "namespaces: [ml]\nclasses: [h200]\nquota: [{name: a, classes: [l40], devices: 1}]")},
    "a quota on classes that nothing is labelled as": PLATFORM
    | {
        "fleet/team.yaml": document(
            "Team", "ml", "namespaces: [ml]\nquota: [{name: a, classSelector: {matchLabels: {gpu: b200}}, devices: 1}]"
        )
    },
    "a namespace with two owners": PLATFORM
    | {"fleet/a.yaml": document("Team", "a", "namespaces: [ml]"), "fleet/b.yaml": document("Team", "b", "namespaces: [web, ml]")},
    "a namespace without an owner where each must have one": CHAT
    | {"fleet/fleet.yaml": FLEET + "  tenancy: Required\n", "fleet/a.yaml": document("Team", "a", "namespaces: [web]")},
    "a priority above the team's": PLATFORM
    | {
        "models/ml/chat.yaml": deployment(spec="  priority: 900\n"),
        "fleet/a.yaml": document("Team", "a", "namespaces: [ml]\nmaxPriority: 100"),
    },
    "clusters that the team may not use": CHAT
    | {
        "fleet/a.yaml": document("Team", "a", "namespaces: [ml]\nclusterSelector: {matchLabels: {tier: test}}"),
        "fleet/west.yaml": cluster("west", labels="{tier: test}"),
        "models/ml/chat.yaml": deployment(inner="      clusterSelector: {matchLabels: {tier: production}}\n"),
    },
    "hardware that the team may not use": CHAT
    | {
        "fleet/a.yaml": document("Team", "a", "namespaces: [ml]\nclasses: [l4]"),
        "models/ml/chat.yaml": deployment(request="memory: {atLeast: 70Gi}"),
    },
    "hardware that no cluster has": PLATFORM | {"models/ml/chat.yaml": deployment(request="products: [NVIDIA H200]")},
    "hardware that only another cluster has": CHAT
    | {
        "fleet/west.yaml": cluster("west", pools="[{name: l4, className: l4}]", labels="{tier: test}"),
        "models/ml/chat.yaml": deployment(request="count: 2, products: [NVIDIA L4]"),
    },
    "the size on the box": PLATFORM | {"models/ml/chat.yaml": deployment(request="memory: {atLeast: 24Gi}")},
    "the size on the box, in CEL": PLATFORM
    | {
        "models/ml/chat.yaml": deployment(
            request="""selectors: [{cel: 'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("24Gi")) >= 0'}]"""
        )
    },
    "the size on the box of a product that is not asked for": PLATFORM
    | {"models/ml/chat.yaml": deployment(request="products: [NVIDIA H100], memory: {atLeast: 24Gi}")},
    "a target that is not there": CHAT | {"models/ml/front.yaml": service("deployment: chta", "endpoint: together")},
    "a selector that selects no deployment": CHAT
    | {"models/ml/front.yaml": service("selector: {matchLabels: {modelfleet.io/deployment: chat-b}}")},
    "a selector on where a share runs": CHAT | {"models/ml/front.yaml": service("selector: {matchLabels: {modelfleet.io/cluster: east}}")},
    "targets that serve two names": CHAT
    | {"models/ml/next.yaml": deployment("next"), "models/ml/front.yaml": service("deployment: chat", "deployment: next")},
    "targets that serve two names, by model name alone": CHAT
    | {
        "models/ml/next.yaml": deployment("next"),
        "models/ml/front.yaml": service("deployment: chat", "deployment: next"),
        "fleet/east.yaml": cluster("east", "  gateway: {hostname: a.example.com, tls: {wellKnown: System}}\n"),
        "fleet/door.yaml": document("InferenceGateway", "door", "clusterName: east\nrouting: [ModelName]"),
    },
    "a provider that serves another name": CHAT
    | {
        "models/ml/together.yaml": document("ModelEndpoint", "together", "origin: https://api.together.xyz\nmodel: Qwen/Qwen3-8B", "ml"),
        "models/ml/front.yaml": service("deployment: chat", "endpoint: together, priority: 1"),
    },
    "two files that differ only in case": PLATFORM | {"fleet/East.yaml": cluster("west")},
}


def _answers() -> dict[str, list[str]]:
    """The lines below each sentence of across.txt."""
    blocks = [block.splitlines() for block in ANSWERS.read_text(encoding="utf-8").strip().split("\n\n")]
    return {sentence.removeprefix("# "): said for sentence, *said in blocks}


@pytest.mark.skipif(os.environ.get("MODELFLEET_GOLDEN") != "write", reason="rewrites across.txt, for make golden")
def test_write_the_answers(tmp_path: Path) -> None:
    said = {name: checked(tmp_path / str(index), files, "NotYetRendered") for index, (name, files) in enumerate(CASES.items())}
    ANSWERS.write_text("\n".join("\n".join([f"# {name}", *lines, ""]) for name, lines in said.items()), encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_what_only_several_files_show(tmp_path: Path, name: str) -> None:
    assert checked(tmp_path, CASES[name], "NotYetRendered") == _answers()[name]


def test_every_answer_has_its_case() -> None:
    assert list(_answers()) == list(CASES)
