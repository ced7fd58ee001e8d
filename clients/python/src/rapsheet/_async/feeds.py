"""Reading and following feeds, creating reports, and answering them as the desk."""

from __future__ import annotations

import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from typing import Literal

from .._bulk import OnPace
from .._call import Call
from .._follow import ALL, FeedEvent
from .._keys import new_key, quote_key
from .._paths import join_path
from .._wire import decode, encode
from ..errors import BadOptionsError, RejectedC2Warning
from ..models import (
    BatchLine,
    ChangedReport,
    ChangePage,
    ChangePageOfAll,
    CreatedReport,
    DeletedReport,
    ExaminedReport,
    ExtendedReport,
    FeedStatistics,
    FetchedReport,
    NewReport,
    Report,
    ReporterStatistics,
    ReportFilter,
    ReportHistory,
    ReportPage,
    ReportPreview,
    ServiceStatistics,
    SetStatuses,
    ShownReport,
)
from .bulk import create_in_batches
from .calls import Calls
from .follow import follow_changes, follow_stream

Order = Literal["asc", "desc"]
DeskStatus = Literal["open", "acknowledged", "actioned", "rejected"]

_REJECTED = "the desk has rejected this C2 as a false positive: readers do not block it"


class FeedCalls(Calls):
    """The operations on reports. ``service`` is a slug, or ``"all"`` to read all feeds as one."""

    async def create_report(
        self, service: str, report: NewReport, *, idempotency_key: str | None = None
    ) -> str:
        """Returns the id of the new report.

        Calls with the same key create one report, even if they are concurrent; a key is valid for a
        day. By default each call has a key of its own, which its retries use as well. A
        ``RejectedC2Warning`` is issued if the desk has rejected the C2 as a false positive.
        """
        key = new_key() if idempotency_key is None else idempotency_key
        path = join_path("feed", service, "api")
        headers = {"idempotency-key": quote_key(key)}
        call = Call("POST", path, "always", body=encode(report), headers=headers)
        body, answered = await self._transport.send_json(call)
        if "x-c2-rejected" in answered:
            warnings.warn(_REJECTED, RejectedC2Warning, stacklevel=2)
        return decode(CreatedReport, body).id

    async def preview_report(self, service: str, report: NewReport) -> ReportPreview:
        """What ``create_report`` would store or refuse, by member. Stores nothing."""
        path = join_path("feed", service, "preview")
        return await self._post(ReportPreview, path, body=encode(report), retry="always")

    def create_reports(
        self,
        service: str,
        reports: Iterable[NewReport],
        *,
        idempotency_key: str | None = None,
        on_pace: OnPace | None = None,
    ) -> AsyncIterator[BatchLine]:
        """Creates any number of reports, and yields the result of each, in order.

        A refused report does not affect the others. The reports are sent in batches; an interrupted
        batch is repeated without creating a report twice. After an error, the same reports with the
        same key continue where it stopped. An account that has used its burst waits for its
        reports: ``on_pace`` is called at the beginning of each batch and tells for how long. The
        timeout of the client does not end a batch whose results keep coming.
        """
        key = new_key() if idempotency_key is None else idempotency_key
        quote_key(key)
        return create_in_batches(self._transport, service, reports, key, on_pace)

    async def fetch_report(self, service: str, report_id: str) -> Report:
        """The ten fields of a report."""
        path = join_path("feed", service, "api")
        return (await self._get(FetchedReport, path, {"report": report_id})).report

    async def delete_report(self, service: str, report_id: str) -> None:
        """For the reporter, and for owners of the feed."""
        await self._delete(DeletedReport, join_path("feed", service, "api"), {"report": report_id})

    async def show_report(self, service: str, report_id: str) -> ExaminedReport:
        """The report with its status, and whether the configuration in its file confirms it."""
        return (
            await self._get(ShownReport, join_path("feed", service, "reports", report_id))
        ).report

    async def report_history(self, service: str, report_id: str) -> ReportHistory:
        """The creation of the report, its statuses, and its last other change."""
        path = join_path("feed", service, "reports", report_id, "history")
        return await self._get(ReportHistory, path)

    async def list_reports(
        self,
        service: str,
        where: ReportFilter | None = None,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Order | None = None,
        count: bool | None = None,
    ) -> ReportPage:
        """One page, newest first by default. It may be empty while ``has_more`` is true."""
        query = {
            "limit": limit,
            "cursor": cursor,
            "order": order,
            **encode(where or ReportFilter()),
            "count": count,
        }
        return await self._get(ReportPage, join_path("feed", service, "reports"), query)

    async def iter_reports(
        self,
        service: str,
        where: ReportFilter | None = None,
        *,
        order: Order | None = None,
        page_size: int = 1000,
    ) -> AsyncIterator[ExtendedReport]:
        """All reports that match, read page by page."""
        cursor: str | None = None
        while True:
            page = await self.list_reports(
                service, where, limit=page_size, cursor=cursor, order=order
            )
            for one in page.reports:
                yield one
            cursor = page.next_cursor
            if cursor is None:
                return

    async def feed_changes(
        self, service: str, *, since: int | str | None = None, limit: int | None = None
    ) -> ChangePage:
        """The changes after a position; ``since="head"`` only tells the last one."""
        path = join_path("feed", service, "changes")
        return await self._get(ChangePage, path, {"since": since, "limit": limit})

    async def all_changes(
        self, *, since: int | str | None = None, limit: int | None = None
    ) -> ChangePageOfAll:
        """The changes of all feeds, whose positions are texts."""
        path = join_path("feed", ALL, "changes")
        return await self._get(ChangePageOfAll, path, {"since": since, "limit": limit})

    def follow(
        self, service: str, *, since: int | str | None = None, poll: float | None = None
    ) -> AsyncGenerator[FeedEvent, None]:
        """Yields the changes of a feed as they happen, without end and without a gap.

        ``since`` is where to start: 0 for the whole feed, the id of an event to resume after it; by
        default only new changes are read. A broken connection is opened again after the last event.
        If the server no longer has the changes after the position, the next event is a
        ``ResetEvent``: list the feed again.

        ``poll`` reads the changes every so many seconds, for networks in which no stream survives.
        """
        if poll is not None and poll <= 0:
            raise BadOptionsError("poll must be a positive number of seconds.")
        position = None if since is None else str(since)
        if poll is None:
            return follow_stream(self._transport, service, position)

        async def read(since: str, limit: int) -> ChangePage | ChangePageOfAll:
            if service == ALL:
                return await self.all_changes(since=since, limit=limit)
            return await self.feed_changes(service, since=since, limit=limit)

        return follow_changes(read, position, lambda: self._transport.sleep(poll))

    async def feed_statistics(self, service: str, *, days: int | None = None) -> FeedStatistics:
        """Counts per day, status, name and time to the first answer."""
        return await self._get(
            FeedStatistics, join_path("feed", service, "statistics"), {"days": days}
        )

    async def reporter_statistics(self, name: str) -> ReporterStatistics:
        """What became of the reports of a reporter, by the name in ``reported_by``."""
        return await self._get(
            ReporterStatistics, join_path("api", "statistics", "reporters", name)
        )

    async def service_statistics(
        self, service: str, *, days: int | None = None
    ) -> ServiceStatistics:
        """How a service deals with its reports."""
        return await self._get(
            ServiceStatistics, join_path("api", "statistics", "services", service), {"days": days}
        )

    async def set_status(
        self,
        service: str,
        report_id: str,
        status: DeskStatus,
        *,
        reason: str | None = None,
        note: str | None = None,
    ) -> ExtendedReport:
        """For owners of the feed."""
        path = join_path("feed", service, "reports", report_id)
        body = _without_none(status=status, reason=reason, note=note)
        return (await self._patch(ChangedReport, path, body)).report

    async def set_statuses(
        self,
        service: str,
        status: DeskStatus,
        *,
        ids: Sequence[str] | None = None,
        where: ReportFilter | None = None,
        reason: str | None = None,
        note: str | None = None,
    ) -> SetStatuses:
        """For owners of the feed: the reports with these ids, or those that match the filter."""
        if (ids is None) == (where is None):
            raise BadOptionsError("set_statuses needs either ids or where.")
        body = _without_none(
            ids=None if ids is None else list(ids),
            filter=None if where is None else encode(where),
            status=status,
            reason=reason,
            note=note,
        )
        return await self._patch(SetStatuses, join_path("feed", service, "reports"), body)


def _without_none(**members: object) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}
