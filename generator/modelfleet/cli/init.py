"""modelfleet init"""

from __future__ import annotations

import re
from pathlib import Path

import click

from ..scaffold import platform
from .context import Context
from .writing import write


@click.command("init", help="Begin a fleet repository in DIR; nothing that is there is touched.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--name", help="Name of the fleet. Default: the folder's.")
@click.option("--repo-url", default="", metavar="URL", help="Where Argo CD reads the repository. Default: a placeholder, marked as one.")
@click.pass_obj
def command(context: Context, folder: Path, name: str | None, repo_url: str) -> None:
    """fleet/fleet.yaml, and a README unless there is one."""
    named = name or re.sub(r"[^a-z0-9-]+", "-", folder.resolve().name.lower()).strip("-") or "fleet"
    files = [file for file in platform.fleet(named, repo_url) if file.path != "README.md" or not (folder / file.path).exists()]
    folder.mkdir(parents=True, exist_ok=True)
    write(context, folder, files)
