"""Paths of the API with percent-encoded parameters."""

from __future__ import annotations

from urllib.parse import quote


def join_path(*segments: str) -> str:
    """``/feed/ply/reports`` of its segments."""
    return "".join(f"/{quote(segment, safe='')}" for segment in segments)
