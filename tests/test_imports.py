"""Two rules on imports: who may know whom, and what a command may load."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "generator" / "modelfleet"
EXAMPLE = Path(__file__).parent.parent / "fleet-repo-example"

# What a module may import of ours, besides diagnostics and codes, which all may use. A lower stage never knows a higher one.
MAY_IMPORT: dict[str, set[str]] = {
    "redact": set(),
    "diagnostics": {"redact"},
    "codes": set(),
    "names": set(),
    "api": set(),
    "cel": {"api"},
    "load": {"api"},
    "mistakes": {"api", "load"},
    "validate": {"api", "load", "mistakes", "names", "dialect"},
    "dialect": {"api", "load", "names"},
    "resolve": {"api", "names", "stock", "validate"},
    "place": {"api", "cel", "resolve"},
    "balance": {"api", "names", "resolve"},
    "render": {"api", "balance", "names", "place", "resolve"},
    "emit": {"render"},
    "tree": {"emit", "render"},
    "report": {"api", "emit", "names", "place", "render", "resolve"},
    "checks": {"api", "balance", "cel", "names", "place", "redact", "resolve", "stock", "validate"},
    "catalog": {"api"},
    "stock": set(),
    "sizing": {"api"},
    "vllm": {"render", "sizing"},
    "scaffold": {"api", "catalog", "emit", "place", "resolve", "sizing"},
    "fits": {"api", "catalog", "place", "render", "sizing", "vllm"},
    "newer": {"render", "validate"},
    "advice": {"api", "checks", "fits", "names", "newer", "place", "render", "resolve", "validate", "vllm"},
    "pods": {"api", "load", "mistakes", "names", "resolve", "validate"},
    "formats": {"load", "redact"},
    "git": set(),
    "runbook": {"place", "render", "resolve"},
    "edit": {"load"},
    "schemas": {"api", "emit", "report"},
    "migrate": {"api", "dialect", "load"},
    "records": {"api", "emit", "names", "pipeline"},
    "cmp": {"emit", "pipeline", "place", "render", "resolve", "units"},
    "units": {"checks", "newer", "pipeline", "render", "resolve"},
    "pipeline": {"api", "names", "load", "validate", "resolve", "place", "render", "checks", "pods", "git"},
}
# Stages that see no file, network, clock, environment, random or print.
PURE = ("resolve", "place", "balance", "render", "cel", "api", "names", "emit", "report")
IMPURE = {
    "os",
    "sys",
    "pathlib",
    "io",
    "time",
    "datetime",
    "random",
    "socket",
    "subprocess",
    "urllib",
    "http",
    "tempfile",
    "shutil",
    "locale",
}
# What each command may not load.
HEAVY = {"kubernetes", "git", "jinja2", "rich", "celpy", "lark"}


def _modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def _stage(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _ours(path: Path) -> set[str]:
    """The stages that a module imports, anywhere in it."""
    package = ["modelfleet", *path.relative_to(PACKAGE).parent.parts]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            parts = [*base, *(node.module.split(".") if node.module else [])]
            names = [[*parts, alias.name] for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        else:
            continue
        found |= {name[1] for name in names if len(name) > 1 and name[0] == "modelfleet"}
    return {name for name in found if (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()}


@pytest.mark.parametrize("path", _modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_stage_knows_only_lower_ones(path: Path) -> None:
    stage = _stage(path)
    if stage in ("cli", "__init__", "__main__"):
        return
    assert stage in MAY_IMPORT, f"{stage} has no row in the table"
    assert _ours(path) - MAY_IMPORT[stage] - {stage, "diagnostics", "codes"} == set()


@pytest.mark.parametrize("path", [p for p in _modules() if _stage(p) in PURE], ids=lambda p: str(p.relative_to(PACKAGE)))
def test_pure_stages_do_no_io(path: Path) -> None:
    tree = ast.parse(path.read_text())
    imported = {alias.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {(node.module or "").split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level}
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert imported & IMPURE == set()
    assert called & {"print", "open", "input"} == set()


def _loaded(arguments: list[str], parameters: list[dict[str, str]] | None = None) -> set[str]:
    """Top-level modules in sys.modules after a command, which must succeed."""
    program = (
        "import sys, json, atexit\n"
        "atexit.register(lambda: print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})), file=sys.stderr))\n"
        f"sys.argv = ['modelfleet', *{arguments!r}]\n"
        "from modelfleet.cli import main\nmain()\n"
    )
    environment = os.environ | ({"ARGOCD_APP_PARAMETERS": json.dumps(parameters)} if parameters is not None else {})
    done = subprocess.run([sys.executable, "-c", program], cwd=EXAMPLE, env=environment, capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


UNIT = [{"name": "cluster", "string": "gke-us-east4"}, {"name": "unit", "string": "base"}]


@pytest.mark.parametrize(
    ("arguments", "parameters"),
    [(["cmp", "generate"], []), (["cmp", "generate"], UNIT), (["generate", "--recorded", "--root"], None)],
    ids=["the plugin's root", "a unit of the plugin", "generate of what is recorded"],
)
def test_the_plugins_path_loads_nothing_heavy(arguments: list[str], parameters: list[dict[str, str]] | None) -> None:
    assert _loaded(arguments, parameters) & HEAVY == set() if "cmp" in arguments else True


def test_a_plugin_run_loads_no_placer() -> None:
    program = "import sys\nsys.argv = ['modelfleet', 'cmp', 'generate']\nfrom modelfleet.cli import cli\ncli(standalone_mode=False)\n"
    program += (
        "import sys\nassert not {m for m in sys.modules if m.startswith(('modelfleet.cel', 'modelfleet.place.place'))}, sys.modules\n"
    )
    environment = os.environ | {"ARGOCD_APP_PARAMETERS": json.dumps(UNIT)}
    subprocess.run([sys.executable, "-c", program], cwd=EXAMPLE, env=environment, capture_output=True, text=True, check=True)
