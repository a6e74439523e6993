"""The endpoint picker of a deployment, run as it is rendered: the real program, with the rendered rights, pool and flags.

What differs from a cluster:
1. The picker that is rendered comes from llm-d, whose module nobody serves; the one here is its ancestor in the inference extension. It
   reads an older form of the same configuration: `ancestral` says which.
2. Its ports are free ones of this machine, and its pods are engines at loopback addresses.
3. Envoy is configured by hand with what the InferencePool protocol asks of a gateway: Envoy Gateway leaves it to an extension.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import openai
import urllib3
import yaml

from tests.e2e import cluster
from tests.e2e.cluster import Cluster
from tests.e2e.engine import LOCAL, Engine
from tests.e2e.process import Process, free_port, until

Object = dict[str, Any]

POOL = {("inference.networking.k8s.io", "InferencePool")}
WATCHED = {("inference.networking.x-k8s.io", kind) for kind in ("InferenceObjective", "InferenceModelRewrite")}
# The order matters to the API server alone: a namespace comes before what is in it.
APPLIED = ("Namespace", "ServiceAccount", "Role", "RoleBinding", "ConfigMap", "Service", "InferencePool")


@dataclass(frozen=True, slots=True)
class Picked:
    """A picker and the engines that it picks from, by the names of their pods."""

    cluster: Cluster
    namespace: str
    engines: Mapping[str, Engine]
    client: openai.OpenAI

    def ready(self, pod: str, ready: bool = True) -> None:
        """A pod begins or ceases to be ready."""
        conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
        address = self.engines[pod].address
        status = {"phase": "Running", "podIP": address, "podIPs": [{"ip": address}], "conditions": conditions}
        self.cluster.state("v1", "Pod", pod, self.namespace, status)


@contextmanager
def start(tools: Path, folder: Path, generated: Sequence[Object], model: str) -> Iterator[Picked]:
    """The picker of the only InferencePool among the generated objects, with two ready pods that serve a model."""
    (pool,) = (found for found in generated if found["kind"] == "InferencePool")
    (program,) = (found for found in generated if found["kind"] == "Deployment" and found["metadata"]["name"].startswith("picker-"))
    (engine,) = (found for found in generated if found["kind"] == "Deployment" and _labels(found).items() >= _selected(pool).items())
    namespace = pool["metadata"]["namespace"]
    with ExitStack() as stack:
        server = stack.enter_context(cluster.start(tools))
        server.install(tools / "crds", POOL)
        server.install(tools / "epp-crds", WATCHED)
        for found in sorted((found for found in generated if found["kind"] in APPLIED), key=lambda found: APPLIED.index(found["kind"])):
            server.apply(found)
        (number,) = (port["number"] for port in pool["spec"]["targetPorts"])
        engines = {f"pod-{n}": Engine(f"pod-{n}", model, address=f"127.0.0.{n}", port=number) for n in (2, 3)}
        for found in engines.values():
            stack.callback(found.kill)
        ports = _run(stack, tools, folder, server, program)
        door = _envoy(stack, tools, folder, ports["grpc"])
        client = stack.enter_context(openai.OpenAI(base_url=f"http://{LOCAL}:{door}/v1", api_key="unused", max_retries=0))
        picked = Picked(server, namespace, engines, client)
        # No controller makes it here.
        server.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": namespace}})
        for name in engines:
            server.apply(_pod(name, engine))
            picked.ready(name)
        until(partial(_seen, ports["metrics"], len(engines)), "the picker knows its pods", *server.processes)
        yield picked


def ancestral(configuration: Object) -> Object:
    """The configuration in the form that the ancestor reads: another group, and one plugin that finds cached prefixes and scores them."""
    parameters = {plugin["type"]: plugin.get("parameters") for plugin in configuration["plugins"]}
    cached = dict(parameters.pop("approx-prefix-cache-producer"))
    # There a block is counted in characters, four to a token.
    cached["blockSize"] = 4 * cached.pop("blockSizeTokens")
    parameters["prefix-cache-scorer"] = cached
    plugins = [{"type": kind, **({"parameters": given} if given else {})} for kind, given in parameters.items()]
    return {**configuration, "apiVersion": "inference.networking.x-k8s.io/v1alpha1", "plugins": plugins}


def _run(stack: ExitStack, tools: Path, folder: Path, server: Cluster, deployment: Object) -> dict[str, int]:
    """Runs the rendered picker with the rights of its account; the ports that it listens on."""
    template, namespace = deployment["spec"]["template"]["spec"], deployment["metadata"]["namespace"]
    (container,) = template["containers"]
    (config,) = (volume["configMap"]["name"] for volume in template["volumes"])
    (mount,) = container["volumeMounts"]
    stored = server.get("v1", "ConfigMap", config, namespace) or {}
    for name, text in stored["data"].items():
        (folder / name).write_text(json.dumps(ancestral(yaml.load(text, yaml.CSafeLoader))))
    ports = {port["name"]: free_port() for port in container["ports"]}
    access = folder / "kubeconfig"
    access.write_text(server.access(server.token(template["serviceAccountName"], namespace)))
    own = [f"--metrics-port={ports['metrics']}"]
    rendered = [argument.replace(mount["mountPath"], str(folder)) for argument in container["args"]]
    placed = {f"--grpc-port={_port(container, 'grpc')}": ports["grpc"], f"--grpc-health-port={_port(container, 'health')}": ports["health"]}
    given = [f"{argument.partition('=')[0]}={placed[argument]}" if argument in placed else argument for argument in rendered]
    process = Process("epp", [str(tools / "epp"), *given, *own], folder, KUBECONFIG=str(access))
    stack.callback(process.stop)
    until(partial(_seen, ports["metrics"], 0), "the picker up", process)
    return ports


def _port(container: Object, name: str) -> int:
    return next(int(port["containerPort"]) for port in container["ports"] if port["name"] == name)


def _envoy(stack: ExitStack, tools: Path, folder: Path, picker: int) -> int:
    """Runs Envoy between a port and whatever endpoint the picker names; the port."""
    door, admin = free_port(), folder / "admin-address"
    settings = folder / "envoy.json"
    settings.write_text(json.dumps(_protocol(door, picker)))
    flags = ["-c", str(settings), "--use-dynamic-base-id", "--concurrency", "1", "--admin-address-path", str(admin)]
    process = Process("envoy", [str(tools / "envoy"), *flags], folder)
    stack.callback(process.stop)
    until(lambda: admin.exists() and _ready(admin.read_text()), "Envoy ready", process)
    return door


def _ready(admin: str) -> bool:
    try:
        return urllib3.request("GET", f"http://{admin}/ready", retries=False).status == 200
    except urllib3.exceptions.HTTPError:
        return False


def _seen(port: int, pods: int) -> bool:
    """Whether the picker counts that many ready pods."""
    try:
        page = urllib3.request("GET", f"http://{LOCAL}:{port}/metrics", retries=False).data.decode()
    except urllib3.exceptions.HTTPError:
        return False
    lines = [line for line in page.splitlines() if line.startswith("inference_pool_ready_pods")]
    return any(line.endswith(f" {pods}") for line in lines)


def _labels(deployment: Object) -> dict[str, str]:
    found: dict[str, str] = deployment["spec"]["template"]["metadata"]["labels"]
    return found


def _selected(pool: Object) -> dict[str, str]:
    found: dict[str, str] = pool["spec"]["selector"]["matchLabels"]
    return found


def _pod(name: str, deployment: Object) -> Object:
    """A pod with the labels of the rendered ones; what runs in it is of no interest here."""
    spec = {"containers": [{"name": "engine", "image": "engine"}], "automountServiceAccountToken": False}
    metadata = {"name": name, "namespace": deployment["metadata"]["namespace"], "labels": _labels(deployment)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


_EXTENSIONS = "type.googleapis.com/envoy.extensions"
_CHOSEN = "x-gateway-destination-endpoint"


def _protocol(door: int, picker: int) -> Object:
    """Ask the picker about every request, whole, and send it where its header says."""
    modes = {f"{side}_{part}_mode": "SEND" for side in ("request", "response") for part in ("header", "trailer")}
    modes |= {f"{side}_body_mode": "FULL_DUPLEX_STREAMED" for side in ("request", "response")}
    processor = {
        "@type": f"{_EXTENSIONS}.filters.http.ext_proc.v3.ExternalProcessor",
        "grpc_service": {"envoy_grpc": {"cluster_name": "picker"}},
        "processing_mode": modes,
    }
    router = {"@type": f"{_EXTENSIONS}.filters.http.router.v3.Router"}
    route = {"match": {"prefix": "/"}, "route": {"cluster": "chosen", "timeout": "0s"}}
    manager = {
        "@type": f"{_EXTENSIONS}.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "door",
        "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [route]}]},
        "http_filters": [{"name": "picker", "typed_config": processor}, {"name": "router", "typed_config": router}],
    }
    listener = {"address": _socket(door), "filter_chains": [{"filters": [{"name": "http", "typed_config": manager}]}]}
    chosen = {"name": "chosen", "type": "ORIGINAL_DST", "lb_policy": "CLUSTER_PROVIDED"}
    chosen["original_dst_lb_config"] = {"use_http_header": True, "http_header_name": _CHOSEN}
    return {"admin": {"address": _socket(0)}, "static_resources": {"listeners": [listener], "clusters": [chosen, _grpc(picker)]}}


def _grpc(port: int) -> Object:
    """The picker by TLS: it makes its own certificate, which nobody can check."""
    http2 = {"explicit_http_config": {"http2_protocol_options": {}}}
    return {
        "name": "picker",
        "type": "STATIC",
        "load_assignment": {"cluster_name": "picker", "endpoints": [{"lb_endpoints": [{"endpoint": {"address": _socket(port)}}]}]},
        "transport_socket": {
            "name": "tls",
            "typed_config": {"@type": f"{_EXTENSIONS}.transport_sockets.tls.v3.UpstreamTlsContext", "common_tls_context": {}},
        },
        "typed_extension_protocol_options": {
            "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
                "@type": f"{_EXTENSIONS}.upstreams.http.v3.HttpProtocolOptions",
                **http2,
            }
        },
    }


def _socket(port: int) -> Object:
    return {"socket_address": {"address": LOCAL, "port_value": port}}
