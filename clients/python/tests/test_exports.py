"""Exports: whole, unchanged, or refused."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from conftest import Feed, OpenClient
from faults import cutting_proxy
from rapsheet import (
    BadOptionsError,
    ExportEnd,
    NewReport,
    NoAnswerError,
    NotFoundError,
    Rapsheet,
    ReportFilter,
    SavedExport,
)
from server import ROOT, RunningServer

ROWS = b"".join(b"198.51.100.%d:443\n" % (number % 256) for number in range(9000))


def ended(body: bytes, mark: str) -> bytes:
    return body + mark.replace("DIGEST", hashlib.sha256(body).hexdigest()).encode()


def ended_by_line(body: bytes) -> bytes:
    """A Suricata dataset, all of whose lines are base64."""
    mark = ended(body, "# END rows=9000 sha256=DIGEST")[len(body) :]
    return body + base64.b64encode(mark) + b"\n"


#: The ends of the formats.
FORMS = {
    "text/plain": ended(ROWS, "# END rows=9000 sha256=DIGEST\n"),
    "text/csv": ended(ROWS, "# END rows=9000 sha256=DIGEST\r\n"),
    "text/dns": ended(ROWS, "; END rows=9000 sha256=DIGEST\n"),
    "text/x-two-lines": ended(ROWS, "# LEFT OUT ipv6=7\n# END rows=9000 sha256=DIGEST\n"),
    "text/x-base64": ended_by_line(ROWS),
    "application/x-ndjson": ended(ROWS, '{"end":true,"rows":9000,"sha256":"DIGEST"}\n'),
    "application/json": ended(ROWS, '\n],"rows":9000,"sha256":"DIGEST","successful":true}\n'),
    "application/misp+json": ended(ROWS, ']},"end":{"rows":9000,"sha256":"DIGEST"}}\n'),
}


class Answers(httpx.BaseTransport):
    """Gives the same answer each time, or the next of several."""

    def __init__(self, *answers: tuple[str, bytes]) -> None:
        self._answers = list(answers)
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if request.headers.get("if-none-match") == '"v1"':
            return httpx.Response(304, headers={"etag": '"v1"'})
        kind, body = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        headers = {"content-type": f"{kind}; charset=utf-8", "etag": '"v1"'}
        headers["content-encoding"] = "gzip"
        return httpx.Response(200, headers=headers, stream=Pieces(gzip.compress(body)))


class Pieces(httpx.SyncByteStream):
    def __init__(self, content: bytes) -> None:
        self._content = content

    def __iter__(self) -> Iterator[bytes]:
        for start in range(0, len(self._content), 1000):
            yield self._content[start : start + 1000]


def client_of(open_client: OpenClient, network: httpx.BaseTransport) -> Rapsheet:
    return open_client("http://rapsheet.example", "rap_x", http_transport=network)


@pytest.mark.parametrize("kind", sorted(FORMS))
def test_accepts_the_end_of_every_format(open_client: OpenClient, kind: str) -> None:
    with (
        client_of(open_client, Answers((kind, FORMS[kind]))) as client,
        client.export("ply", "x") as export,
    ):
        assert export.read() == FORMS[kind]
        assert export.end == ExportEnd(rows=9000)
        assert (export.media_type, export.etag) == (kind, '"v1"')


@pytest.mark.parametrize("kind", sorted(FORMS))
@pytest.mark.parametrize("missing", [1, 20, 200, 2000])
def test_refuses_a_cut_export(open_client: OpenClient, kind: str, missing: int) -> None:
    body = FORMS[kind][:-missing]
    with (
        client_of(open_client, Answers((kind, body))) as client,
        client.export("ply", "x") as export,
    ):
        if missing == 1 and body.endswith((b"}", b"\r")) and "json" in kind:
            # Only the last line end is missing: the JSON text is whole.
            assert export.read() == body
            return
        with pytest.raises(NoAnswerError):
            export.read()
        assert export.end is None


def test_refuses_an_export_that_differs_from_its_digest(open_client: OpenClient) -> None:
    body = FORMS["text/plain"].replace(b"198.51.100.7:", b"198.51.100.8:", 1)
    with (
        client_of(open_client, Answers(("text/plain", body))) as client,
        client.export("ply", "txt") as export,
        pytest.raises(NoAnswerError, match="digest"),
    ):
        export.read()


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/stix+json", b'{"type":"bundle","objects":[\n{}\n]}\n'),
        ("application/gzip", b"\x1f\x8b any bytes"),
        ("text/plain", b"198.51.100.7\n192.0.2.0\n"),
    ],
)
def test_formats_without_a_mark_end_by_themselves(
    open_client: OpenClient, kind: str, body: bytes
) -> None:
    with (
        client_of(open_client, Answers((kind, body))) as client,
        client.export("ply", "x") as export,
    ):
        assert export.read() == body
        assert export.end == ExportEnd(rows=None)


def test_refuses_a_cut_bundle(open_client: OpenClient) -> None:
    body = b'{"type":"bundle","objects":[\n{"a":1}'
    network = Answers(("application/stix+json", body))
    with (
        client_of(open_client, network) as client,
        client.export("ply", "stix") as export,
        pytest.raises(NoAnswerError),
    ):
        export.read()


@pytest.mark.usefixtures("waits")
def test_saves_only_what_is_whole_and_new(open_client: OpenClient, tmp_path: Path) -> None:
    target = tmp_path / "block.txt"
    whole = ("text/plain", FORMS["text/plain"])
    cut = ("text/plain", FORMS["text/plain"][:-70])
    with client_of(open_client, Answers(cut, whole)) as client:
        # The cut one is read again.
        saved = client.save_export("ply", "txt", target)
        assert saved == SavedExport(etag='"v1"', changed=True, rows=9000)
        again = client.save_export("ply", "txt", target, if_none_match=saved.etag)
        assert again == SavedExport(etag='"v1"', changed=False, rows=None)
        with client.export("ply", "txt", if_none_match='"v1"') as export:
            assert (export.not_modified, export.read()) == (True, b"")
    with client_of(open_client, Answers(cut)) as client, pytest.raises(NoAnswerError):
        client.save_export("ply", "txt", target)
    assert target.read_bytes() == FORMS["text/plain"]
    assert [path.name for path in tmp_path.iterdir()] == ["block.txt"]


def test_keeps_the_permissions_of_the_file_that_it_replaces(
    open_client: OpenClient, tmp_path: Path
) -> None:
    target = tmp_path / "block.txt"
    with client_of(open_client, Answers(("text/plain", FORMS["text/plain"]))) as client:
        client.save_export("ply", "txt", target)
        assert target.stat().st_mode & 0o777 == 0o600
        target.chmod(0o640)
        client.save_export("ply", "txt", target)
    assert target.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_sends_no_name_that_leads_to_another_operation(open_client: OpenClient, name: str) -> None:
    network = Answers(("text/plain", b""))
    with client_of(open_client, network) as client, pytest.raises(BadOptionsError):
        client.save_export(name, "txt", "unused")
    assert network.requests == []


def documented_formats() -> list[str]:
    document = json.loads((ROOT / "docs" / "openapi.json").read_text())
    parameters = document["paths"]["/feed/{service}/export/{format}"]["get"]["parameters"]
    (text,) = (one["description"] for one in parameters if one["name"] == "format")
    names = re.search("one of (.+)", text)
    assert names
    return names[1].split(", ")


@pytest.mark.parametrize("format", documented_formats())
def test_every_format_of_a_real_server_ends_as_it_says(feed: Feed, format: str) -> None:
    """Enough rows that neither the first nor the last ones are all that is digested."""
    hosts = [f"h{number}.evil-tunnel.com" for number in range(1, 101)]
    addresses = [f"8.8.{number}.7" for number in range(1, 101)]
    reports = (
        NewReport(c2_address=f"{host}:{port}", file256_hash=f"{port:064x}")
        for port, host in enumerate([*hosts, *addresses], start=1)
    )
    assert all(result.successful for result in feed.researcher.create_reports(feed.slug, reports))
    with feed.researcher.export(feed.slug, format) as export:
        content = export.read()
    assert export.end is not None
    assert len(content) > 2000
    assert export.end.rows is None or export.end.rows >= 100


@pytest.mark.parametrize(("format", "reports"), [("json", "reports"), ("ndjson", None)])
def test_reads_exports_of_a_real_server(feed: Feed, format: str, reports: str | None) -> None:
    for number in range(1, 31):
        feed.researcher.create_report(feed.slug, feed.report(number))
    with feed.researcher.export(feed.slug, format) as export:
        content = export.read()
        assert export.end == ExportEnd(rows=30)
    lines = [json.loads(line) for line in content.splitlines()] if reports is None else []
    found = lines[:-1] if reports is None else json.loads(content)[reports]
    listed = [report.id for report in feed.researcher.iter_reports(feed.slug, order="asc")]
    assert [report["id"] for report in found] == listed
    with feed.researcher.export(feed.slug, format, if_none_match=export.etag) as same:
        assert same.not_modified
    where = ReportFilter(host=f"host-7.{feed.slug}.example")
    with feed.researcher.export(feed.slug, format, where) as one:
        one.read()
        assert one.end == ExportEnd(rows=1)
    with (
        pytest.raises(NotFoundError) as unknown,
        feed.researcher.export(feed.slug, "none"),
    ):
        pass
    assert unknown.value.code == "unknown_format"


@pytest.mark.usefixtures("waits")
def test_reads_a_cut_export_of_a_real_server_again(
    feed: Feed, server: RunningServer, open_client: OpenClient, tmp_path: Path
) -> None:
    list(feed.researcher.create_reports(feed.slug, [feed.report(n) for n in range(1, 1001)]))
    with cutting_proxy(server.url) as proxy, open_client(proxy.url, feed.token) as client:
        proxy.cut_after += [2000, 20000]
        saved = client.save_export(feed.slug, "ndjson", tmp_path / "feed.ndjson")
    assert (saved.changed, saved.rows, proxy.connections) == (True, 1000, 3)
    assert len((tmp_path / "feed.ndjson").read_text().splitlines()) == 1001


def test_sends_filters_and_options(open_client: OpenClient) -> None:
    network = Answers(("text/plain", FORMS["text/plain"]))
    with client_of(open_client, network) as client:
        where = ReportFilter(min_confidence=50, tag=["a", "b"])
        with client.export("ply", "csv", where, options={"flavour": "spreadsheet"}) as export:
            export.read()
    assert str(network.requests[0].url) == (
        "http://rapsheet.example/feed/ply/export/csv"
        "?tag=a&tag=b&min_confidence=50&flavour=spreadsheet"
    )
