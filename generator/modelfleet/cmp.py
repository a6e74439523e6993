"""What Argo CD's plugin runs: reads its environment, prints JSON documents or nothing.

No click and no terminal here: a fleet of a thousand units starts this program a thousand times for each commit.

On failure the first line of stderr is the verdict and each problem is one line: Argo CD shows them as they are.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from . import codes, pipeline, units
from .diagnostics import Diagnostic, Location, Report, printable
from .render.unit import Unit, UnitId
from .resolve.fleet import Fleet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .place.plan import Plan

SHOWN = 20  # lines on stderr


class Stop(Exception):
    """Ends the run with an exit code and what stderr says: 1 refused, 2 parameters that name no unit."""

    def __init__(self, exit_code: int, text: str) -> None:
        super().__init__(text)
        self.exit_code, self.text = exit_code, text


def generate(start: Path, environment: Mapping[str, str]) -> tuple[str, str]:
    """What the plugin prints on stdout and on stderr for the unit that the parameters name, or the root; raises Stop."""
    from .emit import to_json

    parameters = read_parameters(environment)
    cluster, unit = parameters.get("cluster", ""), parameters.get("unit", "")
    if bool(cluster) != bool(unit):
        raise Stop(2, "the plugin parameters cluster and unit belong together; set neither for the root")
    if unit and not UnitId(cluster, unit).possible:
        raise Stop(2, f"`{printable(unit)}` of `{printable(cluster)}` is no unit: base, tenant/NS, caches/NS, model/NS/NAME, routes/NS")
    repository = pipeline.find_root(start)
    if repository is None:
        where = Diagnostic(codes.NOT_A_FLEET, "no fleet/fleet.yaml here or in a folder above", Location(str(start)), "mend the checkout")
        _refuse("nothing", [where])
    if unit:
        return to_json(one_unit(repository, UnitId(cluster, unit))), ""
    units, said = root(repository)
    return to_json(units), said


def read_parameters(environment: Mapping[str, str]) -> dict[str, str]:
    """The string parameters of ARGOCD_APP_PARAMETERS, which may be unset, empty, `null` or a list; else a usage error."""
    raw = environment.get("ARGOCD_APP_PARAMETERS", "")
    try:
        announced: Any = json.loads(raw) if raw.strip() else None
    except (ValueError, RecursionError) as error:
        raise Stop(2, f"ARGOCD_APP_PARAMETERS is not JSON: {error}") from error
    if announced is None:
        return {}
    if not isinstance(announced, list) or not all(isinstance(p, dict) and isinstance(p.get("name"), str) for p in announced):
        raise Stop(2, "ARGOCD_APP_PARAMETERS is not a list of parameters")
    unknown = sorted({p["name"] for p in announced} - {"cluster", "unit"})
    if unknown:
        raise Stop(2, f"unknown plugin parameter `{unknown[0]}`; known: cluster, unit")
    return {p["name"]: p["string"] for p in announced if isinstance(p.get("string"), str)}


def root(repository: Path) -> tuple[list[Unit], str]:
    """The root's objects from fleet/ and placements/ alone, and what is to be said of records that were left out.

    Under `removal: Retire` a namespace whose records cannot be read is left out and said: its Applications stay as they
    are, because the sets never delete.
    """
    report = Report()
    found = pipeline.read(repository, pipeline.Slice(models=()), report)
    fleet = found.fleet
    if fleet is not None:
        pipeline.check_installed(found, report)
    errors = sorted(report.errors, key=lambda d: d.order)
    fatal = [d for d in errors if d.location.path.startswith("fleet/")]
    if fleet is None or fatal:
        _refuse("the root", fatal or errors)
    if fleet.settings.spec.placement.recorded == "Optional":
        return pipeline.root(*_placed(repository)), ""
    if errors and fleet.settings.spec.argocd.removal == "Prune":
        _refuse("the root", errors)
    broken = {d.location.path.split("/")[1] for d in errors}
    said = _text("the root leaves out the namespaces of these records; what runs there is kept", errors) if errors else ""
    return pipeline.root(fleet, pipeline.recorded(pipeline.without(fleet, broken))), said


def one_unit(root: Path, unit: UnitId) -> list[Unit]:
    """One unit from its own folders; with `recorded: Optional` from the whole repository."""
    report = Report()
    repository = pipeline.read(root, units.unit_slice(unit), report)
    fleet, errors = repository.fleet, units.unit_errors(repository, unit, report)
    if errors or fleet is None:
        _refuse(f"unit {unit.name} of {unit.cluster}", errors or report.errors)
    planned = pipeline.recorded(fleet)
    if fleet.settings.spec.placement.recorded == "Optional":
        fleet, planned = _placed(root)
    else:
        problems = Report()
        units.check_unit(repository, unit, problems)
        if problems.errors:
            _refuse(f"unit {unit.name} of {unit.cluster}", problems.errors)
    return pipeline.units(fleet, planned, [unit])


def _placed(root: Path) -> tuple[Fleet, Plan]:
    """The whole fleet, and the recorded placements with the missing ones decided now."""
    report = Report()
    repository = pipeline.read(root, pipeline.Slice(), report)
    if not report.errors:
        pipeline.check(repository, report)
    fleet = repository.fleet
    if report.errors or fleet is None:
        _refuse("a fleet with `recorded: Optional`", report.errors)
    missing = [key for key in fleet.deployments if key not in fleet.placements]
    return fleet, pipeline.plan(fleet, missing) if missing else pipeline.recorded(fleet)


def _refuse(what: str, errors: Sequence[Diagnostic]) -> NoReturn:
    count = f"{len(errors)} error{'s' if len(errors) > 1 else ''}"
    raise Stop(1, _text(f"{what} cannot be rendered: {count}; what runs is kept", errors))


def _text(verdict: str, errors: Sequence[Diagnostic]) -> str:
    """The verdict and a line for each problem, at most as many as Argo CD's message should hold."""
    ordered = sorted(errors, key=lambda d: d.order)
    return "\n".join([verdict, *(d.line() for d in ordered[: SHOWN - 1])])


def main(start: Path, environment: Mapping[str, str]) -> int:
    """Runs the plugin; returns the exit code. stdout gets everything or nothing."""
    try:
        out, said = generate(start, environment)
        if said:
            sys.stderr.write(said + "\n")
        sys.stdout.write(out)
        sys.stdout.flush()
    except Stop as stop:
        sys.stderr.write(stop.text + "\n")
        return stop.exit_code
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left in the buffer would fail again at exit
        sys.stderr.write(f"{error.filename or 'output'}: {error.strerror}\n")
        return 4
    except KeyboardInterrupt:
        return 130
    return 0
