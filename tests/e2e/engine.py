"""A small OpenAI-compatible model server on loopback: it answers like vLLM, with vLLM's metrics, and tells who called it with what.

What a test may ask of one answer is said in the request's body, beside OpenAI's own fields: `gap`, seconds after each token of a stream, or
before an answer in one piece.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LOCAL = "127.0.0.1"
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it arrived; headers in lower case, length of the body in bytes."""

    method: str
    path: str
    host: str
    headers: Mapping[str, str]
    length: int


class Engine:
    """One model server. model: the name that it answers to, `*` for any. prefix: the path before /v1, as providers have one; key: the whole
    value that `Authorization` must have.

    status: what every request to the API is answered with, 200 for an answer; waiting, running: its gauges.
    """

    def __init__(self, name: str, model: str, *, prefix: str = "", key: str = "", address: str = LOCAL, port: int = 0) -> None:
        self.name, self.model, self.prefix, self.key = name, model, prefix, key
        self.address, self.port = address, port
        self.status, self.waiting, self.running = 200, 0, 0
        self.received: list[Received] = []
        self._server: _Server | None = None
        self.start()

    def start(self) -> None:
        """Listens, on the same port as before."""
        self._server = _Server((self.address, self.port), self)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def kill(self) -> None:
        """Stops listening and breaks every connection, as a killed process does; it may be started again."""
        if self._server:
            self._server.die()
            self._server = None

    @contextlib.contextmanager
    def answering(self, status: int) -> Iterator[None]:
        """Answers every request with an HTTP status."""
        self.status = status
        try:
            yield
        finally:
            self.status = 200

    @contextlib.contextmanager
    def dead(self) -> Iterator[None]:
        """Is not there."""
        self.kill()
        try:
            yield
        finally:
            self.start()

    def taken(self) -> list[Received]:
        """What has arrived since this was last asked."""
        found, self.received = self.received, []
        return found

    def metrics(self) -> str:
        """The page of /metrics, with the series that scalers and pickers read."""
        labels = f'{{engine="0",model_name="{self.model}"}}'
        lines = [
            f"vllm:num_requests_waiting{labels} {self.waiting}",
            f"vllm:num_requests_running{labels} {self.running}",
            f"vllm:kv_cache_usage_perc{labels} 0.1",
            f'vllm:lora_requests_info{{max_lora="0",running_lora_adapters="",waiting_lora_adapters=""}} {time.time():.0f}',
            'vllm:cache_config_info{block_size="16",num_gpu_blocks="4096"} 1',
            f'vllm:request_success_total{{engine="0",model_name="{self.model}",finished_reason="stop"}} {len(self.received)}',
        ]
        names = dict.fromkeys(line.partition("{")[0] for line in lines)
        kinds = [f"# TYPE {name} {'counter' if name.endswith('_total') else 'gauge'}" for name in names]
        return "\n".join([*kinds, *lines, ""])


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512
    block_on_close = False

    def __init__(self, address: tuple[str, int], engine: Engine) -> None:
        self.engine = engine
        self._open: set[socket.socket] = set()
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def close_request(self, request: Any) -> None:
        self._open.discard(request)
        super().close_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke is what tests do to it."""

    def die(self) -> None:
        self.shutdown()
        self.server_close()
        for connection in tuple(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # an answer in one piece is there or not, also when its server is killed
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self._body())

    def _body(self) -> bytes:
        """What was sent, with its length ahead or in chunks: a picker's proxy passes a body on in chunks."""
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        chunks = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            """A trailer of no interest."""
        return b"".join(chunks)

    def _answer(self, body: bytes) -> None:
        engine, path = self.server.engine, self.path.partition("?")[0]
        if path == "/metrics":
            return self._send(200, engine.metrics().encode(), "text/plain; version=0.0.4")
        if path == "/health":
            return self._send(200 if engine.status == 200 else 503, b"")
        headers = {name.lower(): value for name, value in self.headers.items()}
        engine.received.append(Received(self.command, self.path, headers.get("host", ""), headers, len(body)))
        if engine.status != 200:
            return self._say(engine.status, _mistake(f"{engine.name} answers {engine.status}"))
        if engine.key and headers.get("authorization") != engine.key:
            return self._say(401, _mistake("wrong key"))
        return self._operation(path.removeprefix(engine.prefix) if path.startswith(f"{engine.prefix}/") else "", body)

    def _operation(self, path: str, body: bytes) -> None:
        engine = self.server.engine
        if path == "/v1/models":
            return self._say(200, {"object": "list", "data": [{"id": engine.model, "object": "model", "created": 0, "owned_by": "vllm"}]})
        if path == "/v1/chat/completions" and self.command != "POST":
            return self._say(405, _mistake("Method Not Allowed"))
        if path != "/v1/chat/completions":
            return self._say(404, _mistake(f"{engine.name} has no {self.path}"))
        request = json.loads(body)
        if request["model"] != engine.model and engine.model != "*":
            return self._say(404, _mistake(f"The model `{request['model']}` does not exist."))
        if request.get("stream"):
            return self._stream(int(request.get("max_tokens", 2)), float(request.get("gap", 0)))
        time.sleep(float(request.get("gap", 0)))
        message = {"role": "assistant", "content": engine.name}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return self._say(200, self._chunk("chat.completion", choice) | {"usage": USAGE})

    def _stream(self, tokens: int, gap: float) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for index in range(tokens):
            last = "stop" if index == tokens - 1 else None
            choice = {"index": 0, "delta": {"role": "assistant", "content": f"{self.server.engine.name} "}, "finish_reason": last}
            self._event(json.dumps(self._chunk("chat.completion.chunk", choice)))
            time.sleep(gap)
        self._event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def _event(self, data: str) -> None:
        line = f"data: {data}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
        self.wfile.flush()

    def _chunk(self, kind: str, choice: Mapping[str, Any]) -> dict[str, Any]:
        engine = self.server.engine
        return {"id": f"chatcmpl-{engine.name}", "object": kind, "created": 0, "model": engine.model, "choices": [choice]}

    def _say(self, status: int, answer: Mapping[str, Any]) -> None:
        self._send(status, json.dumps(answer).encode(), "application/json")

    def _send(self, status: int, body: bytes, kind: str = "text/plain") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _mistake(text: str) -> dict[str, Any]:
    return {"error": {"message": text, "type": "invalid_request_error", "param": None, "code": None}}
