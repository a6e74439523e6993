"""What the API server leaves out of a pod spec when it stores it: values that say what their absence says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Fields whose zero is not stored. Others are stored as they are: `allowPrivilegeEscalation: false`, `storageClassName: ""`.
_FALSE = frozenset(("hostIPC", "hostNetwork", "hostPID", "stdin", "stdinOnce", "tty"))
_EMPTY_MAPS = frozenset(("annotations", "labels", "limits", "matchLabels", "nodeSelector", "overhead", "requests", "volumeAttributes"))
# By what holds them.
_BY_OWNER: Mapping[str, Mapping[str, Any]] = {
    "emptyDir": {"medium": ""},
    "env": {"value": ""},
    "nfs": {"readOnly": False},
    "persistentVolumeClaim": {"readOnly": False},
    "tolerations": {"key": "", "operator": "", "value": "", "effect": ""},
    "volumeMounts": {"readOnly": False, "subPath": "", "subPathExpr": ""},
    "containers": {"workingDir": ""},
    "initContainers": {"workingDir": ""},
    "livenessProbe": {"initialDelaySeconds": 0},
    "readinessProbe": {"initialDelaySeconds": 0},
    "startupProbe": {"initialDelaySeconds": 0},
}
_NOTHING: Mapping[str, Any] = {}


def trimmed(value: Any, owner: str = "") -> Any:
    """A part of a pod spec without what is not stored. owner: the field that holds it, of an item that of its list."""
    if isinstance(value, Mapping):
        zeros = _BY_OWNER.get(owner, _NOTHING)
        return {key: trimmed(item, key) for key, item in value.items() if not _left_out(key, item, zeros)}
    return [trimmed(item, owner) for item in value] if isinstance(value, list | tuple) else value


def _left_out(key: str, item: Any, zeros: Mapping[str, Any]) -> bool:
    if item is None or item == [] or (item is False and key in _FALSE) or (item == {} and key in _EMPTY_MAPS):
        return True
    return key in zeros and item == zeros[key] and type(item) is type(zeros[key])
