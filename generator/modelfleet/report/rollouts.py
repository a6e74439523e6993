"""Which pods Argo CD starts, restarts, scales and stops, and which it leaves alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .. import names
from ..render.unit import Manifest
from .change import Action, Rollout
from .objects import Id

TOLD = 6  # differences of a pod template
LENGTH = 60  # of a value


def rollouts(cluster: str, was: Mapping[Id, Manifest], now: Mapping[Id, Manifest]) -> Iterator[Rollout]:
    """The workloads of a unit that differ."""
    for object_id in sorted({*was, *now}):
        old, new = was.get(object_id), now.get(object_id)
        shown = new or old
        assert shown is not None
        if old == new or not _templates(shown):
            continue
        kind, namespace, name, _ = object_id
        because = tuple(_because(old, new))
        action = _action(old, new, because)
        labels = shown["metadata"].get("labels") or {}
        deployment = f"{namespace}/{labels.get(names.LABEL_DEPLOYMENT, name)}"
        before, after = (_replicas(manifest) for manifest in (old, new))
        at_once = action == "restarts" and new is not None and _at_once(new)
        yield Rollout(cluster, namespace, kind, name, deployment, action, before, after, because if action == "restarts" else (), at_once)


def _templates(manifest: Manifest) -> Mapping[str, Any]:
    """What decides whether pods are replaced."""
    spec = manifest.get("spec") or {}
    if "leaderWorkerTemplate" in spec:
        return dict(spec["leaderWorkerTemplate"])
    template = spec.get("template")
    return {"template": template} if isinstance(template, dict) and "containers" in (template.get("spec") or {}) else {}


def _action(old: Manifest | None, new: Manifest | None, because: tuple[str, ...]) -> Action:
    if old is None:
        return "starts"
    if new is None:
        options = (old["metadata"].get("annotations") or {}).get(names.SYNC_OPTIONS, "")
        return "orphaned" if "Prune=false" in options.split(",") else "stops"
    if because:
        return "restarts"
    return "scales" if _replicas(old) != _replicas(new) else "stays"


def _replicas(manifest: Manifest | None) -> int:
    return int((manifest.get("spec") or {}).get("replicas", 1)) if manifest else 0


def _at_once(manifest: Manifest) -> bool:
    """Whether an update may take all pods of the workload away before one is back."""
    spec = manifest["spec"]
    gang = (spec.get("rolloutStrategy") or {}).get("rollingUpdateConfiguration")
    update = (spec.get("strategy") or {}).get("rollingUpdate") or gang or {}
    surge, unavailable = update.get("maxSurge", 0), update.get("maxUnavailable", 1)
    return not surge and isinstance(unavailable, int) and _replicas(manifest) <= unavailable


def _because(old: Manifest | None, new: Manifest | None) -> Iterator[str]:
    """The first differences of the pod templates, such as `containers[engine].image: a -> b`."""
    if old is None or new is None:
        return
    told = list(_differences(_templates(old), _templates(new), ""))
    yield from told[:TOLD]
    if len(told) > TOLD:
        yield f"and {len(told) - TOLD} more"


def _differences(old: Any, new: Any, path: str) -> Iterator[str]:
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from _differences(old.get(key), new.get(key), f"{path}.{key}" if path else key)
    elif isinstance(old, list) and isinstance(new, list) and (named := _named(old, new)):
        for name, (was, is_) in named.items():
            yield from _differences(was, is_, f"{path}[{name}]")
    else:
        yield f"{path.removeprefix('template.').removeprefix('spec.')}: {_change(old, new)}"


def _named(old: list[Any], new: list[Any]) -> dict[str, tuple[Any, Any]]:
    """The items of two lists by their names; nothing where an item has none."""
    if not all(isinstance(item, dict) and "name" in item for item in (*old, *new)):
        return {}
    was, is_ = ({item["name"]: item for item in items} for items in (old, new))
    return {name: (was.get(name), is_.get(name)) for name in sorted({*was, *is_})}


def _change(old: Any, new: Any) -> str:
    """Both values; of lists of texts what is gone and what is new."""
    if isinstance(old, list) and isinstance(new, list) and all(isinstance(item, str) for item in (*old, *new)):
        parts = [f"- {_value(item)}" for item in old if item not in new] + [f"+ {_value(item)}" for item in new if item not in old]
        return ", ".join(parts) or "in another order"
    return f"{_value(old)} -> {_value(new)}"


def _value(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= LENGTH else f"{text[: LENGTH - 3]}..."
