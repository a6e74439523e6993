"""Cases of selectors: how a device and an answer are written in JSON, for us and for Kubernetes' oracle alike.

A device is {"driver": str, "attributes": {name: {"string"|"int"|"bool"|"version": value}}, "capacity": {name: {"value": text}}}.
An answer is "match", "no match", "error: TEXT" or "refused: TEXT".
"""

from __future__ import annotations

from typing import Any

from modelfleet.api.quantity import Quantity
from modelfleet.api.semver import Semver
from modelfleet.cel import Device, SelectorError, compile_selector

Json = dict[str, Any]


def device(case: Json) -> Device:
    """The device that a case describes."""
    attributes = {name: _attribute(value) for name, value in case.get("attributes", {}).items()}
    capacity = {name: Quantity.parse(value["value"]) for name, value in case.get("capacity", {}).items()}
    return Device(case["driver"], attributes, capacity, case.get("allowMultipleAllocations", False))


def _attribute(value: Json) -> str | bool | int | Semver:
    ((kind, inner),) = value.items()
    return Semver.parse(inner) if kind == "version" else inner


def ours(expression: str, devices: list[Json]) -> list[str]:
    """Our answers: one for each device, or one refusal."""
    try:
        program = compile_selector(expression)
    except SelectorError as error:
        return [f"refused: {error.code}: {error.message}"]
    return [_text(answer.matches, answer.error) for answer in (program.evaluate(device(d)) for d in devices)]


def theirs(reply: Json) -> list[str]:
    """The answers in a reply of the oracle."""
    if "refused" in reply:
        return [f"refused: {reply['refused']}"]
    return [_text(d.get("match", False), d.get("error", "")) for d in reply["devices"]]


def _text(matches: bool, error: str) -> str:
    return f"error: {error}" if error else "match" if matches else "no match"


def kinds(answers: list[str]) -> list[str]:
    """What two engines must agree on: match, no match, error or refused."""
    return [a.partition(":")[0] for a in answers]
