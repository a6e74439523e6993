"""What an evaluation needs while it runs: the device, the values of variables, and the work that is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..api.semver import Semver
from .device import Attribute, Device, qualified
from .errors import Aborted
from .values import Amount, Map, Value

# Kubernetes' limit for one evaluation (CELSelectorExpressionMaxCost), counted here in nodes and tens of characters.
BUDGET = 1_000_000
SPENT = "operation cancelled: actual cost limit exceeded"


@dataclass(slots=True)
class Frame:
    """Mutable: the state of one evaluation. variables: one slot for each variable of the program."""

    device: Map
    variables: list[Value]
    left: int = BUDGET

    def spend(self, steps: int) -> None:
        """Counts `steps`; Aborted when more was done than one evaluation may do."""
        self.left -= steps
        if self.left < 0:
            raise Aborted(SPENT)


Evaluator = Callable[[Frame], Value]


def device_map(device: Device) -> Map:
    """The variable `device`: an unknown domain is an empty map, as in Kubernetes."""
    attributes: dict[str, dict[str, Value]] = {}
    for name, value in device.attributes.items():
        domain, ident = qualified(name, device.driver)
        attributes.setdefault(domain, {})[ident] = _attribute(value)
    capacity: dict[str, dict[str, Value]] = {}
    for name, quantity in device.capacity.items():
        domain, ident = qualified(name, device.driver)
        capacity.setdefault(domain, {})[ident] = Amount(quantity)
    return Map(
        (
            ("driver", device.driver),
            ("allowMultipleAllocations", device.allow_multiple_allocations),
            ("attributes", _domains(attributes)),
            ("capacity", _domains(capacity)),
        )
    )


def _attribute(value: Attribute) -> Value:
    if isinstance(value, bool | str | Semver):
        return value
    return int(value)


def _domains(values: dict[str, dict[str, Value]]) -> Map:
    return Map(((domain, Map(inner.items())) for domain, inner in values.items()), default=Map())
