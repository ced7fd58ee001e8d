"""A real server, started from this checkout, and accounts on it for both clients."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import httpx
import pytest

from blocking import open_blocking
from rapsheet import NewReport, Rapsheet
from rapsheet._async import transport as async_transport
from rapsheet._sync import transport as sync_transport
from server import RunningServer, start_server


class OpenClient(Protocol):
    """The constructor of a client."""

    def __call__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        http_transport: httpx.BaseTransport | None = None,
    ) -> Rapsheet: ...


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


@pytest.fixture(params=[Rapsheet, open_blocking], ids=["sync", "async"])
def open_client(request: pytest.FixtureRequest) -> Any:
    """Opens a client: the test runs with each of the two."""
    return request.param


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The delays between attempts, which the test does not wait for."""
    recorded: list[float] = []

    async def record(_: object, seconds: float) -> None:
        recorded.append(seconds)

    monkeypatch.setattr(async_transport.Transport, "sleep", record)
    monkeypatch.setattr(
        sync_transport.Transport, "sleep", lambda _, seconds: recorded.append(seconds)
    )
    return recorded


@pytest.fixture
def feed(server: RunningServer, open_client: OpenClient) -> Iterator[Feed]:
    number = next(_numbers)
    slug = f"feed-{number}"
    server.admin("/admin/services", {"slug": slug, "hosts": [f"*.{slug}.example"]})
    token = server.account(f"researcher-{number}", roles=["researcher"])
    owner = server.account(f"desk-{number}", services=[slug])
    with open_client(server.url, token) as researcher, open_client(server.url, owner) as desk:
        yield Feed(slug, researcher, desk, token)
