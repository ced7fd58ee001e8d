"""Networks that fail: between the client and the real server, or instead of it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import httpx

#: Longer than a client on a slow machine takes to connect.
WAIT_SECONDS = 60.0

Fault = Callable[[httpx.Request, httpx.BaseTransport], httpx.Response]


def refuse(request: httpx.Request, network: httpx.BaseTransport) -> httpx.Response:
    """Nothing is sent."""
    raise httpx.ConnectError("connection refused", request=request)


def lose_answer(request: httpx.Request, network: httpx.BaseTransport) -> httpx.Response:
    """The server acts, and the client does not learn of it."""
    network.handle_request(request).read()
    raise httpx.ReadError("connection reset", request=request)


def answer(
    status: int, code: str = "unavailable", *, retry_after: str | None = None, body: str = ""
) -> Fault:
    """The answer of an overloaded server, or of a proxy before it."""
    headers = {"x-error-code": code}
    if retry_after is not None:
        headers["retry-after"] = retry_after

    def fail(request: httpx.Request, network: httpx.BaseTransport) -> httpx.Response:
        text = body or f'{{"error":"refused with {code}","successful":false}}'
        return httpx.Response(status, headers=headers, text=text, request=request)

    return fail


class FaultyNetwork(httpx.BaseTransport):
    """The first requests meet the faults, in their order; later ones reach the server."""

    def __init__(self, *faults: Fault) -> None:
        self._faults = list(faults)
        self._network = httpx.HTTPTransport()
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if self._faults:
            return self._faults.pop(0)(request, self._network)
        return self._network.handle_request(request)

    def close(self) -> None:
        self._network.close()


class CuttingProxy:
    """A TCP proxy that can cut its connections, at once or after some bytes of the answers."""

    def __init__(self, target: str) -> None:
        url = httpx.URL(target)
        self._target = (url.host, url.port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        #: The bytes of each further answer that are passed on before the connection is cut.
        self.cut_after: list[int] = []
        self.connections = 0
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Cuts all open connections; new ones work."""
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._open.clear()

    def cut_and_wait(self) -> None:
        """Cuts all open connections, and waits for the next one."""
        deadline = time.monotonic() + WAIT_SECONDS
        before = self.connections
        self.cut()
        while self.connections == before and time.monotonic() < deadline:
            time.sleep(0.005)

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(self._target)
            self.connections += 1
            self._open += [near, far]
            limit = self.cut_after.pop(0) if self.cut_after else None
            threading.Thread(target=self._pump, args=(near, far, None), daemon=True).start()
            threading.Thread(target=self._pump, args=(far, near, limit), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, limit: int | None) -> None:
        passed = 0
        with suppress(OSError):
            while data := source.recv(65536):
                if limit is not None and passed + len(data) >= limit:
                    sink.sendall(data[: limit - passed])
                    break
                passed += len(data)
                sink.sendall(data)
        for one in (source, sink):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


@contextmanager
def cutting_proxy(target: str) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(target)
    try:
        yield proxy
    finally:
        proxy.close()
