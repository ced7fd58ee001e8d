"""Reports on a real server."""

from __future__ import annotations

import pytest

import rapsheet
from conftest import Feed, OpenClient
from rapsheet import BatchPace, NewReport, ReportFilter
from server import RunningServer


def test_creates_fetches_and_deletes_a_report(feed: Feed) -> None:
    client = feed.researcher
    report_id = client.create_report(feed.slug, feed.report())
    report = client.fetch_report(feed.slug, report_id)
    assert report.id == report_id
    assert report.c2_address == feed.report().c2_address
    assert report.file256_hash == feed.report().file256_hash
    assert report.first_seen_id == report_id
    assert report.tags == ("rat",)
    assert rapsheet.parse_time(report.reported_at).tzinfo is not None

    client.delete_report(feed.slug, report_id)
    with pytest.raises(rapsheet.NotFoundError) as refused:
        client.fetch_report(feed.slug, report_id)
    assert refused.value.status == 404
    assert refused.value.code == "unknown_report"
    assert refused.value.request_id


def test_warns_of_a_c2_that_the_desk_has_rejected(feed: Feed) -> None:
    client = feed.researcher
    report_id = client.create_report(feed.slug, feed.report())
    feed.desk.set_status(feed.slug, report_id, "rejected", reason="false_positive")
    with pytest.warns(rapsheet.RejectedC2Warning, match="false positive"):
        client.create_report(feed.slug, feed.report())
    assert client.preview_report(feed.slug, feed.report()).c2_rejected
    assert [line.c2_rejected for line in client.create_reports(feed.slug, [feed.report()])] == [
        True
    ]
    assert client.show_report(feed.slug, report_id).c2_rejected


def test_says_what_is_wrong_with_a_report(feed: Feed) -> None:
    bad = NewReport(c2_address="nowhere", file256_hash="00" * 32)
    with pytest.raises(rapsheet.InvalidRequestError, match="c2Address"):
        feed.researcher.create_report(feed.slug, bad)
    preview = feed.researcher.preview_report(feed.slug, bad)
    assert preview.report is None
    assert [problem.field for problem in preview.problems] == ["c2Address"]


def test_tells_who_may_not_do_what(
    feed: Feed, server: RunningServer, open_client: OpenClient
) -> None:
    with pytest.raises(rapsheet.ForbiddenError):
        feed.desk.create_report(feed.slug, feed.report())
    with (
        open_client(server.url, "rap_invalid") as stranger,
        pytest.raises(rapsheet.UnauthenticatedError) as refused,
    ):
        stranger.me()
    assert "rap_invalid" not in str(refused.value)
    assert "rap_invalid" not in repr(stranger)


def test_creates_one_report_for_one_key(feed: Feed) -> None:
    ids = {
        feed.researcher.create_report(feed.slug, feed.report(), idempotency_key="key-1")
        for _ in range(3)
    }
    assert len(ids) == 1
    with pytest.raises(rapsheet.InvalidRequestError):
        feed.researcher.create_report(feed.slug, feed.report(2), idempotency_key="key-1")


def test_lists_pages_and_iterates_over_them(feed: Feed) -> None:
    created = [feed.researcher.create_report(feed.slug, feed.report(n)) for n in range(1, 8)]
    page = feed.researcher.list_reports(feed.slug, limit=3, count=True)
    assert [report.id for report in page.reports] == created[:-4:-1]
    assert (page.has_more, page.total, page.total_is_lower_bound) == (True, 7, False)
    reports = list(feed.researcher.iter_reports(feed.slug, order="asc", page_size=2))
    assert [report.id for report in reports] == created
    host = ReportFilter(host=f"host-3.{feed.slug}.example", tag=["rat"])
    assert [one.id for one in feed.researcher.iter_reports(feed.slug, host)] == [created[2]]
    assert not list(feed.researcher.iter_reports(feed.slug, ReportFilter(tag=["rat", "other"])))


def test_reads_changes_with_deletions(feed: Feed) -> None:
    start = feed.researcher.all_changes(since="head").next
    report_id = feed.researcher.create_report(feed.slug, feed.report())
    feed.researcher.delete_report(feed.slug, report_id)
    page = feed.researcher.feed_changes(feed.slug)
    assert [change.type for change in page.changes] == ["created", "deleted"]
    assert page.changes[1].report is None
    assert page.next == page.head == 2
    all_feeds = feed.researcher.all_changes(since=start)
    assert [(change.service, change.type) for change in all_feeds.changes] == [
        (feed.slug, "created"),
        (feed.slug, "deleted"),
    ]


def test_creates_many_reports_with_results_in_order(feed: Feed) -> None:
    reports = [feed.report(n) for n in range(1, 2401)]
    reports[1200] = NewReport(c2_address="nowhere", file256_hash="00" * 32)
    results = list(feed.researcher.create_reports(feed.slug, iter(reports), idempotency_key="b"))
    assert [result.line for result in results] == list(range(1, 2401))
    refused = [result for result in results if not result.successful]
    assert [(result.line, result.code) for result in refused] == [(1201, "invalid_body")]
    again = list(feed.researcher.create_reports(feed.slug, reports, idempotency_key="b"))
    assert [result.id for result in again] == [result.id for result in results]
    assert all(result.replayed for result in again if result.successful)


def test_tells_how_fast_reports_are_accepted(feed: Feed) -> None:
    paces: list[BatchPace] = []
    reports = [feed.report(number) for number in range(1, 1101)]
    list(feed.researcher.create_reports(feed.slug, reports, on_pace=paces.append))
    assert [pace.lines for pace in paces] == [1000, 100]
    assert all(pace.per_second > 0 for pace in paces)
    assert paces[0].remaining - paces[1].remaining > 900
    assert BatchPace(5000, 1000, 100).seconds == 40
    assert BatchPace(10, 1000, 100).seconds == 0


def test_creates_reports_from_documents_of_other_tools(feed: Feed) -> None:
    client = feed.researcher
    sha256 = "cd" * 32
    xarf = {
        "xarf_version": "4.2.0",
        "report_id": "550e8400-e29b-41d4-a716-446655440000",
        "source_identifier": "xarf.example.invalid",
        "source_port": 4444,
        "category": "infrastructure",
        "type": "botnet",
        "hash": f"sha256:{sha256}",
    }
    report_id = client.create_from_xarf(feed.slug, xarf)
    assert client.create_from_xarf(feed.slug, xarf) == report_id
    assert client.fetch_report(feed.slug, report_id).c2_address == "xarf.example.invalid:4444"

    c2s = [{"type": "ip-dst|port", "value": f"203.0.113.7|{port}"} for port in (1, 2)]
    event = {
        "uuid": "550e8400-e29b-41d4-a716-446655440001",
        "Attribute": [*c2s, {"type": "sha256", "value": sha256}],
    }
    results = client.create_from_misp(feed.slug, {"Event": event})
    assert [result.c2_address for result in results] == ["203.0.113.7:1", "203.0.113.7:2"]
    again = client.create_from_misp(feed.slug, event)
    assert [(one.id, one.replayed) for one in again] == [(one.id, True) for one in results]
    with pytest.raises(rapsheet.InvalidRequestError, match="no file"):
        client.create_from_misp(feed.slug, {"Attribute": c2s})


def test_desk_answers_one_and_many(feed: Feed) -> None:
    ids = [feed.researcher.create_report(feed.slug, feed.report(n)) for n in range(1, 5)]
    answered = feed.desk.set_status(
        feed.slug, ids[0], "actioned", reason="taken_down", note="Closed."
    )
    assert (answered.status, answered.status_reason) == ("actioned", "taken_down")
    done = feed.desk.set_statuses(feed.slug, "rejected", ids=ids[1:3], reason="not_ours")
    assert done.changed == 2
    rest = feed.desk.set_statuses(feed.slug, "acknowledged", where=ReportFilter(status="open"))
    assert rest.changed == 1
    history = feed.researcher.report_history(feed.slug, ids[0]).history
    assert [entry.status for entry in history] == [None, "actioned"]
    shown = feed.researcher.show_report(feed.slug, ids[0])
    assert (shown.confirmation, shown.status_note) == ("unknown", "Closed.")
    with pytest.raises(rapsheet.ForbiddenError):
        feed.researcher.set_status(feed.slug, ids[0], "open")
    with pytest.raises(rapsheet.BadOptionsError):
        feed.desk.set_statuses(feed.slug, "open")


def test_statistics_routes_services_and_searches(feed: Feed) -> None:
    client = feed.researcher
    report_id = client.create_report(feed.slug, feed.report())
    statistics = client.feed_statistics(feed.slug, days=3)
    assert (statistics.statuses.open, len(statistics.days)) == (1, 3)
    assert client.feed_statistics(rapsheet.ALL).service == "all"
    reporter = client.reporter_statistics(client.me().name)
    assert [one.service for one in reporter.services if one.service == feed.slug] == [feed.slug]
    assert reporter.totals.reports >= 1
    scorecard = client.service_statistics(feed.slug, days=3)
    assert (scorecard.backlog.open, len(scorecard.recurrences.days)) == (1, 3)
    assert client.route(f"x.{feed.slug}.example:1").service == feed.slug
    assert feed.slug in {service.slug for service in client.iter_services()}
    (found,) = client.search(f"host-1.{feed.slug}.example")
    assert isinstance(found, rapsheet.models.ReportFound)
    assert found.report.id == report_id
    host, words = client.search_list([f"host-1[.]{feed.slug}[.]example", "two words"])
    assert [one.match for one in host.results] == ["host"]
    assert (host.error, words.results) == (None, ())
    assert words.error is not None
    assert client.show_address(feed.report().c2_address).reports.total == 1
    assert client.show_host(f"host-1.{feed.slug}.example").service == feed.slug


def test_ownership_and_mail_of_a_feed(feed: Feed) -> None:
    shown = feed.desk.show_ownership(feed.slug)
    assert [(one.pattern, one.state) for one in shown.patterns] == [
        (f"*.{feed.slug}.example", "declared")
    ]
    assert shown.challenge.startswith("rapsheet-verification=")
    with pytest.raises(rapsheet.ForbiddenError):
        feed.researcher.check_ownership(feed.slug, f"*.{feed.slug}.example", "dns")
    assert feed.desk.show_mail(feed.slug) is None
    with pytest.raises(rapsheet.RapsheetError):
        feed.desk.test_mail(feed.slug)


def test_the_account_and_its_tokens(feed: Feed) -> None:
    me = feed.desk.me()
    assert [service.slug for service in me.services] == [feed.slug]
    assert feed.desk.balance().requests_left == me.quota.remaining
    assert len(feed.desk.usage()) == 90
    feed.desk.look_up_many(["no hash", "nor this"])
    today = feed.desk.usage()[-1]
    (entry,) = today.entries
    assert (today.itemised, today.units) == (True, entry.units)
    assert (entry.operation, entry.units) == ("batch", 2)
    assert entry.token is not None
    assert entry.token.id in {token.id for token in feed.desk.list_tokens().tokens}
    assert feed.desk.usage(day=today.day) == (today,)
    issued = feed.desk.issue_token(label="ci")
    assert issued.token.startswith("rap_")
    assert issued.id in {token.id for token in feed.desk.list_tokens().tokens}
    assert feed.desk.revoke_token(issued.id).revoked_at is not None
