"""What looks like a credential that is written out. It is found and never shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

Loc = tuple[str | int, ...]

# Shapes that only secrets have.
_VALUE = re.compile(
    r"\b(hf_[A-Za-z0-9]{20,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|glpat-[\w-]{20,}"
    r"|xox[baprs]-[A-Za-z0-9-]{20,}|AIza[A-Za-z0-9_-]{35}|hvs\.[A-Za-z0-9_-]{24,})|BEGIN [A-Z ]*PRIVATE KEY|://[^/\s:@]+:[^/\s:@]+@"
)
# Names of variables that hold secrets; and keys of a chart's values, where `...Secret` and `...Key` usually name a Secret and its key.
_VARIABLE = re.compile(r"(^|_)(TOKEN|PASSWORD|PASSWD|SECRET|SECRET_ACCESS_KEY|API_?KEY|PRIVATE_KEY|CREDENTIALS?)$", re.IGNORECASE)
_CHART_KEY = re.compile(r"(password|passwd|token|apikey|api_key|privatekey|private_key|secretaccesskey)$", re.IGNORECASE)


def in_variable(name: str, value: str) -> bool:
    """Whether an environment variable holds one; a reference to another variable is none."""
    return bool(_VALUE.search(value)) or bool(_VARIABLE.search(name) and value and "$(" not in value and not value.isdigit())


def find(value: Any) -> Iterator[Loc]:
    """Where in a document credentials stand, by what they look like; and in the values of charts by their keys."""
    spec = value.get("spec") if isinstance(value, Mapping) else None
    if isinstance(spec, Mapping):
        lists = spec.get("components")
        charts = [
            ("spec", "values"),
            *(("spec", "components", nth, "values") for nth in range(len(lists) if isinstance(lists, list) else 0)),
        ]
        for loc in charts:
            yield from _walk(_at(value, loc), loc, keys=True)
    yield from _walk(value, (), keys=False)


def _walk(value: Any, loc: Loc, *, keys: bool) -> Iterator[Loc]:
    if isinstance(value, str):
        named = keys and loc and isinstance(loc[-1], str) and _CHART_KEY.search(loc[-1]) and value and "{{" not in value
        if named or (not keys and _VALUE.search(value)):
            yield loc
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _walk(item, (*loc, key), keys=keys)
    elif isinstance(value, list):
        for nth, item in enumerate(value):
            yield from _walk(item, (*loc, nth), keys=keys)


def _at(value: Any, loc: Loc) -> Any:
    for step in loc:
        fits = isinstance(value, list) if isinstance(step, int) else isinstance(value, Mapping) and step in value
        if not fits:
            return None
        value = value[step]
    return value
