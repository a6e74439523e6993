"""The CEL that a device request stands for: what users may write without CEL, as DRA reads it."""

from __future__ import annotations

import json

from ..api.devices import DeviceOption, DeviceRequest


def expressions(request: DeviceRequest | DeviceOption, driver: str) -> tuple[str, ...]:
    """All conditions of `request` on a device of `driver`, as CEL; all must hold.

    The user's own expressions come first, unchanged; then `products` and `memory`, whose names belong to the driver's domain. What is
    not the user's own is false of a device that lacks the name: in Kubernetes an error would stop the whole claim.
    Placement evaluates these texts and claims carry them: both always ask for the same thing.
    """
    found = [selector.cel for selector in request.selectors]
    if request.products or request.memory:
        found += [expression for expression, _ in _named(request, driver)]
    return tuple(found)


def conditions(request: DeviceRequest | DeviceOption, driver: str) -> tuple[tuple[str, str], ...]:
    """(CEL, the same in words) of every condition."""
    return (*((selector.cel, f"`{_short(selector.cel)}`") for selector in request.selectors), *_named(request, driver))


def _named(request: DeviceRequest | DeviceOption, driver: str) -> list[tuple[str, str]]:
    """Of the conditions that are not written as CEL."""
    found = []
    if request.products:
        found.append((_products(request.products, driver), f"productName {' or '.join(request.products)}"))
    if request.memory:
        memory = f"{_has('memory', 'capacity', driver)}device.capacity[{_text(driver)}].memory.compareTo(quantity("
        if request.memory.at_least:
            found.append((f"{memory}{_text(request.memory.at_least)})) >= 0", f"memory of at least {request.memory.at_least}"))
        if request.memory.below:
            found.append((f"{memory}{_text(request.memory.below)})) < 0", f"memory below {request.memory.below}"))
    return found


def _short(expression: str) -> str:
    line = " ".join(expression.split())
    return line if len(line) <= 100 else line[:97] + "..."


def _products(products: tuple[str, ...], driver: str) -> str:
    name, known = f"device.attributes[{_text(driver)}].productName", _has("productName", "attributes", driver)
    if len(products) == 1:
        return f"{known}{name} == {_text(products[0])}"
    return f"{known}{name} in [{', '.join(_text(product) for product in products)}]"


def _has(name: str, kind: str, driver: str) -> str:
    return f"{_text(name)} in device.{kind}[{_text(driver)}] && "


def _text(value: str) -> str:
    """A CEL string literal; its escapes are JSON's."""
    return json.dumps(value, ensure_ascii=False)
