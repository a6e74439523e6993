"""Diagnostics as people read them, and the words for pydantic's errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from modelfleet import codes, load
from modelfleet.cli import cli
from modelfleet.diagnostics import Diagnostic, Location, Report, nearest, printable, summary, text
from modelfleet.validate import validate

HERE = Location("models/ml/a.yaml", 12, 7)
ERROR = Diagnostic(codes.UNKNOWN_FIELD, "`replica` is not a field of ModelDeployment.spec", HERE, "did you mean `replicas`?")
WARNING = Diagnostic(
    codes.SHORTFALL, "2 of 4 replicas placed", Location("models/ml/a.yaml", 9, 3), "modelfleet explain ml/a", ("0/3 clusters",)
)


def test_the_text_of_two_diagnostics() -> None:
    assert text([ERROR, WARNING]) == (
        "models/ml/a.yaml:12:7: error[UnknownField]: `replica` is not a field of ModelDeployment.spec\n"
        "  hint: did you mean `replicas`?\n"
        "models/ml/a.yaml:9:3: warning[Shortfall]: 2 of 4 replicas placed\n"
        "  0/3 clusters\n"
        "  hint: modelfleet explain ml/a"
    )


def test_errors_stand_before_warnings_and_no_diagnostic_twice() -> None:
    report = Report()
    report.extend([WARNING, ERROR, WARNING])
    assert report.sorted() == [ERROR, WARNING]
    assert summary(report.sorted()) == "1 error, 1 warning"


def test_what_is_beyond_the_limit_is_counted() -> None:
    assert text([ERROR] * 25, 20).splitlines()[-1] == "... and 5 more (--all shows them)"


def test_what_a_user_wrote_cannot_break_the_line_or_steer_the_terminal() -> None:
    evil = Diagnostic(codes.UNKNOWN_VALUE, "`a\nb\x1b[2J\u202e`", Location("models/\x1b[31m.yaml"), "x\ny")
    assert text([evil]).splitlines() == [r"models/\u001b[31m.yaml: error[UnknownValue]: `a\nb\u001b[2J\u202e`", r"  hint: x\ny"]
    assert printable("grün 日本 😀") == "grün 日本 😀"


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("replica", ["replicas", "scaling"], "did you mean `replicas`?"),
        ("REPLICAS", ["replicas", "scaling"], "did you mean `replicas`?"),
        ("nonsense", ["b", "a"], "known: `a`, `b`"),
        ("nonsense", [], ""),
        ("x", [f"w{i:02}" for i in range(13)], "known: " + ", ".join(f"`w{i:02}`" for i in range(12)) + " ..."),
    ],
)  # fmt: skip
def test_the_nearest_word(word: str, known: list[str], hint: str) -> None:
    assert nearest(word, known) == hint


CLASS = """apiVersion: modelfleet.io/v1alpha1
kind: InferenceClass
metadata: {name: h100}
spec:
  devices:
  - name: gpu
    driver: gpu.nvidia.com
    deviceClassName: gpu.nvidia.com
"""
SYNTHETIC = "{name: NAME, driver: a.b, claim: Synthetic}"
MANY = "".join(f"  - {SYNTHETIC.replace('NAME', f'g{i}')}\n" for i in range(17))
DCN = "deviceClassName: gpu.nvidia.com"
# (what is wrong, text to replace, replacement, all that is said)
WORDS = [
    (
        "a field that is nearly right", "driver:", "drivr:",
        [
            "6:5: error[MissingField]: `spec.devices[0].driver` is required", "  hint: add `driver:`",
            "7:5: error[UnknownField]: `drivr` is not a field of InferenceClass.spec.devices[0]", "  hint: did you mean `driver`?",
        ],
    ),
    ("a number as text", DCN, 'count: "8"', [
        '8:12: error[WrongType]: `spec.devices[0].count` must be a whole number, not the text "8"', "  hint: write 8 without quotes",
    ]),
    ("text as a number", "name: gpu\n", "name: 1.30\n", [
        "6:11: error[WrongType]: `spec.devices[0].name` must be text, not the number 1.30", '  hint: write "1.30"',
    ]),
    ("text as a boolean", "name: gpu\n", "name: True\n", [
        "6:11: error[WrongType]: `spec.devices[0].name` must be text, not the boolean true", '  hint: write "True"',
    ]),
    ("a whole number with a fraction", DCN, "count: 8.0", [
        "8:12: error[WrongType]: `spec.devices[0].count` must be a whole number, not the number 8.0", "  hint: write a whole number",
    ]),
    ("a name in upper case", "name: h100", "name: My_H100", [
        "3:18: error[BadName]: `metadata.name`: `My_H100` is not a DNS name: lower-case letters, digits, `-` and `.`", "  hint: my-h100",
    ]),
    ("a key without a value", "driver: gpu.nvidia.com", "driver:", [
        "7:12: error[WrongType]: `spec.devices[0].driver` must be text, not empty", "  hint: give it a value, or remove the key",
    ]),
    ("one instead of a list", "  - name: gpu", "    name: gpu", [
        "6:5: error[WrongType]: `spec.devices` must be a list, not a mapping", "  hint: write `- ` before each item",
    ]),
    ("a list that is too long", "  - name: gpu\n", f"{MANY}  - name: gpu\n", [
        "6:3: error[TooMany]: `spec.devices` must have at most 16 items", "  hint: at most 16",
    ]),
    ("a word that is none of the known ones", DCN, "claim: dra", [
        '8:12: error[UnknownValue]: `spec.devices[0].claim` cannot be the text "dra"', "  hint: did you mean `DRA`?",
    ]),
    ("a number beyond its range", DCN, "count: 65", [
        "8:12: error[OutOfRange]: `spec.devices[0].count` must be at most 64, not 65", "  hint: count: 64",
    ]),
    ("two of one name", "  - name: gpu\n", f"  - {SYNTHETIC.replace('NAME', 'gpu')}\n  - name: gpu\n", [
        "7:11: error[DuplicateItem]: name `gpu` stands twice in this list", "  hint: rename or remove one",
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "wanted"), [w[1:] for w in WORDS], ids=[w[0] for w in WORDS])
def test_the_words_for_a_mistake(old: str, new: str, wanted: list[str]) -> None:
    assert old in CLASS
    report = Report()
    validate(load.parse("fleet/c.yaml", CLASS.replace(old, new, 1), report), report)
    assert text(report.sorted()).replace("fleet/c.yaml:", "").splitlines() == wanted


def test_flags_decide_what_is_shown(tmp_path: Path) -> None:
    (tmp_path / "fleet").mkdir()
    (tmp_path / "fleet" / "fleet.yaml").write_text("".join(f"k{i}: no\n" for i in range(30)))

    def said(*flags: str) -> str:
        return CliRunner().invoke(cli, ["--repo", str(tmp_path), "check", *flags], standalone_mode=False).stderr

    short, bright = said(), said("--color")
    assert short.count("error[QuoteString]") == 20 and short.endswith("... and 10 more (--all shows them)\n30 errors\n")
    assert said("--all").count("error[QuoteString]") == 30
    assert "\x1b[31m" in bright and "1 | \x1b[0mk0: no" in bright and "^^" in bright
    assert said("--no-color") == short
