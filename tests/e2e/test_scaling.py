"""What scales, judged by those that scale it: LeaderWorkerSet's controller, KEDA's operator and metrics adapter, the real controllers
and scheduler, and a Prometheus that scrapes pages which the test writes. kwok makes pods run.

A Deployment and a gang sleep, are woken by a call, grow with what is under way, shrink, and sleep again.
"""

import base64
import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import urllib3
import yaml
from modelfleet import render
from modelfleet.render.unit import UnitId

from tests.e2e import cluster as clusters
from tests.e2e import prometheus as prometheuses
from tests.e2e.client import Object
from tests.e2e.cluster import Cluster
from tests.e2e.process import Process, free_port, until
from tests.render.builders import cluster, deployment, engine, entry, fleet, gang, gpu, placement, plan, pool, scaling

pytestmark = [pytest.mark.e2e, pytest.mark.scaling]

LOCAL = "127.0.0.1"
DEADLINE = 600.0  # seconds: two minutes of silence before a model sleeps, on a loaded machine
NODES = 6
GROUPS = ("keda.sh", "eventing.keda.sh", "leaderworkerset.x-k8s.io", "disaggregatedset.x-k8s.io")
DRIVER = "gpu.nvidia.com"
SOON = {"stabilizationWindowSeconds": 0, "policies": [{"type": "Pods", "value": 4, "periodSeconds": 15}]}
MODELS = ("qwen", "big")  # a Deployment and a gang


@dataclass
class Traffic:
    """What the gateway's proxies say of each model: requests under way, and calls so far."""

    under_way: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MODELS, 0))
    calls: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MODELS, 0))
    calling: set[str] = field(default_factory=set)

    def page(self) -> str:
        """A page of Envoy; while somebody calls, each look at it is another call."""
        lines = []
        for model in MODELS:
            self.calls[model] += model in self.calling
            label = f'{{envoy_cluster_name="httproute/search/model-{model}/rule/0"}}'
            lines.append(f"envoy_cluster_upstream_rq_active{label} {self.under_way[model]}")
            lines.append(f"envoy_cluster_upstream_rq_pending_total{label} {self.calls[model]}")
            lines.append(f"envoy_cluster_upstream_rq_total{label} 0")
        return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def traffic() -> Traffic:
    return Traffic()


@pytest.fixture(scope="module")
def prometheus(traffic: Traffic, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a Prometheus that scrapes the page each second."""
    labels = {"namespace": "envoy-gateway-system", "pod": "proxy"}
    folder = tmp_path_factory.mktemp("prometheus")
    with prometheuses.start(folder, lambda _: traffic.page(), [labels], lambda url: _answers(f"{url}/-/ready"), "Prometheus ready") as url:
        yield url


def _answers(url: str) -> bool:
    try:
        return urllib3.request("GET", url, retries=False, timeout=5).status == 200
    except urllib3.exceptions.HTTPError:
        return False


@pytest.fixture(scope="module")
def started(tools: Path) -> Iterator[Cluster]:
    """A cluster with nodes, devices and everything that scales."""
    flags = ("--horizontal-pod-autoscaler-sync-period=2s",)
    with clusters.start(tools, controllers=True, scheduler=True, kwok=True, controller_flags=flags) as found, ExitStack() as stack:
        found.install(tools / "crds", _definitions(tools / "crds"))
        for name in ("search", "keda", "lws-system"):
            found.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        certificates = _certificates(found.folder / "served")
        _lws(found, tools, certificates, stack)
        _keda(found, tools, certificates, stack)
        _machines(found)
        yield found


def _definitions(folder: Path) -> set[tuple[str, str]]:
    """All of KEDA's and LeaderWorkerSet's groups, for their controllers watch all of it; and the monitors and rules of models."""
    texts = [text for path in folder.rglob("*.yaml") for text in clusters.split(path.read_text())]
    found = {kind for text in texts if (kind := clusters.defines(text))}
    return {kind for kind in found if kind[0] in GROUPS or kind[1] in ("PodMonitor", "PrometheusRule")}


def _certificates(folder: Path) -> Path:
    """A certificate of 127.0.0.1 and localhost that is its own authority."""
    folder.mkdir()
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    key, certificate = folder / "tls.key", folder / "tls.crt"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", names]
    subprocess.run([*command, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    (folder / "ca.crt").write_bytes(certificate.read_bytes())
    return folder


def _program(stack: ExitStack, found: Cluster, tools: Path, name: str, *flags: str, **environment: str) -> Process:
    process = Process(name, [str(tools / name), *flags], found.folder, KUBECONFIG=str(found.kubeconfig), **environment)
    stack.callback(process.stop)
    return process


def _lws(found: Cluster, tools: Path, certificates: Path, stack: ExitStack) -> None:
    """LeaderWorkerSet's controller, and its webhooks by URL: no Service leads to a program on this machine."""
    port, probes = free_port(), f"{LOCAL}:{free_port()}"
    settings = {
        "apiVersion": "config.lws.x-k8s.io/v1alpha1",
        "kind": "Configuration",
        "webhook": {"host": LOCAL, "port": port, "certDir": str(certificates)},
        "internalCertManagement": {"enable": False},
        "leaderElection": {"leaderElect": False},
        "metrics": {"bindAddress": "0"},
        "health": {"healthProbeBindAddress": probes},
    }
    (found.folder / "lws.yaml").write_text(yaml.safe_dump(settings))
    process = _program(stack, found, tools, "lws", f"--config={found.folder / 'lws.yaml'}")
    until(partial(_answers, f"http://{probes}/readyz"), "LeaderWorkerSet's controller ready", process)
    authority = base64.b64encode((certificates / "ca.crt").read_bytes()).decode()
    for webhooks in yaml.safe_load_all((tools / "lws-webhooks.yaml").read_text()):
        for webhook in webhooks["webhooks"]:
            path = webhook["clientConfig"].pop("service")["path"]
            webhook["clientConfig"] = {"url": f"https://{LOCAL}:{port}{path}", "caBundle": authority}
            if webhook["name"].endswith("pod.kb.io"):  # as its own installation narrows it
                ours = {"key": "leaderworkerset.sigs.k8s.io/name", "operator": "Exists"}
                webhook["objectSelector"] = {"matchExpressions": [ours]}
        found.apply(webhooks)
    until(partial(_listens, port, certificates / "ca.crt"), "LeaderWorkerSet's webhooks", process)


def _listens(port: int, authority: Path) -> bool:
    try:
        with urllib3.PoolManager(ca_certs=str(authority), retries=False) as pool:
            pool.request("GET", f"https://{LOCAL}:{port}/", timeout=5)
    except urllib3.exceptions.HTTPError:
        return False
    return True


def _keda(found: Cluster, tools: Path, certificates: Path, stack: ExitStack) -> None:
    """The operator, and its adapter behind the API server: a Service of type ExternalName leads to localhost."""
    grpc, probes, serving = free_port(), f"{LOCAL}:{free_port()}", free_port()
    environment = {"WATCH_NAMESPACE": "", "POD_NAMESPACE": "keda", "POD_NAME": "keda", "KEDA_CLUSTER_OBJECT_NAMESPACE": "keda"}
    operator = _program(
        stack, found, tools, "keda-operator", f"--cert-dir={certificates}", f"--health-probe-bind-address={probes}",
        f"--metrics-service-bind-address={LOCAL}:{grpc}", f"--metrics-bind-address={LOCAL}:{free_port()}",
        "--enable-webhook-patching=false", "--enable-apiservice-patching=false", OPERATOR_NAME="keda-operator", **environment,
    )  # fmt: skip
    until(partial(_answers, f"http://{probes}/readyz"), "KEDA's operator ready", operator)
    access = [f"--{what}-kubeconfig={found.kubeconfig}" for what in ("authentication", "authorization", "lister")]
    adapter = _program(
        stack, found, tools, "keda-adapter", f"--secure-port={serving}", f"--bind-address={LOCAL}", f"--port={free_port()}",
        f"--cert-dir={certificates}", f"--tls-cert-file={certificates / 'tls.crt'}", f"--tls-private-key-file={certificates / 'tls.key'}",
        f"--metrics-service-address=localhost:{grpc}", "--authentication-skip-lookup", *access, **environment,
    )  # fmt: skip
    # The API server has no client certificate for the adapter here, so it comes as anyone.
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "metrics"}
    rbac = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": "metrics"}}
    rules = [{"apiGroups": ["external.metrics.k8s.io"], "resources": ["*"], "verbs": ["get", "list"]}]
    rules.append({"nonResourceURLs": ["*"], "verbs": ["get"]})
    found.apply({**rbac, "kind": "ClusterRole", "rules": rules})
    anyone = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "system:anonymous"}
    found.apply({**rbac, "kind": "ClusterRoleBinding", "roleRef": role, "subjects": [anyone]})
    spec: dict[str, Any] = {"type": "ExternalName", "externalName": "localhost", "ports": [{"port": serving, "name": "https"}]}
    found.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "adapter", "namespace": "keda"}, "spec": spec})
    spec = {
        "service": {"name": "adapter", "namespace": "keda", "port": serving}, "group": "external.metrics.k8s.io", "version": "v1beta1",
        "groupPriorityMinimum": 100, "versionPriority": 100, "insecureSkipTLSVerify": True,
    }  # fmt: skip
    name = {"name": "v1beta1.external.metrics.k8s.io"}
    found.apply({"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": name, "spec": spec})
    until(partial(_available, found, name["name"]), "the metrics API available", adapter, operator)


def _available(found: Cluster, name: str) -> bool:
    stored = found.get("apiregistration.k8s.io/v1", "APIService", name) or {}
    return any(c["type"] == "Available" and c["status"] == "True" for c in stored.get("status", {}).get("conditions", ()))


def _machines(found: Cluster) -> None:
    """Nodes of one pool, each with eight devices."""
    device = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": DRIVER}}
    found.apply({**device, "spec": {"selectors": [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]}})
    room = {"cpu": "128", "memory": "1900Gi", "pods": "110"}
    for index in range(NODES):
        name = f"h100-{index}"
        labels = {"kubernetes.io/hostname": name, "modelfleet.io/pool": "h100"}
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}
        found.create("v1", "Node", json.dumps({**node, "status": {"capacity": room, "allocatable": room}}))
        devices = [{"name": f"gpu-{n}", "capacity": {"memory": {"value": "81559Mi"}}} for n in range(8)]
        there = {"name": name, "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": DRIVER, "nodeName": name, "pool": there, "devices": devices}
        found.apply({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": name}, "spec": spec})


def units(url: str) -> list[Object]:
    """What is rendered of a Deployment and a gang that sleep until somebody calls."""
    rules = {**scaling({"type": "RequestsInFlight", "target": "2"}, low=0, high=2), "wake": "OnRequest"}
    rules["behavior"] = {"scaleUp": SOON, "scaleDown": SOON}
    declared = (deployment(engine(), name="qwen", scaling=rules), deployment(gang(), name="big", scaling=rules))
    where = cluster("east", pool("h100", gpu(capacity={"memory": {"value": "81559Mi"}})), monitoring={"prometheusURL": url})
    found = fleet(*declared, clusters=(where,))
    both = {"main": {"pool": "h100", "devices": {"Leader/gpu": "gpu", "Worker/gpu": "gpu"}}}
    records = {
        ("search", "qwen"): placement(entry(2, minimum=0, maximum=2)),
        ("search", "big"): placement(entry(2, minimum=0, maximum=2, engines=both)),
    }
    rendered = [render.render_unit(found, plan(records), UnitId("east", f"model/search/{name}")) for name in MODELS]
    return [dict(manifest) for unit in rendered for manifest in unit.manifests]


@pytest.fixture(scope="module")
def applied(started: Cluster, prometheus: str) -> dict[str, str]:
    """What is rendered, stored. Name of each model's workload."""
    found = units(prometheus)
    for manifest in found:
        started.apply(manifest)
    names = {m["kind"]: m["metadata"]["name"] for m in found if m["kind"] in ("Deployment", "LeaderWorkerSet")}
    return {"qwen": names["Deployment"], "big": names["LeaderWorkerSet"]}


def ready(found: Cluster, workload: str) -> int:
    """Pods of a workload that are ready, each with devices of its own that the scheduler has given it."""
    claims = {c["metadata"]["name"]: c for c in found.list("resource.k8s.io/v1", "ResourceClaim", "search")}
    count, taken = 0, set()
    for pod in found.list("v1", "Pod", "search"):
        conditions = pod.get("status", {}).get("conditions") or ()
        if pod["metadata"]["labels"].get("modelfleet.io/workload") != workload or pod["metadata"].get("deletionTimestamp"):
            continue
        if not any(c["type"] == "Ready" and c["status"] == "True" for c in conditions):
            continue
        (status,) = pod["status"]["resourceClaimStatuses"]
        results = claims[status["resourceClaimName"]]["status"]["allocation"]["devices"]["results"]
        devices = {(result["pool"], result["device"]) for result in results}
        assert len(devices) == len(results) and not devices & taken, "two pods hold one device"
        taken |= devices
        count += 1
    return count


def wait(found: Cluster, applied: dict[str, str], qwen: int, gangs: int) -> None:
    """Waits for so many pods of the Deployment and groups of the gang, all ready; a gang has two pods."""
    began, wanted = time.monotonic(), (qwen, 2 * gangs)
    seen: tuple[int, ...] = ()
    while time.monotonic() - began < DEADLINE:
        seen = tuple(ready(found, applied[model]) for model in MODELS)
        if seen == wanted:
            return
        for process in found.processes:
            process.require_alive()
        time.sleep(0.5)
    logs = "\n".join((found.folder / f"{name}.log").read_text()[-3000:] for name in ("keda-operator", "lws"))
    raise TimeoutError(f"{seen} pods instead of {wanted} after {DEADLINE:.0f} s\n{logs}")


def test_a_model_is_woken_grows_shrinks_sleeps_and_is_woken_again(started: Cluster, applied: dict[str, str], traffic: Traffic) -> None:
    for workload in applied.values():
        made = partial(started.get, "autoscaling/v2", "HorizontalPodAutoscaler", f"keda-hpa-{workload}", "search")
        started.until(lambda made=made: made() is not None, f"the HPA of {workload}")
    wait(started, applied, 0, 0)

    traffic.calling |= set(MODELS)
    wait(started, applied, 1, 1)

    traffic.under_way |= {"qwen": 4, "big": 3}
    wait(started, applied, 2, 2)

    traffic.under_way |= {"qwen": 4, "big": 1}
    wait(started, applied, 2, 1)

    traffic.calling.clear()
    traffic.under_way |= dict.fromkeys(MODELS, 0)
    wait(started, applied, 0, 0)

    traffic.calling |= {"big"}
    wait(started, applied, 0, 1)


def test_a_second_sync_changes_nothing_while_it_scales(started: Cluster, applied: dict[str, str], prometheus: str) -> None:
    """Argo CD leaves the number to the scaler (ignoreDifferences), so it is not sent; all else is as it was written."""
    for manifest in units(prometheus):
        if manifest["kind"] in ("Deployment", "LeaderWorkerSet"):
            manifest["spec"] = {key: value for key, value in manifest["spec"].items() if key != "replicas"}
        metadata = manifest["metadata"]
        stored = started.get(manifest["apiVersion"], manifest["kind"], metadata["name"], metadata["namespace"])
        assert stored is not None
        assert started.apply(manifest, dry_run=True).object.get("spec") == stored.get("spec"), manifest["kind"]
