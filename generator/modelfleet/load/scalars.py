"""What a plain word stands for: one table for YAML 1.1 and 1.2, and what the two read differently."""

from __future__ import annotations

import re
from typing import Any

_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"[-+]?(0|[1-9][0-9]*)\.[0-9]+\Z")
_CONSTANTS: dict[str, Any] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_CONSTANTS |= {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
# What YAML 1.1 and 1.2 (or Go's and Python's readers) take for different things.
_AMBIGUOUS = re.compile(
    r"(?:y|Y|n|N|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|=|<<"
    r"|[-+]?0[0-9_]+(?:\.[0-9_]*)?|[-+]?0[oOxXbB][0-9a-fA-F_]+|[-+]?[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?"
    r"|[-+]?(?:[0-9][0-9_]*)?\.?[0-9_]*[eE][-+]?[0-9]+|[-+]?\.[0-9][0-9_]*|[-+]?[0-9][0-9_]*\.[0-9]*_[0-9_]*|[-+]?[0-9][0-9_]*\."
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
    r"(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?)?)?)\Z"
)
_FIRST = frozenset("0123456789+-.~=<yYnNoOtTfF")
_MAX = 2**63
_MAX_DIGITS = 24  # beyond this no integer has 64 bits, and Python would refuse to count thousands of digits


def plain(text: str) -> tuple[Any, str]:
    """(value, hint) of a plain word; a hint says that readers disagree, and what to write."""
    if text and text[0] not in _FIRST:
        return text, ""
    if text in _CONSTANTS:
        return _CONSTANTS[text], ""
    if _INT.match(text):
        number = int(text) if len(text) < _MAX_DIGITS else _MAX
        return (number, "") if -_MAX <= number < _MAX else (text, f'write "{text}" for the text; a number has 64 bits')
    if _FLOAT.match(text):
        return float(text), ""
    return text, _meant(text) if _AMBIGUOUS.match(text) else ""


def _meant(text: str) -> str:
    word = text.lower()
    if word in ("y", "yes", "on"):
        return f'write "{text}" for the text, true for the boolean'
    if word in ("n", "no", "off"):
        return f'write "{text}" for the text, false for the boolean'
    if word in ("=", "<<") or text.count("-") > 1 or ":" in text:
        return f'write "{text}"'
    return f'write "{text}" for the text, or the number in plain decimals'
