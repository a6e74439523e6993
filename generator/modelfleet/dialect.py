"""Documents of `modelplane.ai/v1alpha1`, read as they are: mapped to our group before they are validated.

Kinds and fields have the same names, so little changes: the group, five label keys, and the defaults that differ (a pool's
node label, headroom, the served name that the engine's arguments give). What a document leaves out and gets here stands at no line
of its own: diagnostics point to its parent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from . import codes
from .api.base import API_VERSION
from .api.source import BLOCKS
from .diagnostics import Report, nearest
from .load import Document

GROUP = "modelplane.ai"
VERSION = f"{GROUP}/v1alpha1"
# Label keys that modelfleet puts on what it renders; all other keys are kept as they are written.
KEYS = {f"{GROUP}/{key}": f"modelfleet.io/{key}" for key in ("deployment", "engine", "role", "pool", "cluster")}
KINDS = ("InferenceClass", "InferenceCluster", "InferenceGateway", "ModelCache", "ModelDeployment", "ModelEndpoint", "ModelService")
EXPRESSION_KEY = "matchExpressions.key"  # what the `key` of a label requirement stands under
_NOT_HERE = {
    "ModelReplica": "where replicas run is recorded in a Placement",
    "ModelRoute": "routes are rendered from services and gateways",
    "TelemetryDestination": "where metrics and logs go is said by the collector's own values",
    "MetricMapping": "metrics keep the engines' names",
}
_VARIABLE = "MODELPLANE_SERVED_MODEL_NAME"
# In the order in which vLLM and SGLang take the name that they answer to.
_SERVED = tuple(
    re.compile(pattern) for pattern in (r"--served-model-name[=\s]+(\S+)", r"--model(?:-path)?[=\s]+(\S+)", r"\bserve\s+([^\s-]\S*)")
)


def speaks(document: Document) -> bool:
    """Whether `document` is of Modelplane's group."""
    version = document.value.get("apiVersion") if isinstance(document.value, dict) else None
    return isinstance(version, str) and version.startswith(f"{GROUP}/")


def ours(document: Document, report: Report) -> Document | None:
    """The document in our group, with its own positions; None, with a diagnostic, for what is none of our kinds."""
    version, kind = document.value["apiVersion"], document.value.get("kind")
    if version != VERSION:
        report.add(codes.WRONG_VERSION, f"apiVersion `{version}` is not known", document.locate(("apiVersion",)), f"apiVersion: {VERSION}")
        return None
    if kind in _NOT_HERE:
        report.add(codes.NO_MEANING, f"{kind} is skipped: {_NOT_HERE[str(kind)]}", document.locate(("kind",)))
        return None
    if kind not in KINDS:
        shown = f"`{kind}` is not a kind of {GROUP}" if "kind" in document.value else "kind is missing"
        report.add(codes.UNKNOWN_KIND, shown, document.locate(("kind",)), nearest(str(kind), KINDS))
        return None
    value = _value(document.value)
    value["apiVersion"] = API_VERSION
    if "status" in value:
        report.add(codes.NO_MEANING, "status is skipped: nothing is running yet when this is read", document.locate(("status",), key=True))
        del value["status"]
    for path, name, added in additions(value):
        _at(value, path)[name] = added
    return Document(document.path, value, _node(document.node))


def additions(value: Mapping[str, Any]) -> list[tuple[tuple[str | int, ...], str, Any]]:
    """What the document means and does not say: (where, field, value), with the keys as they are written there."""
    spec = value.get("spec")
    if not isinstance(spec, dict):
        return []
    if value["kind"] == "InferenceCluster":
        return [*_version(spec), *_pools(spec)]
    return list(_served_name(spec)) if value["kind"] == "ModelDeployment" else []


def _version(spec: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str, Any]]:
    """The Kubernetes version that the source's block asks for."""
    cluster = spec.get("cluster")
    source = cluster.get("source") if isinstance(cluster, dict) else None
    block = cluster.get(BLOCKS.get(str(source), "")) if isinstance(cluster, dict) else None
    if isinstance(block, dict) and isinstance(block.get("kubernetesVersion"), str) and "kubernetesVersion" not in spec:
        yield ("spec",), "kubernetesVersion", block["kubernetesVersion"]


def _pools(spec: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str, Any]]:
    """Nodes carry Modelplane's label, and headroom counts like nodes that are there."""
    pools = spec.get("nodePools")
    for index, pool in enumerate(pools if isinstance(pools, list) else ()):
        if not isinstance(pool, dict):
            continue
        if "nodeSelector" not in pool and isinstance(pool.get("name"), str):
            yield ("spec", "nodePools", index), "nodeSelector", {f"{GROUP}/pool": pool["name"]}
        if "headroom" not in pool and pool.get("maxNodeCount") is not None:
            yield ("spec", "nodePools", index), "headroom", "Equal"


def _served_name(spec: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str, Any]]:
    """The name that the first engine's arguments give the model: Modelplane passes arguments on and knows no other."""
    replica = _dig(spec, "template", "spec")
    if not isinstance(replica, dict) or "modelName" in (replica.get("serving") or ()):
        return
    container = next((c for c in _containers(replica) if isinstance(c, dict) and c.get("name") == "engine"), {})
    words = [word for field in ("command", "args") for word in container.get(field) or () if isinstance(word, str)]
    text = "\n".join(words)
    found = next((match[1] for pattern in _SERVED if (match := pattern.search(text))), "").strip("'\"")
    if found and "$" not in found and _VARIABLE not in text:
        if isinstance(replica.get("serving"), dict):
            yield ("spec", "template", "spec", "serving"), "modelName", found
        elif "serving" not in replica:
            yield ("spec", "template", "spec"), "serving", {"modelName": found}


def _containers(replica: Mapping[str, Any]) -> list[Any]:
    """Containers of the first engine's first member."""
    found = _dig(replica, "engines", 0, "members", 0, "template", "spec", "containers")
    return found if isinstance(found, list) else []


def _dig(value: Any, *path: str | int) -> Any:
    """The value at `path`, or None where it leads nowhere."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def _value(value: Any, under: str = "") -> Any:
    """`value` copied, with our label keys. A pool's nodeSelector names what is on nodes and stays."""
    if isinstance(value, list):
        return [_value(item, under) for item in value]
    if not isinstance(value, dict):
        return KEYS.get(value, value) if under == EXPRESSION_KEY and isinstance(value, str) else value
    return {renamed(key, value, under): _value(item, below(key, under)) for key, item in value.items()}


def renamed(key: str, siblings: Mapping[str, Any], under: str) -> str:
    """`key` of a mapping that stands under the field `under`, as we write it."""
    ours_ = KEYS.get(key, key)
    return key if under == "nodeSelector" or ours_ in siblings else ours_


def below(key: str, under: str) -> str:
    """What the value of `key` stands under."""
    return EXPRESSION_KEY if under == "matchExpressions" and key == "key" else key


def _node(node: yaml.Node, under: str = "") -> yaml.Node:
    """The syntax tree with the same keys as the value."""
    if isinstance(node, yaml.SequenceNode):
        return yaml.SequenceNode(node.tag, [_node(item, under) for item in node.value], node.start_mark, node.end_mark, node.flow_style)
    if not isinstance(node, yaml.MappingNode):
        return node
    written = {key.value: child for key, child in node.value}
    pairs = []
    for key, child in node.value:
        name = yaml.ScalarNode(key.tag, renamed(key.value, written, under), key.start_mark, key.end_mark, key.style)
        pairs.append((name, _node(child, below(key.value, under))))
    return yaml.MappingNode(node.tag, pairs, node.start_mark, node.end_mark, node.flow_style)
