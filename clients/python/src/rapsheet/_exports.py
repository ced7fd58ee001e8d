"""Exports of feeds in the formats of other tools, checked to be whole."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ._call import Call
from ._paths import join_path
from ._wire import encode
from .errors import NoAnswerError
from .models import ReportFilter

#: An end mark and what a format writes after the last row are shorter than this.
TAIL_BYTES = 1024

#: `# END rows=3 sha256=…`, or the members `"rows":3,"sha256":"…"` before the closing brackets.
_MARK = re.compile(
    rb'rows(?:=|":)(?P<rows>\d+)(?: |,")sha256(?:=|":")(?P<digest>[0-9a-f]{64})'
    rb'(?:\r?\n|"(?:,"successful":true)?[\]}\s]*\}\s*)\Z'
)


@dataclass(frozen=True, slots=True)
class ExportEnd:
    """What the end of an export says."""

    rows: int | None
    """``None`` for formats without an end mark: archives, and STIX bundles."""


@dataclass(frozen=True, slots=True)
class SavedExport:
    """The result of ``save_export``."""

    etag: str | None
    """Pass it as ``if_none_match`` of the next call."""
    changed: bool
    """False if the server has nothing newer; the file was not touched then."""
    rows: int | None


def export_call(
    service: str,
    format: str,
    where: ReportFilter | None,
    options: Mapping[str, str] | None,
    if_none_match: str | None,
) -> Call:
    """Reads an export; ``if_none_match`` is the ETag of one that the caller has."""
    return Call(
        "GET",
        join_path("feed", service, "export", format),
        query={**encode(where or ReportFilter()), **(options or {})},
        headers={
            "accept": "*/*",
            **({} if if_none_match is None else {"if-none-match": if_none_match}),
        },
    )


class EndCheck:
    """Digests all bytes but the last ones, in which the end mark must be."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._tail = b""

    def add(self, chunk: bytes) -> None:
        self._tail += chunk
        cut = len(self._tail) - TAIL_BYTES
        if cut > 0:
            self._digest.update(self._tail[:cut])
            self._tail = self._tail[cut:]

    def finish(self, media_type: str) -> ExportEnd:
        mark, start = _find_mark(self._tail)
        if mark is None:
            if _ends_by_itself(self._tail, media_type):
                return ExportEnd(rows=None)
            raise NoAnswerError("The export has no end mark: it was cut off.")
        if not self._covers(mark["digest"].decode(), start):
            raise NoAnswerError("The export differs from the digest in its end mark.")
        return ExportEnd(rows=int(mark["rows"]))

    def _covers(self, expected: str, mark: int) -> bool:
        """Formats begin their end differently, so every start before the mark is tried."""
        for start in range(mark, -1, -1):
            digest = self._digest.copy()
            digest.update(self._tail[:start])
            if digest.hexdigest() == expected:
                return True
        return False


def _find_mark(tail: bytes) -> tuple[re.Match[bytes] | None, int]:
    """The mark and where it begins. Every line of a Suricata dataset is base64, also the last."""
    mark = _MARK.search(tail)
    if mark is not None:
        return mark, mark.start()
    if not tail.endswith(b"\n"):
        return None, 0
    start = tail.rstrip().rfind(b"\n") + 1
    try:
        line = base64.b64decode(tail[start:].rstrip(), validate=True)
    except binascii.Error:
        return None, 0
    return _MARK.search(line + b"\n"), start


def _ends_by_itself(tail: bytes, media_type: str) -> bool:
    """A STIX bundle may have no further members; an archive has a checksum of its own.

    A Suricata dataset of addresses may hold nothing else: an address of documentation ends it.
    """
    if media_type == "application/stix+json":
        return tail.rstrip().endswith(b"]}")
    if media_type == "text/plain":
        return tail.split(b"\n")[-2:] == [b"192.0.2.0", b""]
    return media_type in ("application/gzip", "application/zip", "application/x-tar")
