"""The judge is judged: it finds what is wrong, and nothing in what is right."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import cluster
from tests.e2e.client import Rejected
from tests.e2e.cluster import Cluster
from tests.e2e.judge import altered, judge, parse
from tests.e2e.process import Process, until

pytestmark = pytest.mark.e2e

CONFIG = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: default}
data: {%s}
"""

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: engine, namespace: default}
spec:
  selector: {matchLabels: {app: engine}}
  template:
    metadata: {labels: {app: engine}}
    spec:
      containers: [{name: engine, image: engine%s}]
"""

ROUTE = """
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: engine, namespace: default}
spec:
  parentRefs: [{name: inference}]
  %s: [engine.example.com]
"""

GATEWAY = """
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: inference, namespace: default}
spec:
  gatewayClassName: envoy
  listeners: [{name: http, port: 80, protocol: HTTP}]
"""

CLAIM = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: engine, namespace: default}
spec:
  spec:
    devices:
      requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com%s}}]
"""

SCALER = """
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: engine, namespace: default}
spec:
  scaleTargetRef: {name: engine}
  maxReplicaCount: 3
  triggers: [{type: prometheus, metadata: {threshold: %s}}]
"""


DEFINED = {("gateway.networking.k8s.io", "Gateway"), ("gateway.networking.k8s.io", "HTTPRoute"), ("keda.sh", "ScaledObject")}


@pytest.fixture(scope="module")
def server(tools: Path) -> Iterator[Cluster]:
    with cluster.start(tools) as started:
        started.install(tools / "crds", DEFINED)
        yield started


RIGHT = {
    "a plain object": CONFIG % "a: b",
    "fields with a default that are left out": DEPLOYMENT % "",
    "a count and a mode with a default that are left out": CLAIM % "",
    "an object of a CustomResourceDefinition": ROUTE % "hostnames",
    "an object whose definition has defaults in its status": GATEWAY,
    "a quantity in normal form": DEPLOYMENT % ", resources: {requests: {cpu: '2', memory: 1Gi}}",
    "several objects in one text": "---".join([CONFIG % "a: b", SCALER % "'5'"]),
}

WRONG = {
    "a misspelt field": (DEPLOYMENT % ", imagePullPolcy: Always", ".imagePullPolcy: field not declared in schema"),
    "a misspelt field of a CustomResourceDefinition": (ROUTE % "hostname", ".spec.hostname: field not declared in schema"),
    "a wrong type": (DEPLOYMENT % ", command: sh", "expected list"),
    "a wrong type in a CustomResourceDefinition": (SCALER % "5", "expected string"),
    "a text that YAML 1.1 reads as a string and the server as a number": (DEPLOYMENT % ", args: [1e3]", "expected string"),
    "an expression that does not compile": (CLAIM % ", selectors: [{cel: {expression: device.foo == 1}}]", "undefined field 'foo'"),
    "a kind that is not served": (CONFIG.replace("ConfigMap", "ConfigMop") % "a: b", "the server does not serve v1 ConfigMop"),
    "a namespace that is missing": (CONFIG.replace(", namespace: default", "") % "a: b", "names no namespace"),
    "a namespace that is not there": (CONFIG.replace("default", "nowhere") % "a: b", 'namespaces "nowhere" not found'),
    "a deprecated label": (
        DEPLOYMENT.replace("containers:", "nodeSelector: {beta.kubernetes.io/os: linux}\n      containers:") % "",
        "warning: 299 - ",
    ),
    "a quantity in another form": (
        DEPLOYMENT % ", resources: {requests: {cpu: 2000m}}",
        "altered: .spec.template.spec.containers[0].resources.requests.cpu: '2000m' is stored as '2'",
    ),
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_right(server: Cluster, text: str) -> None:
    assert judge(server, parse(text, "here")) == []


@pytest.mark.parametrize(("text", "finding"), WRONG.values(), ids=WRONG)
def test_wrong(server: Cluster, text: str, finding: str) -> None:
    found = judge(server, parse(text, "here"))
    assert len(found) == 1
    assert finding in found[0]


def test_a_change_is_seen_and_a_dry_run_writes_nothing(server: Cluster) -> None:
    first, second = (CONFIG.replace("settings", "seen") % value for value in ("a: b", "a: c"))
    assert server.apply(first, dry_run=True).changed
    assert server.get("v1", "ConfigMap", "seen", "default") is None
    answers = [server.apply(first), server.apply(first), server.apply(first, dry_run=True), server.apply(second, dry_run=True)]
    answers.append(server.apply(second))
    assert [(answer.changed, answer.written) for answer in answers] == [
        (True, True),
        (False, False),
        (False, False),
        (True, False),
        (True, True),
    ]


def test_an_object_is_listed_until_it_is_deleted(server: Cluster) -> None:
    server.apply(CONFIG.replace("settings", "listed") % "a: b")
    assert "listed" in [item["metadata"]["name"] for item in server.list("v1", "ConfigMap", "default")]
    server.delete("v1", "ConfigMap", "listed", "default")
    assert server.get("v1", "ConfigMap", "listed", "default") is None
    with pytest.raises(Rejected, match="404"):
        server.delete("v1", "ConfigMap", "listed", "default")


def test_what_the_server_adds_is_no_alteration() -> None:
    assert list(altered({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}], "d": 3})) == []
    assert list(altered({"a": [1], "b": {"c": 2}}, {"a": [1, 2], "b": {}})) == [
        ".a: [1] is stored as [1, 2]",
        ".b.c: 2 is stored as None",
    ]


def test_a_program_that_ends_is_reported_with_its_log(tmp_path: Path) -> None:
    process = Process("short", ["/bin/sh", "-c", "echo no room; exit 3"], tmp_path)
    with pytest.raises(RuntimeError, match="short ended with exit code 3:\nno room"):
        until(lambda: False, "the end of time", process)
    process.stop()


def test_what_a_program_started_is_stopped_with_it(tmp_path: Path) -> None:
    process = Process("parent", ["/bin/sh", "-c", "sleep 600 & echo $!; wait"], tmp_path)
    until(lambda: process.tail() != "", "the child started", process)
    process.stop()
    until(lambda: not alive(int(process.tail())), "the child gone")


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended may wait for its parent to notice."""
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False
