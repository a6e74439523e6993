"""Hypothesis strategies for selectors and devices.

A selector grows from templates: `{int}` is a hole for an expression of type int, `{bool|x:int}` one in which a variable x
of type int may be used. Now and then a hole gets an expression of another type, so that ill-typed selectors are made too.
Nothing depends on the order of a map's keys, which differs between runs in Kubernetes.
"""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st

Scope = tuple[tuple[str, str], ...]

LEAVES: dict[str, list[str]] = {
    "bool": ["true", "false", "device.allowMultipleAllocations", '("s" in device.attributes["d"])', 'has(device.attributes["d"].i)'],
    "int": ["0", "1", "2", "3", "-1", "7", "0", "1", "3", "9223372036854775807", "-9223372036854775808", "0x1F", "9007199254740993"],
    "uint": ["0u", "1u", "3u", "18446744073709551615u", "9223372036854775808u"],
    "double": ["0.0", "1.0", "3.0", "-1.5", "1e3", "0.1", "9007199254740992.0", "1e19", 'double("nan")', 'double("inf")'],
    "string": ['""', '"x"', '"NVIDIA H100"', "'a,b,c'", 'r"\\d"', '"é😀"', '"1Gi"', '"1.2.3"', '"v1.2"', '" a "', '"3"', "device.driver"],
    "bytes": ['b""', 'b"x"', 'b"\\xff"', "bytes(device.driver)"],
    "quantity": ['quantity("1Gi")', 'quantity("1")', 'quantity("1500m")', 'quantity("0")', 'quantity("1Pi")', 'quantity("-2k")',
                 'device.capacity["d"].m', 'device.capacity["d"].n', 'device.capacity["e"].m', 'device.capacity["nope"].m'],
    "semver": ['semver("1.2.3")', 'semver("1.2.3-rc.1")', 'semver("v1.2", true)', 'semver("10.0.0+b")', 'semver("1.2")'],
    "any": ['device.attributes["d"].s', 'device.attributes["d"].i', 'device.attributes["d"].b', 'device.attributes["d"].v',
            'device.attributes["d"]["t"]', 'device.attributes["e"].s', 'device.attributes["nope"].x', "device.attributes.d.s"],
    "ints": ["[]", "[1]", "[1, 2, 3]", "[3, 1, 3]", "lists.range(4)"],
    "strings": ["[]", '["x"]', '["b", "a", "x"]', '"a,b,c".split(",")', 'device.driver.split("")'],
    "map": ["{}", '{"x": 1}', '{"a": 1, "b": 2}'],
    "optint": ["optional.of(1)", "optional.none()", '{"a": 1}.?a', '{"a": 1}[?"b"]', "[1, 2][?1]", "[1][?5]"],
    "optany": ['device.attributes["d"].?s', 'device.attributes["d"].?nope', 'device.attributes["nope"].?s', 'device.attributes["d"][?"i"]',
               'device.attributes.?d.v', 'device.attributes["e"].?s'],
    "dyn": ["dyn(1)", 'dyn("x")', "dyn(1.0)", "dyn([1])", "dyn(null)", "dyn(1u)", "dyn(true)", 'dyn({"a": 1})', "null",
            "optional.of(dyn(1))"],
    "regex": ['"x"', '"^NV.*[0-9]+$"', '"(?i)h100"', '"["', "r'\\d+'", '""', '"a|b"'],
}  # fmt: skip

TEMPLATES: dict[str, list[str]] = {
    "bool": [
        "({bool} && {bool})", "({bool} || {bool})", "!{bool}", "({bool} ? {bool} : {bool})",
        "{int} == {int}", "{int} != {int}", "{int} < {int}", "{int} >= {int}", "{int} < {double}", "{uint} <= {int}", "{double} > {double}",
        "{double} == {double}", "{uint} == {uint}", "{string} == {string}", "{string} != {string}", "{string} < {string}",
        "{bytes} == {bytes}",
        "{any} == {string}", "{any} == {int}", "{any} != {string}", "{any} > {int}", "{any} <= {double}", "{any} == {semver}",
        "{any} == {any}",
        "{any} in {ints}", "{any} in {strings}", "{any}", "{any} == {bool}", "{any} != {semver}",
        "{quantity}.compareTo({quantity}) >= 0", "{quantity}.isGreaterThan({quantity})", "{quantity}.isLessThan({quantity})",
        "{quantity} == {quantity}", "{quantity}.isInteger()", "isQuantity({string})", "{quantity} != {quantity}",
        "{quantity} in [{quantity}]",
        "{semver}.compareTo({semver}) < 0", "{semver} == {semver}", "isSemver({string})", "isSemver({string}, {bool})",
        "{semver}.isLessThan({semver})", "{any}.isGreaterThan({semver})", "{any}.compareTo({quantity}) == 0",
        "{string}.contains({string})", "{string}.startsWith({string})", "{string}.endsWith({string})", "{string}.matches({regex})",
        "{any}.matches({regex})", "{any}.contains({string})", "matches({string}, {regex})",
        "{int} in {ints}", "{string} in {strings}", "{string} in {map}", "{ints} == {ints}", "{strings} == {strings}", "{map} == {map}",
        "{ints}.exists(x, {bool|x:int})", "{ints}.all(x, {bool|x:int})", "{ints}.exists_one(x, {bool|x:int})",
        "{strings}.exists(y, {bool|y:string})", "{strings}.all(y, {bool|y:string})", "{map}.exists(y, {bool|y:string})",
        "{map}.all(y, {bool|y:string})", "{map}.exists(y, x, {bool|y:string|x:int})", "{ints}.all(z, x, {bool|z:int|x:int})",
        'device.attributes["d"].exists(y, {bool|y:string})', "device.attributes.all(y, {bool|y:string})",
        "{ints}.isSorted()", "{strings}.isSorted()", "sets.contains({ints}, {ints})", "sets.intersects({strings}, {strings})",
        "sets.equivalent({ints}, {ints})", "{optint}.hasValue()", "{optany}.hasValue()", "{optint} == {optint}", "{optint} == {optany}",
        "{optany}.orValue({bool})", "has({map}.a)", "cel.bind(x, {int}, {bool|x:int})", "cel.bind(y, {string}, {bool|y:string})",
        "cel.bind(q, {quantity}, {bool|q:quantity})", "cel.bind(a, {any}, {bool|a:any})", "{dyn} == {dyn}", "{dyn} == {int}",
        "{dyn} < {dyn}",
        "bool({string})", "{any} == null", "({bool})",
    ],
    "int": [
        "({int} + {int})", "({int} - {int})", "({int} * {int})", "({int} / {int})", "({int} % {int})", "-{int}", "({bool} ? {int} : {int})",
        "int({string})", "int({double})", "int({uint})", "size({string})", "{string}.size()", "{ints}.size()", "size({map})",
        "{ints}[{int}]",
        "{map}.a", "{map}[{string}]", "{optint}.orValue({int})", "{optint}.value()", "{ints}.sum()", "{ints}.max()", "{ints}.min()",
        "{ints}.indexOf({int})", "{ints}.lastIndexOf({int})", "{string}.indexOf({string})", "{string}.lastIndexOf({string})",
        "{string}.indexOf({string}, {int})", "{string}.lastIndexOf({string}, {int})", "{quantity}.asInteger()", "sign({quantity})",
        "{quantity}.compareTo({quantity})", "{semver}.major()", "{semver}.minor()", "{semver}.patch()", "{semver}.compareTo({semver})",
        "{any}.major()", "int({any})", "size({any})", "{optany}.orValue({int})", "cel.bind(x, {int}, {int|x:int})",
        "{ints}.first().value()",
    ],
    "uint": ["uint({int})", "uint({double})", "uint({string})", "({uint} + {uint})", "({uint} - {uint})", "({uint} % {uint})",
             "({uint} / {uint})"],
    "double": ["double({int})", "double({uint})", "double({string})", "({double} + {double})", "({double} / {double})", "-{double}",
               "({double} * {double})", "{quantity}.asApproximateFloat()"],
    "string": [
        "({string} + {string})", "string({int})", "string({double})", "string({bool})", "string({uint})", "string({any})",
        "string({bytes})",
        "{string}.lowerAscii()", "{string}.upperAscii()", "{string}.trim()", "{string}.charAt({int})", "{string}.substring({int})",
        "{string}.substring({int}, {int})", "{string}.replace({string}, {string})", "{string}.replace({string}, {string}, {int})",
        "{strings}.join()", "{strings}.join({string})", "{strings}[{int}]", "{string}.find({regex})", "strings.quote({string})",
        "{optany}.orValue({string})", "{any}.lowerAscii()", "{strings}.max()", '"%s-%d".format([{string}, {int}])', '"%x".format([{int}])',
    ],
    "bytes": ["bytes({string})", "({bytes} + {bytes})"],
    "quantity": ["quantity({string})", "{quantity}.add({quantity})", "{quantity}.sub({quantity})", "{quantity}.add({int})",
                 "{quantity}.sub({int})", "quantity({any})", "quantity(string({int}))"],
    "semver": ["semver({string})", "semver({string}, {bool})", "semver({any})"],
    "ints": ["[{int}, {int}]", "({ints} + {ints})", "{ints}.map(x, {int|x:int})", "{ints}.filter(x, {bool|x:int})",
             "{ints}.map(x, {bool|x:int}, {int|x:int})", "{ints}.slice({int}, {int})", "{ints}.reverse()", "{ints}.distinct()",
             "{ints}.sort()",
             "{ints}.sortBy(x, {int|x:int})", "[{ints}, {ints}].flatten()", "[?{optint}, {int}]", "{strings}.map(y, {int|y:string})",
             "lists.range({int})", "{ints}.transformList(z, x, {int|z:int|x:int})"],
    "strings": ["[{string}, {string}]", "{string}.split({string})", "{string}.split({string}, {int})", "{string}.findAll({regex})",
                "{strings}.map(y, {string|y:string})", "{strings}.filter(y, {bool|y:string})", "{strings}.sort()", "{strings}.distinct()",
                "({strings} + {strings})", "{string}.findAll({regex}, {int})"],
    "map": ["{{{string}: {int}}}", "{{{string}: {int}, {string}: {int}}}", "{{?{string}: {optint}}}"],
    "optint": ["optional.of({int})", "optional.ofNonZeroValue({int})", "{optint}.or({optint})", "{optint}.optMap(x, {int|x:int})",
               "{optint}.optFlatMap(x, {optint|x:int})", "{map}[?{string}]", "{map}.?a", "{ints}[?{int}]", "{ints}.first()",
               "{ints}.last()"],
    "optany": ["{optany}.or({optany})", "optional.of({any})"],
    "any": ["({bool} ? {any} : {any})", "{any}", "{optany}.value()", "{optany}.orValue({any})"],
    "dyn": ["dyn({int})", "dyn({string})", "dyn({any})", "dyn({ints})", "dyn({quantity})"],
    "regex": ["({string} + {regex})"],
}  # fmt: skip

_HOLE = re.compile(r"\{\{|\}\}|\{([a-z]+)((?:\|[a-z]:[a-z]+)*)\}")
_TYPES = sorted(TEMPLATES)


@st.composite
def expressions(draw: st.DrawFn, wanted: str = "bool", depth: int = 3, scope: Scope = ()) -> str:
    """An expression that is mostly of type `wanted`; depth: how deep templates may nest."""
    if draw(st.integers(0, 99)) == 0:
        wanted = draw(st.sampled_from(_TYPES))
    variables = [name for name, kind in scope if kind == wanted]
    if depth == 0 or (wanted != "bool" and draw(st.integers(0, 3)) == 0):
        return draw(st.sampled_from(LEAVES[wanted] + variables * 4))
    template = draw(st.sampled_from(TEMPLATES[wanted]))

    def fill(hole: re.Match[str]) -> str:
        if hole[1] is None:
            return hole[0][0]
        added = tuple(tuple(part.split(":")) for part in hole[2].split("|") if part)
        return draw(expressions(hole[1], depth - 1, scope + added))  # type: ignore[operator]

    return _HOLE.sub(fill, template)


_STRINGS = st.sampled_from(["", "x", "NVIDIA H100", "1.2.3", "1Gi", "3", "é😀", "a,b,c"])
_ATTRIBUTES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(lambda v: {"string": v}, _STRINGS),
    st.builds(lambda v: {"int": v}, st.sampled_from([0, 1, 3, -1, 2**63 - 1])),
    st.builds(lambda v: {"bool": v}, st.booleans()),
    st.builds(lambda v: {"version": v}, st.sampled_from(["1.2.3", "1.2.3-rc.1", "0.0.1", "10.0.0+b"])),
)
QUANTITIES = st.sampled_from(["1Gi", "81559Mi", "0", "1500m", "1Pi", "3", "16Ei", "-1", "1e3", "0.5Ki"])


def devices() -> st.SearchStrategy[dict[str, Any]]:
    """Devices of driver `d` with some of the attributes and capacities that the selectors read."""
    return st.fixed_dictionaries(
        {
            "driver": st.just("d"),
            "attributes": st.dictionaries(st.sampled_from(["s", "i", "b", "v", "t", "e/s", "d/x"]), _ATTRIBUTES, max_size=6),
            "capacity": st.dictionaries(st.sampled_from(["m", "n", "e/m"]), st.builds(lambda q: {"value": q}, QUANTITIES), max_size=3),
        },
        optional={"allowMultipleAllocations": st.booleans()},
    )


_FRAGMENTS = [
    "?", ".", "[", "[?", ".?", "{", "{?", "}", "]", "(", ")", ",", ":", "-", "!", '"', "'", '"""', 'r"', "b'", "\\", "u", "0x", "1", "1.",
    ".5",
    "e", "in", "&&", "||", "==", "<", "null", "true", "has(", "x", "device", " ", "\n", "//", "+", "%", "as", "-1", "\\n", "\\x41", "`",
    "\t",
    "é", "#", "1e", ".map(x, x)", "optional.none()", '{"a": 1}', "[1]", " ? 1 : 2",
]  # fmt: skip


@st.composite
def mutations(draw: st.DrawFn, known: list[str]) -> str:
    """A known selector with one to three pieces put in, taken out or replaced."""
    text = draw(st.sampled_from(known))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        removed = draw(st.sampled_from([0, 0, 1, 1, 2, 3]))
        text = text[:at] + draw(st.sampled_from(["", *_FRAGMENTS])) + text[at + removed :]
    return text
