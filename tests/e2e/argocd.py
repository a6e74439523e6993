"""A real Argo CD without containers: Redis, repo-server, the plugin's own server, both controllers; the hub is a cluster of `cluster`.

What is installed is what `argocd/` and `plugin/` hold; only addresses differ.
"""

import base64
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import yaml

from tests.e2e.client import Object
from tests.e2e.cluster import LOCAL, Cluster, split
from tests.e2e.process import Process, free_port, until

ROOT = Path(__file__).parent.parent.parent
NAMESPACE = "argocd"
API = "argoproj.io/v1alpha1"
REFRESH = "argocd.argoproj.io/refresh"
ROOT_APPLICATION = "fleet"
URL = "https://git.example.com/acme/fleet.git"
DEADLINE = 150.0


@dataclass(frozen=True, slots=True)
class Repository:
    """The fleet repository: a work tree, and the bare repository that Argo CD reads."""

    tree: Path
    bare: Path

    @property
    def url(self) -> str:
        return f"file://{self.bare}"

    @classmethod
    def create(cls, folder: Path) -> "Repository":
        found = cls(folder / "fleet", folder / "fleet.git")
        for arguments in (["init", "-q", "-b", "main", str(found.tree)], ["init", "-q", "--bare", "-b", "main", str(found.bare)]):
            subprocess.run(["git", *arguments], check=True)
        found.git("remote", "add", "origin", str(found.bare))
        return found

    def git(self, *arguments: str) -> str:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", "-C", str(self.tree), *who, *arguments], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def push(self, message: str) -> str:
        """Commits the work tree, pushes it, and gives the commit."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        self.git("push", "-q", "origin", "HEAD:main")
        return self.git("rev-parse", "HEAD")


class ArgoCD:
    """A running Argo CD. `hub` is where its own objects are."""

    def __init__(self, hub: Cluster, processes: list[Process]) -> None:
        self.hub, self.processes = hub, processes

    def applications(self) -> dict[str, Object]:
        """Every Application by name."""
        return {found["metadata"]["name"]: found for found in self.hub.list(API, "Application", NAMESPACE)}

    def application(self, name: str) -> Object | None:
        return self.hub.get(API, "Application", name, NAMESPACE)

    def sets(self) -> dict[str, Object]:
        """Every ApplicationSet by name."""
        return {found["metadata"]["name"]: found for found in self.hub.list(API, "ApplicationSet", NAMESPACE)}

    def until(self, condition: Callable[[], bool], what: str) -> None:
        until(condition, what, *self.processes, deadline=DEADLINE)

    def settle(self, commit: str) -> None:
        """Returns when the root and every Application have seen `commit` and nothing is under way.

        An Application that is compared again while its plugin fails has seen it too.
        """
        self._refresh([ROOT_APPLICATION] if self.application(ROOT_APPLICATION) else [])
        self.until(self._sets_are_applied, f"sets of {commit}")
        self._refresh([name for name in self.applications() if name != ROOT_APPLICATION])
        self.until(lambda: all(map(quiet, self.applications().values())), f"{commit} applied")

    def _refresh(self, names: list[str]) -> None:
        for name in names:
            self.hub.patch(API, "Application", name, {"metadata": {"annotations": {REFRESH: "normal"}}}, NAMESPACE)
        self.until(lambda: all(map(quiet, self._those(names))), f"{', '.join(names)} compared")

    def _those(self, names: list[str]) -> list[Object]:
        return [found for name, found in self.applications().items() if name in names]

    def _sets_are_applied(self) -> bool:
        """Whether every set's Applications are those of its elements: there, and as the set wants them."""
        applications = self.applications()
        for found in self.sets().values():
            if "deletionTimestamp" in found["metadata"]:
                return False
            for element in found["spec"]["generators"][0]["list"]["elements"]:
                application = applications.get(element["name"])
                notes = (application or {}).get("metadata", {}).get("annotations", {})
                if notes.get("modelfleet.io/placement") != element["summary"]:
                    return False
        return True


def quiet(application: Object) -> bool:
    """Whether nothing is under way in an Application: no comparison asked for, no operation."""
    notes = application["metadata"].get("annotations", {})
    phase = application.get("status", {}).get("operationState", {}).get("phase")
    return (
        REFRESH not in notes and "operation" not in application and phase != "Running" and "reconciledAt" in application.get("status", {})
    )


def state(application: Object) -> tuple[str, str]:
    """Sync status and, where it cannot be compared, why."""
    status = application.get("status", {})
    why = [condition["message"] for condition in status.get("conditions", []) if condition["type"] == "ComparisonError"]
    return status.get("sync", {}).get("status", ""), why[0] if why else ""


@contextmanager
def start(tools: Path, hub: Cluster, repository: Repository, clusters: Mapping[str, Cluster]) -> Iterator[ArgoCD]:
    """Argo CD on `hub`, with the root of `repository` and `clusters` by their names in Argo CD."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="argo-", dir="/tmp")))  # paths of sockets are short
        _install(tools, hub)
        for name, cluster in clusters.items():
            hub.apply(_cluster_secret(name, cluster))
        processes = _programs(tools, hub, folder, stack)
        argocd = ArgoCD(hub, processes)
        argocd.until(lambda: (folder / "plugins" / "modelfleet-v0.sock").exists(), "plugin's socket")
        yield argocd


def start_root(argocd: ArgoCD, repository: Repository) -> None:
    """Applies argocd/ with the repository's address in place of the example's."""
    for name in ("project.yaml", "root.yaml"):
        argocd.hub.apply((ROOT / "argocd" / name).read_text().replace(URL, repository.url))


def _install(tools: Path, hub: Cluster) -> None:
    """Argo CD's kinds and settings, and our health checks."""
    hub.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    kinds = {("argoproj.io", kind) for kind in ("Application", "ApplicationSet", "AppProject")}
    definitions = split((tools / "argocd-crds.yaml").read_text())
    created = [hub.create("apiextensions.k8s.io/v1", "CustomResourceDefinition", text) for text in definitions]
    assert {(c["spec"]["group"], c["spec"]["names"]["kind"]) for c in created} == kinds
    for _, kind in kinds:
        hub.until(partial(hub.serves, API, kind), f"{kind} served")
    part = {"app.kubernetes.io/part-of": "argocd"}
    checks = yaml.safe_load((ROOT / "argocd/install/health-checks.yaml").read_text())["data"]
    settings = {"application.resourceTrackingMethod": "annotation"}
    for name, data in (("argocd-cm", settings | checks), ("argocd-rbac-cm", {}), ("argocd-cmd-params-cm", {})):
        hub.apply(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": NAMESPACE, "labels": part}, "data": data}
        )
    secret = {"server.secretkey": "x" * 32, "admin.password": "x", "admin.passwordMtime": "2026-01-01T00:00:00Z"}
    metadata = {"name": "argocd-secret", "namespace": NAMESPACE, "labels": part}
    hub.apply({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": secret})
    project = {"sourceRepos": ["*"], "destinations": [{"namespace": "*", "server": "*"}]}
    hub.apply({"apiVersion": API, "kind": "AppProject", "metadata": {"name": "default", "namespace": NAMESPACE}, "spec": project})


def _cluster_secret(name: str, cluster: Cluster) -> Object:
    kubeconfig = yaml.safe_load(cluster.kubeconfig.read_text())
    server = kubeconfig["clusters"][0]["cluster"]
    authority = base64.b64encode(Path(server["certificate-authority"]).read_bytes()).decode()
    config = {"bearerToken": kubeconfig["users"][0]["user"]["token"], "tlsClientConfig": {"caData": authority}}
    labels = {"argocd.argoproj.io/secret-type": "cluster"}
    data = {"name": name, "server": server["server"], "config": json.dumps(config)}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": f"cluster-{name}", "namespace": NAMESPACE, "labels": labels},
        "stringData": data,
    }


def _programs(tools: Path, hub: Cluster, folder: Path, stack: ExitStack) -> list[Process]:
    """The programs, each in an environment that keeps it off the machine's own folders."""
    for name in ("tls", "ssh", "gpg/keys", "gpg/source", "plugins", "work", "home", "tmp", "config"):
        (folder / name).mkdir(parents=True, mode=0o700)
    (folder / "config/plugin.yaml").write_bytes((ROOT / "plugin/plugin.yaml").read_bytes())
    environment = {
        "KUBECONFIG": str(hub.kubeconfig), "ARGOCD_FAKE_IN_CLUSTER": "true", "HOME": f"{folder}/home", "TMPDIR": f"{folder}/tmp",
        "PATH": f"{Path(sys.executable).parent}:{tools}:{os.environ['PATH']}", "ARGOCD_PLUGINSOCKFILEPATH": f"{folder}/plugins",
        "ARGOCD_CMP_WORKDIR": f"{folder}/work", "ARGOCD_TLS_DATA_PATH": f"{folder}/tls", "ARGOCD_SSH_DATA_PATH": f"{folder}/ssh",
        "ARGOCD_GNUPGHOME": f"{folder}/gpg/keys", "ARGOCD_GPG_DATA_PATH": f"{folder}/gpg/source", "ARGOCD_GPG_ENABLED": "false",
        "ARGOCD_ASK_PASS_SOCK": f"{folder}/ask.sock",
    }  # fmt: skip
    processes: list[Process] = []

    def launch(name: str, *flags: str) -> None:
        program = name if name == "redis-server" else str(tools / name)
        process = Process(name, ["env", *(f"{key}={value}" for key, value in environment.items()), program, *flags], folder)
        stack.callback(process.stop)
        processes.append(process)

    address, repo = f"{LOCAL}:{free_port()}", f"{LOCAL}:{free_port()}"
    ports = [str(free_port()) for _ in range(5)]
    launch("redis-server", "--port", address.split(":")[1], "--bind", LOCAL, "--save", "", "--appendonly", "no")
    launch("argocd-cmp-server", "--config-dir-path", str(folder / "config"), "--logformat", "text")
    launch(
        "argocd-repo-server", "--address", LOCAL, "--port", repo.split(":")[1], "--metrics-address", LOCAL, "--metrics-port", ports[0],
        "--redis", address, "--disable-tls", "--client-ca-path=", "--logformat", "text",
    )  # fmt: skip
    until(partial(_listens, repo), "repo-server", *processes)
    plain = ["--logformat", "text", "--repo-server-plaintext"]
    launch(
        "argocd-application-controller", "-n", NAMESPACE, "--redis", address, "--repo-server", repo, "--metrics-port", ports[1],
        "--app-resync", "3600", *plain,
    )  # fmt: skip
    launch(
        "argocd-applicationset-controller", "-n", NAMESPACE, "--argocd-repo-server", repo, "--metrics-addr", f"{LOCAL}:{ports[2]}",
        "--probe-addr", f"{LOCAL}:{ports[3]}", "--webhook-addr", f"{LOCAL}:{ports[4]}", "--enable-leader-election=false", *plain,
    )  # fmt: skip
    return processes


def _listens(address: str) -> bool:
    host, port = address.split(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0
