"""Files in Modelplane's group to files in ours, in the layout of a fleet repository.

The text is edited where a key or value changes and nowhere else, so that comments, order and style stay. What a document means and does
not say (a pool's node label) is written out. `migrate` sees texts and gives texts; the command reads and writes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from . import dialect
from .api.base import API_VERSION
from .diagnostics import Report
from .load import Document, parse

_FOLDERS = {"InferenceClass": "fleet/classes", "InferenceCluster": "fleet/clusters", "InferenceGateway": "fleet/gateways"}
_ENDINGS = {"ModelDeployment": "", "ModelService": "-service", "ModelCache": "-cache", "ModelEndpoint": "-endpoint"}
_START = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?\Z")

Edit = tuple[int, int, str]  # from, to, replacement


@dataclass(slots=True)
class Migration:
    """What to do. files: new content by path, None to delete; moved: (from, to, what); left: (where, why)."""

    files: dict[str, str | None] = field(default_factory=dict)
    moved: list[tuple[str, str, str]] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    without_destination: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Part:
    """One document of a file with the comments around it. document: None for text without one."""

    text: str
    document: Document | None


def migrate(files: Mapping[str, str]) -> Migration:
    """The migration of `files` (text by path). A document that is declared twice, or cannot be read, stays as it is and is listed."""
    found = Migration()
    parts = {path: split(path, text, found) for path, text in files.items()}
    every = [part.document for file in parts.values() for part in file if part.document]
    counts = Counter(_identity(document) for document in every)
    found.twice = sorted(" ".join(filter(None, identity)) for identity, count in counts.items() if count > 1 and all(identity))
    targets: dict[str, list[str]] = {}
    for path, file in parts.items():
        kept: list[str] = []
        for part in file:
            target = _target(path, part, counts, files, found)
            if target is None or part.document is None:
                kept.append(part.text)
                continue
            new = rewrite(part.text, part.document)
            found.moved.append((path, target, " ".join(_identity(part.document))))
            (kept if target == path else targets.setdefault(target, [])).append(new)
        if kept != [part.text for part in file]:
            found.files[path] = _joined(kept) if any(_says_something(text) for text in kept) else None
    for target, texts in targets.items():
        before = found.files.get(target)
        found.files[target] = _joined([before, *texts] if before else texts)
    found.moved.sort()
    return found


def split(path: str, text: str, found: Migration) -> list[_Part]:
    """The documents of a file, each with its comments; one part without a document where the file cannot be read."""
    report = Report()
    documents = parse(path, text, report)
    if report.errors:
        if dialect.GROUP in text:
            found.left.append((str(report.sorted()[0].location), report.sorted()[0].message))
        return [_Part(text, None)]
    starts = [0, *(match.start() for match in _START.finditer(text))]
    ends = [*starts[1:], len(text)]
    lines = [text.count("\n", 0, start) for start in starts]
    by_part: dict[int, Document] = {}
    for document in documents:
        by_part[max(i for i, line in enumerate(lines) if line <= document.node.start_mark.line)] = document
    parts: list[_Part] = []
    before = ""
    for index, (start, end) in enumerate(zip(starts, ends, strict=True)):
        body = before + text[start:end].removeprefix("---").lstrip("\n" if index else "").lstrip(" ")
        before = ""
        if index not in by_part and index == 0:
            before = body  # comments before the first document belong to it
        elif body.strip():
            own = parse(path, body, Report())
            parts.append(_Part(body, own[0] if len(own) == 1 else None))
    return parts if parts or not before.strip() else [_Part(before, None)]


def _identity(document: Document) -> tuple[str, str]:
    """Kind and `namespace/name` of a document of either group."""
    if not isinstance(document.value, dict) or not (dialect.speaks(document) or document.value.get("apiVersion") == API_VERSION):
        return "", ""
    metadata = document.value.get("metadata")
    names = [metadata.get(key) for key in ("namespace", "name")] if isinstance(metadata, dict) else []
    return str(document.value.get("kind")), "/".join(name for name in names if isinstance(name, str))


def _target(path: str, part: _Part, counts: Mapping[tuple[str, str], int], files: Mapping[str, str], found: Migration) -> str | None:
    """Where a document of Modelplane's group goes; None, and a reason in `found.left`, if it stays as it is."""
    document = part.document
    if document is None or not dialect.speaks(document):
        return None
    kind, ref = _identity(document)
    namespace, _, name = ref.rpartition("/")
    where = f"{path}: {kind} {ref}"
    if kind not in dialect.KINDS:
        found.left.append((where, "modelfleet has no such kind"))
    elif counts[kind, ref] > 1:
        found.left.append((where, "it is declared twice"))
    elif not _NAME.match(name) or (kind in _ENDINGS) != bool(namespace) or (namespace and not _NAME.match(namespace)):
        found.left.append((where, "metadata.namespace is missing" if kind in _ENDINGS and not namespace else "its name cannot be a file's"))
    else:
        home = f"models/{namespace}/" if kind in _ENDINGS else "fleet/"
        target = f"{home}{name}{_ENDINGS[kind]}.yaml" if kind in _ENDINGS else f"{_FOLDERS[kind]}/{name}.yaml"
        if kind == "InferenceCluster" and "destination" not in (document.value.get("spec") or {}):
            found.without_destination.append(name)
        if path.startswith(home):
            return path
        if target not in files:
            return target
        found.left.append((where, f"{target} is there already"))
    return None


def rewrite(text: str, document: Document) -> str:
    """`text`, which holds `document` alone, in our group."""
    translated = dialect.ours(document, Report())
    assert translated is not None, "the kind was looked at before"
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    edits = [*_changes(document.node, text, starts), *_removal(document.node, text, starts)]
    for path, name, value in dialect.additions(document.value):
        edits.append(_insertion(_node_at(document.node, path), name, value, text, starts))
    for start, end, new in sorted(reversed(edits), key=lambda edit: edit[0], reverse=True):  # at one place in their order
        text = text[:start] + new + text[end:]
    return text


def _offset(mark: yaml.Mark, starts: list[int]) -> int:
    return starts[mark.line] + mark.column


def _changes(node: yaml.Node, text: str, starts: list[int], under: str = "") -> Iterator[Edit]:
    """The group and the label keys."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _changes(item, text, starts, under)
    elif isinstance(node, yaml.MappingNode):
        written = {key.value: None for key, _ in node.value}
        for key, child in node.value:
            start, end = _offset(key.start_mark, starts), _offset(key.end_mark, starts)
            renamed = dialect.renamed(key.value, written, under)
            if renamed != key.value:
                yield start, end, text[start:end].replace(key.value, renamed)
            yield from _changes(child, text, starts, dialect.below(key.value, under))
    elif isinstance(node, yaml.ScalarNode):
        start, end = _offset(node.start_mark, starts), _offset(node.end_mark, starts)
        if under == "apiVersion" and node.value == dialect.VERSION:
            yield start, end, text[start:end].replace(dialect.VERSION, API_VERSION)
        elif under == dialect.EXPRESSION_KEY and node.value in dialect.KEYS:
            yield start, end, text[start:end].replace(node.value, dialect.KEYS[node.value])


def _removal(node: yaml.Node, text: str, starts: list[int]) -> Iterator[Edit]:
    """The status, which only a live object has: from its key to the next one."""
    pairs = node.value if isinstance(node, yaml.MappingNode) and not node.flow_style else []
    for index, (key, _) in enumerate(pairs):
        if key.value == "status":
            after = pairs[index + 1][0].start_mark if index + 1 < len(pairs) else None
            yield _offset(key.start_mark, starts), _offset(after, starts) if after else len(text), ""


def _node_at(node: yaml.Node, path: tuple[str | int, ...]) -> yaml.MappingNode:
    for step in path:
        children: Any = node.value
        node = children[step] if isinstance(step, int) else next(child for key, child in children if key.value == step)
    assert isinstance(node, yaml.MappingNode)
    return node


def _insertion(node: yaml.MappingNode, name: str, value: Any, text: str, starts: list[int]) -> Edit:
    """A field more in a mapping: after its first field where that is one line, else before it."""
    dumped = yaml.safe_dump(value, default_flow_style=True, width=10_000).removesuffix("\n").removesuffix("\n...")
    shown = f"{name}: {dumped}"
    if node.flow_style:
        at = _offset(node.start_mark, starts) + 1
        return at, at, f"{shown}, " if node.value else shown
    key, first = node.value[0]
    if isinstance(first, yaml.ScalarNode) and first.style not in ("|", ">") and first.end_mark.line == key.start_mark.line:
        at = min(starts[first.end_mark.line + 1], len(text))
        lead = "" if text[:at].endswith("\n") else "\n"
        return at, at, f"{lead}{' ' * key.start_mark.column}{shown}\n"
    at = _offset(key.start_mark, starts)
    return at, at, f"{shown}\n{' ' * key.start_mark.column}"


def _joined(texts: list[str]) -> str:
    return "---\n".join(text if text.endswith("\n") else f"{text}\n" for text in texts if text.strip())


def _says_something(text: str) -> bool:
    """Whether more than comments is in `text`."""
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())
