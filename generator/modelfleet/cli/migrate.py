"""modelfleet migrate"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from ..load import SUFFIXES
from ..tree import links
from .context import Context, Refused


@click.command("migrate", help="Rewrite Modelplane's files in DIR to our group and layout, keeping their comments.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--check", "check_only", is_flag=True, help="Write nothing; exit 3 if something would change.")
@click.pass_obj
def command(context: Context, folder: Path, check_only: bool) -> None:
    """Moves each document to where it belongs; lists what is declared twice, what stays, and clusters without a destination."""
    from ..migrate import migrate

    found = migrate(_texts(folder))
    for before, after, what in found.moved:
        click.echo(f"{before}: {what}" if before == after else f"{before} -> {after}: {what}")
    _list("declared twice, and left as they are; remove or rename one", found.twice)
    _list("left as they are", (f"{where}: {why}" for where, why in found.left))
    _list(
        "clusters without a destination: Argo CD must know each by its name, or write spec.destination",
        sorted(found.without_destination),
    )
    if not (folder / "fleet" / "fleet.yaml").exists():
        _list("next", ["write fleet/fleet.yaml with the one document of kind Fleet, then run modelfleet check"])
    if found.files and check_only:
        raise Refused(3)
    if not check_only:
        if through := links(folder, found.files):
            _list("nothing was written: these are symbolic links, and writing would follow them", through)
            raise Refused(1)
        _write(folder, found.files)
    if found.twice:
        raise Refused(1)
    if not found.moved and not context.quiet:
        click.echo("nothing of Modelplane's group was found")


def _texts(folder: Path) -> dict[str, str]:
    """The YAML and JSON files below `folder`; hidden ones, links and what is not UTF-8 are left alone."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.name.endswith(SUFFIXES) and path.is_file() and not path.is_symlink() and not any(p.startswith(".") for p in relative.parts):
            try:
                found[relative.as_posix()] = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
    return found


def _write(folder: Path, files: Mapping[str, str | None]) -> None:
    """What is new first, so that nothing is lost where writing fails."""
    for path, content in files.items():
        if content is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content, encoding="utf-8")
    for path, content in files.items():
        if content is None:
            (folder / path).unlink()


def _list(title: str, lines: Iterable[str]) -> None:
    shown = list(lines)
    if shown:
        click.echo(f"\n{title}:")
        for line in shown:
            click.echo(f"  {line}")
