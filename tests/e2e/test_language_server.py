"""What an editor shows by our schemas: completion, hover and mistakes, from the language server that editors use."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.language_server import LanguageServer, install

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).parent.parent.parent
SCHEMAS = ROOT / "schemas"
EXAMPLE = ROOT / "fleet-repo-example"
DECLARATIONS = sorted(path for folder in ("fleet", "models", "placements") for path in (EXAMPLE / folder).rglob("*.yaml"))
CURSOR = "|"


@pytest.fixture(scope="module")
def server() -> Iterator[LanguageServer]:
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"the YAML language server needs {program}")
    running = LanguageServer(install(), ROOT)
    yield running
    running.close()


def _opened(server: LanguageServer, name: str, text: str, schema: str = "modelfleet") -> tuple[Path, int, int, list[dict[str, object]]]:
    """(path, line, column of the cursor, diagnostics) of a text that names one of our schemas."""
    whole = f"# yaml-language-server: $schema={SCHEMAS / f'{schema}.schema.json'}\n{text}"
    before, _, after = whole.partition(CURSOR)
    path = EXAMPLE / "models" / "search" / f"{name}.yaml"
    found = server.open(path, before + after)
    return path, before.count("\n"), len(before) - before.rfind("\n") - 1, found


def _labels(server: LanguageServer, name: str, text: str, schema: str = "modelfleet") -> set[str]:
    path, line, column, _ = _opened(server, name, text, schema)
    found = server.at("completion", path, line, column)
    return {item["label"] for item in (found["items"] if isinstance(found, dict) else found)}


HEAD = "apiVersion: modelfleet.io/v1alpha1\nkind: ModelDeployment\nmetadata: {name: a, namespace: search}\n"


def test_completion_of_kinds(server: LanguageServer) -> None:
    labels = _labels(server, "kinds", "apiVersion: modelfleet.io/v1alpha1\nkind: |\n")
    assert {"Fleet", "InferenceCluster", "ModelDeployment", "Placement"} <= labels


@pytest.mark.parametrize("schema", ["modelfleet", "modeldeployment"])
def test_completion_of_fields(server: LanguageServer, schema: str) -> None:
    labels = _labels(server, f"fields-{schema}", f"{HEAD}spec:\n  |\n", schema)
    assert {"replicas", "scaling", "suspend", "priority", "placement", "template"} <= labels
    assert "nodePools" not in labels


def test_completion_of_words(server: LanguageServer) -> None:
    labels = _labels(server, "words", f"{HEAD}spec:\n  placement:\n    strategy: |\n")
    assert {"Spread", "Pack", "Cheapest"} <= labels


def test_hover_shows_the_docstring(server: LanguageServer) -> None:
    path, line, column, _ = _opened(server, "hover", f"{HEAD}spec:\n  repl|icas: 2\n")
    text = server.at("hover", path, line, column)["contents"]["value"]
    assert "Replicas in the whole fleet, 0 to 1000" in text


def test_mistakes_are_underlined(server: LanguageServer) -> None:
    found = _opened(server, "wrong", f'{HEAD}spec:\n  replica: 2|\n  priority: "1"\n')[3]
    said = {(d["range"]["start"]["line"], d["message"]) for d in found}  # type: ignore[index]
    assert any(line == 5 and "replica" in message for line, message in said), said
    assert any(line == 6 and "integer" in message for line, message in said), said


@pytest.mark.parametrize("path", DECLARATIONS, ids=lambda p: str(p.relative_to(EXAMPLE)))
def test_the_example_has_no_mistake(server: LanguageServer, path: Path) -> None:
    modeline = f"# yaml-language-server: $schema={SCHEMAS / 'modelfleet.schema.json'}\n"
    assert server.open(path.with_name(f"open-{path.name}"), modeline + path.read_text(encoding="utf-8")) == []


def test_the_examples_own_line_for_editors_leads_to_the_schema(server: LanguageServer) -> None:
    text = (EXAMPLE / "fleet" / "fleet.yaml").read_text(encoding="utf-8")
    path = EXAMPLE / "fleet" / "own-line.yaml"
    assert server.open(path, text) == []
    wrong = server.open(EXAMPLE / "fleet" / "own-line-wrong.yaml", text.replace("targetRevision", "targetRevison"))
    assert any("targetRevison" in d["message"] for d in wrong)


def test_the_settings_of_the_example_name_schemas_that_exist() -> None:
    text = (EXAMPLE / ".vscode" / "settings.json").read_text(encoding="utf-8")
    settings = json.loads("".join(line for line in text.splitlines() if not line.startswith("//")))
    for schema, globs in settings["yaml.schemas"].items():
        assert (EXAMPLE / schema).is_file()
        covered = {path for glob in globs for path in EXAMPLE.glob(glob)}
        assert covered == set(DECLARATIONS)
