"""The structure of a pod spec, as far as rendering looks into it: what is a list, a mapping, a text or a number.

`check` holds templates against Kubernetes' own models; this is what every run needs, the plugin's too, before it merges them.
"""

from typing import Any

from pydantic import ValidationError
from pydantic_core import InitErrorDetails

Shape = dict[str, Any] | list[Any] | type[str] | type[int]
Loc = tuple[str | int, ...]

_ITEMS: Shape = [{"fieldRef": {}, "resourceFieldRef": {}}]
_ACTION: Shape = {"exec": {"command": [str]}, "httpGet": {}, "tcpSocket": {}, "sleep": {}}
_PROBE: Shape = {"exec": {"command": [str]}, "httpGet": {}, "tcpSocket": {}, "grpc": {}}
_TERMS: Shape = {
    "preferredDuringSchedulingIgnoredDuringExecution": [{}],
    "requiredDuringSchedulingIgnoredDuringExecution": [{}],
}
VALUE_FROM: Shape = {"secretKeyRef": {}, "configMapKeyRef": {}, "fieldRef": {}, "resourceFieldRef": {}}
_CONTAINER: Shape = {
    "name": str,
    "image": str,
    "imagePullPolicy": str,
    "args": [str],
    "command": [str],
    "env": [{"name": str, "value": str, "valueFrom": VALUE_FROM}],
    "envFrom": [{"secretRef": {}, "configMapRef": {}}],
    "ports": [{"name": str, "protocol": str}],
    "volumeMounts": [{"name": str, "mountPath": str}],
    "volumeDevices": [{"name": str}],
    "resources": {"limits": {}, "requests": {}, "claims": [{"name": str}]},
    "securityContext": {"capabilities": {"add": [str], "drop": [str]}, "seccompProfile": {}},
    "lifecycle": {"preStop": _ACTION, "postStart": _ACTION},
    "livenessProbe": _PROBE,
    "readinessProbe": _PROBE,
    "startupProbe": _PROBE,
}
_VOLUME: Shape = {
    "name": str,
    "configMap": {"name": str},
    "downwardAPI": {"items": _ITEMS},
    "emptyDir": {},
    "hostPath": {},
    "image": {"reference": str},
    "persistentVolumeClaim": {},
    "projected": {"sources": [{"configMap": {"name": str}, "downwardAPI": {"items": _ITEMS}, "secret": {}, "serviceAccountToken": {}}]},
    "secret": {},
}
POD: Shape = {
    "containers": [_CONTAINER],
    "initContainers": [_CONTAINER],
    "volumes": [_VOLUME],
    "nodeSelector": {},
    "tolerations": [{"key": str, "operator": str, "value": str, "effect": str}],
    "affinity": {"nodeAffinity": {}, "podAffinity": _TERMS, "podAntiAffinity": _TERMS},
    "securityContext": {"seccompProfile": {}},
    "imagePullSecrets": [{"name": str}],
    "topologySpreadConstraints": [{}],
    "resourceClaims": [{"name": str}],
    "serviceAccount": str,
    "serviceAccountName": str,
    "terminationGracePeriodSeconds": int,
}


def shaped(value: Any, shape: Shape, *path: str | int) -> None:
    """Raises pydantic's own ValidationError with every value that does not have its shape. path: leads from the model to `value`.

    A key that `shape` does not have is not looked at; one without a value has no shape.
    """
    if found := list(_misshapen(value, shape, path)):
        raise ValidationError.from_exception_data("pod", found)


def _misshapen(value: Any, shape: Shape, path: Loc) -> list[InitErrorDetails]:
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [_error("list_type", path, value)]
        return [found for index, item in enumerate(value) for found in _misshapen(item, shape[0], (*path, index))]
    if shape is int:
        return [] if isinstance(value, int) and not isinstance(value, bool) else [_error("int_type", path, value)]
    if not isinstance(shape, dict):
        return [] if isinstance(value, str) else [_error("string_type", path, value)]
    if not isinstance(value, dict):
        return [_error("dict_type", path, value)]
    return [found for key in shape if key in value for found in _misshapen(value[key], shape[key], (*path, key))]


def _error(kind: str, path: Loc, value: Any) -> InitErrorDetails:
    return InitErrorDetails(type=kind, loc=path, input=value)
