"""A device as selectors see it, and the answer to the question whether it matches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..api.quantity import Quantity
from ..api.semver import Semver

Attribute = str | bool | int | Semver
Name = tuple[str, str]


def qualified(name: str, driver: str) -> Name:
    """(domain, id) of a published name: it is split at the first `/`, and belongs to the driver's domain without one."""
    domain, slash, ident = name.partition("/")
    return (domain, ident) if slash else (driver, name)


@dataclass(frozen=True, slots=True)
class Device:
    """One device: driver, attributes and capacity by published name (`domain/id`, or `id` in the driver's domain)."""

    driver: str
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    capacity: Mapping[str, Quantity] = field(default_factory=dict)
    allow_multiple_allocations: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether the device matches. error: why it could not be said, in Kubernetes' words; the allocator would stop there."""

    matches: bool
    error: str = ""
