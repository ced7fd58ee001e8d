"""The events of a followed feed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from ._call import Call
from ._events import ServerEvent
from ._paths import join_path
from ._wire import decode
from .errors import BadAnswerError
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


def stream_call(service: str, last_id: str | None) -> Call:
    """Opens the stream of a feed, after an event."""
    headers = {"accept": "text/event-stream"}
    if last_id is not None:
        headers["last-event-id"] = last_id
    path = join_path("feed", service, "stream")
    return Call("GET", path, headers=headers, silent_after=SILENT)


def to_feed_event(event: ServerEvent, data: str, service: str) -> FeedEvent:
    """The event of a block with data."""
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


def page_events(page: ChangePage | ChangePageOfAll, start: str) -> Iterator[FeedEvent]:
    """The events of a page of changes after a position."""
    if isinstance(page, ChangePage):
        yield from (ChangeEvent(str(change.sequence), change) for change in page.changes)
        return
    # Only a page of all feeds has a position: resuming within one repeats events, but misses none.
    for index, change in enumerate(page.changes, start=1):
        yield ChangeEvent(page.next if index == len(page.changes) else start, change)
