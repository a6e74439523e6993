"""What the API server would write into a pod spec, written out: then a second apply and Argo CD's comparison change nothing.

Each function takes a part as users write it and returns it with the server's defaults and quantities in normal form; a value
that is there stays. Source: pkg/apis/core/v1/defaults.go of Kubernetes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..api.quantity import Quantity
from .omitted import trimmed

Part = dict[str, Any]

_FILE_MODE = 420  # 0644
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def pod_spec(spec: Mapping[str, Any]) -> Part:
    """A pod spec with every default of its own, its containers and its volumes; null and empty lists go, as in the API server."""
    found: Part = {
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
        **trimmed(spec),
    }
    for kind in ("initContainers", "containers"):
        _each(found, kind, container)
    _each(found, "volumes", volume)
    if account := found.get("serviceAccountName") or found.get("serviceAccount"):
        found |= {"serviceAccount": account, "serviceAccountName": account}  # the old name and the new one
    return found


def service(value: Mapping[str, Any]) -> Part:
    """The spec of a Service inside the cluster."""
    return {"internalTrafficPolicy": "Cluster", "sessionAffinity": "None", "type": "ClusterIP", **value}


def container(value: Mapping[str, Any]) -> Part:
    """A container with its defaults."""
    found: Part = {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File", **value}
    if isinstance(image := found.get("image"), str):
        found.setdefault("imagePullPolicy", pull_policy(image))
    _each(found, "env", _env)
    _each(found, "ports", lambda port: {"protocol": "TCP", **port})
    _at(found, "resources", resources)
    _at(found, "lifecycle", _lifecycle)
    for kind in _PROBES:
        _at(found, kind, probe)
    return found


def probe(value: Mapping[str, Any]) -> Part:
    """A probe with its defaults."""
    found: Part = {"failureThreshold": 3, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1, **_handler(value)}
    _at(found, "grpc", lambda grpc: {"service": "", **grpc})
    return found


def resources(value: Mapping[str, Any]) -> Part:
    """Requests and limits in normal form. Limits become requests in pods alone, not in templates."""
    found: Part = dict(value)
    for kind in ("limits", "requests"):
        _at(found, kind, lambda amounts: {name: quantity(amount) for name, amount in amounts.items()})
    return found


def quantity(value: Any) -> Any:
    """A quantity as the API server gives it back; what is no quantity stays as it is and is the API server's to refuse."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    try:
        return Quantity.parse(str(value)).canonical()
    except ValueError:
        return value


def pull_policy(image: str) -> str:
    """Always for the tag `latest` or none, as the API server decides; a digest needs no tag."""
    name, _, sha = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    return "Always" if tag == "latest" or not (tag or sha) else "IfNotPresent"


def volume(value: Mapping[str, Any]) -> Part:
    """A volume with the defaults of its source; one without a source is an empty directory."""
    found: Part = dict(value) if len(value) > 1 else {**value, "emptyDir": {}}
    for kind in ("configMap", "downwardAPI", "projected", "secret"):
        _at(found, kind, lambda source: {"defaultMode": _FILE_MODE, **source})
    _at(found, "hostPath", lambda source: {"type": "", **source})
    _at(found, "downwardAPI", _fields)
    _at(found, "projected", _projected)
    _at(found, "emptyDir", lambda source: {k: quantity(v) if k == "sizeLimit" else v for k, v in source.items()})
    _at(found, "ephemeral", _ephemeral)
    _at(found, "image", lambda source: {"pullPolicy": pull_policy(source.get("reference", "")), **source})
    return found


def _ephemeral(source: Mapping[str, Any]) -> Part:
    """A volume whose claim is made with the pod."""
    found: Part = dict(source)
    _at(found, "volumeClaimTemplate", lambda template: dict(template))
    if isinstance(template := found.get("volumeClaimTemplate"), dict):
        _at(template, "spec", lambda spec: {"volumeMode": "Filesystem", **spec})
        if isinstance(template.get("spec"), dict):
            _at(template["spec"], "resources", resources)
    return found


def _projected(source: Mapping[str, Any]) -> Part:
    found: Part = dict(source)
    _each(found, "sources", _projected_source)
    return found


def _projected_source(source: Mapping[str, Any]) -> Part:
    found: Part = dict(source)
    _at(found, "serviceAccountToken", lambda token: {"expirationSeconds": 3600, **token})
    _at(found, "downwardAPI", _fields)
    return found


def _fields(source: Mapping[str, Any]) -> Part:
    found: Part = dict(source)
    _each(found, "items", _field)
    return found


def _field(value: Mapping[str, Any]) -> Part:
    found: Part = dict(value)
    _at(found, "fieldRef", lambda ref: {"apiVersion": "v1", **ref})
    _at(found, "resourceFieldRef", lambda ref: {**ref, "divisor": quantity(ref.get("divisor", "0"))})
    return found


def _env(value: Mapping[str, Any]) -> Part:
    found: Part = dict(value)
    _at(found, "valueFrom", _field)
    return found


def _lifecycle(value: Mapping[str, Any]) -> Part:
    found: Part = dict(value)
    for when in ("postStart", "preStop"):
        _at(found, when, _handler)
    return found


def _handler(value: Mapping[str, Any]) -> Part:
    """A probe or lifecycle action: its HTTP request with defaults."""
    found: Part = dict(value)
    _at(found, "httpGet", lambda request: {"path": "/", "scheme": "HTTP", **request})
    return found


def _at(owner: Part, key: str, change: Callable[[Any], Any]) -> None:
    """Changes the mapping at `key`, if there is one; another type is the API server's to refuse."""
    if isinstance(owner.get(key), Mapping):
        owner[key] = change(owner[key])


def _each(owner: Part, key: str, change: Callable[[Any], Any]) -> None:
    """Changes each mapping of the list at `key`, if there is one."""
    if isinstance(owner.get(key), list | tuple):
        owner[key] = [change(item) if isinstance(item, Mapping) else item for item in owner[key]]
