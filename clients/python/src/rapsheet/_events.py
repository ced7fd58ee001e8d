"""Server-sent events (WHATWG HTML, section 9.2)."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
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


class EventParser:
    """Parses the complete blocks of a stream; chunk boundaries may be anywhere."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""
        self._lines: list[str] = []
        self._last_id = ""

    def parse(self, chunk: bytes) -> Iterator[ServerEvent]:
        """The blocks that end in this chunk."""
        *complete, self._rest = _LINE_END.split(self._rest + self._decoder.decode(chunk))
        for line in complete:
            if line != "":
                self._lines.append(line)
            elif self._lines:
                event = _parse_block(self._lines, self._last_id)
                self._lines = []
                self._last_id = event.id
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
