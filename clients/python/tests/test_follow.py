"""Following feeds of a real server, over broken connections."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator

import httpx
import pytest

from conftest import Feed, OpenClient
from faults import cutting_proxy
from rapsheet import (
    ALL,
    BadOptionsError,
    ChangeEvent,
    FeedEvent,
    NotFoundError,
    ResetEvent,
    UnauthenticatedError,
)
from rapsheet._events import EventParser, ServerEvent
from server import RunningServer

COUNT = 60


# The server asks for three seconds before a reconnect.
pytestmark = pytest.mark.usefixtures("waits")


def take(events: Iterator[FeedEvent], count: int) -> list[FeedEvent]:
    return list(itertools.islice(events, count))


def sequences(events: list[FeedEvent]) -> list[int]:
    return [event.change.sequence for event in events if isinstance(event, ChangeEvent)]


def test_reads_the_whole_feed_and_what_follows(feed: Feed) -> None:
    first = feed.researcher.create_report(feed.slug, feed.report())
    events = feed.researcher.follow(feed.slug, since=0)
    created = next(events)
    assert isinstance(created, ChangeEvent)
    assert created.id == "1"
    assert created.change.report is not None
    assert created.change.report.id == first
    feed.researcher.delete_report(feed.slug, first)
    deleted = next(events)
    assert isinstance(deleted, ChangeEvent)
    assert (deleted.change.type, deleted.change.report) == ("deleted", None)
    events.close()


@pytest.mark.parametrize("poll", [None, 0.001])
def test_resumes_after_the_last_event(feed: Feed, poll: float | None) -> None:
    for number in range(1, 6):
        feed.researcher.create_report(feed.slug, feed.report(number))
    events = take(feed.researcher.follow(feed.slug, since=0, poll=poll), 3)
    rest = take(feed.researcher.follow(feed.slug, since=events[-1].id, poll=poll), 2)
    assert sequences(events + rest) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("poll", [None, 0.001])
def test_misses_and_repeats_nothing_while_connections_break(
    feed: Feed, server: RunningServer, open_client: OpenClient, poll: float | None
) -> None:
    def write() -> None:
        for number in range(1, COUNT + 1):
            feed.researcher.create_report(feed.slug, feed.report(number))
            if number % 7 == 0:
                proxy.cut_and_wait()

    with cutting_proxy(server.url) as proxy, open_client(proxy.url, feed.token) as client:
        proxy.cut_after += [700, 2500]
        writer = threading.Thread(target=write)
        events = client.follow(feed.slug, since=0, poll=poll)
        writer.start()
        seen = take(events, COUNT)
        writer.join()
        events.close()
    assert sequences(seen) == list(range(1, COUNT + 1))
    assert proxy.connections > 3


def test_follows_all_feeds(feed: Feed) -> None:
    start = feed.researcher.all_changes(since="head").next
    for number in range(1, 4):
        feed.researcher.create_report(feed.slug, feed.report(number))
    stream = take(feed.researcher.follow(ALL, since=start), 3)
    polled = take(feed.researcher.follow(ALL, since=start, poll=0.001), 3)
    assert sequences(stream) == sequences(polled) == [1, 2, 3]
    # A position of one is valid for the other.
    feed.researcher.create_report(feed.slug, feed.report(4))
    assert sequences(take(feed.researcher.follow(ALL, since=polled[-1].id), 1)) == [4]
    last = stream[-1].id
    assert sequences(take(feed.researcher.follow(ALL, since=last, poll=0.001), 1)) == [4]


@pytest.mark.parametrize("poll", [None, 0.001])
def test_tells_that_a_position_is_lost_and_goes_on(feed: Feed, poll: float | None) -> None:
    feed.researcher.create_report(feed.slug, feed.report())
    events = feed.researcher.follow(feed.slug, since=999, poll=poll)
    assert next(events) == ResetEvent("1")
    feed.researcher.create_report(feed.slug, feed.report(2))
    assert sequences([next(events)]) == [2]
    events.close()


def test_fails_if_the_first_connection_fails(feed: Feed) -> None:
    with pytest.raises(NotFoundError):
        next(feed.researcher.follow("missing", since=0))
    with pytest.raises(BadOptionsError):
        feed.researcher.follow(feed.slug, poll=0)


def test_ends_when_the_token_is_revoked(
    feed: Feed, server: RunningServer, open_client: OpenClient
) -> None:
    issued = feed.researcher.issue_token()
    feed.researcher.create_report(feed.slug, feed.report())
    with open_client(server.url, issued.token) as client:
        events = client.follow(feed.slug, since=0)
        next(events)
        feed.researcher.revoke_token(issued.id)
        with pytest.raises(UnauthenticatedError):
            next(events)


def test_reopens_a_stream_that_broke_before_its_first_event(open_client: OpenClient) -> None:
    class Broken(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield b"id: 41\n\n"
            raise httpx.ReadError("reset")

    change = '{"sequence":42,"type":"deleted","id":"a"}'
    answers = [
        httpx.Response(200, stream=Broken()),
        httpx.Response(200, text=f"id: 42\nevent: deleted\ndata: {change}\n\n"),
    ]
    resumed: list[str | None] = []

    def handle(request: httpx.Request) -> httpx.Response:
        resumed.append(request.headers.get("last-event-id"))
        return answers.pop(0)

    network = httpx.MockTransport(handle)
    with open_client("http://rapsheet.example", http_transport=network) as client:
        assert sequences([next(client.follow("ply"))]) == [42]
    # The id of the first block is remembered, though it has no data.
    assert resumed == [None, "41"]


STREAM = (
    ": ping\n\nretry: 500\nid: 7\n\n"
    'event: created\r\nid: 8\r\ndata: {"a":\r\ndata: "ü"}\r\n\r\nevent: reset\rdata:\rid: 9\r\r'
    "id: bad\0\nunknown: x\ndata: last\n\ndata: incomplete"
)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_parses_events_whatever_the_chunks(size: int) -> None:
    content = STREAM.encode()
    chunks = (content[start : start + size] for start in range(0, len(content), size))
    parser = EventParser()
    assert [event for chunk in chunks for event in parser.parse(chunk)] == [
        ServerEvent(id="", event="", data=None, retry=None),
        ServerEvent(id="7", event="", data=None, retry=0.5),
        ServerEvent(id="8", event="created", data='{"a":\n"ü"}', retry=None),
        ServerEvent(id="9", event="reset", data="", retry=None),
        ServerEvent(id="9", event="", data="last", retry=None),
    ]
