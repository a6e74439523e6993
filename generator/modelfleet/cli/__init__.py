"""The command line: flags in, exit code out. A command's module is imported when the command is run."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from .. import __version__
from .context import Context, Refused

COMMANDS = {
    "capacity": "Show what every pool has, holds and still takes.",
    "plan": "Show what a change does, before it is merged.",
    "check": "Report every mistake in the repository.",
    "cmp": "What the Argo CD plugin runs.",
    "endpoints": "Show the URL of each service, how to call it and where its requests go.",
    "drain": "Move everything off a cluster, in two commits.",
    "explain": "Say why a deployment runs where it runs, or what a code means.",
    "generate": "Print what Argo CD will apply.",
    "init": "Begin a fleet repository.",
    "migrate": "Rewrite Modelplane's files to our group and layout.",
    "new": "Write a new declaration: cluster, class, deployment and others.",
    "place": "Decide where replicas run, and record it.",
    "remove": "Take a declaration away on purpose, in two commits.",
    "runbook": "Write what to know and do when a deployment is in trouble.",
    "schemas": "Write the JSON Schemas of all kinds.",
}


def _remember(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Sets a common flag that stands after the command's name."""
    if value or (value is False and parameter.name == "color"):
        ctx.obj = replace(ctx.obj or Context(None, False, False), **{str(parameter.name): value})


def common_options() -> list[click.Parameter]:
    """The flags that may stand before or after a command's name."""
    more: dict[str, Any] = {"expose_value": False, "callback": _remember}
    return [
        click.Option(["--repo"], type=click.Path(path_type=Path), help="The fleet repository. Default: found upward from here.", **more),
        click.Option(["-q", "--quiet"], is_flag=True, help="Errors only.", **more),
        click.Option(["-v", "--verbose"], is_flag=True, help="Notices too.", **more),
        click.Option(["--color/--no-color"], default=None, help="Colours, and the line of each mistake. Default: on a terminal.", **more),
    ]


class LazyGroup(click.Group):
    """Knows the commands' names and summaries; imports one when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = import_module(f".{name}", __name__).command
        assert isinstance(command, click.Command)
        if not any(parameter.name == "repo" for parameter in command.params):
            command.params += common_options()
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from ..diagnostics import nearest

            ctx.fail(f"no command `{name}`; {nearest(name, COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="modelfleet")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """One inference fleet out of scattered GPU clusters, with a Git repository and Argo CD.

    Exit codes: 0 done, 1 declarations refused, 2 usage, 3 a --check found a difference, 4 something outside failed, 70 a
    fault of ours.
    """
    ctx.obj = ctx.obj or Context(None, False, False)


cli.params += common_options()


def main() -> None:
    """Entry point: runs the command and turns its outcome into an exit code."""
    try:
        cli(prog_name="modelfleet", standalone_mode=False)
    except click.exceptions.Exit as exit_:
        sys.exit(exit_.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(130)
    except Refused as refused:
        sys.exit(refused.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(4)
    except OSError as error:
        click.echo(f"error: {error.filename or 'output'}: {error.strerror}", err=True)
        sys.exit(4)
    except Exception:  # noqa: BLE001  the last line of defence: a fault of ours keeps its traceback and gets its own exit code
        import traceback

        traceback.print_exc()
        click.echo("error: this is a fault of modelfleet, not of your files; please report it with the lines above", err=True)
        sys.exit(70)
