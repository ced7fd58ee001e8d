"""429 and 503 of a server on loopback, waited for by the clock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from conftest import OpenClient
from rapsheet import NewReport, ServerError, TooManyRequestsError


class BusyServer(ThreadingHTTPServer):
    """Refuses the first calls with these statuses and delays; answers the later ones."""

    def __init__(self, *refusals: tuple[int, str]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.refusals = list(refusals)
        self.keys: list[str | None] = []
        self.times: list[float] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: BusyServer

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.server.times.append(time.monotonic())
        self.server.keys.append(self.headers["idempotency-key"])
        if not self.server.refusals:
            self._answer(201, b'{"id":"1","successful":true}')
            return
        status, delay = self.server.refusals.pop(0)
        code = "rate_limited" if status == 429 else "overloaded"
        self._answer(status, b'{"error":"busy"}', {"retry-after": delay, "x-error-code": code})

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


@contextmanager
def busy(*refusals: tuple[int, str]) -> Iterator[BusyServer]:
    with BusyServer(*refusals) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


report = NewReport(c2_address="tunnel.ply.example:4444", file256_hash="ab" * 32)


@pytest.mark.parametrize("status", [429, 503])
def test_waits_as_long_as_the_server_asks(open_client: OpenClient, status: int) -> None:
    with busy((status, "1"), (status, "0")) as server, open_client(server.url, "rap_x") as client:
        assert client.create_report("ply", report) == "1"
    assert len(server.times) == 3
    assert server.times[1] - server.times[0] >= 1
    assert len(set(server.keys)) == 1


@pytest.mark.parametrize(("status", "error"), [(429, TooManyRequestsError), (503, ServerError)])
def test_raises_what_asks_for_more_than_the_longest_wait(
    open_client: OpenClient, status: int, error: type[TooManyRequestsError | ServerError]
) -> None:
    with (
        busy((status, "31")) as server,
        open_client(server.url, "rap_x") as client,
        pytest.raises(error) as refused,
    ):
        client.create_report("ply", report)
    assert (refused.value.retry_after, refused.value.status) == (31, status)
    assert len(server.times) == 1
