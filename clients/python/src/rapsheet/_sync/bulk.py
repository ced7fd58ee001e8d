"""Creating many reports: NDJSON in batches, with the results in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from .._bulk import BATCH, BatchPace, OnPace, batch_call, parse_lines
from .._call import Call
from .._headers import parse_pace
from ..errors import NoAnswerError
from ..models import BatchLine, NewReport
from .transport import Transport


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
        call = batch_call(service, batch, f"{key}-{number}")
        for result in _create_batch(transport, call, len(batch), on_pace):
            yield replace(result, line=sent + result.line)
        sent += len(batch)


def _create_batch(
    transport: Transport, call: Call, expected: int, on_pace: OnPace | None
) -> Sequence[BatchLine]:
    return transport.attempt(call, lambda: _send_batch(transport, call, expected, on_pace))


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
