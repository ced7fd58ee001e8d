"""The conversion between models and JSON."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

import rapsheet
from rapsheet import BadAnswerError, NewReport, ReportFilter, models
from rapsheet._wire import decode, encode

REPORT = {
    "id": "1",
    "name": "RAT",
    "tags": ["a", "b"],
    "c2Address": "x:1",
    "reportedAt": "2026-08-26 10:00:00",
    "reportedBy": "alice",
    "file256Hash": "00",
    "firstSeenID": "1",
    "referenceLink": "https://x/",
    "confidenceScore": 50,
}


def test_ignores_members_and_values_of_newer_servers() -> None:
    report = decode(models.Report, {**REPORT, "added": [1]})
    assert (report.first_seen_id, report.tags) == ("1", ("a", "b"))
    state = decode(models.SampleState, {"status": "paused"})
    assert state.status == "paused"  # type: ignore[comparison-overlap]


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"id": 7}, r"Report\.id"),
        ({"tags": "a"}, r"Report\.tags"),
        ({"tags": [None]}, r"Report\.tags\[\]"),
        ({"confidenceScore": True}, r"Report\.confidenceScore"),
        ({"firstSeenID": None}, r"Report\.firstSeenID"),
    ],
)
def test_refuses_other_types_by_name(change: dict[str, object], path: str) -> None:
    with pytest.raises(BadAnswerError, match=path):
        decode(models.Report, {**REPORT, **change})


def test_names_a_missing_member() -> None:
    with pytest.raises(BadAnswerError, match=r"CreatedReport\.id of the answer is missing"):
        decode(models.CreatedReport, {})


def test_tells_the_results_of_a_search_apart() -> None:
    sample = {"type": "sample", "match": "md5", "sha256Hash": "00", "fileName": "x", "tags": []}
    (found,) = decode(models.SearchResults, {"results": [sample], "hasMore": False}).results
    assert isinstance(found, models.SampleFound)


def test_leaves_out_what_is_not_set() -> None:
    assert encode(ReportFilter(tag=("a", "b"), port=1)) == {"tag": ["a", "b"], "port": 1}
    assert encode(NewReport(c2_address="x:1", file256_hash="00", confidence_score=0)) == {
        "c2Address": "x:1",
        "file256Hash": "00",
        "confidenceScore": 0,
    }


def test_reads_and_writes_times() -> None:
    time = datetime(2026, 8, 26, 10, tzinfo=timezone.utc)
    assert rapsheet.parse_time("2026-08-26T10:00:00Z") == time
    assert rapsheet.parse_time("2026-08-26 10:00:00") == time
    east = time.astimezone(timezone(timedelta(hours=2)))
    assert rapsheet.format_time(east) == "2026-08-26T10:00:00Z"
    with pytest.raises(ValueError, match="time zone"):
        rapsheet.format_time(datetime(2026, 8, 26))
    with pytest.raises(ValueError, match="yesterday"):
        rapsheet.parse_time("yesterday")
