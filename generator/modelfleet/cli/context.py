"""What every command needs: the repository, and how diagnostics are shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from .. import codes, pipeline
from ..diagnostics import Diagnostic, Location, Report, Severity, summary, text
from ..resolve.fleet import Fleet

SHOWN = 20


class Refused(Exception):
    """Ends a command with an exit code; what is to be said has been said."""

    def __init__(self, exit_code: int = 1) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


@dataclass(frozen=True, slots=True)
class Context:
    """The flags that all commands share."""

    repo: Path | None
    quiet: bool
    verbose: bool
    color: bool | None = None

    def has_root(self) -> bool:
        """Whether there is a fleet repository here."""
        return pipeline.find_root(self.repo or Path.cwd()) is not None

    def root(self) -> Path:
        """The fleet repository; refuses when there is none."""
        root = pipeline.find_root(self.repo or Path.cwd())
        if root is None:
            report = Report()
            where = Location(str(self.repo or "."))
            report.add(codes.NOT_A_FLEET, "no fleet/fleet.yaml here or in a folder above", where, "modelfleet --repo DIR ...")
            self.refuse(report.sorted())
        assert root is not None
        return root

    def read(self, part: pipeline.Slice, report: Report) -> pipeline.Repository:
        return pipeline.read(self.root(), part, report)

    def readable(self, report: Report) -> tuple[pipeline.Repository, Fleet]:
        """The whole repository, if it can be read and its selectors compile: for commands that say why something is wrong."""
        repository = self.read(pipeline.Slice(), report)
        if not report.errors:
            pipeline.check_selectors(repository, report)
        self.refuse_errors(report)
        assert repository.fleet is not None
        return repository, repository.fleet

    def whole(self, report: Report, devices: bool = True) -> tuple[pipeline.Repository, Fleet]:
        """The whole repository, checked; refuses when it has errors. devices: as in `pipeline.check_recorded`."""
        repository = self.read(pipeline.Slice(), report)
        if not report.errors:
            pipeline.check(repository, report, devices)
        self.refuse_errors(report)
        assert repository.fleet is not None
        return repository, repository.fleet

    def refuse_errors(self, report: Report) -> None:
        if report.errors:
            self.refuse(report.sorted())

    def refuse(self, found: Sequence[Diagnostic], exit_code: int = 1) -> None:
        """Says `found` on stderr and ends the command."""
        self.say(found)
        raise Refused(exit_code)

    def say(self, found: Sequence[Diagnostic], limit: int | None = SHOWN) -> None:
        """Diagnostics on stderr, and how many there are; on a terminal in colour and with their lines."""
        shown = self.told(found)
        if shown:
            click.echo(self._text(shown, limit), err=True, color=self.colored)
            click.echo(summary(shown), err=True)

    def told(self, found: Sequence[Diagnostic]) -> list[Diagnostic]:
        """What -q and -v let through."""
        least = Severity.NOTICE if self.verbose else Severity.ERROR if self.quiet else Severity.WARNING
        return [d for d in found if d.severity <= least]

    @property
    def colored(self) -> bool:
        """Whether stderr is for people: as --color says, else whether it is a terminal and NO_COLOR is unset."""
        return self.color if self.color is not None else sys.stderr.isatty() and not os.environ.get("NO_COLOR")

    @property
    def colored_output(self) -> bool:
        """The same of stdout."""
        return self.color if self.color is not None else sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    def _text(self, shown: Sequence[Diagnostic], limit: int | None) -> str:
        if not self.colored:
            return text(shown, limit)
        from ..formats import terminal

        return terminal(shown, pipeline.find_root(self.repo or Path.cwd()), limit)
