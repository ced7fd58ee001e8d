"""A real server, started from this checkout, and accounts on it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from rapsheet import NewReport, Rapsheet
from server import RunningServer, start_server


@dataclass(frozen=True)
class Feed:
    """A new feed, a researcher who may report to it, and the desk that owns it."""

    slug: str
    researcher: Rapsheet
    desk: Rapsheet
    token: str

    def report(self, number: int = 1) -> NewReport:
        return NewReport(
            c2_address=f"host-{number}.{self.slug}.example:4444",
            file256_hash=f"{number:064x}",
            tags=["rat"],
        )


_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[RunningServer]:
    with start_server() as running:
        yield running


@pytest.fixture
def feed(server: RunningServer) -> Iterator[Feed]:
    number = next(_numbers)
    slug = f"feed-{number}"
    server.admin("/admin/services", {"slug": slug, "hosts": [f"*.{slug}.example"]})
    token = server.account(f"researcher-{number}", roles=["researcher"])
    owner = server.account(f"desk-{number}", services=[slug])
    with Rapsheet(server.url, token) as researcher, Rapsheet(server.url, owner) as desk:
        yield Feed(slug, researcher, desk, token)
