"""Kubernetes' own code as a process: questions and answers are lines of JSON (tests/e2e/tools/dra-oracle)."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any


class Oracle:
    """A running oracle; a context manager. Mutable: it owns the process."""

    def __init__(self, program: Path) -> None:
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def __enter__(self) -> Oracle:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=30)

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer to one question."""
        return self.ask_all([question])[0]

    def ask_all(self, questions: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """The answers in order. Questions are written by a thread, so that neither side waits for the other's buffer."""
        lines = [json.dumps(question) + "\n" for question in questions]
        writer = threading.Thread(target=self._write, args=("".join(lines),))
        writer.start()
        assert self.process.stdout is not None
        answers = [json.loads(self.process.stdout.readline()) for _ in lines]
        writer.join()
        return answers

    def _write(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()
