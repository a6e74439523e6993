"""Every diagnostic code: its text is whole, and the smallest change to a good repository that yields it, at its line and column."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from modelfleet import codes, load
from modelfleet.cli import cli
from modelfleet.diagnostics import Report

from tests.code_cases import CASES, CLASS, CLUSTER, GOOD, NEW, RECORD, Edit


def write(root: Path, changes: Mapping[str, Edit] = {}) -> None:
    """The good repository with `changes`."""
    for path in {**GOOD, **changes}:
        edit = changes.get(path, GOOD.get(path))
        content: Any = edit
        if isinstance(edit, tuple):
            old, new = edit
            assert GOOD[path].count(old) == 1, f"{path}: {old!r} does not stand there once"
            content = GOOD[path].replace(old, new)
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            file.write_bytes(content)
        elif content is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(content, encoding="utf-8")


def check(root: Path, *flags: str) -> dict[str, list[str]]:
    """Places by code of all that `check` says."""
    done = CliRunner().invoke(cli, ["--repo", str(root), "check", "--format", "json", *flags], standalone_mode=False)
    found: dict[str, list[str]] = {}
    for d in json.loads(done.stdout)["diagnostics"]:
        found.setdefault(d["code"], []).append(f"{d['path']}:{d['line']}:{d['column']}" if d["line"] else d["path"])
    return found


@pytest.mark.parametrize(("code", "changes", "where"), CASES, ids=[case[0] for case in CASES])
def test_a_mistake_is_said_where_it_stands(code: str, changes: dict[str, Edit], where: str, tmp_path: Path) -> None:
    write(tmp_path, changes)
    assert where in check(tmp_path).get(code, [])


def test_the_good_repository_is_good(tmp_path: Path) -> None:
    write(tmp_path)
    assert check(tmp_path) == {"UpdateStopsModel": ["models/ml/chat.yaml:3:18"]}  # of one pod an update always does


def _no_fleet(root: Path) -> dict[str, list[str]]:
    return {"NotAFleet": ["NotAFleet"]} if "error[NotAFleet]" in _stderr(root, "check") else {}


def _stderr(root: Path, *arguments: str) -> str:
    return CliRunner().invoke(cli, ["--repo", str(root), *arguments], standalone_mode=False).stderr


def _a_folder(root: Path) -> dict[str, list[str]]:
    write(root)
    (root / NEW).mkdir()
    return check(root)


def _a_link(root: Path) -> dict[str, list[str]]:
    write(root)
    (root / NEW).symlink_to(root / CLASS)
    return check(root)


def _unreadable(root: Path) -> dict[str, list[str]]:
    report = Report()
    load.read(NEW, root / "gone.yaml", report)
    return {d.code.name: [str(d.location)] for d in report.sorted()}


def _unknown_name(root: Path) -> dict[str, list[str]]:
    write(root)
    return {"NoSuch": re.findall(r"^(.*): error\[NoSuch\]", _stderr(root, "place", "ml/chta"), re.MULTILINE)}


def _no_base(root: Path) -> dict[str, list[str]]:
    write(root)
    return {"Base": re.findall(r"^(.*): error\[Base\]", _stderr(root, "check", "--base", "main"), re.MULTILINE)}


def _changed(root: Path, changes: Mapping[str, Edit], before: Mapping[str, Edit] = {}) -> dict[str, list[str]]:
    """What `check --base HEAD` says of a change to a committed repository."""
    write(root, before)
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "base"]):
        subprocess.run([*git, *command], check=True)
    write(root, {**before, **changes})
    return check(root, "--base", "HEAD")


def _not_merged(root: Path) -> dict[str, list[str]]:
    """An entry that retires in this commit alone, and is to be dropped in it too."""
    _changed(root, {})
    subprocess.run(["git", "-C", str(root), "branch", "-M", "main"], check=True)
    write(root, {RECORD: GOOD[RECORD].replace("minimum: 1}", "minimum: 1, retiring: true}").replace("wanted: 1", "wanted: 0")})
    return {"NotFinished": re.findall(r"^(.*): error\[NotFinished\]", _stderr(root, "place", "--finish", "ml/chat"), re.MULTILINE)}


THREE = {RECORD: GOOD[RECORD].replace("wanted: 1", "wanted: 3").replace("count: 1, minimum: 1", "count: 3, minimum: 3")}
SPECIAL: dict[str, tuple[Callable[[Path], dict[str, list[str]]], str]] = {
    "NotAFleet": (_no_fleet, "NotAFleet"),
    "NotAFile": (_a_folder, NEW),
    "Symlink": (_a_link, NEW),
    "Unreadable": (_unreadable, NEW),
    "NoSuch": (_unknown_name, "command line"),
    "Base": (_no_base, "command line"),
    "NotFinished": (_not_merged, RECORD),
    "UnretiredRemoval": (lambda root: _changed(root, {RECORD: None}), RECORD),
    "TooManyRemovals": (lambda root: _changed(root, {RECORD: None}, THREE), RECORD),
    "Immutable": (lambda root: _changed(root, {CLUSTER: ("gateway:", "destination: {name: other}\n  gateway:")}), f"{CLUSTER}:5:16"),
}
# Codes of commands, and advice, that have tables of their own.
ADVICE = (
    "ColdStart", "DecodePort", "FieldTooNew", "ImageNotPinned", "NoCacheStorage", "NoDrain", "NoPhases", "NoPicker", "ParallelSize",
    "ServedModelNameNotPassed", "UpdateStopsModel", "WakeUnseen",
)  # fmt: skip
FITS = ("ContextTooLong", "ModelDoesNotFit", "TensorSplit")
COMMANDS = ("NewlyOvercommitted", "PlacementEdited")
NEW_FILES = ("AlreadyThere", "FitsNowhere", "UnknownSize")
REMOVAL = ("ClusterLeft", "UnapprovedRemoval")
ELSEWHERE = dict.fromkeys(ADVICE, "test_advice.py") | dict.fromkeys(FITS, "test_fits.py") | dict.fromkeys(COMMANDS, "test_place_command.py")
ELSEWHERE |= dict.fromkeys(NEW_FILES, "test_new.py")
ELSEWHERE |= dict.fromkeys(REMOVAL, "test_gone_cluster.py") | {"OutputFolder": "test_output.py", "CannotEdit": "test_remove_command.py"}


@pytest.mark.parametrize("code", SPECIAL)
def test_a_mistake_that_no_file_shows(code: str, tmp_path: Path) -> None:
    run, where = SPECIAL[code]
    assert where in run(tmp_path).get(code, [])


@pytest.mark.parametrize(("code", "file"), ELSEWHERE.items())
def test_a_case_of_another_table(code: str, file: str) -> None:
    assert code in (Path(__file__).parent / file).read_text(encoding="utf-8")


def test_every_code_has_a_case() -> None:
    assert {case[0] for case in CASES} | set(SPECIAL) | set(ELSEWHERE) == set(codes.ALL)


# A sentence may begin with one of these in lower case.
FIELDS = {"apiVersion", "replicas", "scaling", "query", "recorded:"}


@pytest.mark.parametrize("name", codes.ALL)
def test_every_code_has_a_whole_text(name: str) -> None:
    code = codes.ALL[name]
    assert re.fullmatch(r"[A-Z][A-Za-z0-9]+", name)
    for sentence in (code.what, code.why, code.fix):
        assert sentence.strip() == sentence and sentence.endswith("."), sentence
        assert sentence[0].isupper() or not sentence[0].isalpha() or sentence.split()[0] in FIELDS
    assert code.example and code.example.strip() == code.example


def test_explain_prints_all_of_it() -> None:
    done = CliRunner().invoke(cli, ["explain", "QuoteString"], standalone_mode=False)
    code = codes.QUOTE_STRING
    for part in (code.name, code.severity.word, code.what, code.why, code.fix, code.example):
        assert part in done.stdout


def test_explain_of_a_code_that_is_nearly_right() -> None:
    done = CliRunner().invoke(cli, ["explain", "QuotString"], standalone_mode=False)
    assert "did you mean `QuoteString`?" in done.stderr
