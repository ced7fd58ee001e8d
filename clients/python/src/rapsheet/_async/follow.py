"""Following a feed: by its stream, or by polling its changes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Protocol

from .._events import EventParser, ServerEvent
from .._follow import (
    FIRST_RETRY,
    PAGE,
    POSITION_LOST,
    FeedEvent,
    ResetEvent,
    page_events,
    stream_call,
    to_feed_event,
)
from .._retry import is_retryable
from ..errors import GoneError, InvalidRequestError, RapsheetError
from ..models import ChangePage, ChangePageOfAll
from .transport import Transport


class ReadChanges(Protocol):
    """Reads a page of changes after a position."""

    def __call__(self, since: str, limit: int) -> Awaitable[ChangePage | ChangePageOfAll]: ...


async def follow_stream(
    transport: Transport, service: str, since: str | None
) -> AsyncGenerator[FeedEvent, None]:
    """Yields the events of a stream; reopens a broken connection after the last event.

    Raises if the first connection fails; later only on errors that waiting cannot solve, such as a
    revoked token.
    """
    last_id = since
    retry = FIRST_RETRY
    is_first = True
    while True:
        try:
            async with aclosing(_read_stream(transport, service, last_id)) as events:
                async for event in events:
                    is_first = False
                    last_id = event.id or last_id
                    retry = retry if event.retry is None else event.retry
                    if event.data is not None:
                        yield to_feed_event(event, event.data, service)
        except RapsheetError as error:
            if is_first or not is_retryable(error, "always"):
                raise
        is_first = False
        await transport.sleep(retry)


async def _read_stream(
    transport: Transport, service: str, last_id: str | None
) -> AsyncGenerator[ServerEvent, None]:
    """An empty block comes first: it tells that the connection is open."""
    parser = EventParser()
    async with transport.stream(stream_call(service, last_id)) as response:
        yield ServerEvent(id="", event="", data=None, retry=None)
        async for chunk in response.aiter_bytes():
            for event in parser.parse(chunk):
                yield event


async def follow_changes(
    read: ReadChanges, since: str | None, wait: Callable[[], Awaitable[None]]
) -> AsyncGenerator[FeedEvent, None]:
    """Yields the same events as the stream, read page by page; ``wait`` is the poll interval."""
    position = since if since is not None else str((await read(since="head", limit=1)).next)
    is_first = True
    while True:
        try:
            page = await read(since=position, limit=PAGE)
        except (GoneError, InvalidRequestError) as error:
            if error.code not in POSITION_LOST:
                raise
            position = str((await read(since="head", limit=1)).next)
            yield ResetEvent(position)
            continue
        except RapsheetError as error:
            if is_first or not is_retryable(error, "always"):
                raise
            await wait()
            continue
        is_first = False
        for event in page_events(page, position):
            yield event
        position = str(page.next)
        if not page.has_more:
            await wait()
