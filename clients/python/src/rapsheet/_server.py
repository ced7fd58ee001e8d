"""The address of a server, and what its failures are raised as."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import httpx

from ._headers import parse_quota, parse_retry_after
from .errors import BadAnswerError, BadOptionsError, NoAnswerError, RapsheetError, error_class


class Server:
    """The texts of its errors never contain the token, which the server may echo."""

    def __init__(self, url: str, token: str | None) -> None:
        self.url = _read_url(url)
        self._token = token
        _check_token(token)

    def no_answer(self, cause: httpx.RequestError) -> NoAnswerError:
        """The error of an attempt whose connection failed."""
        reason = " in time" if isinstance(cause, httpx.TimeoutException) else f" ({cause})"
        return NoAnswerError(
            self._safe(f"No complete answer came from {self.url}{reason}."),
            may_have_acted=not isinstance(
                cause, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
            ),
        )

    def refusal(self, response: httpx.Response) -> RapsheetError:
        """The error of an answer, whose body was read."""
        status, headers = response.status_code, response.headers
        body = parse_object(response.content)
        code = headers.get("x-error-code", "bad_answer")
        message = (body or {}).get("error")
        if not isinstance(message, str):
            message = f"{self.url} {_describe_bad_answer(response)}."
        return error_class(status, code)(
            self._safe(message),
            code=code,
            status=status,
            request_id=headers.get("x-request-id"),
            retry_after=parse_retry_after(headers.get("retry-after"), time.time()),
            quota=parse_quota(headers),
        )

    def _safe(self, message: str) -> str:
        return message if self._token is None else message.replace(self._token, "[token]")


def is_answer(response: httpx.Response) -> bool:
    """Whether the body is what was asked for, or is known to the caller."""
    return response.is_success or response.status_code == httpx.codes.NOT_MODIFIED


def parse_object(content: bytes) -> dict[str, Any] | None:
    """The JSON object of an answer."""
    try:
        value = json.loads(content)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def mention_attempts(error: RapsheetError, may_have_acted: bool) -> RapsheetError:
    """A refusal may be caused by the first attempt: a deleted report is not found."""
    if may_have_acted and not isinstance(error, (NoAnswerError, BadAnswerError)):
        error.message += " (An earlier attempt got no answer and may have been carried out.)"
        error.args = (error.message,)
    return error


def _read_url(text: str) -> str:
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL("")
    is_base_url = url.scheme in ("http", "https") and url.host != "" and url.userinfo == b""
    if not is_base_url or url.query != b"" or url.fragment != "":
        raise BadOptionsError(
            "The URL of the server must be an http or https URL"
            " without user name, password and query."
        )
    return text.rstrip("/")


def _check_token(token: str | None) -> None:
    """A token that is no valid header value would appear in the error of the HTTP library."""
    if token is not None and not re.fullmatch(r"[\x21-\x7e]+", token):
        raise BadOptionsError("The token contains characters that no token has.")


def _describe_bad_answer(response: httpx.Response) -> str:
    status = response.status_code
    if response.is_redirect:
        location = response.headers.get("location", "elsewhere")
        return f"answers with a redirect to {location}: use the address of the server itself"
    if not response.is_success:
        return f"answered {status} without saying why"
    kind = response.headers.get("content-type", "no type")
    return f"answered with a body that is not JSON or not all of it ({kind})"
