"""What is sent again, when, and what is not."""

from __future__ import annotations

import time

import httpx
import pytest

from conftest import Feed, OpenClient
from faults import FaultyNetwork, answer, cutting_proxy, lose_answer, refuse
from rapsheet import (
    BadAnswerError,
    BadOptionsError,
    ForbiddenError,
    NoAnswerError,
    NotFoundError,
    QuotaExhaustedError,
    Rapsheet,
    ServerError,
    TooManyRequestsError,
    UnauthenticatedError,
)
from rapsheet._retry import retry_delay
from server import RunningServer

pytestmark = pytest.mark.usefixtures("waits")


class Opener:
    """Opens a client on a network that fails."""

    def __init__(self, server: RunningServer, open_client: OpenClient) -> None:
        self._server = server
        self._open_client = open_client

    def __call__(self, token: str, network: FaultyNetwork) -> Rapsheet:
        return self._open_client(self._server.url, token, http_transport=network)


@pytest.fixture
def client_of(server: RunningServer, open_client: OpenClient) -> Opener:
    return Opener(server, open_client)


def test_a_create_whose_answer_was_lost_creates_one_report(feed: Feed, client_of: Opener) -> None:
    network = FaultyNetwork(lose_answer, answer(503), lose_answer)
    with client_of(feed.token, network) as client:
        report_id = client.create_report(feed.slug, feed.report())
    assert [one.id for one in feed.researcher.iter_reports(feed.slug)] == [report_id]
    keys = {request.headers["idempotency-key"] for request in network.requests}
    assert (len(network.requests), len(keys)) == (4, 1)


def test_every_create_has_a_key_of_its_own(feed: Feed, client_of: Opener) -> None:
    network = FaultyNetwork()
    with client_of(feed.token, network) as client:
        ids = {client.create_report(feed.slug, feed.report()) for _ in range(2)}
    assert len(ids) == 2


def test_a_batch_whose_answer_was_cut_is_completed(
    open_client: OpenClient, feed: Feed, server: RunningServer
) -> None:
    with cutting_proxy(server.url) as proxy, open_client(proxy.url, feed.token) as client:
        proxy.cut_after += [3000, 20000]
        reports = [feed.report(number) for number in range(1, 801)]
        results = list(client.create_reports(feed.slug, reports))
    assert proxy.connections == 3
    assert [result.line for result in results] == list(range(1, 801))
    listed = {report.id for report in feed.researcher.iter_reports(feed.slug)}
    assert listed == {result.id for result in results}
    assert len(listed) == 800


def test_a_lookup_is_not_sent_again_if_it_may_have_been_charged(
    feed: Feed, client_of: Opener
) -> None:
    before = feed.researcher.balance().requests_left
    network = FaultyNetwork(answer(503), refuse, lose_answer)
    with client_of(feed.token, network) as client, pytest.raises(NoAnswerError):
        client.look_up("00" * 32)
    assert len(network.requests) == 3
    assert feed.researcher.balance().requests_left == before - 1


def test_a_token_is_issued_once(feed: Feed, client_of: Opener) -> None:
    network = FaultyNetwork(lose_answer)
    with client_of(feed.token, network) as client, pytest.raises(NoAnswerError):
        client.issue_token(label="once")
    labels = [token.label for token in feed.researcher.list_tokens().tokens]
    assert labels.count("once") == 1


def test_obeys_retry_after_in_seconds_and_as_a_date(
    feed: Feed, client_of: Opener, waits: list[float]
) -> None:
    started = time.time()
    at = int(started) + 12
    soon = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(at))
    faults = answer(429, "rate_limited", retry_after="7"), answer(503, retry_after=soon)
    with client_of(feed.token, FaultyNetwork(*faults)) as client:
        client.me()
    assert 7 <= waits[0] <= 7.25
    assert at - time.time() <= waits[1] <= at - started + 0.25


def test_gives_up_if_the_server_asks_for_more_than_the_longest_wait(
    feed: Feed, client_of: Opener, waits: list[float]
) -> None:
    network = FaultyNetwork(answer(429, "rate_limited", retry_after="31"))
    with (
        client_of(feed.token, network) as client,
        pytest.raises(TooManyRequestsError) as refused,
    ):
        client.me()
    assert (refused.value.retry_after, refused.value.code, waits) == (31, "rate_limited", [])


def test_gives_up_after_the_last_retry(feed: Feed, client_of: Opener) -> None:
    network = FaultyNetwork(*[answer(503)] * 9)
    with client_of(feed.token, network) as client, pytest.raises(ServerError) as failed:
        client.me()
    assert (failed.value.status, len(network.requests)) == (503, 5)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (answer(401, "token_invalid"), UnauthenticatedError),
        (answer(403, "role_missing"), ForbiddenError),
        (answer(429, "too_many_bad_tokens", retry_after="1"), TooManyRequestsError),
        (answer(429, "quota_exhausted"), QuotaExhaustedError),
        (answer(500, "internal"), ServerError),
        (answer(302, body="moved"), BadAnswerError),
        (answer(200, body="<html>"), BadAnswerError),
        (answer(200, body="[]"), BadAnswerError),
        (answer(200, body='{"id":7}'), BadAnswerError),
    ],
)
def test_does_not_repeat_what_waiting_cannot_solve(
    client_of: Opener, fault: object, error: type[Exception]
) -> None:
    network = FaultyNetwork(fault)  # type: ignore[arg-type]
    with client_of("rap_x", network) as client, pytest.raises(error):
        client.me()
    assert len(network.requests) == 1


def test_says_that_a_repeated_call_may_have_been_carried_out(feed: Feed, client_of: Opener) -> None:
    report_id = feed.researcher.create_report(feed.slug, feed.report())
    network = FaultyNetwork(lose_answer)
    with (
        client_of(feed.token, network) as client,
        pytest.raises(NotFoundError, match="may have been carried out"),
    ):
        client.delete_report(feed.slug, report_id)


def test_an_error_never_contains_the_token(client_of: Opener) -> None:
    fault = answer(400, body='{"error":"bad rap_secret","successful":false}')
    with (
        client_of("rap_secret", FaultyNetwork(fault)) as client,
        pytest.raises(Exception, match=r"bad \[token\]"),
    ):
        client.me()


@pytest.mark.parametrize(
    "url", ["", "ftp://x", "http://", "http://user:secret@x", "http://x/?a=1", "http://x/#a", "x"]
)
def test_refuses_a_url_that_is_no_base_url(open_client: OpenClient, url: str) -> None:
    with pytest.raises(BadOptionsError):
        open_client(url)


def test_refuses_a_token_that_is_no_header(open_client: OpenClient) -> None:
    with pytest.raises(BadOptionsError) as refused:
        open_client("http://127.0.0.1", "rap_\nx")
    assert "rap_" not in str(refused.value)


def test_keeps_the_prefix_of_the_url(open_client: OpenClient) -> None:
    seen: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(str(request.url))
        return httpx.Response(404, json={"error": "no", "successful": False})

    network = httpx.MockTransport(handle)
    with (
        open_client("http://proxy.example/abuse/", http_transport=network) as client,
        pytest.raises(NotFoundError),
    ):
        client.fetch_report("a/b", "x&y")
    assert seen == ["http://proxy.example/abuse/feed/a%2Fb/api?report=x%26y"]


def test_delays_grow_up_to_a_limit() -> None:
    error = NoAnswerError("no")
    assert [retry_delay(attempt, error, 1.0) for attempt in (1, 2, 3, 9, 5000)] == [
        0.25,
        0.5,
        1.0,
        10.0,
        10.0,
    ]
    assert retry_delay(1, error, 0.0) == 0.125
