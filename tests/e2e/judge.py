"""The judgement of a real API server over a folder of manifests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.e2e.client import Rejected
from tests.e2e.cluster import Cluster, split


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object: where it stands, its text, and what the text says."""

    place: str
    text: str
    object: Mapping[str, Any]

    def __str__(self) -> str:
        metadata = self.object["metadata"]
        return f"{self.place}: {self.object['kind']} {metadata.get('namespace', '')}/{metadata['name']}"


def read(folder: Path) -> list[Manifest]:
    """All objects of a folder in the order of its files, namespaces before everything else."""
    found = [manifest for path in sorted(folder.rglob("*.yaml")) for manifest in parse(path.read_text(), str(path.relative_to(folder)))]
    return sorted(found, key=lambda manifest: manifest.object["kind"] != "Namespace")


def parse(text: str, place: str) -> list[Manifest]:
    """The objects of one file."""
    return [Manifest(place, part, loaded) for part in split(text) if (loaded := yaml.load(part, yaml.CSafeLoader)) is not None]


def kinds(manifests: Sequence[Manifest]) -> set[tuple[str, str]]:
    """The groups and kinds of the objects."""
    return {(manifest.object["apiVersion"].rpartition("/")[0], manifest.object["kind"]) for manifest in manifests}


def judge(cluster: Cluster, manifests: Sequence[Manifest]) -> list[str]:
    """What is wrong with the manifests, one line each: refused, warned about, stored otherwise than written, or changed by a second
    application of all of them."""
    findings: list[str] = []
    accepted: list[Manifest] = []
    for manifest in manifests:
        try:
            applied = cluster.apply(manifest.text)
        except Rejected as rejected:
            findings.append(f"{manifest}: rejected: {rejected}")
            continue
        accepted.append(manifest)
        findings += [f"{manifest}: warning: {warning}" for warning in applied.warnings]
        findings += [f"{manifest}: altered: {difference}" for difference in altered(manifest.object, applied.object)]
    return findings + [f"{manifest}: changed by the second application" for manifest in accepted if not settled(cluster, manifest)]


def settled(cluster: Cluster, manifest: Manifest) -> bool:
    """Whether applying a stored manifest again writes nothing.

    Where a CustomResourceDefinition has defaults in its status, the first update stores them and differs in nothing a reader sees;
    the next one then has to be silent.
    """
    again = cluster.apply(manifest.text)
    return not again.changed and not (again.written and cluster.apply(manifest.text).written)


def altered(written: object, stored: object, path: str = "") -> Iterator[str]:
    """Where the stored object does not hold what was written, as a quantity in another form; what the server added is no difference."""
    if isinstance(written, Mapping) and isinstance(stored, Mapping):
        for key, value in written.items():
            yield from altered(value, stored.get(key), f"{path}.{key}")
    elif isinstance(written, list) and isinstance(stored, list) and len(written) == len(stored):
        for index, (one, other) in enumerate(zip(written, stored, strict=True)):
            yield from altered(one, other, f"{path}[{index}]")
    elif written != stored:
        yield f"{path}: {written!r} is stored as {stored!r}"
