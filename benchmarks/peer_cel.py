"""Selectors as the peer evaluates them: by cel-python's interpreter, with the device built anew for each look at it."""

from __future__ import annotations

import logging
from typing import Any

import celpy
from celpy import adapter, celtypes, evaluation
from modelfleet.api.hardware import Device
from modelfleet.api.quantity import Quantity
from modelfleet.api.semver import Semver

from .peer import Selector

for _name in ("celpy", "Evaluator", "Environment", "InterpretedRunner"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)  # it reports each non-match as an error


def interpreted(expression: str) -> Selector:
    """A selector over driver, attributes and capacity, with comparisons of quantities and versions."""
    environment = celpy.Environment()
    program = environment.program(environment.compile(expression), functions=_FUNCTIONS)

    def matches(device: Device) -> bool:
        try:
            answer = program.evaluate({"device": _view(device)})
        except (evaluation.CELEvalError, ValueError, TypeError, KeyError):
            return False
        return isinstance(answer, (bool, celtypes.BoolType)) and bool(answer)

    return matches


class _Domains(celtypes.MapType):
    """An unknown domain is an empty map."""

    def __missing__(self, key: Any) -> celtypes.MapType:
        return celtypes.MapType()


def _view(device: Device) -> celtypes.MapType:
    attributes, capacity = _Domains(), _Domains()
    for name, attribute in device.attributes.items():
        value = Semver.parse(attribute.version) if attribute.version is not None else adapter.json_to_cel(attribute.value)
        _put(attributes, name, device.driver, value)
    for name, amount in device.capacity.items():
        _put(capacity, name, device.driver, Quantity.parse(amount.value))
    view = celtypes.MapType()
    for key, said in (("driver", celtypes.StringType(device.driver)), ("attributes", attributes), ("capacity", capacity)):
        view[celtypes.StringType(key)] = said
    return view


def _put(domains: celtypes.MapType, name: str, driver: str, value: Any) -> None:
    domain, slash, ident = name.partition("/")
    bucket: Any = domains.setdefault(celtypes.StringType(domain if slash else driver), celtypes.MapType())
    bucket[celtypes.StringType(ident if slash else name)] = value


def _compare(a: Any, b: Any) -> celtypes.IntType:
    return celtypes.IntType((a > b) - (a < b))


_FUNCTIONS: dict[str, Any] = {
    "quantity": lambda text: Quantity.parse(str(text)),
    "semver": lambda text: Semver.parse(str(text)),
    "compareTo": _compare,
    "isGreaterThan": lambda a, b: celtypes.BoolType(a > b),
    "isLessThan": lambda a, b: celtypes.BoolType(a < b),
}
