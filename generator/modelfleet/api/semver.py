"""Semantic versions as Kubernetes' CEL reads them: strict `MAJOR.MINOR.PATCH[-pre][+build]`, or normalised.

Ordered by precedence: a pre-release is below its release, numeric parts below alphanumeric ones, build data is ignored.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import total_ordering
from typing import Annotated

from pydantic import AfterValidator

from .base import mistake

UINT64_MAX = 2**64 - 1
_DIGITS = re.compile(r"[0-9]*")
_PART = re.compile(r"[0-9A-Za-z-]+")


def _number(text: str, what: str) -> int:
    if not _DIGITS.fullmatch(text):
        raise ValueError(f"Invalid character(s) found in {what} number {_quoted(text)}")
    if len(text) > 1 and text[0] == "0":
        raise ValueError(f"{what.capitalize()} number must not contain leading zeroes {_quoted(text)}")
    return _uint64(text)


def _uint64(text: str) -> int:
    if not text:
        raise ValueError('strconv.ParseUint: parsing "": invalid syntax')
    if len(text) > 20 or int(text) > UINT64_MAX:
        raise ValueError(f"strconv.ParseUint: parsing {_quoted(text)}: value out of range")
    return int(text)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _prerelease(part: str) -> int | str:
    if not part:
        raise ValueError("Prerelease is empty")
    if not _PART.fullmatch(part):
        raise ValueError(f"Invalid character(s) found in prerelease {_quoted(part)}")
    if not _DIGITS.fullmatch(part):
        return part
    if len(part) > 1 and part[0] == "0":
        raise ValueError(f"Numeric PreRelease version must not contain leading zeroes {_quoted(part)}")
    return _uint64(part)


def _built(part: str) -> str:
    if not part:
        raise ValueError("Build meta data is empty")
    if not _PART.fullmatch(part):
        raise ValueError(f"Invalid character(s) found in build meta data {_quoted(part)}")
    return part


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Semver:
    """A version; equality and order ignore `build`."""

    major: int
    minor: int
    patch: int
    pre: tuple[int | str, ...] = ()
    build: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str, normalize: bool = False) -> Semver:
        """The version that `text` spells; ValueError with the reason in the words of Kubernetes' library.

        normalize: a leading `v` and leading zeros are dropped, missing parts are 0 (a short version has no suffix).
        """
        parts = (_normalized(text) if normalize else text).split(".", 2)
        if len(parts) != 3:
            raise ValueError("No Major.Minor.Patch elements found" if text else "Version string empty")
        rest, plus, build = parts[2].partition("+")
        patch, dash, pre = rest.partition("-")
        numbers = (_number(parts[0], "major"), _number(parts[1], "minor"), _number(patch, "patch"))
        prerelease = tuple(_prerelease(part) for part in pre.split(".")) if dash else ()
        return cls(*numbers, prerelease, tuple(_built(part) for part in build.split(".")) if plus else ())

    @property
    def _key(self) -> tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]:
        parts = tuple((False, p, "") if isinstance(p, int) else (True, 0, p) for p in self.pre)
        return self.major, self.minor, self.patch, not self.pre, parts

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Semver) else NotImplemented

    def __lt__(self, other: Semver) -> bool:
        return self._key < other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        text += "-" + ".".join(map(str, self.pre)) if self.pre else ""
        return text + ("+" + ".".join(self.build) if self.build else "")


def _normalized(text: str) -> str:
    parts = text.removeprefix("v").split(".", 2)
    for index, part in enumerate(parts):
        if len(part) > 1:
            short = part.lstrip("0")
            parts[index] = short if short and short[0] in "0123456789" else "0" + short
    if len(parts) < 3 and any(mark in parts[-1] for mark in "+-"):
        raise ValueError("short version cannot contain PreRelease/Build meta data")
    return ".".join(parts + ["0"] * (3 - len(parts)))


def _check(text: str) -> str:
    try:
        Semver.parse(text)
    except ValueError:
        raise mistake("BadVersion", f"`{text}` is not a semantic version", hint=_hint(text)) from None
    return text


def _hint(text: str) -> str:
    try:
        return f"write {Semver.parse(text.strip(), normalize=True)}"
    except ValueError:
        return "write MAJOR.MINOR.PATCH, such as 9.0.0"


SemverText = Annotated[str, AfterValidator(_check)]
