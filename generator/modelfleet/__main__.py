"""Where the program begins. The plugin's command goes its own short way: it needs no command-line library."""

from __future__ import annotations

import gc
import os
import sys
import types
from pathlib import Path


def _no_pydantic_plugins() -> None:
    """Keeps pydantic from looking for plugins among all installed packages.

    What a foreign plugin changes would differ from machine to machine, and the search is a seventh of a plugin run.
    Harmless if pydantic drops the module: nothing imports it then.
    """
    empty = types.ModuleType("pydantic.plugin._loader")
    empty.get_plugins = lambda: ()  # type: ignore[attr-defined]
    sys.modules.setdefault("pydantic.plugin._loader", empty)


def main() -> None:
    """Entry point of `modelfleet` and of `python -m modelfleet`."""
    gc.set_threshold(200_000)  # a run ends before there is much garbage; looking for it is a tenth of the start
    _no_pydantic_plugins()
    if sys.argv[1:] == ["cmp", "generate"]:
        from .cmp import main as plugin

        sys.exit(plugin(Path.cwd(), os.environ))
    from .cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
