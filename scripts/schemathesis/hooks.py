"""Checks of schemathesis, with the answers that a JSON Schema cannot foresee.

Each exception names the operations, the text of the answer (or of the failure), and the reason.
"""

from __future__ import annotations

import re
from typing import Any

import schemathesis
from schemathesis.specs.openapi import checks

# A valid request that is refused: (path, text of the answer, why).
REFUSED = [
    (r".", r"cursor or position was not issued", "cursors and positions are signed"),
    (r"/changes", r"has not reached this position", "the number of changes is not known beforehand"),
    (r".", r"cannot be combined", "OpenAPI cannot exclude one query parameter by another"),
    (r"/similar", r"Send either ssdeep or tlsh", "OpenAPI cannot require one of two query parameters"),
    (r"/usage", r"from must not be after to", "OpenAPI cannot compare two parameters"),
    (r"/export/", r"is not an option of|must be one of", "the options depend on the format"),
    (r"/feed/|/api/proposals/", r"Idempotency-Key was used", "a key was used with another body before"),
    (r"/admin/accounts", r"services must name services that exist", "the services are data"),
    (r"/admin/accounts", r"letters of one script", "OpenAPI has no patterns of scripts"),
    (r"/admin/services", r"confidenceScale cannot change", "the feed has reports"),
    (r"/admin/services", r"public suffix", "the list of public suffixes is data"),
    (r"/admin/services", r"(?:hosts|networks) must not have", "a pattern cannot compare an address with its prefix"),
    (r"/tokens", r"expiresAt", "the expiry is compared with that of the calling token"),
    (r"/session", r"Send either a token", "the run sends a token with every request"),
    (r"/webhooks", r"url ", "the operator decides which receivers are allowed"),
    (r"/ownership/check", r"pattern", "the service must declare the pattern"),
    (r"/feed/.+/misp", r".", "a report needs a C2 and a file among the attributes"),
    (r"/feed/.+/xarf", r"c2_server must be the same host|hash is missing", "compares members"),
    (r"/taxii2/", r"match\[version\]|added_after", "a pattern admits February 30"),
    (r"/taxii2/", r"The envelope has no indicator", "the types of the objects depend on each other"),
    (r"/api/proposals/", r"confidenceScore", "the scale is that of the service of the proposal"),
    (r".", r"visible characters|the name of an account", "a pattern without classes of Unicode admits unassigned characters"),
    (r".", r"The body is too large", "bodies are limited by their size in bytes"),
]

# An invalid request that is accepted: (path, what is invalid, why).
ACCEPTED = [
    (r"/taxii2/", r"unexpected propert", "TAXII requires that unknown filters are ignored"),
    (r"/threatfox/api/v1", r".", "ThreatFox answers 200 with a query_status that says what is wrong"),
    (r"/feed/.+/preview", r".", "a preview answers 200 and lists the problems of the body"),
    (r"/feed/.+/misp", r".", "members of an event that are not read are ignored"),
    (r"/feed/.+/xarf", r".", "members of a report that are not read are ignored"),
    (r".", r"`(?:host|c2|c2Address)`|/(?:host|c2|c2Address)\b", "names in other scripts are accepted"),
    (r"/reports$|/admin/samples$", r"incorrect type|violates `type`", "every JSON text is a line of NDJSON"),
    (r"/taxii2/.+/objects", r"/objects/", "the status of the submission lists refused objects"),
]

# Refusals before the request reaches an operation, and too large bodies.
ALWAYS_REFUSALS = (413, 431)


def _excused(failure: Exception, case: Any, text: str, excuses: list[tuple[str, str, str]]) -> bool:
    return any(
        re.search(path, case.operation.path) and re.search(pattern, text) for path, pattern, _ in excuses
    )


@schemathesis.check
def accepts_valid_requests(ctx: Any, response: Any, case: Any) -> None:
    try:
        checks.positive_data_acceptance(ctx, response, case)
    except Exception as failure:
        if not _excused(failure, case, response.text, REFUSED):
            raise


@schemathesis.check
def rejects_invalid_requests(ctx: Any, response: Any, case: Any) -> None:
    if response.status_code in ALWAYS_REFUSALS:
        return
    try:
        checks.negative_data_rejection(ctx, response, case)
    except Exception as failure:
        if not _excused(failure, case, f"{failure} {getattr(failure, 'message', '')}", ACCEPTED):
            raise


@schemathesis.check
def documents_statuses(ctx: Any, response: Any, case: Any) -> None:
    if response.status_code not in ALWAYS_REFUSALS:
        checks.status_code_conformance(ctx, response, case)


@schemathesis.check
def needs_a_token(ctx: Any, response: Any, case: Any) -> None:
    try:
        checks.ignored_auth(ctx, response, case)
    except Exception as failure:
        # After many bad tokens from one address, the server refuses it for a while.
        if "429 Too Many Requests" not in f"{failure} {getattr(failure, 'message', '')}":
            raise


@schemathesis.serializer("application/x-ndjson")
def ndjson(ctx: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()
