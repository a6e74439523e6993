"""What is accepted and not done by this release, and what of Modelplane's API has no meaning here.

A row is deleted when its field is done.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .base import Model

Loc = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A field that is not its default. path: YAML names, `[]` for each item; meaningless: of Modelplane's API, for good."""

    path: str
    text: str
    meaningless: bool = False


@dataclass(frozen=True, slots=True)
class Pending:
    """A row that holds for a document. loc: the value."""

    loc: Loc
    row: Row


_ROWS: dict[str, tuple[Row, ...]] = {
    "InferenceCluster": (
        Row("spec.cluster.source", "clusters are not made yet; it must be there, and Argo CD must know it"),
        Row("spec.cluster.existing.secretRef", "Argo CD holds the credentials of its clusters", meaningless=True),
        Row("spec.cluster.existing.identitySecretRef", "Argo CD holds the credentials of its clusters", meaningless=True),
        Row("spec.stack", "gangs are started by LeaderWorkerSet all the same, not by Grove"),
    ),
    "InferenceGateway": (
        Row("spec.backend", "the front door is Envoy Gateway, which the stack installs", meaningless=True),
        Row("spec.traefik", "the front door is Envoy Gateway, which the stack installs", meaningless=True),
    ),
}  # fmt: skip


def pending(kind: str, model: Model) -> list[Pending]:
    """Every row that holds for a document of `kind`."""
    return [Pending(loc, row) for row in _ROWS.get(kind, ()) for loc in _found(model, row.path.split("."))]


def _found(value: Any, steps: list[str]) -> Iterator[Loc]:
    """Where `steps` lead to a value that is not its default."""
    if value is None:
        return
    step, *rest = steps
    if step == "[]":
        for index, item in enumerate(value):
            for loc in _found(item, rest):
                yield (index, *loc)
        return
    model: type[Model] = type(value)
    name, field = next((name, field) for name, field in model.model_fields.items() if (field.alias or name) == step)
    found = getattr(value, name)
    if rest:
        if found is not None:
            for loc in _found(found, rest):
                yield (step, *loc)
    elif found != field.get_default(call_default_factory=True):
        yield (step,)
