"""What only the client for event loops does."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from rapsheet import AsyncRapsheet
from server import RunningServer


def test_calls_run_at_the_same_time() -> None:
    arrived = 0
    all_arrived = asyncio.Event()

    async def handle(request: httpx.Request) -> httpx.Response:
        nonlocal arrived
        arrived += 1
        if arrived == 5:
            all_arrived.set()
        # Calls one after the other would wait here for ever.
        await asyncio.wait_for(all_arrived.wait(), timeout=60)
        return httpx.Response(200, json={"status": "done"})

    async def call() -> list[str]:
        network = httpx.MockTransport(handle)
        async with AsyncRapsheet("http://rapsheet.example", http_transport=network) as client:
            answers = await asyncio.gather(*(client.sample_status("00" * 32) for _ in range(5)))
        return [answer.status for answer in answers]

    assert asyncio.run(call()) == ["done"] * 5


def test_a_cancelled_download_leaves_no_file(tmp_path: Path) -> None:
    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self):  # type: ignore[no-untyped-def]
            yield b"first"
            started.set()
            await asyncio.Event().wait()

    started = asyncio.Event()

    async def cancel() -> None:
        network = httpx.MockTransport(lambda _: httpx.Response(200, stream=Endless()))
        async with AsyncRapsheet("http://rapsheet.example", http_transport=network) as client:
            download = asyncio.create_task(
                client.download_sample("00" * 32, tmp_path / "sample.zip")
            )
            await started.wait()
            assert len(list(tmp_path.iterdir())) == 1
            download.cancel()
            with pytest.raises(asyncio.CancelledError):
                await download

    asyncio.run(cancel())
    assert not list(tmp_path.iterdir())


def test_a_real_server_answers_many_tasks(server: RunningServer) -> None:
    async def call() -> int:
        async with AsyncRapsheet(server.url, server.admin_token) as client:
            names = await asyncio.gather(*(client.me() for _ in range(20)))
        return len({one.name for one in names})

    assert asyncio.run(call()) == 1
