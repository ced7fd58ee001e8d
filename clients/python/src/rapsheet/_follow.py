"""Following a feed: by its stream, or by polling its changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

from ._events import ServerEvent, read_events
from ._paths import join_path
from ._retry import is_retryable
from ._transport import Call, Transport
from ._wire import decode
from .errors import BadAnswerError, GoneError, InvalidRequestError, RapsheetError
from .models import Change, ChangeOfAll, ChangePage, ChangePageOfAll

ALL = "all"
"""The name under which all feeds are read as one."""

FIRST_RETRY = 3.0
#: Three missed pings of the server.
SILENT = 45.0
PAGE = 1000
#: The server no longer has the changes after the position.
POSITION_LOST = ("changes_dropped", "since_ahead", "invalid_cursor")


@dataclass(frozen=True, slots=True)
class ChangeEvent:
    """A change of the feed."""

    id: str
    """The position after it: ``since`` of a later call resumes there."""
    change: Change | ChangeOfAll


@dataclass(frozen=True, slots=True)
class ResetEvent:
    """The server no longer has the changes up to this id: list the feed again.

    Later events follow, so a list that is read now misses nothing.
    """

    id: str


FeedEvent = ChangeEvent | ResetEvent


class ReadChanges(Protocol):
    """Reads a page of changes after a position."""

    def __call__(self, since: str, limit: int) -> ChangePage | ChangePageOfAll: ...


def follow_stream(
    transport: Transport, service: str, since: str | None
) -> Generator[FeedEvent, None, None]:
    """Yields the events of a stream; reopens a broken connection after the last event.

    Raises if the first connection fails; later only on errors that waiting cannot solve, such as a
    revoked token.
    """
    last_id = since
    retry = FIRST_RETRY
    is_first = True
    while True:
        try:
            with closing(_read_stream(transport, service, last_id)) as events:
                for event in events:
                    is_first = False
                    last_id = event.id or last_id
                    retry = retry if event.retry is None else event.retry
                    if event.data is not None:
                        yield _to_feed_event(event, event.data, service)
        except RapsheetError as error:
            if is_first or not is_retryable(error, "always"):
                raise
        is_first = False
        transport.sleep(retry)


def _read_stream(
    transport: Transport, service: str, last_id: str | None
) -> Generator[ServerEvent, None, None]:
    """An empty block comes first: it tells that the connection is open."""
    headers = {"accept": "text/event-stream"}
    if last_id is not None:
        headers["last-event-id"] = last_id
    path = join_path("feed", service, "stream")
    with transport.stream(Call("GET", path, headers=headers, silent_after=SILENT)) as response:
        yield ServerEvent(id="", event="", data=None, retry=None)
        yield from read_events(response.iter_bytes())


def _to_feed_event(event: ServerEvent, data: str, service: str) -> FeedEvent:
    if event.event == "reset":
        return ResetEvent(event.id)
    try:
        value = json.loads(data)
    except ValueError as cause:
        message = f"The event {event.id} of the stream is not JSON."
        raise BadAnswerError(message, code="bad_answer") from cause
    if service == ALL:
        return ChangeEvent(event.id, decode(ChangeOfAll, value))
    return ChangeEvent(event.id, decode(Change, value))


def follow_changes(
    read: ReadChanges, since: str | None, wait: Callable[[], None]
) -> Generator[FeedEvent, None, None]:
    """Yields the same events as the stream, read page by page; ``wait`` is the poll interval."""
    position = since if since is not None else str(read(since="head", limit=1).next)
    is_first = True
    while True:
        try:
            page = read(since=position, limit=PAGE)
        except (GoneError, InvalidRequestError) as error:
            if error.code not in POSITION_LOST:
                raise
            position = str(read(since="head", limit=1).next)
            yield ResetEvent(position)
            continue
        except RapsheetError as error:
            if is_first or not is_retryable(error, "always"):
                raise
            wait()
            continue
        is_first = False
        yield from _page_events(page, position)
        position = str(page.next)
        if not page.has_more:
            wait()


def _page_events(
    page: ChangePage | ChangePageOfAll, start: str
) -> Generator[FeedEvent, None, None]:
    if isinstance(page, ChangePage):
        yield from (ChangeEvent(str(change.sequence), change) for change in page.changes)
        return
    # Only a page of all feeds has a position: resuming within one repeats events, but misses none.
    for index, change in enumerate(page.changes, start=1):
        yield ChangeEvent(page.next if index == len(page.changes) else start, change)
