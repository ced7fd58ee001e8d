"""Webhooks: their administration, and what a receiver gets."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.server
import queue
import threading
from collections.abc import Iterator

import pytest

from conftest import Feed
from rapsheet import BadOptionsError, webhooks
from rapsheet.webhooks import InvalidSignatureError, verify

SECRET = "whsec_" + base64.b64encode(b"a key for tests").decode()
BODY = b'{"type":"report.created"}'
NOW = 1_800_000_000.0

Received = tuple[dict[str, str], bytes]


def signature(secret: str = SECRET, body: bytes = BODY, at: float = NOW) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"msg-1.{at:.0f}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def headers(value: str, at: float = NOW) -> dict[str, str]:
    return {"Webhook-Id": "msg-1", "Webhook-Timestamp": f"{at:.0f}", "Webhook-Signature": value}


def test_accepts_a_signed_request_also_during_a_rotation() -> None:
    other = "whsec_" + base64.b64encode(b"another key").decode()
    assert verify(SECRET, headers(signature()), BODY, now=NOW) == {"type": "report.created"}
    both = f"v2,x {signature(other)} {signature()}"
    assert verify(SECRET, headers(both), BODY, now=NOW)
    assert verify([other, SECRET], headers(signature()), BODY, now=NOW + 300)


@pytest.mark.parametrize(
    ("given", "body", "now"),
    [
        (headers(signature()), BODY + b" ", NOW),
        (headers(signature()), BODY, NOW + 301),
        (headers(signature()), BODY, NOW - 301),
        (headers(signature().removeprefix("v1,")), BODY, NOW),
        (headers("v1,ü"), BODY, NOW),
        (headers(""), BODY, NOW),
        ({"webhook-id": "msg-1"}, BODY, NOW),
        ({**headers(signature()), "Webhook-Timestamp": "now"}, BODY, NOW),
        (headers(signature(body=b"[]")), b"[]", NOW),
    ],
)
def test_refuses_other_requests(given: dict[str, str], body: bytes, now: float) -> None:
    with pytest.raises(InvalidSignatureError):
        verify(SECRET, given, body, now=now)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_!!"])
def test_refuses_a_secret_that_is_none(secret: str) -> None:
    with pytest.raises(BadOptionsError):
        verify(secret, headers(signature()), BODY, now=NOW)


@pytest.fixture
def receiver() -> Iterator[tuple[str, queue.Queue[Received]]]:
    received: queue.Queue[Received] = queue.Queue()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            received.put((dict(self.headers.items()), body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{listener.server_port}/hook", received
    listener.shutdown()
    listener.server_close()


def test_verifies_what_a_real_server_sends(
    feed: Feed, receiver: tuple[str, queue.Queue[Received]]
) -> None:
    url, received = receiver
    added = feed.desk.add_webhook(feed.slug, url, events=["report.created"])
    report_id = feed.researcher.create_report(feed.slug, feed.report())
    given, body = received.get(timeout=60)
    event = webhooks.verify(added.secret, given, body)
    assert (event["type"], event["data"]["id"]) == ("report.created", report_id)

    rotated = feed.desk.rotate_webhook(feed.slug, added.webhook.id)
    delivery = feed.desk.test_webhook(feed.slug, added.webhook.id)
    given, body = received.get(timeout=60)
    for secret in (added.secret, rotated.secret):
        assert webhooks.verify(secret, given, body)["type"] == "webhook.test"
    assert {name.lower(): value for name, value in given.items()}["webhook-id"] == delivery


def test_lists_shows_and_deletes_webhooks(feed: Feed) -> None:
    added = feed.desk.add_webhook(feed.slug, "http://127.0.0.1:1024/", format="report").webhook
    assert feed.desk.list_webhooks(feed.slug) == (added,)
    assert feed.desk.show_webhook(feed.slug, added.id).format == "report"
    assert feed.desk.enable_webhook(feed.slug, added.id).disabled_at is None
    assert feed.desk.list_deliveries(feed.slug, added.id, state="dead").deliveries == ()
    feed.desk.delete_webhook(feed.slug, added.id)
    assert feed.desk.list_webhooks(feed.slug) == ()
