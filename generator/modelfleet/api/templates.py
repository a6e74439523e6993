"""The templates that an add-on's values may hold: names, attributes, items and filters, and nothing that runs."""

from jinja2 import Environment, TemplateSyntaxError, nodes

_PLAIN = (nodes.Template, nodes.Output, nodes.TemplateData, nodes.Getattr, nodes.Getitem, nodes.Name, nodes.Const, nodes.Filter)
_KNOWN = {"cluster": {"name", "labels"}, "fleet": {"name"}}


def problem(text: str) -> str:
    """What is wrong with the template `text`; empty if nothing is."""
    environment = Environment(autoescape=False)  # noqa: S701  YAML values, not HTML
    try:
        tree = environment.parse(text)
    except TemplateSyntaxError as error:
        return f"`{text}` is not a template: {error.message}"
    for node in tree.find_all(nodes.Node):
        if not isinstance(node, _PLAIN):
            return f"`{text}` holds more than names, attributes, items and filters"
        if isinstance(node, nodes.Filter) and node.name not in environment.filters:
            return f"`{node.name}` is not a filter"
    return next((found for node in tree.find_all(nodes.Name) if (found := _unknown(tree, node))), "")


def _unknown(tree: nodes.Template, name: nodes.Name) -> str:
    """Why `name` leads to nothing."""
    if name.name not in _KNOWN:
        return f"`{name.name}` is not known here: cluster and fleet are"
    steps: list[nodes.Getattr | nodes.Getitem] = [*tree.find_all(nodes.Getattr), *tree.find_all(nodes.Getitem)]
    for outer in steps:
        if outer.node is name:
            key = outer.attr if isinstance(outer, nodes.Getattr) else getattr(outer.arg, "value", None)
            known = _KNOWN[name.name]
            return "" if key in known else f"`{name.name}.{key}` is not known here: {', '.join(sorted(known))}"
    return f"`{name.name}` alone is not a text: {name.name}.name is"
