"""Versions: strict and normalised reading, precedence."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from modelfleet.api.semver import Semver, SemverText
from pydantic import BaseModel, ValidationError

READ = [
    "0.0.0",
    "1.2.3",
    "10.20.30",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-0a.-",
    "1.0.0+build.01",
    "1.0.0-rc.1+b",
    "18446744073709551615.0.0",
]
REFUSED = [
    ("", "Version string empty"),
    ("1.2", "No Major.Minor.Patch elements found"),
    ("v1.2.3", 'Invalid character(s) found in major number "v1"'),
    ("01.2.3", 'Major number must not contain leading zeroes "01"'),
    ("1.x.3", 'Invalid character(s) found in minor number "x"'),
    ("1.2.03", 'Patch number must not contain leading zeroes "03"'),
    ("1.2.3.4", 'Invalid character(s) found in patch number "3.4"'),
    ("1..3", 'strconv.ParseUint: parsing "": invalid syntax'),
    ("1.2.3-", "Prerelease is empty"),
    ("1.2.3-01", 'Numeric PreRelease version must not contain leading zeroes "01"'),
    ("1.2.3-a_", 'Invalid character(s) found in prerelease "a_"'),
    ("1.2.3+", "Build meta data is empty"),
    ("1.2.3+!", 'Invalid character(s) found in build meta data "!"'),
    ("18446744073709551616.0.0", 'strconv.ParseUint: parsing "18446744073709551616": value out of range'),
]
NORMALIZED = [
    ("v1.2.3", "1.2.3"),
    ("1", "1.0.0"),
    ("v1.2", "1.2.0"),
    ("01.02.03", "1.2.3"),
    ("1.2.003-rc.1", "1.2.3-rc.1"),
    ("00", "0.0.0"),
]
ORDERED = [
    "0.9.9",
    "1.0.0-1",
    "1.0.0-2",
    "1.0.0-10",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.10.0",
]


@pytest.mark.parametrize("text", READ)
def test_a_strict_version_reads_back(text: str) -> None:
    assert str(Semver.parse(text)) == text


@pytest.mark.parametrize(("text", "reason"), REFUSED, ids=[r[0] or "empty" for r in REFUSED])
def test_what_is_no_strict_version(text: str, reason: str) -> None:
    with pytest.raises(ValueError) as caught:
        Semver.parse(text)
    assert str(caught.value) == reason


@pytest.mark.parametrize(("text", "version"), NORMALIZED, ids=[n[0] for n in NORMALIZED])
def test_normalising(text: str, version: str) -> None:
    assert str(Semver.parse(text, normalize=True)) == version


@pytest.mark.parametrize("text", ["V1.2.3", " 1.2.3", "1.2-rc.1", "v", "", "1.2+b"])
def test_what_normalising_does_not_mend(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Semver.parse(text, normalize=True)


def test_precedence() -> None:
    versions = [Semver.parse(text) for text in ORDERED]
    for (i, left), (j, right) in itertools.product(enumerate(versions), repeat=2):
        assert (left < right, left == right, left > right) == (i < j, i == j, i > j)


def test_build_data_does_not_count() -> None:
    assert Semver.parse("1.0.0+a") == Semver.parse("1.0.0+b")
    assert hash(Semver.parse("1.0.0+a")) == hash(Semver.parse("1.0.0"))


class _Holder(BaseModel):
    version: SemverText


@pytest.mark.parametrize(
    ("text", "hint"), [("9.0", "write 9.0.0"), ("v1.2.3", "write 1.2.3"), ("new", "write MAJOR.MINOR.PATCH, such as 9.0.0")]
)
def test_a_declaration_says_what_to_write(text: str, hint: str) -> None:
    with pytest.raises(ValidationError) as caught:
        _Holder(version=text)
    (error,) = caught.value.errors()
    assert error["ctx"] == {"code": "BadVersion", "message": f"`{text}` is not a semantic version", "path": [], "hint": hint}


@given(st.tuples(*[st.integers(0, 2**64 - 1)] * 3), st.lists(st.from_regex(r"[0-9A-Za-z-]+", fullmatch=True), max_size=3))
def test_every_version_that_is_read_is_written_the_same(numbers: tuple[int, int, int], parts: list[str]) -> None:
    text = ".".join(map(str, numbers)) + ("-" + ".".join(parts) if parts else "")
    try:
        version = Semver.parse(text)
    except ValueError:
        assert any(p.isascii() and p.isdigit() and (p != str(int(p)) or int(p) >= 2**64) for p in parts)
    else:
        assert str(version) == text
