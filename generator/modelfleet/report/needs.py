"""Secrets that objects read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..render.unit import Manifest, Unit
from .change import SecretNeed
from .side import Side

Need = tuple[str, str, str, str]  # cluster, namespace, secret, key


def newly_needed(before: Side, new: Iterable[Need], old: Iterable[Need]) -> tuple[SecretNeed, ...]:
    """What of `new` neither `old` nor any other unit of the same namespace needed before."""
    open_ = set(new) - set(old)
    places = {(cluster, namespace) for cluster, namespace, _, _ in open_}
    known: set[Need] = set()
    for unit_id in before.unit_ids:
        if unit_id not in before.broken and any(unit_id.cluster == c and unit_id.namespace in ("", n) for c, n in places):
            known |= set(needs(before.render(unit_id)))
    return tuple(SecretNeed(*need) for need in sorted(open_ - known))


def needs(unit: Unit | None) -> Iterator[Need]:
    """Every Secret, and key of one, that the objects of a unit name."""
    for manifest in unit.manifests if unit else ():
        if manifest["kind"] not in ("ExternalSecret", "AppProject", "ApplicationSet"):
            yield from _of(manifest, manifest, unit.id.cluster if unit else "")


def _of(value: Any, manifest: Manifest, cluster: str) -> Iterator[Need]:
    namespace = manifest["metadata"].get("namespace", "")
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, (dict, list)):
                for secret, part in _named(key, item):
                    yield cluster, namespace, secret, part
                yield from _of(item, manifest, cluster)
            elif key == "secretName" and isinstance(item, str):
                yield cluster, namespace, item, ""
    elif isinstance(value, list):
        for item in value:
            yield from _of(item, manifest, cluster)


def _named(key: str, item: Any) -> Iterator[tuple[str, str]]:
    """(secret, key) that a reference names; the key is empty where all of the Secret is read."""
    if key in ("secretKeyRef", "secretRef") and isinstance(item, dict) and item.get("name"):
        if not item.get("optional"):
            yield str(item["name"]), str(item.get("key", ""))
    elif key == "imagePullSecrets" and isinstance(item, list):
        yield from ((str(one["name"]), "") for one in item if isinstance(one, dict) and one.get("name"))
    elif isinstance(item, dict) and item.get("kind") == "Secret" and item.get("name"):
        yield str(item["name"]), str(item.get("key", ""))
    elif isinstance(item, list):
        yield from ((str(one["name"]), "") for one in item if isinstance(one, dict) and one.get("kind") == "Secret" and one.get("name"))
