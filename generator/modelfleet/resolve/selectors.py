"""The CEL that a device request stands for: what users may write without CEL, as DRA reads it."""

from __future__ import annotations

import json

from ..api.deployment import DeviceRequest


def expressions(request: DeviceRequest, driver: str) -> tuple[str, ...]:
    """All conditions of `request` on a device of `driver`, as CEL; all must hold.

    The user's own expressions come first, unchanged; then `products` and `memory`, whose names belong to the driver's domain.
    Placement evaluates these texts and claims carry them: both always ask for the same thing.
    """
    found = [selector.cel for selector in request.selectors]
    if request.products:
        found.append(_products(request.products, driver))
    if request.memory:
        memory = f"device.capacity[{_text(driver)}].memory.compareTo(quantity("
        if request.memory.at_least:
            found.append(f"{memory}{_text(request.memory.at_least)})) >= 0")
        if request.memory.below:
            found.append(f"{memory}{_text(request.memory.below)})) < 0")
    return tuple(found)


def _products(products: tuple[str, ...], driver: str) -> str:
    name = f"device.attributes[{_text(driver)}].productName"
    if len(products) == 1:
        return f"{name} == {_text(products[0])}"
    return f"{name} in [{', '.join(_text(product) for product in products)}]"


def _text(value: str) -> str:
    """A CEL string literal; its escapes are JSON's."""
    return json.dumps(value, ensure_ascii=False)
