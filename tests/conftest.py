"""Settings for all tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# The same examples on every run, so that a change is what made a test fail; MODELFLEET_EXAMPLES=1000 searches for new ones.
_more = os.environ.get("MODELFLEET_EXAMPLES")
settings.register_profile(
    "modelfleet",
    max_examples=int(_more or 40),
    derandomize=_more is None,
    deadline=None,  # a loaded machine is not a failure
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("modelfleet")
