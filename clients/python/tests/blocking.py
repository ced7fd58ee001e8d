"""The client for event loops, called as the one that blocks: each test then runs with both."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, cast

import httpx
from anyio import to_thread
from anyio.from_thread import BlockingPortal, start_blocking_portal

from rapsheet import AsyncRapsheet, Rapsheet


class BlockingRapsheet:
    """Runs each call in an event loop of its own thread, and waits for its result."""

    def __init__(self, client: AsyncRapsheet) -> None:
        self._client = client
        self._opened = start_blocking_portal()
        self._portal = self._opened.__enter__()

    def __getattr__(self, name: str) -> Any:
        return _blocking(self._portal, getattr(self._client, name))

    def __repr__(self) -> str:
        return repr(self._client)

    def __enter__(self) -> BlockingRapsheet:
        return self

    def __exit__(self, *_: object) -> None:
        self._portal.call(self._client.aclose)
        self._opened.__exit__(None, None, None)


class AsyncNetwork(httpx.AsyncBaseTransport):
    """A network of a test, used from an event loop."""

    def __init__(self, network: httpx.BaseTransport) -> None:
        self._network = network

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        content = await request.aread()
        plain = httpx.Request(
            request.method,
            request.url,
            headers=request.headers,
            content=content,
            extensions=request.extensions,
        )
        response = await to_thread.run_sync(self._network.handle_request, plain)
        response.stream = AsyncPieces(cast(httpx.SyncByteStream, response.stream))
        return response

    async def aclose(self) -> None:
        self._network.close()


class AsyncPieces(httpx.AsyncByteStream):
    def __init__(self, pieces: httpx.SyncByteStream) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        for piece in self._pieces:
            yield piece

    async def aclose(self) -> None:
        self._pieces.close()


def open_blocking(
    base_url: str,
    token: str | None = None,
    *,
    http_transport: httpx.BaseTransport | None = None,
    **options: Any,
) -> Rapsheet:
    network = None if http_transport is None else AsyncNetwork(http_transport)
    client = AsyncRapsheet(base_url, token, http_transport=network, **options)
    return cast(Rapsheet, BlockingRapsheet(client))


def _blocking(portal: BlockingPortal, value: Any) -> Any:
    """The same for a method, the object that it returns, and the methods of that object."""
    if inspect.iscoroutinefunction(value):
        return lambda *args, **options: portal.call(lambda: value(*args, **options))
    if inspect.isasyncgen(value):
        return _iterate(portal, cast(AsyncGenerator[Any, None], value))
    if isinstance(value, AbstractAsyncContextManager):
        return _enter(portal, value)
    if callable(value):
        return lambda *args, **options: _blocking(portal, value(*args, **options))
    return value


def _iterate(
    portal: BlockingPortal, values: AsyncGenerator[Any, None]
) -> Generator[Any, None, None]:
    try:
        while True:
            try:
                yield portal.call(values.__anext__)
            except StopAsyncIteration:
                return
    finally:
        portal.call(values.aclose)


@contextmanager
def _enter(
    portal: BlockingPortal, opened: AbstractAsyncContextManager[Any]
) -> Generator[Any, None, None]:
    with portal.wrap_async_context_manager(opened) as value:
        yield BlockingMembers(portal, value)


class BlockingMembers:
    def __init__(self, portal: BlockingPortal, value: object) -> None:
        self._portal = portal
        self._value = value

    def __getattr__(self, name: str) -> Any:
        return _blocking(self._portal, getattr(self._value, name))
