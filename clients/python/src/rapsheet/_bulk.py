"""Batches of reports as NDJSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ._call import Call
from ._keys import quote_key
from ._paths import join_path
from ._wire import decode, encode
from .errors import BadAnswerError
from .models import NewReport

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


def batch_call(service: str, batch: Sequence[NewReport], key: str) -> Call:
    """Creates the reports of a batch, with a result for each."""
    lines = (json.dumps(encode(report), ensure_ascii=False) for report in batch)
    return Call(
        "POST",
        join_path("feed", service, "reports"),
        content="".join(f"{line}\n" for line in lines).encode(),
        headers={
            "content-type": "application/x-ndjson",
            "accept": "application/x-ndjson",
            "idempotency-key": quote_key(key),
        },
    )


def parse_lines(model: type[Line], text: str) -> Sequence[Line]:
    """The results of a batch, one JSON object per line."""
    try:
        return [decode(model, json.loads(line)) for line in text.split("\n") if line != ""]
    except ValueError as cause:
        message = "The answer to a batch has a line that is not JSON."
        raise BadAnswerError(message, code="bad_answer") from cause
