"""Server-sent events (WHATWG HTML, section 9.2)."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# A carriage return at the end of a chunk may be the first half of a line end.
_LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One block of a stream. A block without data is no event, but may set the id."""

    id: str
    """The last id of the stream so far; empty if there was none."""
    event: str
    data: str | None
    retry: float | None
    """The seconds before a reconnect, if the block sets them."""


def read_events(chunks: Iterable[bytes]) -> Iterator[ServerEvent]:
    """Parses the complete blocks of a stream; chunk boundaries may be anywhere."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    rest = ""
    lines: list[str] = []
    last_id = ""
    for chunk in chunks:
        *complete, rest = _LINE_END.split(rest + decoder.decode(chunk))
        for line in complete:
            if line != "":
                lines.append(line)
            elif lines:
                event = _parse_block(lines, last_id)
                lines = []
                last_id = event.id
                yield event


def _parse_block(lines: list[str], last_id: str) -> ServerEvent:
    event, retry, data = "", None, None
    for line in lines:
        # A comment is a field with an empty name.
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data = value if data is None else f"{data}\n{value}"
        elif name == "event":
            event = value
        elif name == "id" and "\0" not in value:
            last_id = value
        elif name == "retry" and re.fullmatch(r"\d{1,9}", value, re.ASCII):
            retry = int(value) / 1000
    return ServerEvent(id=last_id, event=event, data=data, retry=retry)
