"""A Prometheus that scrapes, each second, pages which a test writes."""

import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.process import Process, free_port, until

LOCAL = "127.0.0.1"


@contextmanager
def start(
    folder: Path, page: Callable[[int], str], labels: Sequence[Mapping[str, str]], seen: Callable[[str], bool], what: str
) -> Iterator[str]:
    """Its URL, as soon as `seen` is true of it (`what` says so); skips the test where there is none.

    page: what the target of that number shows. labels: those of each target.
    """
    program = shutil.which("prometheus")
    if program is None:
        pytest.skip("needs Prometheus: apt-get install prometheus")
    server = ThreadingHTTPServer((LOCAL, 0), _handler(page))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    target = f"{LOCAL}:{server.server_address[1]}"
    jobs = [
        {"job_name": f"page-{n}", "metrics_path": f"/metrics/{n}", "static_configs": [{"targets": [target], "labels": dict(own)}]}
        for n, own in enumerate(labels)
    ]
    settings = {"global": {"scrape_interval": "1s", "scrape_timeout": "1s"}, "scrape_configs": jobs}
    (folder / "prometheus.yml").write_text(yaml.safe_dump(settings))
    address = f"{LOCAL}:{free_port()}"
    flags = [f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data", f"--web.listen-address={address}"]
    process = Process("prometheus", [program, *flags], folder)
    try:
        until(lambda: seen(f"http://{address}"), what, process)
        yield f"http://{address}"
    finally:
        process.stop()
        server.shutdown()
        server.server_close()


def _handler(page: Callable[[int], str]) -> type[BaseHTTPRequestHandler]:
    class Page(BaseHTTPRequestHandler):
        """/metrics/<number>"""

        def do_GET(self) -> None:
            body = page(int(self.path.rpartition("/")[2])).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    return Page
