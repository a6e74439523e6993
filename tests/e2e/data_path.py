"""The small fleet of tests/e2e/fleet as it answers: what was really generated for it, on a real Envoy, with engines on loopback."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
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
NAMESPACE, SYSTEM, DOMAIN = "shop", "modelfleet-system", "fleet.internal"
TOKEN = "the-fleets-own"
PORTS = ("WEST", "EAST", "PICKED")  # as the declarations name them
# Deployment, cluster, and the model that it serves.
ENGINES = (
    ("big", "west", "shop/chat"),
    ("idle", "west", "shop/chat"),
    ("small", "east", "shop/chat"),
    ("picked", "west", "shop/picked"),
    ("moving", "west", "shop/moving"),
    ("moving", "east", "shop/moving"),
)


@dataclass(frozen=True, slots=True)
class DataPath:
    """The running whole. engines: by deployment and cluster; ports: by the name that the declarations have for them."""

    gateway: EnvoyGateway
    repository: Path
    engines: Mapping[tuple[str, str], Engine]
    ports: Mapping[str, int]
    certificates: Path
    stack: ExitStack

    def apply(self) -> None:
        """Generates from what the repository says now, and returns when Envoy routes by it."""
        out = self.repository.parent / "generated"
        result = modelfleet(self.repository, "generate", "-o", str(out))
        assert result.code == 0, result.err
        pods = {}
        for (deployment, cluster), engine in self.engines.items():
            pods[cluster, NAMESPACE, f"model-{deployment}"] = [(engine.address, engine.port)]
        self.gateway.apply(merged.merge(out, self._brought(), pods))

    def _brought(self) -> dict[str, list[merged.Object]]:
        """The Secrets and ConfigMaps that the declarations name."""
        token = secret(SYSTEM, "fleet-token", credential=TOKEN)
        key, certificate = (self.certificates / name for name in ("east.key", "east.crt"))
        tls = secret(SYSTEM, "east-certificate", **{"tls.key": key.read_text(), "tls.crt": certificate.read_text()})
        return {"west": [token], "east": [token, {**tls, "type": "kubernetes.io/tls"}]}

    def client(self, cluster: str, deployment: str, token: str = TOKEN, **options: Any) -> openai.OpenAI:
        """The official client at a cluster's own gateway, calling one deployment as a front does."""
        secure = cluster == "east"
        headers = {"Host": host(cluster, deployment), "x-modelfleet-token": token}
        client = openai.OpenAI(
            base_url=f"{'https' if secure else 'http'}://{LOCAL}:{self.ports[cluster.upper()]}/v1",
            api_key="unused",
            default_headers=headers,
            http_client=openai.DefaultHttpxClient(verify=False) if secure else None,
            max_retries=0,
            **options,
        )
        self.stack.callback(client.close)
        return client


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
        for engine in engines.values():
            stack.callback(engine.kill)
        certificates = certify(folder / "certificates", f"*.east.{DOMAIN}")
        (folder / "gateway").mkdir()
        gateway = stack.enter_context(envoy_gateway.start(tools, folder / "gateway"))
        found = DataPath(gateway, repository, engines, ports, certificates, stack)
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


def certify(folder: Path, name: str) -> Path:
    """A folder with an authority (ca.crt) and a certificate of it for a name (east.crt, east.key)."""
    folder.mkdir()

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=authority")
    openssl("req", *key[:-2], "-keyout", "east.key", "-out", "east.csr", "-subj", "/CN=east")
    (folder / "names").write_text(f"subjectAltName=DNS:{name}\n")
    openssl("x509", "-req", "-in", "east.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-days", "2", "-extfile", "names", "-out", "east.crt")
    return folder
