"""The calls that `modelfleet endpoints` shows for the example fleet, made as they are printed.

The example's own declarations are used, with host names and ports of this machine in the place of Acme's. What people bring to a cluster
is what the reports of its units say must be there, and no more; each engine answers to the name that its rendered pod is told to serve.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from modelfleet import names

from tests.e2e import data_path, envoy_gateway, merged
from tests.e2e.data_path import secret
from tests.e2e.engine import Engine
from tests.e2e.merged import Object, Where
from tests.e2e.process import free_port, until
from tests.run import modelfleet

pytestmark = pytest.mark.e2e

EXAMPLE = Path(__file__).resolve().parents[2] / "fleet-repo-example"
SERVICES = ("search/rewrite", "support/summaries")
KEY, DOMAIN = "key-of-an-application", "fleet.internal"
CALLERS = re.compile(r"secret (\S+)/(\S+) \(a key for each caller")
PAIR = re.compile(r"secret (\S+)/(\S+), keys tls\.crt, tls\.key")
CREDENTIAL = re.compile(r"secret (\S+)/([^\s,]+), key \w+(: Bearer <API key>)? \(")
AUTHORITIES = re.compile(r"configmap (\S+)/(\S+), key ca\.crt")


@dataclass(frozen=True, slots=True)
class Example:
    """The running fleet. engines: by cluster, namespace and name of the Service before them."""

    repository: Path
    engines: Mapping[Where, Engine]
    provider: Engine
    authority: Path


@pytest.fixture(scope="module")
def example(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    folder = tmp_path_factory.mktemp("example")
    repository, generated = folder / "repository", folder / "generated"
    shutil.copytree(EXAMPLE, repository)
    with ExitStack() as stack:
        provider = Engine("provider", "llama-3.3-70b", prefix="/openai", key="Bearer the-token")
        stack.callback(provider.kill)
        clusters = localize(repository, provider.port)
        certificates = data_path.certify(folder / "certificates", *(f"*.{name}.{DOMAIN}" for name in clusters), "localhost")
        result = modelfleet(repository, "generate", "-o", str(generated))
        assert result.code == 0, result.err
        engines = served(stack, generated, clusters)
        pods = {where: [(engine.address, engine.port)] for where, engine in engines.items()}
        brought = {name: bring(generated / name, certificates) for name in clusters}
        (folder / "gateway").mkdir()
        gateway = stack.enter_context(envoy_gateway.start(tools, folder / "gateway"))
        gateway.apply(merged.merge(generated, brought, pods, free_port()), merged.access_log(generated / "gke-us-east4"))
        yield Example(repository, engines, provider, certificates / "ca.crt")


def localize(repository: Path, provider: int) -> list[str]:
    """Puts this machine's names, ports and authority into the declarations; the names of the clusters."""
    clusters = []
    for path in sorted((repository / "fleet" / "clusters").glob("*.yaml")):
        trust = "serverCertificateRef: {name: gateway}, caConfigMapRef: {name: authorities}"
        replace(path, r"gateway: \{hostname: \S+, tls: \{wellKnown: System\}\}", local_gateway(path.stem, trust))
        clusters.append(path.stem)
    front = repository / "fleet" / "gateways" / "acme.yaml"
    listener = f"hostname: localhost\n  listeners: [{{name: https, port: {free_port()}, protocol: HTTPS}}]"
    replace(front, r"hostname: models\.acme\.example\.com", listener)
    replace(
        repository / "models" / "support" / "summaries.yaml",
        r"https://api\.provider\.example\.com",
        f"http://provider.localhost:{provider}",
    )
    return clusters


def local_gateway(cluster: str, trust: str) -> str:
    return f"gateway: {{hostname: {cluster}.localhost, port: {free_port()}, tls: {{{trust}}}}}"


def replace(path: Path, pattern: str, text: str) -> None:
    """Puts a text in the place of the only one that matches."""
    changed, count = re.subn(pattern, lambda _: text, path.read_text())
    assert count == 1, path
    path.write_text(changed)


def served(stack: ExitStack, generated: Path, clusters: list[str]) -> dict[Where, Engine]:
    """An engine behind every Service of a deployment, which answers to the name that the deployment's pods are given."""
    engines: dict[Where, Engine] = {}
    for cluster in clusters:
        found = merged.read(generated / cluster)
        models = {key: model for one in found if (key := of_deployment(one)) and (model := told(one))}
        for one in found:
            key = of_deployment(one)
            if one["kind"] == "Service" and key in models:
                engine = Engine(f"{key[1]}@{cluster}", models[key])
                stack.callback(engine.kill)
                engines[cluster, key[0], one["metadata"]["name"]] = engine
    return engines


def of_deployment(found: Object) -> tuple[str, str]:
    """Namespace and deployment of an object that belongs to one."""
    metadata = found["metadata"]
    return metadata.get("namespace", ""), metadata.get("labels", {}).get(names.LABEL_DEPLOYMENT, "")


def told(found: Object) -> str:
    """The name of the model in the environment of a rendered Deployment's engine."""
    if found["kind"] != "Deployment":
        return ""
    containers = found["spec"]["template"]["spec"]["containers"]
    values = {one["name"]: one.get("value", "") for container in containers for one in container.get("env", ())}
    return str(values.get("MODELFLEET_SERVED_MODEL_NAME", ""))


def bring(folder: Path, certificates: Path) -> list[Object]:
    """What the reports of a cluster's units say must be there."""
    said = [one["data"].get("prerequisites", "") for one in merged.read(folder) if "report" in one["metadata"]["name"]]
    found = [brought(line, certificates) for text in said for line in text.splitlines()]
    return list({(one["kind"], one["metadata"]["namespace"], one["metadata"]["name"]): one for one in found}.values())


def brought(line: str, certificates: Path) -> Object:
    """The object that one line of a report asks for."""
    if asked := PAIR.match(line):
        pair = {f"tls.{kind}": (certificates / f"east.{kind}").read_text() for kind in ("crt", "key")}
        return {**secret(*asked.groups(), **pair), "type": "kubernetes.io/tls"}
    if asked := CALLERS.match(line):
        return secret(*asked.groups(), application=KEY)
    if asked := AUTHORITIES.match(line):
        metadata = {"name": asked[2], "namespace": asked[1]}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"ca.crt": (certificates / "ca.crt").read_text()}}
    asked = CREDENTIAL.match(line)
    assert asked, line
    return secret(asked[1], asked[2], credential="Bearer the-token" if asked[3] else "the-token")


def told_by(example: Example, service: str, *flags: str) -> Object:
    """What `endpoints` says of a service at its only front door."""
    result = modelfleet(example.repository, "endpoints", "--format", "json", *flags, service)
    assert result.code == 0, result.err
    (found,) = json.loads(result.out)
    return dict(found)


def run(example: Example, command: list[str]) -> str:
    """What a program prints that an application's author would run, with the authority of this machine's certificates."""
    trust = {name: str(example.authority) for name in ("SSL_CERT_FILE", "CURL_CA_BUNDLE")}
    done = subprocess.run(command, env=os.environ | trust | {"API_KEY": KEY}, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("service", SERVICES)
def test_the_calls_that_are_printed_are_answered(example: Example, service: str) -> None:
    (call,) = told_by(example, service)["calls"]
    assert '"object": "chat.completion"' in run(example, ["bash", "-c", f"{call['curl']} --silent --show-error --fail"])
    *before, last = call["python"].splitlines()
    assert run(example, [sys.executable, "-c", "\n".join([*before, f"print({last}.model)"])]) == f"{call['model']}\n"


PATHS = ("/v1/models", "/v1/chat/completions", "/v1/chat/completions/?x=a%2Fb", "/v1/v1/models", "/v1")


@pytest.mark.parametrize("path", PATHS)
def test_a_path_becomes_what_check_path_says(example: Example, path: str) -> None:
    found = told_by(example, "support/summaries", "--check-path", path)
    url = f"{found['calls'][0]['baseURL'].removesuffix('/v1')}{path}"
    call = ["bash", "-c", f'curl --silent --show-error "{url}" -H "Authorization: Bearer $API_KEY"']
    ours = example.engines["gke-us-east4", "support", names.service("support", "llama-3-3-70b")]
    until(lambda: bool(run(example, call) and ours.taken()), "ours answers, whatever became of it in another test")
    example.provider.taken()
    run(example, call)
    with ours.dead():
        run(example, call)
    arrived = [(got.host, got.path) for engine in (ours, example.provider) for got in engine.taken()]
    assert arrived == [(share["host"], path_of(share["upstream"])) for share in found["shares"]]


def path_of(url: str) -> str:
    return "/" + url.split("/", 3)[3]
