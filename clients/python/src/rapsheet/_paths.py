"""Paths of the API with percent-encoded parameters."""

from __future__ import annotations

from urllib.parse import quote

from .errors import BadOptionsError


def join_path(*segments: str) -> str:
    """``/feed/ply/reports`` of its segments.

    Dots would be removed with the segment before them, and lead to another operation.
    """
    if any(segment in ("", ".", "..") for segment in segments):
        raise BadOptionsError("A name or an id of a call must not be empty, or dots alone.")
    return "".join(f"/{quote(segment, safe='')}" for segment in segments)
