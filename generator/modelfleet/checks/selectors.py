"""Device selectors: each compiles, and reads only what some class publishes."""

from __future__ import annotations

from .. import cel, codes
from ..api.deployment import DeviceRequest
from ..diagnostics import Code, Report, nearest
from ..resolve.fleet import Fleet
from ..validate import Resource, Resources

_SELECTOR_CODES: dict[str, Code] = {
    "SelectorSyntax": codes.SELECTOR_SYNTAX,
    "SelectorType": codes.SELECTOR_TYPE,
    "SelectorNotSupported": codes.SELECTOR_NOT_SUPPORTED,
    "SelectorTooLarge": codes.SELECTOR_TOO_LARGE,
}


def check_selectors(resources: Resources, fleet: Fleet, report: Report) -> None:
    """Every selector compiles, and reads only what some class publishes."""
    published = _published(fleet)
    for resource in resources.of("ModelDeployment").values():
        for e, engine in enumerate(resource.model.spec.template.spec.engines):
            for m, member in enumerate(engine.members):
                for d, request in enumerate(member.node_selector.devices):
                    loc = ("spec", "template", "spec", "engines", e, "members", m, "nodeSelector", "devices", d)
                    _check_request(resource, request, loc, published, report)


def _check_request(
    resource: Resource, request: DeviceRequest, loc: tuple[str | int, ...], published: frozenset[tuple[str, str]], report: Report
) -> None:
    for s, selector in enumerate(request.selectors):
        where = resource.at(*loc, "selectors", s, "cel")
        try:
            program = cel.compile_selector(selector.cel)
        except cel.SelectorError as error:
            place = f" (line {error.line}, column {error.column} of the expression)" if error.line else ""
            report.add(_SELECTOR_CODES[error.code], f"{error.message}{place}", where, error.hint)
            continue
        for domain, name in sorted(program.attributes - published):
            known = [n for d, n in published if d == domain]
            hint = nearest(name, known) if known else nearest(domain, {d for d, _ in published})
            report.add(codes.UNKNOWN_ATTRIBUTE, f"no class publishes `{name}` of `{domain}`", where, hint)


def _published(fleet: Fleet) -> frozenset[tuple[str, str]]:
    """(domain, name) of every attribute and capacity of every class."""
    found = set()
    for hardware in fleet.classes.values():
        for device in hardware.devices:
            for name in (*device.attributes, *device.capacity):
                domain, _, bare = name.rpartition("/")
                found.add((domain or device.driver, bare))
    return frozenset(found)
