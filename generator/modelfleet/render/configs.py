"""ConfigMaps that users declare: copied to where a deployment mounts them, under a name that holds a hash of the content.

Another content is another object, so its pods roll and old ones keep what they started with; and two deployments that mount one
ConfigMap print two objects, of which each belongs to one Application.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import names
from . import sync
from .members import Pod
from .metadata import metadata
from .unit import Manifest
from .workload import Workload

if TYPE_CHECKING:  # the plugin pays for kinds that a unit has
    from ..api.configmap import ConfigMap

_REFERENCES = ("configMap", "configMapKeyRef", "configMapRef")  # of volumes, of variables, of all variables at once


def config_maps(used: Sequence[tuple[Workload, Sequence[Pod]]]) -> list[Manifest]:
    """The ConfigMaps that the pods of a deployment's workloads on a cluster mount or read, sorted."""
    users: dict[str, list[Workload]] = {}
    for workload, pods in used:
        if workload.config_maps:
            for name in {name for pod in pods for name in references(pod.spec)} & workload.config_maps.keys():
                users.setdefault(name, []).append(workload)
    return [_config_map(users[name], users[name][0].config_maps[name]) for name in sorted(users)]


def with_names(workload: Workload, spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """The pod spec with the names under which the declared ConfigMaps are printed; other names are someone else's and stay."""
    if not workload.config_maps:
        return spec
    printed = {name: _name(workload, declared) for name, declared in workload.config_maps.items()}
    found: Mapping[str, Any] = _renamed(spec, lambda name: printed.get(name, name))
    return found


def _config_map(users: Sequence[Workload], declared: ConfigMap) -> Manifest:
    workload, own = users[0], declared.metadata
    retiring = all(user.retiring for user in users)
    notes = {**own.annotations, **sync.annotations_of("ConfigMap", workload.removal, retiring=retiring, hashed=True)}
    labels = {**own.labels, **names.common_labels(workload.namespace, workload.deployment.name, workload.cluster.name)}
    found: Manifest = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(_name(workload, declared), workload.namespace, labels=labels, annotations=notes),
    }
    for key, value in (("data", declared.data), ("binaryData", declared.binary_data), ("immutable", declared.immutable)):
        if value:
            found[key] = value
    return found


def _name(workload: Workload, declared: ConfigMap) -> str:
    content = json.dumps([declared.data, declared.binary_data], sort_keys=True, ensure_ascii=False)
    return names.config_map(declared.metadata.name, workload.deployment.name, content)


def references(value: Any, parent: str = "") -> Iterator[str]:
    """Every name of a ConfigMap in a part of a pod spec."""
    if isinstance(value, Mapping):
        if parent in _REFERENCES and isinstance(value.get("name"), str):
            yield value["name"]
        for key, item in value.items():
            yield from references(item, key)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from references(item)


def _renamed(value: Any, rename: Callable[[str], str], parent: str = "") -> Any:
    """A copy in which every reference to a ConfigMap has another name."""
    if isinstance(value, Mapping):
        found = {key: _renamed(item, rename, key) for key, item in value.items()}
        if parent in _REFERENCES and isinstance(found.get("name"), str):
            found["name"] = rename(found["name"])
        return found
    return [_renamed(item, rename) for item in value] if isinstance(value, list | tuple) else value
