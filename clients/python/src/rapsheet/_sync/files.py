"""Answers that are saved as files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .._files import Replacement
from .waiting import run


def save(chunks: Iterator[bytes], target: Path) -> None:
    """Replaces the target if all chunks come; else it stays as it is."""
    file = run(Replacement, target)
    try:
        for chunk in chunks:
            run(file.write, chunk)
        run(file.commit)
    finally:
        file.discard()
