"""A real Envoy Gateway with a real Envoy, standing alone: it reads objects from files and has no Kubernetes under it.

It listens on fixed ports beside those of its Gateways, so one can run at a time on a machine: whoever comes second waits.
"""

from __future__ import annotations

import fcntl
import json
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import urllib3
import yaml

from tests.e2e.process import Process, free_port, until

Object = Mapping[str, Any]

CLASS = "envoy"  # the GatewayClass that clusters name unless they say another
_CONTROLLER = "gateway.envoyproxy.io/gatewayclass-controller"
_SYSTEM = "envoy-gateway-system"
_ENVOY = "0.0.0"  # Envoy Gateway looks for its proxy in a folder of this version, and asks for no more
_PORTS = (8081, 18000, 18002, 19000, 19001)
_ONE = Path(tempfile.gettempdir()) / "modelfleet-envoy-gateway.lock"
_STATUS = "Got new status for "


class EnvoyGateway:
    """The running gateway. `apply` gives it objects; `problems` are the conditions of these that are not as they should be."""

    def __init__(self, tools: Path, folder: Path) -> None:
        self._folder, self._generation, self._marker = folder, 0, free_port()
        self._objects: Sequence[Object] = ()
        self._telemetry: Object = {}
        self._stated: dict[tuple[str, str], Any] = {}
        self._read = 0  # bytes of the log
        binary = folder / "data" / "envoy-versions" / _ENVOY / "bin" / "envoy"
        for path in (folder / "in", binary.parent):
            path.mkdir(parents=True)
        binary.symlink_to((tools / "envoy").resolve())
        self._write(())
        settings = folder / "settings.json"
        settings.write_text(json.dumps(_settings(folder)))
        program = str(tools / "envoy-gateway")
        subprocess.run([program, "certgen", "--local", "--config-home", str(folder / "config")], check=True, capture_output=True)
        self.process = Process("envoy-gateway", [program, "server", "--config-path", str(settings)], folder)

    def apply(self, objects: Sequence[Object], telemetry: Object) -> None:
        """Replaces everything by these objects; returns when Envoy routes by all of them, and raises with what was refused.

        telemetry: of the EnvoyProxy.
        """
        self._generation += 1
        self._objects, self._telemetry = objects, telemetry
        self._write(objects)
        self.wait()

    def stop(self) -> None:
        self.process.stop()

    def problems(self) -> list[str]:
        """Conditions that are not as they should be, and objects that were given none; in the order of the objects."""
        self._read_log()
        return [problem for found in self._objects for problem in _problems(found, self._stated.get((found["kind"], _key(found))))]

    def wait(self) -> None:
        """Returns when Envoy routes by what was written last; raises with what was refused."""
        until(self._reached, f"Envoy knows generation {self._generation}", self.process)
        try:
            until(lambda: not self.problems(), "every condition as it should be", self.process, deadline=60)
        except TimeoutError:
            raise AssertionError("\n".join(["Envoy Gateway refuses:", *self.problems()])) from None

    def _reached(self) -> bool:
        """The marker's route is the last to arrive of what was written with it."""
        try:
            answer = urllib3.request("GET", f"http://127.0.0.1:{self._marker}/", retries=False, timeout=5)
        except urllib3.exceptions.HTTPError:
            return False
        return answer.data == f"generation {self._generation}".encode()

    def _write(self, objects: Sequence[Object]) -> None:
        """By renaming, because a file is read as soon as there is something in it."""
        text = yaml.dump_all([*_base(self._telemetry), *_marker(self._marker, self._generation), *objects], Dumper=yaml.CSafeDumper)
        hidden = self._folder / ".objects"
        hidden.write_text(text)
        hidden.rename(self._folder / "in" / "objects.yaml")

    def _read_log(self) -> None:
        """Keeps the newest status of each object, by kind and namespace/name."""
        with self.process.log.open("rb") as log:
            log.seek(self._read)
            text = log.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.decode(errors="replace").splitlines():
            if _STATUS not in line:
                continue
            entry = json.loads(line)
            kind, _, status = entry["msg"].removeprefix(_STATUS).partition("\n")
            self._stated[kind, entry["key"]] = yaml.load(status, yaml.CSafeLoader)


@contextmanager
def start(tools: Path, folder: Path) -> Iterator[EnvoyGateway]:
    """A gateway without routes, once no other runs on this machine; everything is stopped at the end."""
    with _ONE.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        until(_alone, "the ports that Envoy Gateway always takes are free", deadline=900)
        gateway = EnvoyGateway(tools, folder)
        try:
            gateway.wait()
            yield gateway
        finally:
            gateway.stop()


def _alone() -> bool:
    """Whether nothing listens on the fixed ports."""
    for port in _PORTS:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("", port))
            except OSError:
                return False
    return True


def _settings(folder: Path) -> dict[str, Any]:
    host = {"configHome": "config", "dataHome": "data", "stateHome": "state", "runtimeDir": "run"}
    custom = {
        "resource": {"type": "File", "file": {"paths": [str(folder / "in")]}},
        "infrastructure": {"type": "Host", "host": {key: str(folder / path) for key, path in host.items()}},
    }
    return {
        "apiVersion": "gateway.envoyproxy.io/v1alpha1",
        "kind": "EnvoyGateway",
        "gateway": {"controllerName": _CONTROLLER},
        "provider": {"type": "Custom", "custom": custom},
        "logging": {"level": {"default": "info"}, "encoder": "JSON"},
        "extensionApis": {"enableBackend": True},
    }


def _base(telemetry: Object) -> list[Object]:
    """The class, with all Gateways merged onto one Envoy."""
    group = "gateway.envoyproxy.io"
    proxy = {"mergeGateways": True, "provider": {"type": "Host", "host": {"envoyVersion": _ENVOY}}, "telemetry": telemetry}
    reference = {"group": group, "kind": "EnvoyProxy", "name": "merged", "namespace": _SYSTEM}
    return [
        {
            "apiVersion": "gateway.networking.k8s.io/v1",
            "kind": "GatewayClass",
            "metadata": {"name": CLASS},
            "spec": {"controllerName": _CONTROLLER, "parametersRef": reference},
        },
        {"apiVersion": f"{group}/v1alpha1", "kind": "EnvoyProxy", "metadata": {"name": "merged", "namespace": _SYSTEM}, "spec": proxy},
    ]


def _marker(port: int, generation: int) -> list[Object]:
    """A Gateway whose only route answers with the generation of what was written."""
    metadata, group = {"name": "marker", "namespace": _SYSTEM}, "gateway.envoyproxy.io"
    answer = {"statusCode": 200, "contentType": "text/plain", "body": {"type": "Inline", "inline": f"generation {generation}"}}
    chosen = {"type": "ExtensionRef", "extensionRef": {"group": group, "kind": "HTTPRouteFilter", "name": "marker"}}
    rule = {"matches": [{"path": {"type": "PathPrefix", "value": "/"}}], "filters": [chosen]}
    listener = {"name": "http", "port": port, "protocol": "HTTP"}
    gateway = "gateway.networking.k8s.io/v1"
    return [
        {"apiVersion": gateway, "kind": "Gateway", "metadata": metadata, "spec": {"gatewayClassName": CLASS, "listeners": [listener]}},
        {"apiVersion": gateway, "kind": "HTTPRoute", "metadata": metadata, "spec": {"parentRefs": [{"name": "marker"}], "rules": [rule]}},
        {"apiVersion": f"{group}/v1alpha1", "kind": "HTTPRouteFilter", "metadata": metadata, "spec": {"directResponse": answer}},
    ]


# Kinds that Envoy Gateway states something of, and where in the status.
_STATED = {
    "Gateway": "conditions",
    "Backend": "conditions",
    "HTTPRoute": "parents",
    "BackendTrafficPolicy": "ancestors",
    "ClientTrafficPolicy": "ancestors",
    "SecurityPolicy": "ancestors",
}
# Of a Gateway that stands alone no address is ever known.
_UNKNOWN = {"AddressNotAssigned", "NoResources"}
_TRUE = ("Accepted", "ResolvedRefs", "Programmed", "BackendsAvailable")


def _key(found: Object) -> str:
    return f"{found['metadata']['namespace']}/{found['metadata']['name']}"


def _problems(found: Object, status: Any) -> list[str]:
    where = _STATED.get(found["kind"])
    if where is None:
        return []
    shown = f"{found['kind']} {_key(found)}"
    entries = (status or {}).get(where)
    if not entries:
        return [f"{shown}: nothing is said of it"]
    conditions = entries if where == "conditions" else [condition for entry in entries for condition in entry["conditions"]]
    return [f"{shown}: {c['type']}={c['status']} {c['reason']}: {c['message']}" for c in conditions if _bad(c)]


def _bad(condition: Mapping[str, str]) -> bool:
    """A condition that should hold and does not, or one that says that something is wrong."""
    if condition["reason"] in _UNKNOWN:
        return False
    return (condition["status"] == "True") != (condition["type"] in _TRUE)
