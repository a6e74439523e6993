"""What a question changes of the declarations: `--without`, `--drain` and `--set`."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .. import codes, load
from ..api import KINDS
from ..api.base import Taint
from ..diagnostics import Location, Report, nearest
from ..place.tolerate import DRAIN
from ..report.risks import without as lost
from ..resolve.fleet import Fleet

_SET = Location("--set")
_EXAMPLE = "--set cluster/NAME.spec.nodePools.POOL.nodeCount=4"
_TOP = ("apiVersion", "kind", "metadata", "spec", "data")
KIND_OF = {word: kind for kind in KINDS for word in (kind.lower(), kind.removeprefix("Inference").removeprefix("Model").lower())}


def imagined(fleet: Fleet, without: Sequence[str], drain: Sequence[str]) -> Fleet:
    """The fleet with clusters lost, or with the taint of a drain."""
    for name in without:
        fleet = lost(fleet, name)
    clusters = dict(fleet.clusters)
    taint = Taint(key=DRAIN, effect="NoExecute")
    for name in drain:
        spec = clusters[name].spec
        clusters[name] = replace(clusters[name], spec=spec.model_copy(update={"taints": (*spec.taints, taint)}))
    return replace(fleet, clusters=clusters)


def edited(documents: list[load.Document], settings: Sequence[str], report: Report) -> list[load.Document]:
    """The documents with every `KIND/[NS/]NAME.FIELD=VALUE` of `settings`; what cannot be set is reported."""
    found = list(documents)
    for setting in settings:
        path, equals, value = setting.partition("=")
        subject, _, rest = path.partition("/")
        kind = KIND_OF.get(subject.lower())
        if not equals or not rest:
            report.add(codes.NO_SUCH, f"`{setting}` does not say what to set", _SET, _EXAMPLE)
        elif kind is None:
            report.add(codes.NO_SUCH, f"no kind is called `{subject}`", _SET, nearest(subject, KIND_OF))
        else:
            _set(found, kind, rest, value, report)
    return documents if report.errors else found


def _set(documents: list[load.Document], kind: str, rest: str, value: str, report: Report) -> None:
    named = {_name(document): index for index, document in enumerate(documents) if _kind(document) == kind}
    # A name may hold dots: the longest that fits is meant.
    name = max((known for known in named if rest.startswith(f"{known}.")), key=len, default=None)
    if name is None:
        asked = rest.split(".", maxsplit=1)[0]
        report.add(codes.NO_SUCH, f"no {kind} is named `{asked}`", _SET, nearest(asked, named))
        return
    steps = [step.replace("\\.", ".") for step in re.split(r"(?<!\\)\.", rest.removeprefix(f"{name}."))]
    steps = steps if steps[0] in _TOP else ["spec", *steps]
    document = documents[named[name]]
    content = copy.deepcopy(document.value)
    if (message := _put(content, steps, value, report)) is not None:
        report.add(codes.NO_SUCH, f"{kind} `{name}`: {message}", _SET, _EXAMPLE)
    documents[named[name]] = replace(document, value=content)


def _kind(document: load.Document) -> str:
    return str(document.value.get("kind")) if isinstance(document.value, dict) else ""


def _name(document: load.Document) -> str:
    metadata = document.value.get("metadata")
    known: Mapping[str, Any] = metadata if isinstance(metadata, dict) else {}
    return "/".join(str(known[key]) for key in ("namespace", "name") if key in known)


def _put(content: Any, steps: Sequence[str], text: str, report: Report) -> str | None:
    """Sets what `steps` lead to; why not, if they lead nowhere. Of a list a step is an item's name, or its number from 0."""
    for depth, step in enumerate(steps[:-1]):
        below = content.setdefault(step, {}) if isinstance(content, dict) else _item(content, step)
        if not isinstance(below, (dict, list)):
            return f"`{'.'.join(steps[: depth + 1])}` holds no fields"
        content = below
    last = steps[-1]
    if isinstance(content, dict):
        value = _value(text, content.get(last), report)
        if value is None:
            content.pop(last, None)
        else:
            content[last] = value
        return None
    value = _value(text, None, report)
    there = _item(content, last)
    if there is not None:
        content.remove(there)
    if isinstance(value, dict):
        content.append({"name": last, **value})
        return None
    return None if value is None else f"`{'.'.join(steps)}` takes the fields of an item: {{name: {last}, ...}}"


def _item(content: Any, step: str) -> Any:
    """The item of a list that `step` names; None if there is none."""
    if not isinstance(content, list):
        return None
    if step.isdigit() and int(step) < len(content):
        return content[int(step)]
    return next((item for item in content if isinstance(item, dict) and item.get("name") == step), None)


def _value(text: str, before: Any, report: Report) -> Any:
    """The value as YAML reads it; text stays text where it was one. `null` takes a field away."""
    if isinstance(before, str) and text != "null":
        return text.strip("\"'")
    documents = load.parse("--set", f"value: {text}", report)
    return documents[0].value["value"] if documents and isinstance(documents[0].value, dict) else None
