"""Whatever stands in a file, reading it ends with documents or with diagnostics, never with an exception."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from modelfleet import load, pipeline
from modelfleet.diagnostics import Report

EXAMPLE = Path(__file__).parent.parent / "fleet-repo-example"
VALID = [path.read_bytes() for path in sorted(EXAMPLE.rglob("*.yaml"))]
_LEVELS = zip("abcdefgh", "bcdefghi", strict=True)
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in _LEVELS)


def said(text: str, name: str = "f.yaml") -> list[str]:
    """`line:column code` of everything reported for `text`, and the documents' values if there are any."""
    report = Report()
    documents = load.parse(name, text, report)
    return [*(f"{d.location.line}:{d.location.column} {d.code.name}" for d in report.sorted()), *(str(d.value) for d in documents)]


CASES = [
    # (what it is, text, what is said)
    ("a byte order mark at the start is taken off", "\ufeffa: 1\n", ["{'a': 1}"]),
    ("a byte order mark within a file is refused", "a: 1\n---\n\ufeffb: 1\n", ["3:1 UnprintableCharacter"]),
    ("line ends of Windows are line ends", "a: 1\r\nb: |\r\n  x\r\n  y\r\n", ["{'a': 1, 'b': 'x\\ny\\n'}"]),
    ("several documents in a file, empty ones left out", "a: 1\n---\n---\nb: 2\n...\n", ["{'a': 1}", "{'b': 2}"]),
    ("an empty file", "", []),
    ("a file of comments", "# nothing\n", []),
    ("a NUL byte", 'a: "x\x00y"\n', ["1:6 UnprintableCharacter"]),
    ("a control character", "a: x\n\nb: \x07\n", ["3:4 UnprintableCharacter"]),
    ("a lone surrogate", "a: \ud800", ["1:4 UnprintableCharacter"]),
    ("a lone surrogate as an escape", 'a: "\\ud800"', ["1:7 YamlSyntax"]),
    ("a line separator, which only YAML 1.1 takes for a line end", "a: x\u2028y: 2", ["1:5 UnprintableCharacter"]),
    ("a mark that turns the order of letters", "a: user\u202e # admin", ["1:8 UnprintableCharacter"]),
    ("only the first few of a thousand control characters", "\x01" * 1000, [f"1:{c} UnprintableCharacter" for c in range(1, 6)]),
    ("a tab as indentation", "a:\n\tb: 1\n", ["2:1 YamlSyntax"]),
    ("a tab after blanks of indentation", "a:\n  b: 1\n \tc: 2\n", ["3:2 YamlSyntax"]),
    ("a tab between key and value is a blank", "a:\t1\t\n", ["{'a': 1}"]),
    ("a half-written list", "a: [1", ["2:1 YamlSyntax"]),
    ("a half-written text", 'a: "x\nb: 1\n', ["3:1 YamlSyntax"]),
    ("a half-written mapping is what stands there", "a: 1\nb:", ["{'a': 1, 'b': None}"]),
    ("a key without its colon", "a: 1\nb\n", ["3:1 YamlSyntax"]),
    ("a colon in a plain text", "a: b: c\n", ["1:5 YamlSyntax"]),
    ("a plain text that begins with @", "a: @x\n", ["1:4 YamlSyntax"]),
    ("a list of keys", "? [a]\n: 1\n", ["1:3 YamlSyntax"]),
    ("an anchor", "a: &x 1\n", ["1:4 Alias"]),
    ("an alias of nothing", "a: *x\n", ["1:4 Alias"]),
    ("an alias that holds itself", "a: &x [*x]\n", ["1:4 Alias", "1:8 Alias"]),
    ("a glob in a text is no alias", "a: x*\nb: models/*.bin\nc: hi!\n", ["{'a': 'x*', 'b': 'models/*.bin', 'c': 'hi!'}"]),
    ("an ampersand in a text is no anchor", "a: b && c\n", ["{'a': 'b && c'}"]),
    ("a tag", "a: !!python/object:os.system 1\n", ["1:4 Tag"]),
    ("a tag of one mark", "a: ! 1\n", ["1:4 Tag"]),
    ("a merge key", "a: {<<: {b: 1}}\n", ["1:5 MergeKey"]),
    ("a quoted merge key is a key", "a: {'<<': {b: 1}}\n", ["{'a': {'<<': {'b': 1}}}"]),
    ("a key twice", "a: 1\nb: 2\na: 3\n", ["3:1 DuplicateKey"]),
    ("a key twice, once in quotes", "a: 1\n'a': 3\n", ["2:1 DuplicateKey"]),
    ("a key that is a number", "a: {1: x}\n", ["1:5 QuoteString"]),
    ("a key that is a boolean for some", "a: {y: 1}\n", ["1:5 QuoteString"]),
    ("a key that is empty", "a: {: 1}\n", ["1:5 YamlSyntax"]),
    ("a key that is null", "a: {~: 1}\n", ["1:5 QuoteString"]),
    ("64 levels", "a: " + "[" * 63 + "]" * 63, ["{'a': " + "[" * 63 + "]" * 63 + "}"]),
    ("65 levels", "a: " + "[" * 64 + "]" * 64, ["1:67 TooDeep"]),
    ("1,000 levels", "[" * 1000 + "]" * 1000, ["1:65 TooDeep"]),
    ("100,000 levels", "[" * 100_000 + "]" * 100_000, ["1:1001 TooDeep"]),
    ("100,000 levels, never closed", "{a: " * 100_000, ["1:4001 TooDeep"]),
    ("2,000 levels of mappings", "".join(" " * i + "a:\n" for i in range(2000)), ["1000:1001 TooDeep"]),
    ("3,000 levels of lists", "- " * 3000 + "x", ["1:1999 TooDeep"]),
    ("a very long line", "a: " + "x" * 1_000_000, ["{'a': '" + "x" * 1_000_000 + "'}"]),
    ("a very long key", "k" * 5000 + ": 1\n", ["1:5001 YamlSyntax"]),
    ("another version of YAML", "%YAML 2.0\n---\na: 1\n", ["1:1 YamlSyntax"]),
    ("an unknown directive", "%FOO\n---\na: 1\n", ["1:5 YamlSyntax"]),
    ("another tool's document may be written as its tool likes", "apiVersion: apps/v1\nkind: X\ndata: {a: yes, a: 1e3}\n", None),
]


@pytest.mark.parametrize(("text", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_a_text_gives(text: str, wanted: list[str] | None) -> None:
    found = said(text)
    if wanted is None:
        assert len(found) == 1 and found[0].startswith("{'apiVersion'")
    else:
        assert found == wanted


def test_an_alias_bomb() -> None:
    assert {line.split()[1] for line in said(BOMB)} == {"Alias"}


# Plain words that YAML 1.1, YAML 1.2, Go's and Python's readers do not agree on.
_TRAPS = """
y Y n N yes Yes YES no No NO on On ON off Off OFF = << 1e3 1E3 1e+3 1.5e3 +1e3 08 09 012 0o17 -0o7 0x1f 0X1F 0b11 1_000 1_000.5 1.5_0
12:30 190:20:30 1:30.5 .5 +.5 5. -5. .inf -.inf +.Inf .nan .NaN 2026-11-30 2026-11-30T10:00:00Z 2001-1-1
9223372036854775808 -9223372036854775809 123456789012345678901234567890
"""
TRAPS = [*_TRAPS.split(), "2026-11-30 10:00:00", "9" * 5000]


@pytest.mark.parametrize("word", TRAPS, ids=lambda w: w[:30])
def test_a_word_that_readers_do_not_agree_on_must_be_quoted(word: str) -> None:
    assert said(f"a: {word}\n") == ["1:4 QuoteString"]
    assert said(f"a: [{word}]\n") == ["1:5 QuoteString"]
    assert said(f'a: "{word}"\n') == [str({"a": word})]
    assert said(f"a: '{word}'\n") == [str({"a": word})]
    assert said(f"a: |-\n  {word}\n") == [str({"a": word})]


PLAIN: dict[str, Any] = {
    "true": True, "True": True, "FALSE": False, "null": None, "~": None, "": None,
    "0": 0, "-0": 0, "12": 12, "+12": 12, "-7": -7, "9223372036854775807": 2**63 - 1, "-9223372036854775808": -(2**63), "1.5": 1.5,
}  # fmt: skip
_TEXTS = "80Gi 500m 1.2.3 v1 nvidia.com/gpu 0.5.1 yesterday non 10.0.0.0/8 2026-11 1-2 12:3x e3 0xyz tRUE nULL"
PLAIN |= {word: word for word in _TEXTS.split()}


@pytest.mark.parametrize("word", PLAIN, ids=repr)
def test_a_plain_word(word: str) -> None:
    assert said(f"a: {word}\n") == [str({"a": PLAIN[word]})]


_CORE = re.compile(
    r"(?:null|Null|NULL|~|true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
    r"|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?(?:\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN|)\Z"
)


@given(st.text("0123456789+-.:_eExXoObBTZnyNYaf~=<tru", min_size=1, max_size=12))
@settings(max_examples=2000, deadline=None)
def test_text_is_what_no_reader_takes_for_something_else(word: str) -> None:
    """Against YAML 1.1 as PyYAML's own resolver knows it, and the core schema of YAML 1.2."""
    report = Report()
    try:
        tree = yaml.compose(f"a: {word}")
    except yaml.YAMLError:
        return
    assert isinstance(tree, yaml.MappingNode)
    node = tree.value[0][1]
    documents = load.parse("f.yaml", f"a: {word}\n", report)
    if documents and isinstance(node, yaml.ScalarNode) and isinstance(documents[0].value["a"], str):
        assert node.tag == "tag:yaml.org,2002:str"
        assert not _CORE.match(node.value)


JSON_CASES = [
    ("tabs", '{\n\t"a": 1,\n\t"b": [\n\t\ttrue, null\n\t]\n}\n', ["{'a': 1, 'b': [True, None]}"]),
    ("a character beyond the first plane", '{"a": "\\ud83d\\ude00"}', ["{'a': '😀'}"]),
    ("an escaped backslash before a u", '{"a": "\\\\ud83d"}', ["{'a': '\\\\ud83d'}"]),
    ("a slash as an escape", '{"a": "x\\/y"}', ["{'a': 'x/y'}"]),
    ("a lone surrogate", '{"a": "\\ud83d"}', ["1:10 YamlSyntax"]),
    ("a comma too many", '{"a": 1,\n}', ["2:1 YamlSyntax"]),
    ("a comment", '{"a": 1} # x', ["1:10 YamlSyntax"]),
    ("a key twice", '{"a": 1, "a": 2}', ["1:10 DuplicateKey"]),
    ("half-written", '{"a": [1', ["1:9 YamlSyntax"]),
    ("100,000 levels", "[" * 100_000 + "]" * 100_000, ["1:1001 TooDeep"]),
    ("a number of 5,000 digits", '{"a": ' + "9" * 5000 + "}", ["1:7 QuoteString"]),
]


@pytest.mark.parametrize(("text", "wanted"), [case[1:] for case in JSON_CASES], ids=[case[0] for case in JSON_CASES])
def test_a_json_file(text: str, wanted: list[str], tmp_path: Path) -> None:
    file = tmp_path / "f.json"
    file.write_text(text, encoding="utf-8")
    report = Report()
    documents = load.read("f.json", file, report)
    found = [f"{d.location.line}:{d.location.column} {d.code.name}" for d in report.sorted()]
    assert [*found, *(str(d.value) for d in documents)] == wanted


def _read(file: Path) -> list[str]:
    report = Report()
    load.read(file.name, file, report)
    return [f"{d.location} {d.code.name}" for d in report.sorted()]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes("a: 1\nb: Köln\n".encode("latin-1"))
    (tmp_path / "wide.yaml").write_bytes("a: 1\n".encode("utf-16"))
    (tmp_path / "coded.yaml").write_bytes(b"a: \xed\xa0\x80\n")
    (tmp_path / "large.yaml").write_bytes(b"# " + b"x" * 10_000_000)
    (tmp_path / "folder.yaml").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    found = {path.name: _read(path) for path in [*tmp_path.iterdir(), tmp_path / "gone.yaml", tmp_path / "latin.yaml" / "x.yaml"]}
    assert found == {
        "latin.yaml": ["latin.yaml:2:5 NotUTF8"],
        "wide.yaml": ["wide.yaml:1:1 NotUTF8"],
        "coded.yaml": ["coded.yaml:1:4 NotUTF8"],
        "large.yaml": ["large.yaml FileTooLarge"],
        "folder.yaml": ["folder.yaml NotAFile"],
        "pipe.yaml": ["pipe.yaml NotAFile"],
        "gone.yaml": ["gone.yaml Unreadable"],
        "x.yaml": ["x.yaml Unreadable"],
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_and_a_folder_without_permission(tmp_path: Path) -> None:
    (tmp_path / "fleet" / "closed").mkdir(parents=True)
    (tmp_path / "fleet" / "a.yaml").touch(0o000)
    (tmp_path / "fleet" / "closed").chmod(0o000)
    report = Report()
    for relative, path in load.files(tmp_path, ["fleet"], report):
        load.read(relative, path, report)
    (tmp_path / "fleet" / "closed").chmod(0o700)
    assert [(str(d.location), d.code.name) for d in report.sorted()] == [("fleet/a.yaml", "Unreadable"), ("fleet/closed", "Unreadable")]


def test_a_repository_of_odd_files(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    (fleet / "deep" / "er").mkdir(parents=True)
    (fleet / "deep" / "er" / "a.yaml").write_text("a: 1\n")
    (fleet / "b.yml").write_text("b: 1\n")
    (fleet / "c.json").write_text("{}")
    (fleet / "README.md").write_text("- not: read\n")
    (fleet / ".hidden.yaml").write_text("[")
    (fleet / "d.yaml").mkdir()
    (fleet / "e.yaml").symlink_to(fleet / "b.yml")
    (fleet / "f").symlink_to(tmp_path)
    (fleet / "g.yaml").symlink_to(tmp_path / "gone")
    Path(os.fsdecode(os.fsencode(fleet) + b"/h\xff.yaml")).mkdir()
    report = Report()
    found = [relative for relative, _ in load.files(tmp_path, ["fleet", "gone"], report)]
    assert found == ["fleet/b.yml", "fleet/c.json", "fleet/deep/er/a.yaml"]
    assert [(str(d.location), d.code.name) for d in report.sorted()] == [
        ("fleet/d.yaml", "NotAFile"),
        ("fleet/e.yaml", "Symlink"),
        ("fleet/f", "Symlink"),
        ("fleet/g.yaml", "Symlink"),
        ("fleet/h\ufffd.yaml", "NotAFile"),
    ]


def test_a_hundred_mistakes_at_once() -> None:
    text = "".join(f"k{i}: no\n" for i in range(100))
    assert said(text) == [f"{i + 1}:{5 if i < 10 else 6} QuoteString" for i in range(100)]


def test_a_whole_command_on_a_broken_repository(tmp_path: Path) -> None:
    (tmp_path / "fleet").mkdir()
    (tmp_path / "fleet" / "fleet.yaml").write_bytes(b"\xff\xfe\x00")
    report = Report()
    pipeline.read(tmp_path, pipeline.Slice(), report)
    assert [d.code.name for d in report.sorted()] == ["NotUTF8"]
