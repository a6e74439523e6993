"""modelfleet new: a declaration of each kind, with comments that teach."""

from __future__ import annotations

from importlib import import_module

import click

from .context import Context

KINDS = {
    "addon": "Something that clusters get besides the stack.",
    "cache": "A model's files, staged on the clusters.",
    "class": "A hardware class, from the catalog or from flags.",
    "cluster": "A cluster with its pools.",
    "deployment": "A model, sized for the fleet's hardware.",
    "gateway": "A front door.",
    "service": "What callers address.",
    "team": "Who owns which namespaces.",
}
_PLATFORM = ("addon", "class", "cluster", "gateway", "team")


class _Kinds(click.Group):
    """Imports the module of the kind that is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(KINDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in KINDS:
            return None
        from . import common_options

        module = import_module(".new_platform" if name in _PLATFORM else ".new_models", __package__)
        found = module.COMMANDS[name]
        assert isinstance(found, click.Command)
        if not any(parameter.name == "repo" for parameter in found.params):
            found.params += common_options()
        return found

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in KINDS and not args[0].startswith("-"):
            from ..diagnostics import nearest

            ctx.fail(f"no kind `{args[0]}`; {nearest(args[0], KINDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Kinds"):
            formatter.write_dl(sorted(KINDS.items()))


@click.group("new", cls=_Kinds, help="Write a new declaration; it is checked first, and no file is ever overwritten.")
@click.pass_obj
def command(context: Context) -> None:
    """A kind with its flags."""
