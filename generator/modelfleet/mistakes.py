"""pydantic's errors in words that a user can act on."""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from . import codes
from .api import base
from .api.later import Later
from .diagnostics import Code, Diagnostic, nearest
from .load import Document

_WORDS = {
    "string_type": "text", "int_type": "a whole number", "bool_type": "true or false", "dict_type": "a mapping", "float_type": "a number",
    "model_type": "a mapping", "model_attributes_type": "a mapping", "tuple_type": "a list", "list_type": "a list",
}  # fmt: skip
_RANGES = {"greater_than_equal": ("ge", "at least"), "less_than_equal": ("le", "at most"), "greater_than": ("gt", "above")}
_SIZES = {"too_long": "max_length", "too_short": "min_length", "string_too_long": "max_length", "string_too_short": "min_length"}
# What a pattern of api/ asks for, in words.
_FORMS: dict[str, tuple[Code, str, str]] = {
    str(form.__metadata__[0].pattern): (code, what, hint)  # type: ignore[attr-defined]
    for form, code, what, hint in (
        (base.DnsLabel, codes.BAD_NAME, "is not a DNS label: lower-case letters, digits and `-`", "my-name"),
        (base.DnsSubdomain, codes.BAD_NAME, "is not a DNS name: lower-case letters, digits, `-` and `.`", "my-name"),
        (base.LabelKey, codes.BAD_NAME, "is not a key of labels and annotations", "example.com/key"),
        (base.ImageName, codes.BAD_VALUE, "is not the reference of an image", "registry.example.com/vllm:v0.33.0"),
        (base.LabelValue, codes.BAD_NAME, "is not a label value: letters, digits, `-`, `_` and `.`", "us-east4"),
        (base.Duration, codes.BAD_VALUE, "is not a duration", "30m, 1h30m, 90s"),
        (base.Money, codes.BAD_VALUE, "is not an amount of money", '"12.50"'),
    )
}


def explain(error: Mapping[str, Any], model: type[BaseModel], document: Document, at: tuple[str | int, ...] = ()) -> Diagnostic | None:
    """The diagnostic of one pydantic error, placed at its value (or its parent, when it is missing).

    at: where the value that `model` describes stands in the document.

    None where pydantic counts a list's refused items as missing ones: those items have diagnostics of their own.
    """
    if error["type"] == "too_short" and len(error["input"]) >= error["ctx"]["min_length"]:
        return None
    loc = [*at, *(step for step in error["loc"] if step != "[key]")]
    kind, context = error["type"], error.get("ctx") or {}
    if kind == "modelfleet":
        return _own(context, loc, document)
    where = document.locate(loc, key=kind == "extra_forbidden" or "[key]" in error["loc"])
    if kind == "missing":
        return Diagnostic(codes.MISSING_FIELD, f"`{_path(loc)}` is required", where, f"add `{loc[-1]}:`")
    if kind == "extra_forbidden":
        parent = ".".join(filter(None, (document.value["kind"], _path(loc[:-1]))))
        message, hint = f"`{_cut(str(loc[-1]))}` is not a field of {parent}", nearest(str(loc[-1]), _fields(model, loc[len(at) : -1]))
        return Diagnostic(codes.UNKNOWN_FIELD, message, where, hint)
    code, message, hint = _value(kind, context, error["input"], _path(loc), document.source(loc))
    return Diagnostic(code, message, where, hint)


def _value(kind: str, context: Mapping[str, Any], value: Any, field: str, written: str | None) -> tuple[Code, str, str]:
    """(code, message, hint) for a value that the field does not take."""
    if kind == "literal_error":
        words = [word.strip("'") for word in context["expected"].replace(" or ", ", ").split(", ")]
        return codes.UNKNOWN_VALUE, f"`{field}` cannot be {_shown(value, written)}", nearest(str(value), words)
    if kind in _WORDS:
        hint = _retype(kind, value, written)
        return codes.WRONG_TYPE, f"`{field}` must be {_WORDS[kind]}, not {_shown(value, written)}", hint
    if kind == "string_pattern_mismatch":
        return _form(context["pattern"], value, field)
    if kind in _RANGES:
        key, words_ = _RANGES[kind]
        return codes.OUT_OF_RANGE, f"`{field}` must be {words_} {context[key]}, not {value}", f"{_last(field)}: {context[key]}"
    if kind in _SIZES:
        limit = context[_SIZES[kind]]
        words_ = "at most" if kind.endswith("long") else "at least"
        what = "characters" if kind.startswith("string") else "items"
        return codes.TOO_MANY, f"`{field}` must have {words_} {limit} {what}", f"{words_} {limit}"
    return codes.BAD_VALUE, f"`{field}`: {_shown(value)} cannot be used here ({kind})", "see the reference of this field"


def _form(pattern: str, value: str, field: str) -> tuple[Code, str, str]:
    from .api.forms import FORMS  # only a mistake needs them

    form = FORMS.get(pattern, ("does not have the form that is asked for", f"the pattern is {pattern}"))
    code, what, hint = _FORMS.get(pattern, (codes.BAD_VALUE, *form))
    if hint == "my-name":
        hint = re.sub(r"[^a-z0-9.]+", "-", value.lower().replace(".", "-" if "label" in what else ".")).strip("-.")[:63] or hint
    return code, f"`{field}`: `{_cut(value)}` {what}", hint


def _own(context: Mapping[str, Any], loc: list[Any], document: Document) -> Diagnostic:
    """A mistake that our own validators found."""
    full = [*loc, *context["path"]]
    return Diagnostic(codes.ALL[context["code"]], context["message"], document.locate(full), context["hint"])


def _path(loc: list[Any]) -> str:
    text = ""
    for step in loc:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def _last(field: str) -> str:
    return field.rsplit(".", 1)[-1]


def _shown(value: Any, written: str | None = None) -> str:
    """A value in a sentence; `written`: as it stands in the file (`1.30`, which is the number 1.3)."""
    match value:
        case bool():
            return f"the boolean {str(value).lower()}"
        case int() | float():
            return f"the number {written or value}"
        case str():
            return f'the text "{_cut(value)}"'
        case None:
            return "empty"
        case list() | tuple():
            return "a list"
    return "a mapping"


def _cut(text: str) -> str:
    return text if len(text) < 60 else text[:57] + "..."


def _retype(kind: str, value: Any, written: str | None) -> str:
    if kind == "string_type" and isinstance(value, bool | int | float):
        return f'write "{written or value}"'
    if kind in ("int_type", "float_type") and isinstance(value, str) and value.lstrip("-").isdigit():
        return f"write {value} without quotes"
    if kind == "bool_type" and value in ("true", "false"):
        return f"write {value} without quotes"
    if value is None:
        return "give it a value, or remove the key"
    if kind in ("tuple_type", "list_type"):
        return "write `- ` before each item"
    return f"write {_WORDS[kind]}"


def _fields(model: Any, loc: list[Any]) -> list[str]:
    """The YAML names of the fields of the model at `loc`."""
    for step in loc:
        model = _inner(model) if isinstance(step, int) else _step(model, step)
    model = _bare(model)
    if isinstance(model, type) and issubclass(model, BaseModel):
        return [f.serialization_alias or name for name, f in model.model_fields.items()]
    return []


def _step(model: Any, name: str) -> Any:
    model = _bare(model)
    if isinstance(model, type) and issubclass(model, BaseModel):
        return next((f.annotation for key, f in model.model_fields.items() if (f.serialization_alias or key) == name), None)
    return _inner(model)


def _inner(annotation: Any) -> Any:
    """The item type of a list, the value type of a mapping."""
    bare = _bare(annotation)
    arguments = [a for a in get_args(bare) if a is not Ellipsis]
    return arguments[-1] if arguments else None


def _bare(annotation: Any) -> Any:
    """Without Annotated and None."""
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation, *more = get_args(annotation)
            later = next((each for each in more if isinstance(each, Later)), None)
            annotation = later.model() if later else annotation
        elif origin in (Union, types.UnionType):
            annotation = next((a for a in get_args(annotation) if a is not type(None)), None)
        else:
            return annotation
