"""Creating many reports: NDJSON in batches, with the results in order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from ._headers import parse_pace
from ._keys import quote_key
from ._paths import join_path
from ._transport import Call, Transport
from ._wire import decode, encode
from .errors import BadAnswerError, NoAnswerError
from .models import BatchLine, NewReport

Line = TypeVar("Line")

#: The server accepts ten times as many. A smaller batch loses less work if it must be repeated.
BATCH = 1000


@dataclass(frozen=True, slots=True)
class BatchPace:
    """How fast the server accepts the reports of a batch."""

    #: Reports of this batch.
    lines: int
    #: Reports that are accepted at once.
    remaining: int
    #: Reports a second, after that.
    per_second: float

    @property
    def seconds(self) -> float:
        """For how long the batch is slowed down: 0 if it is not."""
        return max(0, self.lines - self.remaining) / self.per_second


OnPace = Callable[[BatchPace], None]


def create_in_batches(
    transport: Transport,
    service: str,
    reports: Iterable[NewReport],
    key: str,
    on_pace: OnPace | None = None,
) -> Iterator[BatchLine]:
    """Yields the result of each report. ``line`` is its number over all batches, from 1."""
    remaining = iter(reports)
    sent = 0
    number = 0
    while batch := list(islice(remaining, BATCH)):
        number += 1
        for result in _create_batch(transport, service, batch, f"{key}-{number}", on_pace):
            yield replace(result, line=sent + result.line)
        sent += len(batch)


def _create_batch(
    transport: Transport,
    service: str,
    batch: Sequence[NewReport],
    key: str,
    on_pace: OnPace | None,
) -> Sequence[BatchLine]:
    lines = (json.dumps(encode(report), ensure_ascii=False) for report in batch)
    call = Call(
        "POST",
        join_path("feed", service, "reports"),
        content="".join(f"{line}\n" for line in lines).encode(),
        headers={
            "content-type": "application/x-ndjson",
            "accept": "application/x-ndjson",
            "idempotency-key": quote_key(key),
        },
    )
    return transport.attempt(call, lambda: _send_batch(transport, call, len(batch), on_pace))


def _send_batch(
    transport: Transport, call: Call, expected: int, on_pace: OnPace | None
) -> Sequence[BatchLine]:
    """A cut answer is sent again with the same key: stored lines then return their first id."""
    with transport.stream(call, attempts=False) as response:
        pace = parse_pace(response.headers)
        if pace is not None and on_pace is not None:
            on_pace(BatchPace(expected, *pace))
        response.read()
    results = parse_lines(BatchLine, response.text)
    if len(results) < expected:
        raise NoAnswerError(
            f"The answer was cut off after {len(results)} of {expected} lines. Send the same"
            " reports with the same key to get the results of the others."
        )
    return results


def parse_lines(model: type[Line], text: str) -> Sequence[Line]:
    """The results of a batch, one JSON object per line."""
    try:
        return [decode(model, json.loads(line)) for line in text.split("\n") if line != ""]
    except ValueError as cause:
        message = "The answer to a batch has a line that is not JSON."
        raise BadAnswerError(message, code="bad_answer") from cause
