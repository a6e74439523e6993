"""Device selectors in Kubernetes' dialect of CEL, with Kubernetes' answers.

`compile_selector(text)` gives a `Program` or raises `SelectorError`; `Program.evaluate(device)` gives an `Answer`.
cel-python parses; types, functions and evaluation follow cel-go and the libraries that Kubernetes 1.37 enables for DRA.
cel-python is imported by the first selector that is compiled, not by this package.
"""

from __future__ import annotations

from .device import Answer, Device
from .errors import SelectorError
from .program import Program, compile_selector

__all__ = ["Answer", "Device", "Program", "SelectorError", "compile_selector"]
