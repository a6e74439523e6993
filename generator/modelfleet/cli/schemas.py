"""modelfleet schemas"""

from __future__ import annotations

from pathlib import Path

import click

from .context import Context


@click.command("schemas", help="Write the JSON Schema of each kind, one of all kinds, and their reference (README.md).")
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder to write to.")
@click.pass_obj
def command(context: Context, output: Path) -> None:
    """Needs no fleet repository. Files of other names in the folder stay."""
    from ..schemas import texts

    output.mkdir(parents=True, exist_ok=True)
    written = texts()
    for name, content in written.items():
        (output / name).write_text(content, encoding="utf-8")
    if not context.quiet:
        click.echo(f"{len(written)} files in {output}")
