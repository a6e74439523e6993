"""One YAML document and where its values stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from ..diagnostics import Location


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document. `value` is what it says; `node` is its syntax tree, for positions."""

    path: str
    value: Any
    node: yaml.Node

    def locate(self, loc: Sequence[str | int], *, key: bool = False) -> Location:
        """Where the value at `loc` stands, or its nearest parent that exists; `key`: the key instead of the value."""
        node, mark = self.node, self.node.start_mark
        for step in loc:
            found = _child(node, step)
            if found is None:
                break
            mark, node = (found[0] if key else found[1]).start_mark, found[1]
        return Location(self.path, mark.line + 1, mark.column + 1)

    def source(self, loc: Sequence[str | int]) -> str | None:
        """The characters of the plain word at `loc` (`1.30`, where the value is 1.3); None for anything else."""
        node = self.node
        for step in loc:
            found = _child(node, step)
            if found is None:
                return None
            node = found[1]
        return str(node.value) if isinstance(node, yaml.ScalarNode) and not node.style else None


def _child(node: yaml.Node, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    if isinstance(node, yaml.MappingNode):
        return next(((k, v) for k, v in node.value if k.value == step), None)
    return None
