"""Creating reports from the documents of other tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._bulk import parse_lines
from .._call import Call
from .._keys import quote_key
from .._paths import join_path
from .._retry import RetryPolicy
from ..models import CreatedReport, EventLine
from .calls import Calls

Document = Mapping[str, Any]


class IntakeCalls(Calls):
    """The operations that accept XARF and MISP. STIX is sent with a client of TAXII."""

    async def create_from_xarf(
        self, service: str, report: Document, *, idempotency_key: str | None = None
    ) -> str:
        """Returns the id of the report of a XARF 4 or 3 object.

        Its ``report_id`` makes a repetition create nothing, unless there is a key.
        """
        return (
            await self._post(
                CreatedReport,
                join_path("feed", service, "xarf"),
                body=report,
                retry=_retry_of(report.get("report_id"), idempotency_key),
                headers=_key_header(idempotency_key),
            )
        ).id

    async def create_from_misp(
        self, service: str, event: Document, *, idempotency_key: str | None = None
    ) -> Sequence[EventLine]:
        """Creates the reports of a MISP event, at most 1000, and returns the result of each.

        The UUIDs of its attributes make a repetition create nothing, unless there is a key.
        """
        call = Call(
            "POST",
            join_path("feed", service, "misp"),
            _retry_of(event.get("Event", event).get("uuid"), idempotency_key),
            body=event,
            headers={"accept": "application/x-ndjson", **_key_header(idempotency_key)},
        )
        response = await self._transport.attempt(call, lambda: self._transport.send_once(call))
        return parse_lines(EventLine, response.text)


def _retry_of(own_id: object, key: str | None) -> RetryPolicy:
    """Without an id, a repetition would create a second report."""
    return "unprocessed" if own_id is None and key is None else "always"


def _key_header(key: str | None) -> Mapping[str, str]:
    return {} if key is None else {"idempotency-key": quote_key(key)}
