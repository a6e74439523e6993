"""A second judge where its semantics apply: Google's C++ engine, for selectors without quantities, versions and unknown domains."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cel.cases import ours
from tests.cel.record import DEVICES, groups

cel = pytest.importorskip("cel_expr_python.cel", reason="cel-expr-python is not installed")
PLAIN = DEVICES["plain"]
# Where the C++ engine differs from cel-go, which Kubernetes uses; our answers to these are recorded from Kubernetes.
ELSEWHERE = {
    'string(1.0/0.0) == "+Inf"',  # writes `inf`
    '"%s".format([1.0/0.0]) == "+Inf"',
    '"".split("") == []',  # gives [""]
    "has(device.attributes.foo)",  # an unknown domain is an empty map in Kubernetes alone
    '"1.2.3" != device.attributes["d"].v',
}


@pytest.fixture(scope="module")
def environment() -> Any:
    from cel_expr_python.ext import ext_bindings, ext_optional, ext_strings

    extensions = [ext_strings.ExtStrings(), ext_optional.ExtOptional(), ext_bindings.ExtBindings()]
    return cel.NewEnv(variables={"device": cel.Type.DYN}, extensions=extensions)


def _device() -> dict[str, Any]:
    """The plain device without its version and its quantity."""
    values = {name: next(iter(value.values())) for name, value in PLAIN["attributes"].items() if "version" not in value}
    return {"driver": PLAIN["driver"], "allowMultipleAllocations": False, "attributes": {PLAIN["driver"]: values}, "capacity": {}}


def _theirs(environment: Any, expression: str) -> bool | None:
    """True or False; None when the engine does not take the expression or fails on it."""
    try:
        value = environment.compile(expression).eval(data={"device": _device()}).value()
    except Exception:  # noqa: BLE001 - the engine raises many kinds
        return None
    return value if isinstance(value, bool) else None


def test_both_engines_agree_where_both_answer(environment: Any) -> None:
    compared, wrong = 0, []
    for expression in (e for group in groups() if group["device"] == "plain" for e in group["answers"]):
        mine = {"match": True, "no match": False}.get(ours(expression, [PLAIN])[0])
        other = _theirs(environment, expression)
        if mine is None or other is None or expression in ELSEWHERE:
            continue
        compared += 1
        if mine is not other:
            wrong.append(expression)
    assert not wrong
    assert compared > 200
