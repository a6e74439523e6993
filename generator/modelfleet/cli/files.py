"""Changing the files of declarations: all of a command's changes, or, where the result would be refused, none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .. import codes, edit, pipeline
from ..diagnostics import Report
from ..validate import Resource
from .context import Context

Edit = Callable[[str, Resource], str]


class Files:
    """The changes of one command to the files below `root`; `restore` undoes them."""

    def __init__(self, context: Context, root: Path) -> None:
        self._context, self._root = context, root
        self._before: dict[Path, bytes] = {}

    def change(self, resource: Resource, change: Edit) -> None:
        """Writes the file of a resource as `change` makes it; a file without documents is deleted. Refuses what cannot be edited."""
        file = self._root / resource.document.path
        before = file.read_bytes()
        try:
            after = change(before.decode("utf-8-sig"), resource)
        except edit.Uneditable:
            self.restore()
            report = Report()
            message = "the file is written in a way that this command cannot edit"
            report.add(codes.CANNOT_EDIT, message, resource.at("metadata", "name"), "modelfleet explain CannotEdit")
            self._context.refuse(report.sorted())
            return
        self._before.setdefault(file, before)
        if after:
            file.write_bytes(after.encode())
        else:
            file.unlink()

    def restore(self) -> None:
        """Puts every changed file back as it was."""
        for file, content in self._before.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        self._before.clear()

    def checked(self, report: Report, devices: bool = False) -> pipeline.Repository:
        """The repository with the changes; with errors they are undone and the command ends."""
        repository = self._context.read(pipeline.Slice(), report)
        if not report.errors:
            pipeline.check(repository, report, devices)
        if report.errors:
            self.restore()
            self._context.refuse(report.sorted())
        return repository

    def refuse(self, report: Report) -> None:
        """Undoes the changes and ends the command."""
        self.restore()
        self._context.refuse(report.sorted())


def drop_document(text: str, resource: Resource) -> str:
    """The file without the resource's document."""
    return edit.without_document(text, resource.document)
