"""What a caller of the package relies on: refusals with a place and a hint, names that are read, limits, silence."""

from __future__ import annotations

import logging
import subprocess
import sys
import time

import pytest
from modelfleet.api.quantity import Quantity
from modelfleet.api.semver import Semver
from modelfleet.cel import Answer, Device, SelectorError, compile_selector

GPU = Device("gpu.nvidia.com", {"model": "H100", "cc": Semver.parse("9.0.0"), "other.io/numa": 1}, {"memory": Quantity.parse("81559Mi")})
MEMORY = 'device.capacity["gpu.nvidia.com"].memory'


REFUSALS = [
    ("an order of quantities", f'{MEMORY} >= quantity("40Gi")', "SelectorType", 1, 42, 'write .compareTo(quantity("40Gi")) >= 0'),
    ("an order of versions", 'semver("1.0.0") < semver("2.0.0")', "SelectorType", 1, 17, 'write .compareTo(semver("9.0.0")) < 0'),
    ("a number instead of a quantity", f"{MEMORY} == 5", "SelectorType", 1, 42, 'compare it with quantity("40Gi")'),
    ("a string instead of a quantity", f'{MEMORY}.compareTo("40Gi") >= 0', "SelectorType", 1, 51, 'write .compareTo(quantity("40Gi"))'),
    ("sign as a member", f"{MEMORY}.sign() == 1", "SelectorType", 1, 46, "write sign(...)"),
    ("a quantity unequal to another", f'{MEMORY} != quantity("1")',
     "SelectorTooLarge", 1, 42, "write .compareTo(quantity(...)) == 0, or != 0"),
    ("a field that a device has not", "device.nam == 1",
     "SelectorType", 1, 7, 'known: driver, allowMultipleAllocations, attributes, capacity; write device.attributes["domain"].nam'),
    ("the name of a device", 'device.name == "gpu-0"', "SelectorType", 1, 7, "a device has no name here; select by its attributes"),
    ("a misspelt field", 'device.drivr == "x"', "SelectorType", 1, 7, "did you mean `driver`?"),
    ("a field without its device", 'driver == "x"', "SelectorType", 1, 1, "did you mean `device.driver`?"),
    ("an unknown name", "devise.driver == 'x'", "SelectorType", 1, 1, "did you mean `device`?"),
    ("an unknown function", "'a'.lowerAsci() == 'a'", "SelectorType", 1, 14, "did you mean `lowerAscii`?"),
    ("a condition that is no bool", "1 && true", "SelectorType", 1, 1, "compare it, as in `... > 0`"),
    ("a result that is no bool", "device.driver", "SelectorType", 1, 7, 'compare it, as in `... == "a"`'),
    ("an optional result", 'device.attributes["a"].?b', "SelectorType", 1, 23, "add `.orValue(false)`"),
    ("entries of two types", "[1, 'a'] == []", "SelectorType", 1, 5, "entries are all of one type; dyn() mixes them"),
    ("a loop over one attribute", 'device.attributes["a"].b.exists(x, true)',
     "SelectorType", 1, 23, "an attribute holds one value; compare it directly"),
    ("a pattern that is none", "'a'.matches('(')", "SelectorType", 1, 13, ""),
    ("the second line", "true &&\n  foo()", "SelectorType", 2, 6, ""),
    ("an assignment", "device.driver = 'x'", "SelectorSyntax", 1, 15, "write == to compare"),
    ("an open string", "device.driver == 'x",
     "SelectorSyntax", 1, 18, "close the string with the same quote; a backslash needs to be doubled"),
    ("an expression that ends", "1 +", "SelectorSyntax", 1, 4, ""),
    ("a bracket too many", "(true))", "SelectorSyntax", 1, 7, ""),
    ("has of an index", 'has(device.attributes["a"])', "SelectorSyntax", 1, 22, 'write has(device.attributes["domain"].name)'),
    ("a reserved word", "if == 1", "SelectorSyntax", 1, 1, ""),
    ("a time", 'timestamp("2020-01-01T00:00:00Z") < timestamp("2021-01-01T00:00:00Z")',
     "SelectorNotSupported", 1, 10, "compare numbers or strings"),
    ("an address", 'isIP("10.0.0.1")', "SelectorNotSupported", 1, 5, "use matches() on the string"),
    ("an optional text that is searched", 'device.attributes["a"].?b.orValue("").lowerAscii().matches("x")', "SelectorTooLarge", 1, 49,
     "the size of an optional value is not known here: test with has() and use the attribute itself"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "code", "line", "column", "hint"), [r[1:] for r in REFUSALS], ids=[r[0] for r in REFUSALS])
def test_refusals_name_the_place_and_what_to_write(expression: str, code: str, line: int, column: int, hint: str) -> None:
    with pytest.raises(SelectorError) as caught:
        compile_selector(expression)
    error = caught.value
    assert (error.code, error.line, error.column, error.hint) == (code, line, column, hint)
    assert error.message and str(error) == error.message


NAMES = [
    ("a selection", 'device.attributes["a.io"].x == 1', {("a.io", "x")}, set()),
    ("an index", 'device.attributes["a.io"]["x"] == 1', {("a.io", "x")}, set()),
    ("a presence test", 'has(device.attributes["a.io"].x)', {("a.io", "x")}, set()),
    ("a membership test", '"x" in device.attributes["a.io"]', {("a.io", "x")}, set()),
    ("optional syntax", 'device.attributes[?"a.io"].?x.orValue(1) == 1', {("a.io", "x")}, set()),
    ("a bound domain", 'cel.bind(a, device.attributes["a.io"], a.x == 1 && a.y == 2)', {("a.io", "x"), ("a.io", "y")}, set()),
    ("a hidden variable", 'cel.bind(a, device.attributes["a.io"], [{"x": 1}].exists(a, a.x == 1))', set(), set()),
    ("capacities apart", f'{MEMORY} == quantity("1") && device.attributes.d.x == 1', {("d", "x")}, {("gpu.nvidia.com", "memory")}),
    ("a domain alone", 'device.attributes["a.io"].exists(k, k == "x")', set(), set()),
    ("another thing called device", "cel.bind(device, {'attributes': {'a': {'b': 1}}}, device.attributes.a.b == 1)", set(), set()),
    ("a value below an attribute", 'device.attributes["a.io"].x.y == 1', {("a.io", "x")}, set()),
]


@pytest.mark.parametrize(("expression", "attributes", "capacity"), [n[1:] for n in NAMES], ids=[n[0] for n in NAMES])
def test_the_names_that_are_read_literally(expression: str, attributes: set[tuple[str, str]], capacity: set[tuple[str, str]]) -> None:
    program = compile_selector(expression)
    assert program.attributes == attributes
    assert program.capacity == capacity


def test_names_without_a_domain_belong_to_the_driver() -> None:
    assert compile_selector('device.attributes["gpu.nvidia.com"].model == "H100"').evaluate(GPU) == Answer(True)
    assert compile_selector('device.attributes["other.io"].numa == 1').evaluate(GPU) == Answer(True)
    assert compile_selector('device.attributes["gpu.nvidia.com"].nope == 1').evaluate(GPU) == Answer(False, "no such key: nope")


def test_a_result_that_is_no_bool_only_shows_with_a_device() -> None:
    program = compile_selector('device.attributes["gpu.nvidia.com"].model')
    assert program.evaluate(GPU) == Answer(False, "CEL result of type string could not be converted to bool")


def test_a_program_is_compiled_once() -> None:
    assert compile_selector("true") is compile_selector("true")


def test_evaluations_do_not_change_each_other() -> None:
    program = compile_selector(f'{MEMORY}.compareTo(quantity("1Pi")) < 0 && !{MEMORY}.isInteger()')
    assert [program.evaluate(GPU) for _ in range(3)] == [Answer(True)] * 3
    assert compile_selector(f"{MEMORY}.isInteger()").evaluate(GPU) == Answer(True)


def _bound(value: str, times: int) -> str:
    """Variables of which each is twice the one before."""
    inner = "".join(f"cel.bind(a{i}, a{i - 1} + a{i - 1}, " for i in range(1, times))
    return f"cel.bind(a0, {value}, {inner}a{times - 1}.size() > 1" + ")" * times


HOSTILE = [
    ("parentheses", "(" * 5000 + "true" + ")" * 5000, "SelectorTooLarge"),
    ("open brackets", "[" * 9000, "SelectorTooLarge"),
    ("a chain of fields", "{'a': dyn(1)}" + ".a" * 3000 + " == 1", "SelectorTooLarge"),
    ("a long sum", "+".join(["1"] * 5000) + " == 1", "SelectorTooLarge"),
    ("conditions within conditions", "false ? true : " * 600 + "true", "SelectorTooLarge"),
    ("loops within loops", "[1].all(x, " * 90 + "true" + ")" * 90, "SelectorTooLarge"),
    ("a list of millions", "lists.range(10000000).size() > 1", "SelectorTooLarge"),
    ("a loop of millions", "lists.range(1000).all(x, lists.range(1000).all(y, true))", "SelectorTooLarge"),
    ("macros that double", "optional.of(1)" + ".optMap(x, x)" * 90 + ".hasValue()", "SelectorTooLarge"),
    ("a string that doubles", _bound("'x' + 'x'", 40), "SelectorTooLarge"),
    ("too long a text", "'" + "x" * 10_240 + "' == ''", "SelectorTooLarge"),
    ("too long in bytes", "'" + "é" * 5200 + "' == ''", "SelectorTooLarge"),
    ("a huge exponent", 'quantity("1e999999999").isInteger()', "SelectorNotSupported"),
    ("a list that doubles", _bound("[1]", 40), "operation cancelled: actual cost limit exceeded"),
    ("a replacement that grows", f'"{"x" * 1000}".replace("x", "{"y" * 1000}").replace("y", "{"z" * 1000}") == ""',
     "operation cancelled: actual cost limit exceeded"),
    ("a pattern that backtracks elsewhere", f"'{'a' * 5000}b'.matches('^(a+)+$')", ""),
    ("many negations", "!" * 10_000 + "true", ""),
    ("many terms", "&&".join(["1==1"] * 1700), ""),
    ("a large list", "lists.range(900000).size() > 1", ""),
    ("much nesting that is allowed", "[1].all(x, " * 45 + "true" + ")" * 45, ""),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "outcome"), [h[1:] for h in HOSTILE], ids=[h[0] for h in HOSTILE])
def test_hostile_selectors_end_soon(expression: str, outcome: str) -> None:
    compile_selector("true")  # the grammar is built once
    before = time.process_time()
    try:
        answer = compile_selector(expression).evaluate(GPU)
        said = answer.error
    except SelectorError as error:
        said = error.code
    assert said == outcome
    assert time.process_time() - before < 2  # a second on an idle machine


def test_importing_the_package_does_not_import_cel_python() -> None:
    code = "import sys, modelfleet.cel; assert not {'celpy', 'lark', 're2'} & set(sys.modules), sorted(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nothing_is_printed_or_logged(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        compile_selector('device.attributes["gpu.nvidia.com"].nope.matches("silent")').evaluate(GPU)
        for wrong in ("1 +", "'a'.matches('(')", "silent == 1"):
            with pytest.raises(SelectorError):
                compile_selector(wrong)
    assert capfd.readouterr() == ("", "")
    assert not caplog.records
