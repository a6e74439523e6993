"""What a level of Pod Security refuses; the same pods are put before a real API server in tests/e2e."""

from __future__ import annotations

import pytest
from modelfleet.checks import pod_security

from tests.pod_security_cases import CASES, Part


@pytest.mark.parametrize(("pod", "baseline", "more"), CASES.values(), ids=CASES)
def test_what_a_level_refuses(pod: Part, baseline: list[str], more: list[str]) -> None:
    found = [pod_security.refused(pod, level) for level in ("Privileged", "Baseline", "Restricted")]
    assert found == [[], sorted(baseline), sorted([*baseline, *more])]
