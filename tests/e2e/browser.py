"""Headless Chromium, spoken to over its DevTools protocol."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import websocket

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-port=0",
    "--remote-allow-origins=*", "--force-color-profile=srgb",
)  # fmt: skip
DEADLINE = 120.0


def program() -> str | None:
    """The browser that is installed; None if there is none."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class Browser:
    """A browser with one page. `events`: everything it has reported since the page was opened."""

    def __init__(self, folder: Path) -> None:
        path = program()
        assert path is not None
        self.folder = folder
        self.process = subprocess.Popen(
            [path, *FLAGS, f"--user-data-dir={folder}", "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.events: list[dict[str, Any]] = []
        self._number = 0
        self._socket = self._connected()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._socket.close()
        self.process.terminate()
        self.process.wait(30)

    def _connected(self) -> websocket.WebSocket:
        """Waits until the browser says at which port it listens, and has a page."""
        until = time.monotonic() + DEADLINE
        while time.monotonic() < until:
            assert self.process.poll() is None, "the browser ended"
            try:
                port = (self.folder / "DevToolsActivePort").read_text().splitlines()[0]
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=10) as answer:
                    page = next(target for target in json.load(answer) if target["type"] == "page")
                return websocket.create_connection(page["webSocketDebuggerUrl"], timeout=DEADLINE)
            except (OSError, IndexError, StopIteration):
                time.sleep(0.05)
        raise TimeoutError("the browser does not answer")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a command; what is reported meanwhile is kept in `events`."""
        self._number += 1
        number = self._number
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == number:
                assert "error" not in message, message
                return dict(message["result"])
            self.events.append(message)

    def until(self, method: str) -> None:
        """Waits for an event that has not been reported yet, or was since the last `open`."""
        while not any(event["method"] == method for event in self.events):
            self.events.append(json.loads(self._socket.recv()))

    def open(self, url: str, width: int, dark: bool = False) -> None:
        """A page in a window of that width, loaded to its end."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.until("Page.loadEventFired")

    def value(self, expression: str) -> Any:
        """What a JavaScript expression gives."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key: str, code: int) -> None:
        """A key, as a person presses it."""
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, code=key, **text)

    def screenshot(self, path: Path) -> None:
        """The whole page as a picture."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))
