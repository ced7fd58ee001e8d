"""What waits for the clock or for the disk. The one module of which both clients have their own."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def sleep(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)


def run(function: Callable[..., Result], *arguments: object) -> Result:
    """Calls a function that waits for the disk."""
    return function(*arguments)
