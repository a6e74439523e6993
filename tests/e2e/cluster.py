"""A real Kubernetes control plane on this machine: etcd and the API server, with controllers, scheduler and kwok where asked for."""

import re
import secrets
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import urllib3
import yaml

from tests.e2e.client import Client, Object
from tests.e2e.process import Process, free_port, until

LOCAL = "127.0.0.1"


class Cluster(Client):
    """The client of a cluster that was started here, and what other programs need to reach it."""

    def __init__(self, server: str, folder: Path, token: str, processes: Sequence[Process]) -> None:
        super().__init__(server, folder / "pki" / "apiserver.crt", token)
        self.folder = folder
        self.kubeconfig = folder / "kubeconfig"
        self.kubeconfig.write_text(_kubeconfig(server, folder, token))
        self.processes = processes

    def access(self, token: str) -> str:
        """A kubeconfig for whoever a token names."""
        return _kubeconfig(self._server, self.folder, token)

    def install(self, folder: Path, kinds: Collection[tuple[str, str]]) -> None:
        """Creates the CustomResourceDefinitions of some (group, kind) out of a folder; returns when all of them are served.

        Only the server reads the YAML: Python would need longer for these files than everything else here takes.
        """
        documents = [text for path in sorted(folder.rglob("*.yaml")) for text in split(path.read_text())]
        texts = [text for text in documents if defines(text) in kinds]
        created = [self.create("apiextensions.k8s.io/v1", "CustomResourceDefinition", text) for text in texts]
        for definition in created:
            self.until(partial(self._established, definition), f"{definition['metadata']['name']} established")

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Waits for a condition while all programs of the cluster run."""
        until(condition, what, *self.processes)

    def _established(self, definition: Object) -> bool:
        stored = self.get(definition["apiVersion"], definition["kind"], definition["metadata"]["name"]) or {}
        conditions = stored.get("status", {}).get("conditions") or ()
        if not any(entry["type"] == "Established" and entry["status"] == "True" for entry in conditions):
            return False
        # The condition comes a moment before discovery and storage know the kind.
        spec = definition["spec"]
        versions = [f"{spec['group']}/{version['name']}" for version in spec["versions"] if version["served"]]
        return all(self.serves(version, spec["names"]["kind"]) for version in versions)

    def _request(self, *arguments: Any, **options: Any) -> urllib3.BaseHTTPResponse:
        try:
            return super()._request(*arguments, **options)
        except urllib3.exceptions.HTTPError:
            for process in self.processes:
                process.require_alive()
            raise


def split(text: str) -> list[str]:
    """The documents of a YAML file, as text; no document of ours has `---` at the start of a line of its own."""
    return [part for part in re.split(r"^---.*$", text, flags=re.MULTILINE) if part.strip()]


def defines(text: str) -> tuple[str, str] | None:
    """The group and kind that a CustomResourceDefinition in the usual layout is of."""
    found = [re.search(pattern, text, re.MULTILINE) for pattern in (r"^  group: (\S+)$", r"^    kind: (\S+)$")]
    return (found[0][1], found[1][1]) if found[0] and found[1] else None


@dataclass(frozen=True, slots=True)
class Launcher:
    """Starts programs out of one folder, runs them in another, and stops them when the stack unwinds."""

    tools: Path
    folder: Path
    stack: ExitStack
    processes: list[Process]

    def __call__(self, name: str, *flags: str) -> Process:
        program = self.tools / name
        if not program.exists():
            raise FileNotFoundError(f"{name} is not among the tools: python -m tests.e2e.build {name}")
        process = Process(name, [str(program), *flags], self.folder)
        self.stack.callback(process.stop)
        self.processes.append(process)
        return process


@contextmanager
def start(
    tools: Path, *, controllers: bool = False, scheduler: bool = False, kwok: bool = False, controller_flags: Sequence[str] = ()
) -> Iterator[Cluster]:
    """An empty cluster; everything is stopped and removed at the end."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cluster-")))
        launch = Launcher(tools, folder, stack, [])
        cluster = stack.enter_context(closing(_api_server(launch, _etcd(launch))))
        if controllers:
            _controllers(launch, cluster, controller_flags)
        if scheduler:
            launch("kube-scheduler", f"--kubeconfig={cluster.kubeconfig}", "--leader-elect=false", "--secure-port=0")
        if kwok:
            _kwok(launch, cluster)
        yield cluster


def _etcd(launch: Launcher) -> str:
    client, peer = (f"http://{LOCAL}:{free_port()}" for _ in range(2))
    process = launch(
        "etcd",
        f"--data-dir={launch.folder / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync",  # nobody reads the files after a crash
        "--log-level=warn",
    )
    until(partial(_answers, f"{client}/health"), "etcd ready", process)
    return client


def _api_server(launch: Launcher, etcd: str) -> Cluster:
    pki = launch.folder / "pki"
    pki.mkdir()
    token, key, port = secrets.token_hex(16), pki / "service-accounts.key", free_port()
    (pki / "tokens.csv").write_text(f"{token},admin,admin,system:masters\n")
    subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
    process = launch(
        "kube-apiserver",
        f"--etcd-servers={etcd}",
        f"--cert-dir={pki}",  # it signs its own certificate there
        f"--bind-address={LOCAL}",
        f"--advertise-address={LOCAL}",
        f"--secure-port={port}",
        "--endpoint-reconciler-type=none",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--allow-privileged=true",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-signing-key-file={key}",
        f"--service-account-key-file={key}",
        f"--token-auth-file={pki / 'tokens.csv'}",
        "--authorization-mode=RBAC",
    )
    cluster = Cluster(f"https://{LOCAL}:{port}", launch.folder, token, launch.processes)
    until(lambda: cluster.ready() and cluster.get("v1", "Namespace", "default") is not None, "API server ready", process)
    return cluster


def _controllers(launch: Launcher, cluster: Cluster, flags: Sequence[str] = ()) -> None:
    process = launch(
        "kube-controller-manager",
        f"--kubeconfig={cluster.kubeconfig}",
        "--leader-elect=false",
        "--secure-port=0",
        f"--service-account-private-key-file={cluster.folder / 'pki' / 'service-accounts.key'}",
        f"--root-ca-file={cluster.folder / 'pki' / 'apiserver.crt'}",
        "--use-service-account-credentials=false",
        *flags,
    )
    # No pod is admitted into a namespace before its service account is there.
    until(lambda: cluster.get("v1", "ServiceAccount", "default", "default") is not None, "default service account", process)


def _kwok(launch: Launcher, cluster: Cluster) -> None:
    address = f"{LOCAL}:{free_port()}"
    process = launch(
        "kwok",
        f"--kubeconfig={cluster.kubeconfig}",
        f"--config={launch.tools / 'kwok-stages.yaml'}",
        f"--server-address={address}",
        "--manage-all-nodes=true",
        "--node-lease-duration-seconds=40",
    )
    until(partial(_answers, f"http://{address}/readyz"), "kwok ready", process)


def _answers(url: str) -> bool:
    with urllib3.PoolManager(retries=False) as pool:
        try:
            return pool.request("GET", url, timeout=5).status == 200
        except urllib3.exceptions.HTTPError:
            return False


def _kubeconfig(server: str, folder: Path, token: str) -> str:
    cluster = {"server": server, "certificate-authority": str(folder / "pki" / "apiserver.crt")}
    return yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": "admin", "user": {"token": token}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "admin", "namespace": "default"}}],
            "current-context": "test",
        }
    )
