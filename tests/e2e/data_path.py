"""The small fleet of tests/e2e/fleet as it answers: what was really generated for it, on a real Envoy, with engines on loopback."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any

import openai
from modelfleet import names

from tests.e2e import envoy_gateway, merged
from tests.e2e.engine import LOCAL, Engine
from tests.e2e.envoy_gateway import EnvoyGateway
from tests.e2e.process import free_port
from tests.run import modelfleet

DECLARED = Path(__file__).resolve().parent / "fleet"
NAMESPACE, DOMAIN = "shop", "fleet.internal"
PORTS = ("WEST", "EAST", "FRONT", "IDLE", "PICKED", "ACME")  # as the declarations name them
TOKEN = "the-fleets-own"  # what fronts show to the gateways of clusters
KEYS = {"alice": "key-of-alice", "bob": "key-of-bob"}  # of callers
PROVIDER_KEY = "Bearer sk-acme"
# Deployment, cluster, and the model that it serves.
ENGINES = (
    ("big", "west", "shop/chat"),
    ("idle", "west", "shop/chat"),
    ("small", "east", "shop/chat"),
    ("steady", "west", "shop/steady"),
    ("picked", "west", "shop/picked"),
    ("moving", "west", "shop/moving"),
    ("moving", "east", "shop/moving"),
)


@dataclass(slots=True)
class DataPath:
    """The running whole. engines: by deployment and cluster; acme: the provider; ports: by the names of the declarations.

    trusted: the authority by which fronts know the gateway of east, a file of `certificates`.
    """

    gateway: EnvoyGateway
    folder: Path
    repository: Path
    engines: Mapping[tuple[str, str], Engine]
    acme: Engine
    ports: Mapping[str, int]
    certificates: Path
    stack: ExitStack
    trusted: str = "ca.crt"
    egress: int = field(default_factory=free_port)

    def apply(self) -> None:
        """Generates from what the repository says now, and returns when Envoy routes by it."""
        out = self.folder / "generated"
        result = modelfleet(self.repository, "generate", "-o", str(out))
        assert result.code == 0, result.err
        pods = {}
        for (deployment, cluster), engine in self.engines.items():
            pods[cluster, NAMESPACE, names.service(NAMESPACE, deployment)] = [(engine.address, engine.port)]
        self.gateway.apply(merged.merge(out, self._brought(), pods, self.egress), merged.access_log(out / "front"))

    @contextmanager
    def changed(self, *edits: tuple[str, str, str], trusted: str = "ca.crt") -> Iterator[None]:
        """Declares something else for a while: a file, a text in it, and what stands there instead."""
        before = {path: (self.repository / path).read_text() for path, _, _ in edits}
        for path, old, new in edits:
            file = self.repository / path
            assert old in file.read_text()
            file.write_text(file.read_text().replace(old, new))
        self.trusted = trusted
        self.apply()
        try:
            yield
        finally:
            for path, text in before.items():
                (self.repository / path).write_text(text)
            self.trusted = "ca.crt"
            self.apply()

    def client(self, service: str, key: str = KEYS["alice"]) -> openai.OpenAI:
        """The official client of an application that calls a service at the front door; it repeats nothing by itself."""
        return self._client(f"http://{LOCAL}:{self.ports['FRONT']}/{NAMESPACE}/{service}/v1", key)

    def client_of_cluster(self, cluster: str, deployment: str, token: str = TOKEN) -> openai.OpenAI:
        """The official client at a cluster's own gateway, calling one deployment as a front does."""
        scheme = "https" if cluster == "east" else "http"
        headers = {"Host": host(cluster, deployment), names.TOKEN_HEADER: token}
        return self._client(f"{scheme}://{LOCAL}:{self.ports[cluster.upper()]}/v1", "unused", headers)

    def _client(self, url: str, key: str, headers: Mapping[str, str] | None = None) -> openai.OpenAI:
        http = openai.DefaultHttpxClient(verify=False)
        client = openai.OpenAI(base_url=url, api_key=key, default_headers=headers, http_client=http, max_retries=0)
        self.stack.callback(client.close)
        return client

    def usage(self) -> list[dict[str, Any]]:
        """The lines of the access log so far."""
        lines = self.gateway.process.log.read_text(errors="replace").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{") and '"answered_by":' in line]

    def _brought(self) -> dict[str, list[merged.Object]]:
        """The Secrets and ConfigMaps that the declarations name."""
        system = names.SYSTEM_NAMESPACE
        token = secret(system, "fleet-token", credential=TOKEN)
        shown = {f"tls.{kind}": (self.certificates / f"east.{kind}").read_text() for kind in ("key", "crt")}
        certificate = {**secret(system, "east-certificate", **shown), "type": "kubernetes.io/tls"}
        trusted = {"name": "fleet-authorities", "namespace": NAMESPACE}
        authorities = {"ca.crt": (self.certificates / self.trusted).read_text()}
        front = [
            token,
            secret(system, "callers", **KEYS),
            secret(NAMESPACE, "fleet-token", credential=TOKEN),
            secret(NAMESPACE, "acme-key", credential=PROVIDER_KEY),
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": trusted, "data": authorities},
        ]
        return {"west": [token], "east": [token, certificate], "front": front}


def host(cluster: str, deployment: str) -> str:
    """The host name that a cluster's gateway routes by."""
    return names.host(NAMESPACE, deployment, cluster, DOMAIN)


@contextmanager
def start(tools: Path, folder: Path) -> Iterator[DataPath]:
    """Everything up, and every route programmed."""
    with ExitStack() as stack:
        ports = free_ports()
        repository = declare(folder / "repository", ports)
        engines = {(name, cluster): Engine(f"{name}@{cluster}", model) for name, cluster, model in ENGINES}
        acme = Engine("acme", "*", prefix="/api/openai", key=PROVIDER_KEY, port=ports["ACME"])
        for engine in (acme, *engines.values()):
            stack.callback(engine.kill)
        certificates = certify(folder / "certificates", f"*.east.{DOMAIN}")
        (folder / "gateway").mkdir()
        gateway = stack.enter_context(envoy_gateway.start(tools, folder / "gateway"))
        found = DataPath(gateway, folder, repository, engines, acme, ports, certificates, stack)
        found.apply()
        yield found


def free_ports() -> dict[str, int]:
    """A port of this machine for every name that the declarations have for one."""
    return {name: free_port() for name in PORTS}


def declare(repository: Path, values: Mapping[str, int]) -> Path:
    """A copy of the fleet with the ports of this machine."""
    for path in sorted(DECLARED.rglob("*.yaml")):
        copy = repository / path.relative_to(DECLARED)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(Template(path.read_text()).substitute(values))
    return repository


def secret(namespace: str, name: str, **values: str) -> merged.Object:
    """A Secret; Envoy Gateway on its own reads `data` alone."""
    data = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace}, "data": data}


def certify(folder: Path, *hosts: str) -> Path:
    """A folder with an authority (ca.crt), a certificate of it for some hosts (east.crt, east.key), and another authority (other.crt)."""
    folder.mkdir()

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    for authority in ("ca", "other"):
        openssl("req", "-x509", *key, "-days", "2", "-keyout", f"{authority}.key", "-out", f"{authority}.crt", "-subj", f"/CN={authority}")
    openssl("req", *key, "-keyout", "east.key", "-out", "east.csr", "-subj", "/CN=east")
    (folder / "names").write_text(f"subjectAltName={','.join(f'DNS:{host}' for host in hosts)}\n")
    openssl("x509", "-req", "-in", "east.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-days", "2", "-extfile", "names", "-out", "east.crt")
    return folder
