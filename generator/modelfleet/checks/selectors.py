"""Device selectors: each compiles, and reads only what some class publishes."""

from __future__ import annotations

from collections.abc import Iterable

from .. import cel, codes
from ..api.devices import DeviceOption
from ..diagnostics import Code, Location, Report, nearest
from ..resolve.fleet import Fleet
from ..validate import Resource, Resources

Names = frozenset[tuple[str, str]]
Published = tuple[Names, Names]  # attributes, capacities

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
            for path, request in engine.requests():
                _check_request(resource, request, ("spec", "template", "spec", "engines", e, *path), published, report)


def _check_request(resource: Resource, request: DeviceOption, loc: tuple[str | int, ...], published: Published, report: Report) -> None:
    for s, selector in enumerate(request.selectors):
        where = resource.at(*loc, "selectors", s, "cel")
        try:
            program = cel.compile_selector(selector.cel)
        except cel.SelectorError as error:
            place = f" (line {error.line}, column {error.column} of the expression)" if error.line else ""
            report.add(_SELECTOR_CODES[error.code], f"{error.message}{place}", where, error.hint)
            continue
        if any(published):  # a repository without classes is a beginning, not a misspelling
            _check_names(program, published, where, report)


def _check_names(program: cel.Program, published: Published, where: Location, report: Report) -> None:
    for what, read, known in zip(("attribute", "capacity"), (program.attributes, program.capacity), published, strict=True):
        for domain, name in sorted(read - known):
            names = [n for d, n in known if d == domain]
            hint = nearest(name, names) if names else nearest(domain, {d for d, _ in known})
            report.add(codes.UNKNOWN_ATTRIBUTE, f"no class publishes the {what} `{name}` of `{domain}`", where, hint)


def _published(fleet: Fleet) -> Published:
    """(domain, name) of every attribute, and of every capacity, of every class."""
    devices = [device for hardware in fleet.classes.values() for device in hardware.devices]
    return (_names((d.driver, d.attributes) for d in devices), _names((d.driver, d.capacity) for d in devices))


def _names(declared: Iterable[tuple[str, Iterable[str]]]) -> Names:
    found = set()
    for driver, names in declared:
        for name in names:
            domain, _, bare = name.rpartition("/")
            found.add((domain or driver, bare))
    return frozenset(found)
