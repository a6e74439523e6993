"""Every rule of the models, broken: what is said, and where.

rules/<Kind>.txt holds the cases of a kind: a sentence after `# `, the spec, and the whole answer after `> `, with line and column in a
document whose spec begins on line 4. MEMBER stands for the fields of a complete member.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from modelfleet import api
from modelfleet.api.forms import FORMS

from tests.written import problems

RULES = Path(__file__).parent / "rules"
NAMESPACED = ("ModelCache", "ModelDeployment", "ModelEndpoint", "ModelService")
MEMBER = "nodeSelector: {devices: [{name: gpu, memory: {atLeast: 22Gi}}]}, template: {spec: {containers: [{name: engine, image: v}]}}"


def cases() -> Iterator[object]:
    for file in sorted(RULES.glob("*.txt")):
        for block in file.read_text(encoding="utf-8").strip().split("\n\n"):
            sentence, *lines = block.splitlines()
            spec, said = [line for line in lines if not line.startswith("> ")], [line[2:] for line in lines if line.startswith("> ")]
            yield pytest.param(file.stem, "\n".join(spec), said, id=f"{file.stem}: {sentence.removeprefix('# ')}")


def document(kind: str, spec: str) -> str:
    namespace = ", namespace: search" if kind in NAMESPACED else ""
    head = f"apiVersion: modelfleet.io/v1alpha1\nkind: {kind}\nmetadata: {{name: x{namespace}}}\n"
    spec = spec.replace("MEMBER", MEMBER)
    return head + (f"spec: {spec}\n" if spec.startswith("{") else "spec:\n" + "".join(f"  {line}\n" for line in spec.splitlines()))


@pytest.mark.parametrize(("kind", "spec", "said"), list(cases()))
def test_a_broken_rule_is_said_at_its_value(kind: str, spec: str, said: list[str]) -> None:
    path = "models/search/x.yaml" if kind in NAMESPACED else "fleet/x.yaml"
    assert problems(path, document(kind, spec)) == [f"{path}:{line}" for line in said]


CONFIG_MAPS = {
    "a file in data and in binaryData": (
        "data: {a: x}\nbinaryData: {a: eA==}\n",
        "5:17: error[DuplicateItem]: `a` stands in data and in binaryData (hint: remove one)",
    ),
    "binary data that is not base64": (
        'binaryData: {a: "%"}\n',
        "4:17: error[BadValue]: `a` is not base64 (hint: base64 -w0 FILE)",
    ),
    "more than a ConfigMap holds": (
        f"data: {{a: {'x' * (1024 * 1024 + 1)}}}\n",
        "1:1: error[TooMany]: all values together have 1048577 bytes; a ConfigMap holds 1048576 (hint: use a ModelCache for large files)",
    ),
    "a key with a slash": (
        "data: {a/b: x}\n",
        "4:8: error[BadValue]: `data.a/b`: `a/b` is not a key: letters, digits, `-`, `_` and `.` (hint: HF_TOKEN)",
    ),
}


@pytest.mark.parametrize(("text", "said"), CONFIG_MAPS.values(), ids=CONFIG_MAPS)
def test_a_config_map_follows_the_rules_of_kubernetes(text: str, said: str) -> None:
    path = "models/search/x.yaml"
    assert problems(path, f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: x, namespace: search}}\n{text}") == [f"{path}:{said}"]


def test_a_config_map_of_the_platform_is_in_the_wrong_folder() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: search}\n"
    said = "fleet/x.yaml:2:7: error[WrongFolder]: ConfigMap does not belong under fleet/ (hint: move it under models/<namespace>/)"
    assert problems("fleet/x.yaml", text) == [said]


def test_every_pattern_is_said_in_words() -> None:
    """What a pattern asks for is in `forms`, or in `mistakes` for the names that all kinds share."""
    from modelfleet import mistakes

    schemas = [schema for kind in api.KINDS for schema in _schemas(api.model(kind).model_json_schema(by_alias=True))]
    used = {schema["pattern"] for schema in schemas if isinstance(schema.get("pattern"), str)}
    for schema in schemas:
        used |= set(schema["patternProperties"]) if isinstance(schema.get("patternProperties"), dict) else set()
    assert used - set(mistakes._FORMS) - set(FORMS) == set()
    assert set(FORMS) - used == set()


def _schemas(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _schemas(item)
