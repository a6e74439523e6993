"""The templates that an add-on's values may hold: names, attributes, items and filters, and nothing that runs.

Plain ones (`{{ cluster.name }}`, `{{ fleet.name }}`, `{{ cluster.labels["k"] }}`) are read here; only what holds a filter asks jinja2, in
its sandbox, with filters of a short list whose results are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Template, nodes
    from jinja2.sandbox import ImmutableSandboxedEnvironment

LIMIT = 4096  # characters of a template
RESULT_LIMIT = 65_536  # characters of what becomes of one, and of every step on the way

_PLAIN = re.compile(r"""\{\{\s*(?:(cluster|fleet)\.name|cluster\.labels\[(?:"([^"\\{}]*)"|'([^'\\{}]*)')\])\s*\}\}""")
_ANY = re.compile(r"\{\{|\{%|\{#")
_KNOWN = {"cluster": {"name", "labels"}, "fleet": {"name"}}
_FILTERS = ("capitalize", "default", "lower", "replace", "title", "trim", "truncate", "upper")

Names = Mapping[str, Mapping[str, Any]]


class Undefined(Exception):
    """A template asks for what a cluster does not have, or grows beyond all bounds; the text says it."""


def is_template(text: str) -> bool:
    """Whether something in `text` would be replaced."""
    return bool(_ANY.search(text))


def problem(text: str) -> str:
    """What is wrong with the template `text`; empty if nothing is."""
    if len(text) > LIMIT:
        return f"a template of {len(text)} characters; {LIMIT} are allowed"
    if not _ANY.search(_PLAIN.sub("", text)):
        return ""
    from jinja2 import TemplateSyntaxError, nodes

    try:
        tree = _environment().parse(text)
    except TemplateSyntaxError as error:
        return f"`{text}` is not a template: {error.message}"
    except RecursionError:
        return f"`{text[:40]}...` is nested too deep"
    return _forbidden(text, tree) or next((found for node in tree.find_all(nodes.Name) if (found := _unknown(tree, node))), "")


def _forbidden(text: str, tree: nodes.Template) -> str:
    """What of a template runs, or is no filter of ours."""
    from jinja2 import nodes

    plain = (nodes.Template, nodes.Output, nodes.TemplateData, nodes.Getattr, nodes.Getitem, nodes.Name, nodes.Const, nodes.Filter)
    for node in tree.find_all(nodes.Node):
        if not isinstance(node, plain):
            return f"`{text}` holds more than names, attributes, items and filters"
        if isinstance(node, nodes.Filter) and node.name not in _FILTERS:
            return f"`{node.name}` is not a filter here: {', '.join(_FILTERS)} are"
    return ""


def expand(text: str, names: Names) -> str:
    """`text` with its templates replaced. names: cluster with name and labels, fleet with name. Raises Undefined."""
    plain = _PLAIN.sub(lambda match: _value(match, names), text)
    if not _ANY.search(_PLAIN.sub("", text)):
        return plain
    from jinja2 import TemplateError

    try:
        found = str(_compiled(text).render(**names))
    except (TemplateError, TypeError, ValueError, AssertionError, ArithmeticError) as error:  # a filter's own, of what it was given
        raise Undefined(f"`{text if len(text) < 80 else text[:80] + '...'}`: {error}") from None
    if len(found) > RESULT_LIMIT:
        raise Undefined(f"`{text[:40]}...` becomes {len(found)} characters; {RESULT_LIMIT} are allowed")
    return found


def _value(match: re.Match[str], names: Names) -> str:
    """What a plain template stands for."""
    if match[1]:
        return str(names[match[1]]["name"])
    key = match[2] if match[2] is not None else match[3]
    labels = names["cluster"]["labels"]
    if key not in labels:
        raise Undefined(f"it has no label `{key}`")
    return str(labels[key])


def _environment() -> ImmutableSandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    found = ImmutableSandboxedEnvironment(autoescape=False, undefined=StrictUndefined, keep_trailing_newline=True, optimized=False)
    known = {name: found.filters[name] for name in _FILTERS}
    found.filters.clear()
    found.filters.update(known, replace=_replace)
    return found


def _compiled(text: str) -> Template:
    return _environment().from_string(text)


def _replace(value: Any, old: str, new: str) -> str:
    """The only filter that multiplies: what it would make is counted before it is made."""
    text = str(value)
    size = len(text) + text.count(old) * (len(new) - len(old))
    if size > RESULT_LIMIT:
        from jinja2 import TemplateRuntimeError

        raise TemplateRuntimeError(f"a replacement becomes {size} characters; {RESULT_LIMIT} are allowed")
    return text.replace(old, new)


def _unknown(tree: nodes.Template, name: nodes.Name) -> str:
    """Why `name` leads to nothing that is a text: only `.name`, and a label in brackets, do."""
    from jinja2 import nodes

    if name.name not in _KNOWN:
        return f"`{name.name}` is not known here: cluster and fleet are"
    steps: list[nodes.Getattr | nodes.Getitem] = [*tree.find_all(nodes.Getattr), *tree.find_all(nodes.Getitem)]
    first = next((step for step in steps if step.node is name), None)
    if first is None:
        return f"`{name.name}` alone is not a text: {name.name}.name is"
    key = first.attr if isinstance(first, nodes.Getattr) else getattr(first.arg, "value", None)
    if key not in _KNOWN[name.name]:
        return f"`{name.name}.{key}` is not known here: {', '.join(sorted(_KNOWN[name.name]))}"
    second = next((step for step in steps if step.node is first), None)
    if key == "name":
        return f"`{name.name}.name` is a text and has no parts" if second else ""
    label = isinstance(second, nodes.Getitem) and isinstance(second.arg, nodes.Const) and isinstance(second.arg.value, str)
    if not label or any(step.node is second for step in steps):
        return f'`{name.name}.labels` is asked for one label: {name.name}.labels["key"]'
    return ""
