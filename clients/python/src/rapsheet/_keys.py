"""Idempotency keys."""

from __future__ import annotations

import re
import uuid

from .errors import BadOptionsError


def new_key() -> str:
    """A key that no other call has."""
    return str(uuid.uuid4())


def quote_key(key: str) -> str:
    """The header value of a key."""
    if re.fullmatch(r"[\x20-\x21\x23-\x7e]{1,255}", key):
        return f'"{key}"'
    raise BadOptionsError(
        "An idempotency key must be 1 to 255 printable ASCII characters without quotes."
    )
