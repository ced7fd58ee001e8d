"""What waits for the clock or for the disk. The one module of which both clients have their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread

Result = TypeVar("Result")


async def sleep(seconds: float) -> None:
    """Waits."""
    await anyio.sleep(seconds)


async def run(function: Callable[..., Result], *arguments: object) -> Result:
    """Calls a function that waits for the disk, in a thread beside the event loop."""
    return await anyio.to_thread.run_sync(partial(function, *arguments))
