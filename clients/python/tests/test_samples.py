"""Files on a real server."""

from __future__ import annotations

import base64
import gzip
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

import rapsheet
from conftest import Feed, OpenClient
from rapsheet import Rapsheet
from server import ROOT, RunningServer

#: A harmless file with the settings of a family; its hosts are reserved for examples.
XWORM = ROOT / "test/fixtures/analysis/families/xworm-plain.exe.in.gz.b64"
PAPERKITE = ROOT / "demo" / "files" / "paperkite.txt"


class Unseekable(io.RawIOBase):
    """A pipe: it can be read once."""

    def __init__(self, content: bytes) -> None:
        self._rest = content

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        chunk, self._rest = self._rest[: len(view)], self._rest[len(view) :]
        view[: len(chunk)] = chunk
        return len(chunk)


def upload_and_wait(client: Rapsheet, path: Path) -> str:
    """Repeated, because an analysis on a slow machine may take longer than one call waits."""
    while True:
        submitted = client.upload(path, wait=30)
        if submitted.status != "queued":
            assert submitted.status == "done"
            return submitted.sha256_hash


def test_uploads_looks_up_and_downloads_a_file(feed: Feed, tmp_path: Path) -> None:
    client = feed.researcher
    sha256 = upload_and_wait(client, PAPERKITE)
    assert sha256 == rapsheet.sha256_of(PAPERKITE)
    assert client.sample_status(sha256).status == "done"

    found = client.look_up(sha256)
    assert found.report.file_name == "paperkite.txt"
    assert len(found.report.md5_hash) == 32
    assert found.report.ssdeep
    assert found.report.tags[0].name
    assert found.quota is not None
    details = client.details(sha256)
    assert details.details is not None
    assert details.details.evidence
    assert details.quota is not None
    assert details.quota.remaining == (found.quota.remaining or 0) - 1
    assert isinstance(client.similar(sha256).similar, tuple)
    assert isinstance(client.similar_to_ssdeep(found.report.ssdeep).similar, tuple)
    assert details.details.tlsh is not None
    assert isinstance(client.similar(sha256, by="tlsh").similar, tuple)
    (own,) = client.similar_to_tlsh(details.details.tlsh).similar
    assert (own.sha256_hash, own.distance) == (sha256, 0)

    target = client.download_sample(sha256, tmp_path / "sample.zip")
    with zipfile.ZipFile(target) as archive:
        assert archive.read(sha256, pwd=b"infected") == PAPERKITE.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["sample.zip"]


def test_uploads_bytes_and_streams(feed: Feed) -> None:
    expected = rapsheet.sha256_of(PAPERKITE)
    content = PAPERKITE.read_bytes()
    assert feed.researcher.upload(content, file_name="ü.txt").sha256_hash == expected
    assert feed.researcher.upload(io.BytesIO(content)).sha256_hash == expected
    with io.BufferedReader(Unseekable(content)) as stream:
        assert feed.researcher.upload(stream).sha256_hash == expected


@pytest.fixture(scope="module")
def services_of_worm(server: RunningServer) -> None:
    """The services that answer for the C2s of the file below."""
    server.admin("/admin/services", {"slug": "worms", "hosts": ["*.example.invalid"]})
    server.admin("/admin/services", {"slug": "nets", "networks": ["192.0.2.0/24"]})


@pytest.mark.usefixtures("services_of_worm")
def test_reports_and_dismisses_what_an_upload_proposes(feed: Feed, tmp_path: Path) -> None:
    client = feed.researcher
    path = tmp_path / "worm.exe"
    path.write_bytes(gzip.decompress(base64.b64decode(XWORM.read_text())))
    sha256 = upload_and_wait(client, path)
    found = {one.service: one for one in client.iter_proposals(file_hash=sha256)}
    assert {one.confirmation for one in found.values()} == {"confirmed"}
    reported = client.report_proposal(found["worms"].id, tags=["worm"])
    assert client.report_proposal(found["worms"].id) == reported
    assert client.show_report("worms", reported.id).tags == ("worm",)
    dismissed = client.dismiss_proposal(found["nets"].id, "already_known", note="Known.")
    assert (dismissed.state, dismissed.note) == ("dismissed", "Known.")
    assert not list(client.iter_proposals(state="open"))
    where = rapsheet.ReportFilter(
        confirmation="confirmed", misrouted=False, reporter=client.me().name
    )
    assert [one.id for one in client.iter_reports("worms", where)] == [reported.id]
    with pytest.raises(rapsheet.RefusedError) as refused:
        client.dismiss_proposal(found["worms"].id, "other")
    assert refused.value.code == "proposal_reported"


def test_a_lookup_costs_a_unit_also_without_a_result(
    server: RunningServer, open_client: OpenClient, request: pytest.FixtureRequest
) -> None:
    token = server.account(
        f"prepaid-{request.node.callspec.id}", quota={"limit": 4, "period": "none"}
    )
    with open_client(server.url, token) as client:
        with pytest.raises(rapsheet.NotFoundError) as missing:
            client.look_up("00" * 32)
        assert missing.value.quota == rapsheet.Quota(limit=4, remaining=3, resets_at=None)
        many = client.look_up_many(["00" * 32, "not a hash", "11" * 32])
        assert [result.status for result in many.results] == [404, 400, 404]
        assert many.quota is not None
        assert many.quota.remaining == 0
        # A prepaid quota does not come back, so nothing is gained by waiting.
        with pytest.raises(rapsheet.QuotaExhaustedError) as exhausted:
            client.look_up("00" * 32)
        assert exhausted.value.retry_after is None


def test_a_missing_download_leaves_no_file(feed: Feed, tmp_path: Path) -> None:
    with pytest.raises(rapsheet.NotFoundError):
        feed.researcher.download_sample("00" * 32, tmp_path / "sample.zip")
    assert not list(tmp_path.iterdir())
