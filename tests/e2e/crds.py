"""The CustomResourceDefinitions of the projects that the manifests are written for, out of the zips of their Go modules."""

import fnmatch
import json
import os
import subprocess
import tempfile
import zipfile
from dataclasses import astuple, dataclass
from hashlib import sha256
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Source:
    """A Go module: the files inside that are wanted, and the checksum of its zip in the form of go.sum."""

    project: str
    module: str
    version: str
    files: str
    checksum: str


SOURCES = (
    Source(
        "argo-cd",
        "github.com/argoproj/argo-cd/v3",
        "v3.6.1",
        "manifests/crds/*-crd.yaml",
        "h1:OmhqeKiR3C//awbFrhQqFdtRI+Qiv17j8vqm3UkMj/g=",
    ),
    Source(
        "envoy-gateway",
        "github.com/envoyproxy/gateway",
        "v1.9.1",
        "charts/gateway-helm/charts/crds/crds/generated/*.yaml",
        "h1:vAVp6/AlBXJ1aOhp1mxL7fNEzVEfjADUguUhm2wzxQY=",
    ),
    Source(
        "external-secrets",
        "github.com/external-secrets/external-secrets",
        "v1.3.2",
        "config/crds/bases/external-secrets.io_externalsecrets.yaml",
        "h1:u2J8RjlHIeF0oZCqtl92adI/uZWUwOesJIDkfql6LqQ=",
    ),
    Source(
        "gateway-api",
        "sigs.k8s.io/gateway-api",
        "v1.6.3",
        "config/crd/standard/gateway.networking.k8s.io_*.yaml",
        "h1:lKpJa5bGlraC/QeACvCpsHLdmO6y0iKfzVl6gzaFEYc=",
    ),
    Source(
        "inference-extension",
        "sigs.k8s.io/gateway-api-inference-extension",
        "v1.6.0",
        "config/crd/bases/*.yaml",
        "h1:cjtwMJYcTnLXBYE5ffR1/hHhn7U1aIFfe2RITYmOXVA=",
    ),
    Source(
        "keda",
        "github.com/kedacore/keda/v2",
        "v2.21.0",
        "config/crd/bases/*.yaml",
        "h1:R6z2HZvstK4RLUMxroNACzBj74xGxt3kG59b5Xc+Xps=",
    ),
    Source(
        "leader-worker-set",
        "sigs.k8s.io/lws",
        "v0.9.0",
        "config/crd/bases/*.yaml",
        "h1:DcJCgxjjoGOx//QHZkeKpyiblxYq70aCRZNYSfykWyI=",
    ),
    Source(
        "prometheus-operator",
        "github.com/prometheus-operator/prometheus-operator",
        "v0.85.0",
        "example/prometheus-operator-crd/*.yaml",
        "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=",
    ),
)


def key() -> str:
    """16 hex digits that change with any version or file pattern."""
    return sha256(repr([astuple(source) for source in SOURCES]).encode()).hexdigest()[:16]


def collect(out: Path) -> None:
    """Writes OUT/crds/<project>/*.yaml for every source."""
    zips = download([f"{source.module}@{source.version}" for source in SOURCES])
    for source in SOURCES:
        archive, checksum = zips[source.module]
        if checksum != source.checksum:
            raise ValueError(f"{source.module}@{source.version} has the checksum {checksum}, not {source.checksum}")
        unpack(source, archive, out / "crds" / source.project)


def download(modules: list[str]) -> dict[str, tuple[str, str]]:
    """The zip and its checksum by module path.

    Argo CD's go.mod asks for a newer Go than the tools need: go then reports an error, with the zip already there and checked. A
    missing zip shows as such, so the exit status says nothing.
    """
    with tempfile.TemporaryDirectory() as outside:
        environment = os.environ | {"GOTOOLCHAIN": "local", "GOWORK": "off", "GOFLAGS": ""}
        command = ["go", "mod", "download", "-json", *modules]
        text = subprocess.run(command, cwd=outside, env=environment, stdout=subprocess.PIPE, text=True, check=False).stdout
    answers, decoder = [], json.JSONDecoder()
    while text := text.lstrip():
        answer, end = decoder.raw_decode(text)
        answers.append(answer)
        text = text[end:]
    for answer in answers:
        if "Zip" not in answer:
            raise RuntimeError(f"{answer['Path']}@{answer['Version']}: {answer.get('Error', 'no zip')}")
    return {answer["Path"]: (answer["Zip"], answer["Sum"]) for answer in answers}


def unpack(source: Source, archive: str, folder: Path) -> None:
    """Copies the wanted files, flat, into a folder."""
    pattern = f"{source.module}@{source.version}/{source.files}"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(archive) as files:
        wanted = fnmatch.filter(files.namelist(), pattern)
        if not wanted:
            raise LookupError(f"{source.module}@{source.version} has no {source.files}")
        for name in wanted:
            (folder / Path(name).name).write_bytes(files.read(name))
