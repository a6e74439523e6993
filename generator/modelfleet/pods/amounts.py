"""Amounts in a pod: resources of containers, sizes of claims, units of what a container is told of its resources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .. import codes
from ..api.quantity import Quantity
from .fields import Finding, Loc
from .forms import LABEL_KEY

Part = Mapping[str, Any]

_PLAIN = ("cpu", "memory", "ephemeral-storage")
_WHOLE = 10**9  # billionths
# Units of bytes that a divisor may be.
_UNITS = ("0", "1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")


def resources(value: Part, loc: Loc) -> Iterator[Finding]:
    """Names, whole numbers of what is no standard resource, and no request above its limit."""
    limits, requests = ({**part} if isinstance(part := value.get(kind), Mapping) else {} for kind in ("limits", "requests"))
    for kind, amounts in (("limits", limits), ("requests", requests)):
        for name, amount in amounts.items():
            yield from _resource(name, amount, (*loc, kind, name))
    for name, wanted in requests.items():
        most, least = _amount(limits.get(name)), _amount(wanted)
        alone = name not in _PLAIN and name not in limits
        if alone or (most is not None and least is not None and (least > most or (name not in _PLAIN and least != most))):
            what = "must be the same as" if name not in _PLAIN else "is above"
            message = f"the request of `{name}` {what} its limit" + (f" `{limits[name]}`" if name in limits else ", and there is none")
            yield Finding((*loc, "requests", name), codes.OUT_OF_RANGE, message, f"limits: {{{name}: {wanted}}}")


def _resource(name: str, amount: Any, at: Loc) -> Iterator[Finding]:
    domain, slash, _ = name.partition("/")
    known = name in _PLAIN or name.startswith("hugepages-") or (slash and LABEL_KEY.holds(name))
    if not known or domain == "kubernetes.io" or domain.startswith("requests."):
        yield Finding(at, codes.BAD_NAME, f"`{name}` is no resource of a container", "cpu, memory or example.com/device", key=True)
    quantity = _amount(amount)
    if quantity is not None and name != "cpu" and quantity % _WHOLE:
        yield Finding(at, codes.BAD_QUANTITY, f"`{amount}` of `{name}` is not a whole number", f"{name}: 1")


def _amount(value: Any) -> int | None:
    """A quantity in billionths; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return Quantity.parse(str(value)).nano
    except ValueError:
        return None


def resource_ref(value: Part, loc: Loc) -> Iterator[Finding]:
    """In a volume it says of which container; its divisor is a unit."""
    if "items" in loc and not value.get("containerName"):
        yield Finding(loc, codes.MISSING_FIELD, "`containerName` is required", "containerName: engine")
    known = ("0", "1", "1m") if str(value.get("resource")).endswith(".cpu") else _UNITS
    divisor = value.get("divisor", "1")
    if (amount := _amount(divisor)) is not None and Quantity(amount, -9).canonical() not in known and str(divisor) not in known:
        yield Finding((*loc, "divisor"), codes.UNKNOWN_VALUE, f"`divisor` cannot be `{divisor}`", ", ".join(known[1:]))


def claim(value: Part, loc: Loc) -> Iterator[Finding]:
    resources = value.get("resources")
    size = (resources.get("requests") or {}).get("storage") if isinstance(resources, Mapping) else None
    if isinstance(resources, Mapping) and (size is None or (_amount(size) or 0) % _WHOLE or _amount(size) == 0):
        yield Finding(
            (*loc, "resources"), codes.MISSING_FIELD, "a claim needs a size in whole bytes", "resources: {requests: {storage: 10Gi}}"
        )
    if value.get("accessModes") == []:
        yield Finding((*loc, "accessModes"), codes.TOO_MANY, "`accessModes` must have at least 1 items", "[ReadWriteOnce]")
