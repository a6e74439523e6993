"""The npm yaml-language-server over stdio: open a text, and ask what an editor would show."""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

from tests.e2e import build

PACKAGE = build.SOURCES / "yaml-language-server"
SECONDS = 60
Message = dict[str, Any]


def install() -> Path:
    """The folder with the package, installed once into the cache of the end-to-end tools."""

    def fill(out: Path) -> None:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(PACKAGE / name, out)
        command = ["npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--cache", str(out / "npm-cache")]
        subprocess.run(command, cwd=out, check=True)
        shutil.rmtree(out / "npm-cache", ignore_errors=True)

    return build.once("yaml-language-server", build.digest((PACKAGE / "package-lock.json").read_bytes()), fill)


class LanguageServer:
    """One running server. Requests are answered in order; what it asks is answered with settings that never leave the machine."""

    def __init__(self, folder: Path, root: Path) -> None:
        program = folder / "node_modules" / "yaml-language-server" / "bin" / "yaml-language-server"
        self._process = subprocess.Popen(["node", str(program), "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
        self._received: queue.Queue[Message] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()
        capabilities = {"workspace": {"configuration": True}, "textDocument": {"hover": {"contentFormat": ["markdown"]}}}
        self.ask("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": capabilities})
        self._send({"method": "initialized", "params": {}})

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while header := stream.readline():
            length = int(header.split(b":")[1]) if header.lower().startswith(b"content-length") else 0
            if not length:
                continue
            while stream.readline().strip():
                pass
            self._received.put(json.loads(stream.read(length)))

    def _send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _next(self) -> Message:
        """The next message that is for us; requests of the server are answered on the way."""
        while True:
            message = self._received.get(timeout=SECONDS)
            if "method" in message and "id" in message:
                self._send({"id": message["id"], "result": _settings(message)})
            else:
                return message

    def ask(self, method: str, params: Message) -> Any:
        """The result of a request."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while (message := self._next()).get("id") != self._number:
            pass
        assert "error" not in message, message
        return message["result"]

    def open(self, path: Path, text: str) -> list[Message]:
        """Opens `text` as the file `path`; the diagnostics that the server publishes for it."""
        document = {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        while True:
            message = self._next()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == path.as_uri():
                found: list[Message] = message["params"]["diagnostics"]
                return found

    def at(self, method: str, path: Path, line: int, column: int) -> Any:
        """The answer for a place in an open text, both counted from 0."""
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": column}})


def _settings(message: Message) -> Any:
    if message["method"] != "workspace/configuration":
        return None
    yaml = {"validate": True, "hover": True, "completion": True, "schemaStore": {"enable": False}, "schemas": {}}
    return [yaml if item.get("section") == "yaml" else {} for item in message["params"]["items"]]
