"""modelfleet cmp: what the Argo CD plugin runs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from .. import cmp
from .context import Context, Refused


@click.group("cmp", help="What the Argo CD plugin runs.")
def command() -> None:
    """Config-management plugin."""


@command.command("generate", help="Print the manifests of the root, or of the unit that the parameters name.")
@click.pass_obj
def generate(context: Context) -> None:
    """With parameters `cluster` and `unit`: that unit. Without: the root."""
    code = cmp.main(context.repo or Path.cwd(), os.environ)
    if code:
        raise Refused(code)


@command.command("parameters", help="Print the parameters that the plugin announces.")
def parameters() -> None:
    """A JSON array, as Argo CD demands."""
    announced = [
        {"name": "cluster", "title": "Cluster", "tooltip": "Cluster of the fleet; empty for the root"},
        {"name": "unit", "title": "Unit", "tooltip": "base, tenant/NS, model/NS/NAME or routes/NS; empty for the root"},
    ]
    click.echo(json.dumps(announced))
