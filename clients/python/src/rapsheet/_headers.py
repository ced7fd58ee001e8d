"""Headers of answers, parsed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

from .errors import Quota

UNLIMITED = 999_999_999_999_999
"""The largest integer of a structured header (RFC 9651); the server sends it for no limit."""


def parse_retry_after(text: str | None, now: float) -> float | None:
    """``Retry-After`` is a number of seconds or an HTTP date (RFC 9110, section 10.2.3)."""
    if text is None:
        return None
    if re.fullmatch(r"\d{1,10}", text.strip(), re.ASCII):
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, at.timestamp() - now)


def parse_quota(headers: Mapping[str, str]) -> Quota | None:
    """The lookup quota. Creates and uploads report their rate limits in the same headers."""
    policy = headers.get("ratelimit-policy")
    if policy is not None and not policy.startswith('"lookup"'):
        return None
    remaining = _parse_units(headers.get("x-ratelimit-remaining"))
    if remaining is None:
        return None
    limit = _parse_units(headers.get("x-ratelimit-limit"))
    return Quota(
        limit=None if limit in (None, UNLIMITED) else limit,
        remaining=None if remaining == UNLIMITED else remaining,
        resets_at=_parse_instant(headers.get("x-ratelimit-reset")),
    )


def parse_pace(headers: Mapping[str, str]) -> tuple[int, float] | None:
    """The creates that are left, and those a second after them. None if there is no limit."""
    rate = re.fullmatch(r"\d{1,12}(?:\.\d{1,6})?", headers.get("x-batch-rate", ""), re.ASCII)
    left = re.match(r'"create";r=(\d{1,15});', headers.get("ratelimit", ""), re.ASCII)
    if rate is None or left is None or float(rate[0]) == 0:
        return None
    return int(left[1]), float(rate[0])


def _parse_units(text: str | None) -> int | None:
    return int(text) if text is not None and re.fullmatch(r"\d{1,15}", text, re.ASCII) else None


def _parse_instant(text: str | None) -> str | None:
    """Seconds since 1970, at most eleven digits."""
    if text is None or not re.fullmatch(r"\d{1,11}", text, re.ASCII):
        return None
    return datetime.fromtimestamp(int(text), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
