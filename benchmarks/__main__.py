"""`python -m benchmarks [NAME...]`: runs each module here that has a `main()`, in a process of its own, and sums up."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

CALL = "import sys; from benchmarks.{} import main; sys.exit(main())"


def found() -> list[str]:
    """Names of the modules that define `main`."""
    return [path.stem for path in sorted(Path(__file__).parent.glob("*.py")) if path.stem != "__main__" and _has_main(path)]


def _has_main(path: Path) -> bool:
    return any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in ast.parse(path.read_text(encoding="utf-8")).body)


def run(name: str) -> tuple[int, float, float]:
    """(exit code, CPU seconds, seconds) of one module."""
    print(f"\n== {name}", flush=True)
    started = time.monotonic()
    process = subprocess.Popen([sys.executable, "-c", CALL.format(name)], cwd=Path(__file__).parents[1])
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime, time.monotonic() - started


def main(names: Sequence[str]) -> int:
    """1 if some module missed a bound or failed, 2 for an unknown name."""
    known = found()
    if unknown := sorted(set(names) - set(known)):
        print(f"no benchmark is named {unknown[0]}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    results = {name: run(name) for name in known if not names or name in names}
    print(f"\n{'benchmark':<20}{'result':>10}{'CPU s':>10}{'s':>10}")
    for name, (code, cpu, wall) in results.items():
        print(f"{name:<20}{'missed' if code else 'ok':>10}{cpu:>10.1f}{wall:>10.1f}")
    return int(any(code for code, _, _ in results.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
