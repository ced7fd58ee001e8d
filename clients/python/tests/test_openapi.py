"""The client and the OpenAPI document: every operation is offered, or left out by name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx
import pytest

from conftest import OpenClient
from rapsheet import ALL, BadAnswerError, NewReport, Rapsheet, ReportFilter
from server import ROOT

LEFT_OUT = {
    "signIn": "a browser session",
    "session": "a browser session; `me` answers the same for a token",
    "signOut": "a browser session",
    "endSessions": "browser sessions",
    "streamTicket": "for browsers, which cannot set headers on a stream",
    "allStreamTicket": "for browsers, which cannot set headers on a stream",
}
LEFT_OUT_TAGS = {
    "Administration": "operators use the browser or the command line",
    "Health": "for load balancers",
}
LEFT_OUT_PATHS = {
    "/taxii2": "a protocol with clients of its own",
    "/misp/": "a protocol with clients of its own",
    "/threatfox/api/v1": "a protocol with clients of its own",
}
#: For browsers, and for positions, which the client sends as a header.
UNUSED_PARAMETERS = {"last_event_id", "ticket", "since"}

report = NewReport(c2_address="tunnel.ply.example:4444", file256_hash="ab" * 32)
where = ReportFilter(
    created_after="2026-08-26T10:00:00Z",
    created_before="2026-08-27T10:00:00Z",
    name="LANTERN",
    tag="rat",
    host="tunnel.ply.example",
    domain="ply.example",
    port=4444,
    c2="tunnel.ply.example:4444",
    hash="ab" * 32,
    reporter="alice",
    min_confidence=5,
    confirmation="confirmed",
    misrouted=False,
    status="open",
)
page: dict[str, Any] = {"limit": 5, "cursor": "x", "order": "asc", "count": True}


def open_export(client: Rapsheet, service: str) -> None:
    """With all filters, and the options of all formats."""
    _, _, operation = operations["exportFeed"]
    names = [one["name"] for one in operation["parameters"] if one["in"] == "query"]
    options = {name: "value" for name in names if not hasattr(where, name)}
    with client.export(service, "format", where, options=options, if_none_match='"x"'):
        pass


#: A call of each operation with all of its arguments. Each argument of a path is its name.
CALLS: dict[str, Callable[[Rapsheet], object]] = {
    "createReport": lambda client: client.create_report("service", report),
    "previewReport": lambda client: client.preview_report("service", report),
    "createReports": lambda client: list(client.create_reports("service", [report])),
    "createFromXarf": lambda client: client.create_from_xarf("service", {}, idempotency_key="k"),
    "createFromMisp": lambda client: client.create_from_misp("service", {}, idempotency_key="k"),
    "fetchReport": lambda client: client.fetch_report("service", "id"),
    "deleteReport": lambda client: client.delete_report("service", "id"),
    "showReport": lambda client: client.show_report("service", "id"),
    "reportHistory": lambda client: client.report_history("service", "id"),
    "listReports": lambda client: client.list_reports("service", where, **page),
    "listAllReports": lambda client: client.list_reports(ALL, where, **page),
    "setStatus": lambda client: client.set_status("service", "id", "open"),
    "setStatuses": lambda client: client.set_statuses("service", "open", ids=["id"]),
    "feedChanges": lambda client: client.feed_changes("service", since=5, limit=9),
    "allChanges": lambda client: client.all_changes(since="position", limit=9),
    "feedStream": lambda client: next(client.follow("service", since=5)),
    "allStream": lambda client: next(client.follow(ALL, since="position")),
    "feedStatistics": lambda client: client.feed_statistics("service", days=7),
    "reporterStatistics": lambda client: client.reporter_statistics("name"),
    "serviceStatistics": lambda client: client.service_statistics("service", days=7),
    "allStatistics": lambda client: client.feed_statistics(ALL, days=7),
    "exportFeed": lambda client: open_export(client, "service"),
    "exportAllFeeds": lambda client: open_export(client, ALL),
    "lookUp": lambda client: client.look_up("hash"),
    "lookUpMany": lambda client: client.look_up_many(["hash"]),
    "details": lambda client: client.details("hash"),
    "sampleStatus": lambda client: client.sample_status("hash"),
    "similar": lambda client: client.similar("hash", by="tlsh"),
    "similarToSsdeep": lambda client: client.similar_to_ssdeep("3::"),
    "upload": lambda client: client.upload(b"MZ", file_name="evil.exe", wait=5),
    "downloadSample": lambda client: client.download_sample("hash", "/dev/null/none"),
    "listProposals": lambda client: client.proposals(
        state="open", file_hash="ab" * 32, limit=5, cursor="x"
    ),
    "reportProposal": lambda client: client.report_proposal("id", tags=["rat"]),
    "dismissProposal": lambda client: client.dismiss_proposal("id", "other", note="x"),
    "search": lambda client: client.search("evil.example", limit=5),
    "searchList": lambda client: client.search_list(["evil.example"], limit=5),
    "services": lambda client: client.services(limit=5, cursor="x"),
    "route": lambda client: client.route("evil.example:4444"),
    "showAddress": lambda client: client.show_address("evil.example:4444"),
    "showHost": lambda client: client.show_host("evil.example"),
    "showRelated": lambda client: client.show_related("evil.example:4444"),
    "me": lambda client: client.me(),
    "balance": lambda client: client.balance(),
    "usage": lambda client: client.usage_page(
        day="2026-11-16", first="2026-11-01", last="2026-11-16", limit=5, cursor="x"
    ),
    "listTokens": lambda client: client.list_tokens(limit=5, cursor="x"),
    "issueToken": lambda client: client.issue_token(label="ci"),
    "revokeToken": lambda client: client.revoke_token("id", issued=True),
    "showMail": lambda client: client.show_mail("service"),
    "listMailDeliveries": lambda client: client.list_mail_deliveries(
        "service", state="dead", limit=5, before="x"
    ),
    "testMail": lambda client: client.test_mail("service"),
    "replayMail": lambda client: client.replay_mail("service", "delivery"),
    "showOwnership": lambda client: client.show_ownership("service"),
    "checkOwnership": lambda client: client.check_ownership("service", "*.ply.example", "dns"),
    "addWebhook": lambda client: client.add_webhook("service", "https://desk.example.invalid/"),
    "listWebhooks": lambda client: client.list_webhooks("service"),
    "showWebhook": lambda client: client.show_webhook("service", "id"),
    "deleteWebhook": lambda client: client.delete_webhook("service", "id"),
    "rotateWebhook": lambda client: client.rotate_webhook("service", "id"),
    "enableWebhook": lambda client: client.enable_webhook("service", "id"),
    "testWebhook": lambda client: client.test_webhook("service", "id"),
    "listDeliveries": lambda client: client.list_deliveries(
        "service", "id", state="dead", limit=5, before="x"
    ),
    "replayDelivery": lambda client: client.replay_delivery("service", "id", "delivery"),
}

document = json.loads((ROOT / "docs" / "openapi.json").read_text())
operations = {
    operation["operationId"]: (path, method, operation)
    for path, methods in document["paths"].items()
    for method, operation in methods.items()
}


def is_left_out(name: str) -> bool:
    path, _, operation = operations[name]
    return (
        name in LEFT_OUT
        or any(tag in LEFT_OUT_TAGS for tag in operation["tags"])
        or any(path.startswith(prefix) for prefix in LEFT_OUT_PATHS)
    )


def test_every_operation_is_offered_or_left_out_by_name() -> None:
    assert set(CALLS) == {name for name in operations if not is_left_out(name)}
    assert set(LEFT_OUT) <= set(operations)


def record(open_client: OpenClient, call: Callable[[Rapsheet], object]) -> httpx.Request:
    requests: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        request.read()
        requests.append(request)
        return httpx.Response(200, text='data: {}\n\n{"line":1}\n')

    network = httpx.MockTransport(handle)
    with (
        open_client("http://rapsheet.example", "rap_token", http_transport=network) as client,
        # The answer is none of the operation, and nothing is saved.
        suppress(BadAnswerError, OSError),
    ):
        call(client)
    assert len(requests) == 1
    return requests[0]


@pytest.mark.parametrize("name", sorted(CALLS))
def test_sends_what_the_document_describes(open_client: OpenClient, name: str) -> None:
    path, method, operation = operations[name]
    request = record(open_client, CALLS[name])
    parameters = operation.get("parameters", [])
    assert (request.method, request.url.path) == (method.upper(), re.sub("[{}]", "", path))
    documented = [one["name"] for one in parameters if one["in"] == "query"]
    sent = list(request.url.params.keys())
    if name == "similarToSsdeep":
        # `similar_to_tlsh` sends it instead of `ssdeep`.
        documented.remove("tlsh")
    if name.endswith("Stream"):
        documented = [one for one in documented if one not in UNUSED_PARAMETERS]
    assert sorted(sent) == sorted(documented)
    for header in (one["name"] for one in parameters if one["in"] == "header"):
        assert header in request.headers
    kinds = list(operation.get("requestBody", {}).get("content", {}))
    assert request.headers.get("content-type", "").split(";")[0] == "".join(kinds[:1])
    assert request.headers["authorization"] == "Bearer rap_token"
