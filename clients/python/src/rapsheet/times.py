"""The times of the API as ``datetime``."""

from __future__ import annotations

from datetime import datetime, timezone

_FORMS = ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%fZ")


def parse_time(text: str) -> datetime:
    """Reads ``2026-08-26T10:00:00Z``, and ``2026-08-26 10:00:00`` of ``reported_at``, in UTC."""
    for form in _FORMS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=timezone.utc)
        except ValueError:
            continue
    raise ValueError(f"{text!r} is not a time of the API")


def format_time(time: datetime) -> str:
    """The form of ``created_after`` and ``expires_at``. The time must have a time zone."""
    if time.tzinfo is None:
        raise ValueError("the time has no time zone")
    return time.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
