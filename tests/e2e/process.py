"""Programs that run for the length of a test, and waiting for what they do."""

import contextlib
import ctypes
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

DEADLINE = 180.0  # seconds; a loaded machine takes ten times what an idle one does
GRACE = 10.0  # seconds from the request to end to the kill
TAIL = 40  # lines of a log in an error


class Process:
    """A program in a process group of its own, its output in FOLDER/<name>.log; `environment` is added to ours."""

    def __init__(self, name: str, command: list[str], folder: Path, **environment: str) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        # Appended to: a program that opens its own output again would else write over what others wrote.
        with self.log.open("ab") as log:
            self._running = subprocess.Popen(
                command,
                cwd=folder,
                env=os.environ | environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_end_with_parent if sys.platform == "linux" else None,
            )

    def require_alive(self) -> None:
        """Raises with the end of the log when the program has ended."""
        code = self._running.poll()
        if code is not None:
            raise RuntimeError(f"{self.name} ended with exit code {code}:\n{self.tail()}")

    def tail(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-TAIL:])

    def stop(self) -> None:
        """Ends the program and everything it started; returns when it is gone."""
        self._signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._running.wait(GRACE)
        self._signal(signal.SIGKILL)
        self._running.wait()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._running.pid, number)


def _end_with_parent() -> None:
    """A test run that is killed cannot stop its servers, so the kernel does (PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def until(condition: Callable[[], bool], what: str, *processes: Process, deadline: float = DEADLINE) -> None:
    """Returns when the condition holds; raises when time is up or one of the processes has ended."""
    end = time.monotonic() + deadline
    while not condition():
        for process in processes:
            process.require_alive()
        if time.monotonic() > end:
            logs = "".join(f"\n{process.name}:\n{process.tail()}" for process in processes)
            raise TimeoutError(f"{what}: not within {deadline:.0f} s{logs}")
        time.sleep(0.05)


def free_port() -> int:
    """A port that nothing listens on, below the range from which the kernel hands out ports to connections."""
    while True:
        port = random.randrange(20000, 30000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
