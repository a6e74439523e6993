"""A Unit: the manifests that one Argo CD Application syncs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import names

Manifest = dict[str, Any]

KINDS = {"base": 0, "tenant": 1, "caches": 1, "model": 2, "routes": 1}  # in order; how many names follow: namespace, deployment


@dataclass(frozen=True, slots=True)
class UnitId:
    """Which unit of which cluster. name: `base`, `tenant/<namespace>`, `model/<namespace>/<name>`, `routes/<namespace>`, ..."""

    cluster: str
    name: str

    @property
    def possible(self) -> bool:
        """Whether a fleet could have this unit; what is no name of a namespace must not become a path."""
        kind, *rest = self.name.split("/")
        parts = [*self.cluster.split("."), *rest]
        return KINDS.get(kind) == len(rest) and all(map(names.is_label, parts))

    @property
    def kind(self) -> str:
        return self.name.split("/", 1)[0]

    @property
    def namespace(self) -> str:
        """The unit's model namespace; empty for `base`."""
        parts = self.name.split("/")
        return parts[1] if len(parts) > 1 else ""

    @property
    def deployment(self) -> str:
        parts = self.name.split("/")
        return parts[2] if len(parts) > 2 else ""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit and what it holds, in the order in which it is printed."""

    id: UnitId
    manifests: tuple[Manifest, ...]
