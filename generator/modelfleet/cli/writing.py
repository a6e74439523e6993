"""Writing new declarations: checked with the repository around them first, and never over a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from .. import codes, load, pipeline
from ..diagnostics import Location, Report
from ..scaffold.text import File
from .context import Context


def write(context: Context, root: Path, files: Sequence[File]) -> None:
    """Writes all of `files`, or refuses with what is wrong and writes none; says what to do next."""
    report = Report()
    for file in files:
        if (root / file.path).exists():
            report.add(codes.ALREADY_THERE, f"`{file.path}` is there already", Location(file.path), "another name, or edit that file")
    context.refuse_errors(report)
    _check(context, root, files)
    for file in files:
        (root / file.path).parent.mkdir(parents=True, exist_ok=True)
        with (root / file.path).open("x", encoding="utf-8") as opened:
            opened.write(file.text)
        click.echo(f"wrote {file.path}")
    for step in [step for file in files for step in file.next]:
        if not context.quiet:
            click.echo(f"next: {step}")


def _check(context: Context, root: Path, files: Sequence[File]) -> None:
    """Refuses where the repository has errors with `files` that it has not without them, and shows their warnings."""
    report, before = Report(), Report()
    new = {file.path for file in files}

    def more(documents: list[load.Document]) -> list[load.Document]:
        found = list(documents)
        for file in files:
            if file.path.endswith(load.SUFFIXES):
                found += load.parse(file.path, file.text, report)
        return found

    if (root / "fleet" / "fleet.yaml").exists():
        _look(pipeline.read(root, pipeline.Slice(), before), before)
    _look(pipeline.read(root, pipeline.Slice(), report, more), report)
    known = set(before.errors)
    mine = [found for found in report.sorted() if found.location.path in new or (found in report.errors and found not in known)]
    if any(found in report.errors for found in mine):
        context.refuse(mine)
    context.say(mine)


def _look(repository: pipeline.Repository, report: Report) -> None:
    if repository.fleet and not report.errors:
        pipeline.check(repository, report)
