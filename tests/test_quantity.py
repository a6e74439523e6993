"""Quantities: Kubernetes' grammar, amounts, normal form and arithmetic."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kubernetes.utils.quantity import parse_quantity
from modelfleet.api.quantity import INT64_MAX, Quantity, QuantityText
from pydantic import BaseModel, ValidationError

# (text, billionths, normal form, whether CEL's isInteger holds), each confirmed by apimachinery.
READ = [
    ("0", 0, "0", True),
    ("-0", 0, "0", True),
    ("1024Mi", 2**30 * 10**9, "1Gi", True),
    ("81559Mi", 81559 * 2**20 * 10**9, "81559Mi", True),
    ("0.5", 5 * 10**8, "500m", False),
    ("1.0", 10**9, "1", False),
    ("1.5Gi", 1536 * 2**20 * 10**9, "1536Mi", False),
    ("1000m", 10**9, "1", False),
    ("1500m", 15 * 10**8, "1500m", False),
    ("100k", 10**14, "100k", True),
    ("1.", 10**9, "1", True),
    (".5", 5 * 10**8, "500m", False),
    ("+5", 5 * 10**9, "5", True),
    ("-1.5Ki", -1536 * 10**9, "-1536", False),
    ("0.1Ki", 1024 * 10**8, "102400m", False),
    ("1e3", 10**12, "1e3", True),
    ("1E3", 10**12, "1e3", True),
    ("12e-3", 12 * 10**6, "12e-3", False),
    ("256e3", 256 * 10**12, "256e3", True),
    ("0.0000000004", 1, "1n", False),
    ("-0.0000000001", -1, "-1n", False),
    ("1Ei", 2**60 * 10**9, "1Ei", False),
    ("8Ei", INT64_MAX * 10**9, str(INT64_MAX), False),
    ("100Ei", INT64_MAX * 10**9, str(INT64_MAX), False),
    ("-100Ei", -INT64_MAX * 10**9, str(-INT64_MAX), False),
    ("256E", 256 * 10**27, "256E", False),
    ("9999999999999999999", 9999999999999999999 * 10**9, "9999999999999999999", False),
    ("1P", 10**24, "1P", True),
    ("1Pi", 2**50 * 10**9, "1Pi", False),
    ("Gi", 0, "0", True),
]
REFUSED = [
    "",
    " ",
    "1 ",
    " 1",
    "80GB",
    "80 Gi",
    "80K",
    "80g",
    "1,5",
    "Three",
    "1..",
    "1.1.1",
    "e",
    "1e",
    "1e+",
    "1Kii",
    "--1",
    "0x1",
    "1e5000",
    "Pi",
    "٣",
]


@pytest.mark.parametrize(("text", "nano", "canonical", "integer"), READ, ids=[r[0] for r in READ])
def test_what_a_text_means(text: str, nano: int, canonical: str, integer: bool) -> None:
    quantity = Quantity.parse(text)
    assert (quantity.nano, quantity.canonical(), quantity.as_int64() is not None) == (nano, canonical, integer)
    assert str(quantity) == canonical
    assert Quantity.parse(canonical) == quantity


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_quantity(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Quantity.parse(text)


class _Holder(BaseModel):
    memory: QuantityText


HINTS = [
    ("80GB", "write 80Gi or 80G"),
    ("80 Gi", "write 80Gi"),
    ("80g", "write 80Gi or 80G"),
    ("16K", "write 16Ki or 16k"),
    ("80 Gigs", "write 80Gi or 80G"),
    ("much", "write a quantity such as 80Gi, 500m or 1.5G"),
    ("Gi", "write a quantity such as 80Gi, 500m or 1.5G"),
]


@pytest.mark.parametrize(("text", "hint"), HINTS, ids=[h[0] for h in HINTS])
def test_a_declaration_says_what_to_write(text: str, hint: str) -> None:
    with pytest.raises(ValidationError) as caught:
        _Holder(memory=text)
    (error,) = caught.value.errors()
    assert error["ctx"] == {"code": "BadQuantity", "message": f"`{text}` is not a Kubernetes quantity", "path": [], "hint": hint}


def test_a_declaration_keeps_the_text() -> None:
    assert _Holder(memory="1024Mi").memory == "1024Mi"


def test_rounding_up() -> None:
    assert Quantity.parse("1500m").ceil() == 2
    assert Quantity.parse("-1500m").ceil() == -2
    assert Quantity.parse("81559Mi").bytes == 81559 * 2**20
    assert Quantity.parse("1n").milli() == 1
    assert Quantity.parse("250m").milli() == 250


def test_arithmetic_keeps_the_format_of_the_first_that_is_not_zero() -> None:
    assert Quantity.parse("1Gi").add(Quantity.parse("1G")).canonical() == "2073741824"
    assert Quantity.parse("1Gi").add(Quantity.parse("1024Mi")).canonical() == "2Gi"
    assert Quantity.parse("0").add(Quantity.parse("1Gi")).canonical() == "1Gi"
    assert Quantity.parse("2").sub(Quantity.parse("500m")).canonical() == "1500m"
    assert Quantity.parse("1").is_integer()
    assert not Quantity.parse("1.5").is_integer()
    assert float(Quantity.parse("1500m")) == 1.5
    assert float(Quantity.parse("1e400")) == float("inf")


SUFFIXES = ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Quantities of up to twenty digits before and after the point."""
    whole = draw(st.integers(0, 10 ** draw(st.integers(1, 20))))
    decimals = draw(st.sampled_from(["", ".", ".5", ".25", ".000000001", ".999", ".0000000000001"]))
    suffix = draw(st.sampled_from([*SUFFIXES, "e3", "E-2", "e12"]))
    return draw(st.sampled_from(["", "-", "+"])) + str(whole) + decimals + suffix


@given(texts(), texts())
def test_order_and_equality_are_those_of_the_amounts(left: str, right: str) -> None:
    a, b = Quantity.parse(left), Quantity.parse(right)
    assert (a < b, a == b, a > b) == (a.nano < b.nano, a.nano == b.nano, a.nano > b.nano)
    assert (hash(a) == hash(b)) or a != b
    assert a.add(b).nano == a.nano + b.nano == b.add(a).nano
    assert a.sub(b).nano == a.nano - b.nano


@given(texts())
def test_the_normal_form_is_the_same_amount_and_its_own_normal_form(text: str) -> None:
    quantity = Quantity.parse(text)
    canonical = quantity.canonical()
    assert Quantity.parse(canonical) == quantity
    assert Quantity.parse(canonical).canonical() == canonical


@given(texts())
def test_amounts_are_those_of_the_kubernetes_client(text: str) -> None:
    try:
        theirs = parse_quantity(text)
    except ValueError:
        return  # the client takes neither all suffixes nor a point at the end
    mine = Quantity.parse(text)
    exact = theirs * 10**9
    if exact != exact.to_integral_value() or abs(mine.nano) >= INT64_MAX * 10**9:
        return  # it neither rounds to billionths nor caps binary suffixes
    assert Decimal(mine.nano) == exact


@pytest.mark.parametrize("text", [".0E2000", "0e1001", "1E999999999", "1e+1001", "1E" + "9" * 3000, "1" * 4001])
def test_a_size_that_no_machine_has_is_refused_at_once(text: str) -> None:
    with pytest.raises(ValidationError, match="is not a Kubernetes quantity"):
        _Holder(memory=text)


@pytest.mark.parametrize("text", ["0e1000", "1E+0001000", "1e-999999999", "0." + "0" * 3000 + "1"])
def test_an_extreme_that_is_taken_has_a_normal_form(text: str) -> None:
    assert _Holder(memory=text)
    assert Quantity.parse(Quantity.parse(text).canonical()) == Quantity.parse(text)
