"""schemas/README.md: every kind for people, from the same docstrings as the schemas."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from .. import api
from ..emit import document
from .samples import Samples, classes
from .schema import ALL_KINDS, Schema, file_name, kind_schema

_WIDTH = 120
_FOLDERS = {"fleet": "fleet/", "models": "models/<namespace>/", "placements": "placements/<namespace>/"}
_HEAD = f"""# What a fleet repository may declare

Every kind of `modelfleet.io/v1alpha1` with every field: a comment says what the field below it means, and a line that is commented
out cannot stand beside the ones above it. The files beside this one are JSON Schemas (draft 2020-12): `{ALL_KINDS}` for a file of any
kind, and one for each kind; `plan.schema.json` is that of `modelfleet plan --format json`.

An editor with a YAML language server completes and checks by them when a file begins with

    # yaml-language-server: $schema=<path or URL of {ALL_KINDS}>

`modelfleet schemas -o DIR` writes this folder; nothing in it is edited by hand.
"""


def reference() -> str:
    """The text of the reference."""
    links = {kind: f"[{file_name(kind)}]({file_name(kind)})" for kind in api.KINDS}
    rows = [f"| [{kind}](#{kind.lower()}) | `{_FOLDERS[folder]}` | {links[kind]} |" for kind, (_, folder) in api.KINDS.items()]
    table = "\n".join(["| kind | stands under | schema |", "| --- | --- | --- |", *rows])
    return "\n".join([_HEAD, table, "", *(_kind(kind) for kind in api.KINDS)])


def _kind(kind: str) -> str:
    schema = kind_schema(kind)
    samples = Samples(schema | {"$defs": schema.get("$defs", {})}, classes(api.model(kind)))
    lines = _Block(samples).mapping(kind, schema, samples.chosen(kind, schema), "")
    return "\n".join([f"## {kind}", "", schema["description"], "", "```yaml", *lines, "```", ""])


class _Block:
    """The commented example of one kind."""

    def __init__(self, samples: Samples) -> None:
        self.samples = samples

    def mapping(self, owner: str, shape: Schema, chosen: dict[str, Any], indent: str) -> Iterator[str]:
        """The fields of a class; those that cannot stand beside the others are commented out."""
        for alias in _by_importance(shape["properties"]):
            part = shape["properties"][alias]
            required = alias in shape.get("required", []) and "const" not in part
            text = ("Required. " if required else "") + part.get("description", "")
            yield from (f"{indent}# {line}".rstrip() for line in textwrap.wrap(text, _WIDTH - len(indent)))
            lines = self.field(owner, alias, part, chosen.get(alias, self.samples.of(owner, alias, part)), indent)
            yield from lines if alias in chosen else (f"{indent}# {line[len(indent) :]}" for line in lines)

    def field(self, owner: str, alias: str, part: Schema, value: Any, indent: str) -> Iterator[str]:
        """`alias` and its value, with the comments of what lies within."""
        name, shape = self.samples.target(part)
        if name and "properties" in shape:
            yield f"{indent}{alias}:"
            yield from self.mapping(name, shape, value, indent + "  ")
        elif "$ref" in shape.get("items", {}):
            yield f"{indent}{alias}:"
            yield from self._items(shape["items"], value, indent)
        elif isinstance(shape.get("additionalProperties"), dict) and "$ref" in shape["additionalProperties"]:
            yield f"{indent}{alias}:"
            for key, inner in value.items():
                yield from self.field("", key, shape["additionalProperties"], inner, indent + "  ")
        else:
            yield from (indent + line for line in document({alias: value}).splitlines())

    def _items(self, item: Schema, value: list[Any], indent: str) -> Iterator[str]:
        """A list of one mapping: `- ` stands before its first field, not before the comment above it."""
        name, shape = self.samples.target(item)
        first = True
        for line in self.mapping(name, shape, value[0], indent + "  "):
            mark = first and not line.lstrip().startswith("#")
            yield f"{indent}- {line[len(indent) + 2 :]}" if mark else line
            first = first and not mark


def _by_importance(properties: Schema) -> list[str]:
    """Name and namespace first, all else as declared."""
    return sorted(properties, key=lambda alias: ("name", "namespace").index(alias) if alias in ("name", "namespace") else 2)
