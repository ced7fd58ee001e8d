"""Exports of feeds in the formats of other tools, checked to be whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

from .._call import Call
from .._exports import EndCheck, ExportEnd, SavedExport, export_call
from ..models import ReportFilter
from .calls import Calls
from .files import save


class Export:
    """An export that is being read."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        #: Set when all bytes were read and the end was right.
        self.end: ExportEnd | None = None

    @property
    def not_modified(self) -> bool:
        """Whether the export still has the ETag of ``if_none_match``; there are no bytes then."""
        return self._response.status_code == httpx.codes.NOT_MODIFIED

    @property
    def etag(self) -> str | None:
        """Identifies the content: equal on every node, and after a restart."""
        etag: str | None = self._response.headers.get("etag")
        return etag

    @property
    def media_type(self) -> str:
        """The ``Content-Type``, without parameters."""
        kind: str = self._response.headers.get("content-type", "")
        return kind.split(";")[0].strip().lower()

    def iter_bytes(self) -> Iterator[bytes]:
        """The decompressed bytes. Raises NoAnswerError after the last one if the end is missing."""
        if self.not_modified:
            return
        check = EndCheck()
        for chunk in self._response.iter_bytes():
            check.add(chunk)
            yield chunk
        self.end = check.finish(self.media_type)

    def read(self) -> bytes:
        """The whole export, in memory."""
        return b"".join([chunk for chunk in self.iter_bytes()])


class ExportCalls(Calls):
    """The exports of a feed, or of all feeds."""

    @contextmanager
    def export(
        self,
        service: str,
        format: str,
        where: ReportFilter | None = None,
        *,
        options: Mapping[str, str] | None = None,
        if_none_match: str | None = None,
    ) -> Iterator[Export]:
        """Opens an export, to be read piece by piece. ``options`` are those of the format."""
        call = export_call(service, format, where, options, if_none_match)
        with self._transport.stream(call) as response:
            yield Export(response)

    def save_export(
        self,
        service: str,
        format: str,
        target: str | os.PathLike[str],
        where: ReportFilter | None = None,
        *,
        options: Mapping[str, str] | None = None,
        if_none_match: str | None = None,
    ) -> SavedExport:
        """Replaces the file by the export if that is newer and whole; else it stays as it is."""
        call = export_call(service, format, where, options, if_none_match)
        return self._transport.attempt(call, lambda: self._save(call, Path(target)))

    def _save(self, call: Call, target: Path) -> SavedExport:
        with self._transport.stream(call, attempts=False) as response:
            export = Export(response)
            if export.not_modified:
                return SavedExport(export.etag, changed=False, rows=None)
            save(export.iter_bytes(), target)
            rows = None if export.end is None else export.end.rows
            return SavedExport(export.etag, changed=True, rows=rows)
