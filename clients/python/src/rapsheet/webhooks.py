"""Verification of webhook requests, as Standard Webhooks signs them.

A receiver passes the headers and the raw body, before it parses anything::

    event = rapsheet.webhooks.verify(secret, request.headers, request.body)
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from .errors import BadOptionsError

TOLERANCE = 300.0
"""The seconds by which the time of an attempt may differ from now."""


class InvalidSignatureError(Exception):
    """The request does not come from the server, or is too old. Answer 400 or 401."""


def verify(
    secret: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance: float = TOLERANCE,
    now: float | None = None,
) -> dict[str, Any]:
    """Returns the JSON object of a request that was signed with the secret, or with one of several.

    The same ``webhook-id`` may arrive twice, and deliveries are not in order: remember the ids, and
    keep the highest ``sequence`` of each report.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        message_id = given["webhook-id"]
        timestamp = given["webhook-timestamp"]
        signatures = given["webhook-signature"]
    except KeyError as missing:
        raise InvalidSignatureError(f"The request has no header {missing}.") from None
    _check_time(timestamp, time.time() if now is None else now, tolerance)
    secrets = [secret] if isinstance(secret, str) else secret
    signed = f"{message_id}.{timestamp}.".encode() + body
    if not any(_matches(_key_of(one), signed, signatures) for one in secrets):
        raise InvalidSignatureError("No signature of the request is right.")
    value = json.loads(body)
    if not isinstance(value, dict):
        raise InvalidSignatureError("The body is not a JSON object.")
    return value


def _check_time(timestamp: str, now: float, tolerance: float) -> None:
    if not re.fullmatch(r"\d{1,11}", timestamp, re.ASCII):
        raise InvalidSignatureError("The header 'webhook-timestamp' is not a number of seconds.")
    if abs(now - int(timestamp)) > tolerance:
        raise InvalidSignatureError(
            f"The request is of another time, by more than {tolerance:g} seconds."
        )


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if key == b"":
        raise BadOptionsError("A webhook secret is whsec_ and the base64 of the key.")
    return key


def _matches(key: bytes, signed: bytes, signatures: str) -> bool:
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = [one.removeprefix("v1,") for one in signatures.split(" ") if one.startswith("v1,")]
    return any(hmac.compare_digest(expected, one.encode()) for one in given)
