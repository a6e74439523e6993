"""modelfleet plan"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace

import click

from .. import codes, pipeline
from ..diagnostics import Location, Report, nearest
from .context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..report.change import Change, Note
    from ..report.side import Side
    from ..resolve.fleet import Fleet

FORMATS = ["text", "markdown", "html", "json"]


@click.command("plan", help="Show what this change does, or would do: placements, objects, restarts, capacity, cost, risks.")
@click.option("--base", metavar="REF", help="Compare with where the work tree left REF. Default: with what is recorded in the work tree.")
@click.option("--without", multiple=True, metavar="CLUSTER", help="As if this cluster were lost.")
@click.option("--drain", multiple=True, metavar="CLUSTER", help="As if this cluster were drained.")
@click.option("--set", "settings", multiple=True, metavar="KIND/[NS/]NAME.FIELD=VALUE", help="As if this were declared; VALUE is YAML.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="Default: text.")
@click.pass_obj
def command(
    context: Context, base: str | None, without: tuple[str, ...], drain: tuple[str, ...], settings: tuple[str, ...], form: str
) -> None:
    """Compares two states of the fleet; makes nothing so."""
    change, before, after = _compared(context, base, without, drain, settings)
    if form == "html":
        from ..report.html import html

        click.echo(html(change, before, after), nl=False)
        return
    click.echo(_formatted(context, change, form), nl=False, color=context.colored_output)


def _compared(
    context: Context, base: str | None, without: Sequence[str], drain: Sequence[str], settings: Sequence[str]
) -> tuple[Change, Side, Side]:
    from ..report.compare import compare
    from .sides import at_base, recorded, side
    from .whatif import imagined

    repository, fleet = context.whole(Report(), devices=False)
    _known(context, fleet, (*without, *drain))
    notes: list[str] = []
    refused: list[Note] = []
    if base is None:
        before = recorded("what is recorded", repository)
    else:
        before, there = at_base(context, repository, base, notes)
        refused = _refused(there, repository)
    wanted = _edited(context, settings) if settings else repository
    assert wanted.fleet is not None
    asked = imagined(wanted.fleet, without, drain)
    asking = bool(without or drain or settings)
    after = side(_name(base, without, drain, settings), replace(wanted, fleet=asked), pipeline.plan(asked), asking)
    if broken := sorted({f"{unit.cluster}/{unit.name}" for found in (before, after) for unit in found.broken}):
        more = f" and {len(broken) - 3} more" if len(broken) > 3 else ""
        notes.append(f"objects of {', '.join(broken[:3])}{more} cannot be rendered on both sides, and are not compared")
    return compare(before, after, refused, notes), before, after


def _known(context: Context, fleet: Fleet, clusters: Sequence[str]) -> None:
    report = Report()
    for name in clusters:
        if name not in fleet.clusters:
            report.add(codes.NO_SUCH, f"no cluster is named `{name}`", Location("command line"), nearest(name, fleet.clusters))
    context.refuse_errors(report)


def _edited(context: Context, settings: Sequence[str]) -> pipeline.Repository:
    """The work tree with what `--set` says, checked."""
    from .whatif import edited

    report = Report()
    repository = pipeline.read(context.root(), pipeline.Slice(), report, lambda documents: edited(documents, settings, report))
    if not report.errors:
        pipeline.check(repository, report, devices=False)
    context.refuse_errors(report)
    return repository


def _refused(base: pipeline.Repository, now: pipeline.Repository) -> list[Note]:
    """What `check --base` refuses of the change."""
    from ..checks.base import check_base
    from ..report.change import Note

    report = Report()
    check_base(base.resources, now.resources, report)
    return [Note(found.code.name, str(found.location), found.message, found.hint) for found in report.sorted()]


def _name(base: str | None, without: Sequence[str], drain: Sequence[str], settings: Sequence[str]) -> str:
    asked = [f"without {name}" for name in without] + [f"{name} drained" for name in drain] + [f"with {text}" for text in settings]
    return ", ".join(["the work tree", *asked]) if base else ", ".join(asked) or "the work tree, placed"


def _formatted(context: Context, change: Change, form: str) -> str:
    if form == "markdown":
        from ..report.markdown import markdown

        return markdown(change)
    if form == "json":
        from ..report.as_json import as_json

        return as_json(change)
    if context.colored_output:
        from ..report.terminal import terminal

        return terminal(change, shutil.get_terminal_size().columns, diffs=context.verbose)
    from ..report.text import text

    return text(change, diffs=context.verbose)
