"""Where a pod may stand: tolerations, selectors and spread, as the API server takes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .. import codes
from .fields import Finding, Loc
from .forms import LABEL_KEY, LABEL_VALUE, SUBDOMAIN

Part = Mapping[str, Any]


def toleration(value: Part, loc: Loc) -> Iterator[Finding]:
    key, exists = value.get("key"), value.get("operator") == "Exists"
    if not key and not exists:
        yield Finding(loc, codes.BAD_TOLERATION, "a toleration without a key tolerates every taint and says so", "operator: Exists")
    if isinstance(key, str) and key and not LABEL_KEY.holds(key):
        yield Finding((*loc, "key"), codes.BAD_NAME, f"`{key}` {LABEL_KEY.what}", LABEL_KEY.hint)
    if exists and value.get("value"):
        yield Finding((*loc, "value"), codes.BAD_TOLERATION, "an Exists toleration must not set a value", "remove value")
    if "tolerationSeconds" in value and value.get("effect") != "NoExecute":
        message = "tolerationSeconds has no meaning without effect NoExecute"
        yield Finding((*loc, "tolerationSeconds"), codes.BAD_TOLERATION, message, "effect: NoExecute", key=True)


def requirement(value: Part, loc: Loc) -> Iterator[Finding]:
    """An expression of a selector: what each operator takes. Of fields only the name of a node is known."""
    if "matchFields" in loc:
        yield from _node_name(value, loc)
    operator, values = value.get("operator"), value.get("values") or []
    if not isinstance(values, list):
        return
    if "matchExpressions" in loc and operator in ("In", "NotIn"):
        for index, text in enumerate(values):
            if isinstance(text, str) and not LABEL_VALUE.holds(text):
                yield Finding((*loc, "values", index), codes.BAD_NAME, f"`{text}` {LABEL_VALUE.what}", LABEL_VALUE.hint)
    number = len(values)
    if operator in ("In", "NotIn") and not number:
        yield Finding(loc, codes.MISSING_FIELD, f"operator {operator} needs values", "values: [...]")
    if operator in ("Exists", "DoesNotExist") and number:
        yield Finding((*loc, "values"), codes.CONTRADICTION, f"operator {operator} takes no values", "remove values")
    if operator in ("Gt", "Lt") and not (number == 1 and re.fullmatch(r"[-+]?[0-9]{1,18}", str(values[0]))):
        yield Finding((*loc, "values"), codes.BAD_VALUE, f"operator {operator} takes one whole number", 'values: ["4"]')


def _node_name(value: Part, loc: Loc) -> Iterator[Finding]:
    if value.get("key") != "metadata.name":
        yield Finding((*loc, "key"), codes.UNKNOWN_VALUE, f"`key` cannot be `{value.get('key')}`", "metadata.name")
    values = value.get("values")
    if value.get("operator") not in ("In", "NotIn") or not isinstance(values, list) or len(values) != 1:
        yield Finding(loc, codes.BAD_VALUE, "matchFields takes operator In or NotIn and one value", "operator: In, values: [node-1]")
    elif isinstance(values[0], str) and not SUBDOMAIN.holds(values[0]):
        yield Finding((*loc, "values", 0), codes.BAD_NAME, f"`{values[0]}` {SUBDOMAIN.what}", "node-1")


def terms(value: Part, loc: Loc) -> Iterator[Finding]:
    if value.get("nodeSelectorTerms") == []:
        yield Finding((*loc, "nodeSelectorTerms"), codes.TOO_MANY, "`nodeSelectorTerms` must have at least 1 items", "add a term")


def label_keys(value: Part, loc: Loc) -> Iterator[Finding]:
    """Keys whose values are the pod's own stand beside a selector, which has none of them."""
    selector = value.get("labelSelector")
    for field in ("matchLabelKeys", "mismatchLabelKeys"):
        if value.get(field) and not isinstance(selector, Mapping):
            message = f"{field} has no meaning without labelSelector"
            yield Finding((*loc, field), codes.CONTRADICTION, message, "labelSelector: {matchLabels: ...}", key=True)


def spread(value: Part, loc: Loc) -> Iterator[Finding]:
    yield from label_keys(value, loc)
    if "minDomains" in value and value.get("whenUnsatisfiable") != "DoNotSchedule":
        message = "minDomains has no meaning without whenUnsatisfiable DoNotSchedule"
        yield Finding((*loc, "minDomains"), codes.CONTRADICTION, message, "remove minDomains", key=True)
