"""Diagnostics for GitHub, for code scanning, as JSON, and with their line on a terminal."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from modelfleet import __version__, codes, formats
from modelfleet.diagnostics import Diagnostic, Location

EXAMPLE = Path(__file__).parent.parent / "fleet-repo-example"
ERROR = Diagnostic(codes.UNKNOWN_FIELD, "`a: b` is not a field, 100% sure", Location("models/ml/a b,c.yaml", 12, 7), "did you mean\n`c`?")
WARNING = Diagnostic(codes.SHORTFALL, "2 of 4", Location("models/ml/a.yaml"), "", ("0/3 clusters", "next"))
NOTICE = Diagnostic(codes.FOREIGN_DOCUMENT, "skipped", Location("models/ml/a.yaml", 1, 1))


def test_github_annotations() -> None:
    assert formats.github([ERROR, WARNING, NOTICE], "fleet/").splitlines() == [
        "::error file=fleet/models/ml/a b%2Cc.yaml,title=UnknownField,line=12,col=7"
        "::`a: b` is not a field, 100%25 sure%0Ahint: did you mean%0A`c`?",
        "::warning file=fleet/models/ml/a.yaml,title=Shortfall::2 of 4%0A0/3 clusters%0Anext",
        "::notice file=fleet/models/ml/a.yaml,title=ForeignDocument,line=1,col=1::skipped",
    ]


def test_nothing_a_user_writes_becomes_a_command_of_its_own() -> None:
    evil = Diagnostic(codes.UNKNOWN_VALUE, "x\n::set-output name=a::b\r\n::error::c", Location("a\n::error::b.yaml", 1, 1))
    assert len(formats.github([evil]).splitlines()) == 1


def test_json() -> None:
    assert json.loads(formats.as_json([ERROR, WARNING])) == {
        "version": 1,
        "counts": {"error": 1, "warning": 1, "notice": 0},
        "diagnostics": [
            {
                "code": "UnknownField",
                "severity": "error",
                "message": "`a: b` is not a field, 100% sure",
                "path": "models/ml/a b,c.yaml",
                "line": 12,
                "column": 7,
                "hint": "did you mean\n`c`?",
                "details": [],
            },
            {
                "code": "Shortfall",
                "severity": "warning",
                "message": "2 of 4",
                "path": "models/ml/a.yaml",
                "line": 0,
                "column": 0,
                "hint": "",
                "details": ["0/3 clusters", "next"],
            },
        ],
    }


def test_sarif() -> None:
    log = json.loads(formats.sarif([ERROR, WARNING, ERROR], "fleet/"))
    assert (log["version"], list(log)) == ("2.1.0", ["$schema", "version", "runs"])
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("modelfleet", __version__)
    assert [rule["id"] for rule in driver["rules"]] == ["Shortfall", "UnknownField"]
    assert all(rule[part]["text"] for rule in driver["rules"] for part in ("shortDescription", "fullDescription", "help"))
    assert [(r["ruleId"], r["ruleIndex"], r["level"]) for r in run["results"]] == [
        ("UnknownField", 1, "error"),
        ("Shortfall", 0, "warning"),
        ("UnknownField", 1, "error"),
    ]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert places[0] == {"artifactLocation": {"uri": "fleet/models/ml/a%20b%2Cc.yaml"}, "region": {"startLine": 12, "startColumn": 7}}
    assert places[1] == {"artifactLocation": {"uri": "fleet/models/ml/a.yaml"}}
    assert run["results"][1]["message"]["text"] == "2 of 4\n0/3 clusters\nnext"


def _shown(root: Path, source: str, line: int, column: int) -> list[str]:
    (root / "a.yaml").write_text(source, encoding="utf-8")
    formats._lines.cache_clear()
    block = formats.terminal([Diagnostic(codes.UNKNOWN_FIELD, "m", Location("a.yaml", line, column))], root)
    return re.sub(r"\x1b\[[0-9;]*m", "", block).splitlines()[1:]


EXCERPTS = [
    ("a key", "a:\n  replica: 2\n", 2, 3, ["  2 |   replica: 2", "    |   ^^^^^^^"]),
    ("a quoted text with blanks", "a: 'b c'\n", 1, 4, ["  1 | a: 'b c'", "    |    ^^^^^"]),
    ("a word in a list", "a: [bb, c]\n", 1, 5, ["  1 | a: [bb, c]", "    |     ^^"]),
    ("a text that holds a colon", "image: vllm/vllm:v1\n", 1, 8, ["  1 | image: vllm/vllm:v1", "    |        ^^^^^^^^^^^^"]),
    ("the end of the file", "a: [1", 1, 6, ["  1 | a: [1", "    |      ^"]),
    ("a line beyond the end", "a: [1", 2, 1, []),
    ("line ends of Windows", "a: 1\r\nb: 2\r\n", 2, 4, ["  2 | b: 2", "    |    ^"]),
    ("letters of two columns", "名前: x\n", 1, 5, ["  1 | 名前: x", "    |       ^"]),
    ("a tab", "a:\tb\n", 1, 4, ["  1 | a: b", "    |    ^"]),
    ("a control character", "a: \x1b[2J\n", 1, 4, ["  1 | a: \\u001b[2J", "    |    ^^^^"]),
]


@pytest.mark.parametrize(("source", "line", "column", "wanted"), [e[1:] for e in EXCERPTS], ids=[e[0] for e in EXCERPTS])
def test_the_line_and_the_caret(source: str, line: int, column: int, wanted: list[str], tmp_path: Path) -> None:
    assert _shown(tmp_path, source, line, column) == wanted


def test_a_very_long_line_is_cut(tmp_path: Path) -> None:
    shown = _shown(tmp_path, "a: " + "x" * 5000 + " yyy " + "z" * 5000 + "\n", 1, 5005)
    assert all(len(line) < 200 for line in shown)
    assert "yyy" in shown[0] and shown[0].index("yyy") == shown[1].index("^^^")


def test_a_file_that_is_gone_has_no_excerpt(tmp_path: Path) -> None:
    formats._lines.cache_clear()
    assert len(formats.terminal([ERROR], tmp_path).splitlines()) == 2


def _check(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "modelfleet", *arguments], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A checkout whose fleet repository lies in a folder, with one mistake."""
    shutil.copytree(EXAMPLE, tmp_path / "fleet-repo")
    file = tmp_path / "fleet-repo" / "models" / "search" / "qwen3-8b.yaml"
    file.write_text(file.read_text().replace("priority:", "prioriti:"))
    return tmp_path


@pytest.mark.parametrize("form", ["github", "json", "sarif"])
def test_formats_of_the_command_go_to_stdout_alone(form: str, broken: Path) -> None:
    done = _check(broken, "--repo", "fleet-repo", "check", "--format", form)
    assert (done.returncode, done.stderr) == (1, "")
    assert "prioriti" in done.stdout
    path = "models/search/qwen3-8b.yaml" if form == "json" else "fleet-repo/models/search/qwen3-8b.yaml"
    assert path in done.stdout
    if form != "github":
        json.loads(done.stdout)


def test_the_text_goes_to_stderr_and_is_plain_in_a_pipe(broken: Path) -> None:
    done = _check(broken, "--repo", "fleet-repo", "check")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        "models/search/qwen3-8b.yaml:6:3: error[UnknownField]: `prioriti` is not a field of ModelDeployment.spec\n"
    )
    assert "\x1b" not in done.stderr
