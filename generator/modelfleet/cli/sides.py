"""The two states of the fleet that `plan` compares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .. import codes, pipeline
from ..diagnostics import Diagnostic, Location, Report
from ..place.plan import Plan
from ..render import ROOT, unit_ids
from ..render.unit import Unit, UnitId
from ..report.side import Side
from ..resolve.fleet import Fleet
from .context import Context

SHOWN = 3  # mistakes of the base


def side(name: str, repository: pipeline.Repository, plan: Plan, imagined: bool = False) -> Side:
    """A state of a repository; units that its declarations do not hold enough for are left out."""
    fleet = repository.fleet
    assert fleet is not None
    planned = replace(fleet, placements=plan.placements)
    listed = unit_ids(planned, plan)

    def render(unit: UnitId) -> Unit:
        return (pipeline.root(planned, plan) if unit == ROOT else pipeline.units(planned, plan, [unit]))[0]

    return Side(name, fleet, plan, render, (ROOT, *listed), pipeline.unrenderable(repository, plan, listed), imagined)


def recorded(name: str, repository: pipeline.Repository) -> Side:
    """What runs: the records, and with `recorded: Optional` what the plugin places besides."""
    fleet = repository.fleet
    assert fleet is not None
    optional = fleet.settings.spec.placement.recorded == "Optional"
    missing = [key for key in fleet.deployments if key not in fleet.placements]
    return side(name, repository, pipeline.plan(fleet, missing) if optional and missing else pipeline.recorded(fleet))


def at_base(context: Context, repository: pipeline.Repository, ref: str, notes: list[str]) -> tuple[Side, pipeline.Repository]:
    """Where the work tree left `ref`; `notes` tell what of it could not be read. Exit 4 when there is no such base."""
    from ..git import BaseError, commit_at

    report = Report()
    try:
        base = pipeline.read_at(repository, ref, report)
        name = f"{ref} ({commit_at(repository.root, ref)})"
    except BaseError as error:
        context.refuse([Diagnostic(codes.BASE, error.message, Location("--base"), error.hint)], 4)
    if base.fleet is None:
        notes.append(f"{ref} has no fleet that could be read: everything is new")
    elif report.errors:
        shown = "; ".join(found.line() for found in report.sorted()[:SHOWN])
        notes.append(f"{ref} has {len(report.errors)} mistakes, and what they are in counts as not there: {shown}")
    return recorded(name, _with_fleet(base, repository)), base


def _with_fleet(base: pipeline.Repository, repository: pipeline.Repository) -> pipeline.Repository:
    """The base; where it has no fleet, one with nothing in it."""
    if base.fleet is not None:
        return base
    assert repository.fleet is not None
    nothing: Mapping[str, object] = {name: {} for name in _MAPPINGS}
    return replace(base, fleet=replace(repository.fleet, **nothing))  # type: ignore[arg-type]


_MAPPINGS = tuple(name for name, kind in Fleet.__annotations__.items() if str(kind).startswith("Mapping"))
