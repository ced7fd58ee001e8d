"""Answers that are saved as files."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from .._files import Replacement
from .waiting import run


async def save(chunks: AsyncIterator[bytes], target: Path) -> None:
    """Replaces the target if all chunks come; else it stays as it is."""
    file = await run(Replacement, target)
    try:
        async for chunk in chunks:
            await run(file.write, chunk)
        await run(file.commit)
    finally:
        file.discard()
