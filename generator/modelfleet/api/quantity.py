"""Kubernetes quantities, exactly: `80Gi`, `500m`, `1.5e3` (the rules of apimachinery's resource.Quantity).

A quantity is a whole number of billionths: what is finer is rounded away from zero. A binary suffix caps the amount at
2^63-1. Apimachinery keeps an amount as a 64-bit mantissa and a power of ten while both fit, and as a big decimal
otherwise; CEL's `isInteger()` and `asInteger()` show which, so the form is kept here (`wide`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import total_ordering
from typing import Annotated, Literal

from pydantic import AfterValidator

from .base import mistake

Format = Literal["DecimalSI", "BinarySI", "DecimalExponent"]

INT64_MAX = 2**63 - 1
_NANO = 10**9
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_SHAPE = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)", re.ASCII)
_EXPONENT = re.compile(r"[eE]([-+]?\d+)", re.ASCII)
# Kubernetes takes exponents up to 2^31; no machine has such an amount, and the arithmetic would not end.
_MAX_EXPONENT = 1000
_MAX_LENGTH = 4000
_FAST_DIGITS = 18  # decimal digits that surely fit an int64

# Apimachinery's own words: a selector that parses a quantity fails with them.
_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_NUMERIC = "unable to parse numeric part of quantity"
_SUFFIX = "unable to parse quantity's suffix"
TOO_LONG = f"quantities have at most {_MAX_LENGTH} characters and an exponent of at most {_MAX_EXPONENT} here"


def _narrow(value: int) -> bool:
    return -INT64_MAX - 1 <= value <= INT64_MAX


def _round_up(value: int, divisor: int) -> int:
    """`value / divisor`, rounded away from zero."""
    return -(-value // divisor) if value > 0 else value // divisor


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """An amount: `value * 10**scale`, scale from -9 up. Equal and ordered by amount, whatever the form.

    format: how `canonical` writes it. wide: apimachinery holds it as a big decimal.
    """

    value: int
    scale: int = 0
    format: Format = "DecimalSI"
    wide: bool = False

    @classmethod
    def parse(cls, text: str) -> Quantity:
        """The quantity that `text` spells; ValueError with a reason for everything that Kubernetes refuses.

        Like Kubernetes it reads most numbers without digits (`Gi`, `+`) as zero.
        """
        if len(text) > _MAX_LENGTH:
            raise ValueError(TOO_LONG)
        shape = _SHAPE.fullmatch(text)
        if shape is None or not text:
            raise ValueError(_FORMAT)
        sign, whole, after, suffix = shape.groups()
        number, decimals = whole.lstrip("0") or "0", after or ""
        exponent, form = _suffix(suffix)
        value = int(number + decimals) * (-1 if sign == "-" else 1)
        if form != "BinarySI":
            parsed = cls._decimal(value, exponent - len(decimals), len(number) + len(decimals), form)
        else:
            parsed = cls._binary(value, len(decimals), exponent, len(number))
        if parsed.wide and not whole and not decimals:
            raise ValueError(_NUMERIC)
        return parsed

    @classmethod
    def _decimal(cls, value: int, scale: int, digits: int, form: Format) -> Quantity:
        if scale >= -9:
            return cls(value, scale, form, wide=digits > _FAST_DIGITS)
        divisor = 10 ** min(-9 - scale, _MAX_LENGTH + _MAX_EXPONENT)
        return cls(_round_up(value, divisor), -9, form, wide=True)

    @classmethod
    def _binary(cls, value: int, decimals: int, exponent: int, digits: int) -> Quantity:
        amount = value << exponent
        # Apimachinery's own estimate of the precision that is left; below it the big form is used.
        if not decimals and 15 - digits - int(exponent * 3 / 10) - 1 >= 0:
            return cls(amount, 0, "BinarySI")
        nano = _round_up(amount * _NANO, 10**decimals)
        nano = max(-INT64_MAX * _NANO, min(INT64_MAX * _NANO, nano))
        # An amount below one would be rounded in binary form.
        form: Format = "DecimalSI" if 0 < abs(nano) < _NANO else "BinarySI"
        return cls(nano, -9, form, wide=True)

    @property
    def nano(self) -> int:
        """The amount in billionths."""
        return int(self.value * 10 ** (self.scale + 9))

    def ceil(self) -> int:
        """The amount as a whole number, rounded away from zero (bytes of a memory quantity)."""
        return _round_up(self.nano, _NANO)

    @property
    def bytes(self) -> int:
        """`ceil()`, named for what a memory quantity holds."""
        return self.ceil()

    def milli(self) -> int:
        """The amount in thousandths, rounded away from zero (CPU)."""
        return _round_up(self.nano, 10**6)

    @property
    def sign(self) -> int:
        """-1, 0 or 1."""
        return (self.value > 0) - (self.value < 0)

    def as_int64(self) -> int | None:
        """The amount as Kubernetes' CEL gives it: None unless the 64-bit form holds a whole number that fits."""
        if self.wide or self.scale < 0:
            return None
        amount = int(self.value * 10**self.scale)
        # A mantissa of the least int64 is never multiplied.
        fits = _narrow(amount) and (self.scale == 0 or self.value != -INT64_MAX - 1)
        return amount if fits else None

    def is_integer(self) -> bool:
        """Whether the amount has no fraction."""
        return self.nano % _NANO == 0

    def __float__(self) -> float:
        try:
            return self.value * 10.0**self.scale if self.scale else float(self.value)
        except OverflowError:
            return float("inf") * self.sign

    def widened(self) -> Quantity:
        """The same amount in the big form, as apimachinery leaves it after some operations."""
        return Quantity(self.value, self.scale, self.format, wide=True)

    def add(self, other: Quantity) -> Quantity:
        """The sum, in this one's format unless this one is zero."""
        form = self.format if self.value else other.format
        if not self.wide and not other.wide:
            narrow = self._add_narrow(other)
            if narrow is not None:
                return Quantity(*narrow, form)
        scale = min(self.scale, other.scale)
        total = self.value * 10 ** (self.scale - scale) + other.value * 10 ** (other.scale - scale)
        return Quantity(total, scale, form, wide=True)

    def sub(self, other: Quantity) -> Quantity:
        """The difference, in this one's format unless this one is zero."""
        negated = Quantity(-other.value, other.scale, other.format, other.wide)
        if self.wide or other.wide or other.value != -INT64_MAX - 1:
            return self.add(negated)
        # 64 bits hold no opposite of the least int; apimachinery subtracts it from zero or a small amount as it stands.
        narrow = self._add_narrow(other)
        return self.add(negated) if narrow is None else Quantity(*narrow, self.format if self.value else other.format)

    def _add_narrow(self, other: Quantity) -> tuple[int, int] | None:
        """(value, scale) of the sum while 64 bits hold it, scaled to the finer of the two."""
        if not other.value:
            return self.value, self.scale
        if not self.value:
            return other.value, other.scale
        scale = min(self.scale, other.scale)
        left, right = (int(q.value * 10 ** (q.scale - scale)) for q in (self, other))
        return (left + right, scale) if all(_narrow(n) for n in (left, right, left + right)) else None

    def canonical(self) -> str:
        """Kubernetes' normal form: `1024Mi` is `1Gi`, `0.5` is `500m`, `1.0` is `1`."""
        if not self.value:
            return "0"
        if self.format == "BinarySI" and abs(self.nano) >= 1024 * _NANO and self.is_integer():
            return _binary_text(self.ceil())
        return _decimal_text(self.value, self.scale, self.format)

    def __str__(self) -> str:
        return self.canonical()

    def __eq__(self, other: object) -> bool:
        return self.nano == other.nano if isinstance(other, Quantity) else NotImplemented

    def __lt__(self, other: Quantity) -> bool:
        return self.nano < other.nano

    def __hash__(self) -> int:
        return hash(self.nano)


def _suffix(suffix: str) -> tuple[int, Format]:
    """(exponent, format) of a suffix: a power of two for BinarySI, else of ten."""
    if suffix in _DECIMAL:
        return _DECIMAL[suffix], "DecimalSI"
    if suffix in _BINARY:
        return _BINARY[suffix], "BinarySI"
    exponent = _EXPONENT.fullmatch(suffix)
    if exponent is None:
        raise ValueError(_SUFFIX)
    power = int(exponent[1])
    if power > _MAX_EXPONENT:
        raise ValueError(TOO_LONG)
    return max(power, -_MAX_LENGTH - _MAX_EXPONENT), "DecimalExponent"


def _binary_text(amount: int) -> str:
    power = 0
    while amount % 1024 == 0 and power < len(_BINARY):
        amount, power = amount // 1024, power + 1
    return f"{amount}{('', *_BINARY)[power]}"


def _decimal_text(value: int, scale: int, form: Format) -> str:
    while value % 10 == 0:
        value, scale = value // 10, scale + 1
    # Kubernetes writes no suffix above E and loses the zeros; they are kept here.
    shift = scale % 3 if form == "DecimalExponent" or scale <= 18 else scale - 18
    value, scale = value * 10**shift, scale - shift
    if form == "DecimalExponent":
        return f"{value}e{scale}" if scale else str(value)
    return str(value) + next(s for s, e in _DECIMAL.items() if e == scale)


def _check(text: str) -> str:
    """As Kubernetes parses it, but that a number has a digit: `Gi` for zero is a slip."""
    try:
        Quantity.parse(text)
        wrong = not re.search("[0-9]", text)
    except ValueError:
        wrong = True
    if wrong:
        raise mistake("BadQuantity", f"`{text}` is not a Kubernetes quantity", hint=_hint(text))
    return text


def _hint(text: str) -> str:
    """A spelling that Kubernetes takes, for the usual slips (`80GB`, `80 Gi`, `80g`, `80K`)."""
    slip = re.fullmatch(r"\s*([+-]?\d+(?:\.\d+)?)\s*([kKmMgGtTpPeE])([iI]?)[bB]?(?:igs?)?\s*", text)
    if slip is None:
        return "write a quantity such as 80Gi, 500m or 1.5G"
    prefix = slip[2].upper()
    return f"write {slip[1]}{prefix}i" if slip[3] else f"write {slip[1]}{prefix}i or {slip[1]}{'k' if prefix == 'K' else prefix}"


QuantityText = Annotated[str, AfterValidator(_check)]
