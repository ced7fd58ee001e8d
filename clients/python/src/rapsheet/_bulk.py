"""Creating many reports: NDJSON in batches, with the results in order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from ._keys import quote_key
from ._paths import join_path
from ._transport import Call, Transport
from ._wire import decode, encode
from .errors import BadAnswerError, NoAnswerError
from .models import BatchLine, NewReport

Line = TypeVar("Line")

#: The server accepts ten times as many. A smaller batch loses less work if it must be repeated.
BATCH = 1000


def create_in_batches(
    transport: Transport, service: str, reports: Iterable[NewReport], key: str
) -> Iterator[BatchLine]:
    """Yields the result of each report. ``line`` is its number over all batches, from 1."""
    remaining = iter(reports)
    sent = 0
    number = 0
    while batch := list(islice(remaining, BATCH)):
        number += 1
        for result in _create_batch(transport, service, batch, f"{key}-{number}"):
            yield replace(result, line=sent + result.line)
        sent += len(batch)


def _create_batch(
    transport: Transport, service: str, batch: Sequence[NewReport], key: str
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
    return transport.attempt(call, lambda: _send_batch(transport, call, len(batch)))


def _send_batch(transport: Transport, call: Call, expected: int) -> Sequence[BatchLine]:
    """A cut answer is sent again with the same key: stored lines then return their first id."""
    results = parse_lines(BatchLine, transport.send_once(call).text)
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
