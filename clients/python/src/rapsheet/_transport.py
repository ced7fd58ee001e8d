"""Sends calls and repeats them by the policy of ``_retry``."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import httpx

from ._headers import parse_quota, parse_retry_after
from ._retry import RetryPolicy, is_retryable, retry_delay
from ._version import __version__
from .errors import (
    BadAnswerError,
    BadOptionsError,
    NoAnswerError,
    RapsheetError,
    error_class,
)

Result = TypeVar("Result")
Query = Mapping[str, object]
Part = tuple[str, Any, str]
"""The name, content and type of a file in a form."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request. ``body`` is sent as JSON, ``content`` as it is, ``form`` as a file."""

    method: str
    path: str
    retry: RetryPolicy = "always"
    query: Query = field(default_factory=dict)
    body: object = None
    content: bytes | None = None
    form: Callable[[], AbstractContextManager[Part]] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Seconds that the server may stay silent, in addition to the timeout of the client.
    extra_wait: float = 0.0
    #: The seconds without a byte that end the attempt, instead of the timeout of the client.
    silent_after: float | None = None


@dataclass(frozen=True, slots=True)
class TransportOptions:
    """The options of the client that every call obeys."""

    token: str | None
    timeout: float
    retries: int
    max_wait: float
    http_transport: httpx.BaseTransport | None = None


class Transport:
    """The connections to one server."""

    def __init__(self, url: str, options: TransportOptions) -> None:
        self._url = _read_url(url)
        self._options = options
        _check_token(options.token)
        # Redirects are not followed: they would send the token to another server.
        self._client = httpx.Client(
            timeout=options.timeout,
            follow_redirects=False,
            transport=options.http_transport,
            headers={"user-agent": f"rapsheet-python/{__version__}"},
        )

    @property
    def url(self) -> str:
        """The base URL of the server, without a slash at its end."""
        return self._url

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def sleep(self, seconds: float) -> None:
        """Waits, as between two attempts."""
        time.sleep(seconds)

    def send(self, call: Call) -> httpx.Response:
        """Returns the whole answer of a call that succeeded."""
        return self.attempt(call, lambda: self.send_once(call))

    def send_json(self, call: Call) -> tuple[dict[str, Any], httpx.Headers]:
        """Returns the JSON object of the answer, and its headers."""
        response = self.send(call)
        body = _parse_object(response.content)
        if body is None:
            raise self._refusal(response)
        return body, response.headers

    @contextmanager
    def stream(self, call: Call, *, attempts: bool = True) -> Iterator[httpx.Response]:
        """Opens an answer whose body is read piece by piece. A broken one raises NoAnswerError.

        Without ``attempts`` it is opened once, for callers that read it within ``attempt``.
        """
        once = partial(self._open_once, call)
        response = self.attempt(call, once) if attempts else once()
        try:
            yield response
        except httpx.RequestError as cause:
            raise self._no_answer(cause) from cause
        finally:
            response.close()

    def attempt(self, call: Call, once: Callable[[], Result]) -> Result:
        """Repeats ``once`` as long as the policy of the call, and the limits, allow."""
        options = self._options
        waited = 0.0
        may_have_acted = False
        attempts = 0
        while True:
            attempts += 1
            try:
                return once()
            except RapsheetError as error:
                delay = retry_delay(attempts, error, random.random())
                may_retry = attempts <= options.retries and waited + delay <= options.max_wait
                if not may_retry or not is_retryable(error, call.retry):
                    raise _mention_attempts(error, may_have_acted) from error.__cause__
                may_have_acted |= call.method != "GET" and error.status not in (429, 503)
            self.sleep(delay)
            waited += delay

    def send_once(self, call: Call) -> httpx.Response:
        """Makes a single attempt, for callers that check the answer within ``attempt``."""
        response = self._open_once(call)
        try:
            response.read()
        except httpx.RequestError as cause:
            raise self._no_answer(cause) from cause
        finally:
            response.close()
        return response

    def _open_once(self, call: Call) -> httpx.Response:
        try:
            # A file is open until its bytes are sent.
            with ExitStack() as files:
                response = self._client.send(self._request(call, files), stream=True)
            if response.is_success or response.status_code == httpx.codes.NOT_MODIFIED:
                return response
            response.read()
        except httpx.RequestError as cause:
            raise self._no_answer(cause) from cause
        response.close()
        raise self._refusal(response)

    def _request(self, call: Call, files: ExitStack) -> httpx.Request:
        headers = {"accept": "application/json", **call.headers}
        if self._options.token is not None:
            headers["authorization"] = f"Bearer {self._options.token}"
        content = call.content
        if call.body is not None:
            headers["content-type"] = "application/json"
            content = json.dumps(call.body, ensure_ascii=False, allow_nan=False).encode()
        return self._client.build_request(
            call.method,
            f"{self._url}{call.path}",
            params=list(_parameters(call.query)) or None,
            headers=headers,
            content=content,
            files=None if call.form is None else {"file": files.enter_context(call.form())},
            timeout=self._timeout(call),
        )

    def _timeout(self, call: Call) -> httpx.Timeout:
        seconds = self._options.timeout
        read = seconds + call.extra_wait if call.silent_after is None else call.silent_after
        return httpx.Timeout(seconds, read=read)

    def _no_answer(self, cause: httpx.RequestError) -> NoAnswerError:
        reason = " in time" if isinstance(cause, httpx.TimeoutException) else f" ({cause})"
        return NoAnswerError(
            self._safe(f"No complete answer came from {self._url}{reason}."),
            may_have_acted=not isinstance(
                cause, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
            ),
        )

    def _refusal(self, response: httpx.Response) -> RapsheetError:
        status, headers = response.status_code, response.headers
        body = _parse_object(response.content)
        code = headers.get("x-error-code", "bad_answer")
        message = (body or {}).get("error")
        if not isinstance(message, str):
            message = f"{self._url} {_describe_bad_answer(response)}."
        return error_class(status, code)(
            self._safe(message),
            code=code,
            status=status,
            request_id=headers.get("x-request-id"),
            retry_after=parse_retry_after(headers.get("retry-after"), time.time()),
            quota=parse_quota(headers),
        )

    def _safe(self, message: str) -> str:
        """Removes the token from texts of the server, which may echo it."""
        token = self._options.token
        return message if token is None else message.replace(token, "[token]")


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


def _parameters(query: Query) -> Iterable[tuple[str, str]]:
    """A list becomes a repeated parameter; ``None`` is left out."""
    for name, value in query.items():
        values = value if isinstance(value, (list, tuple)) else [value]
        for one in values:
            if one is not None:
                yield name, str(one).lower() if isinstance(one, bool) else str(one)


def _parse_object(content: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(content)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _describe_bad_answer(response: httpx.Response) -> str:
    status = response.status_code
    if response.is_redirect:
        location = response.headers.get("location", "elsewhere")
        return f"answers with a redirect to {location}: use the address of the server itself"
    if not response.is_success:
        return f"answered {status} without saying why"
    kind = response.headers.get("content-type", "no type")
    return f"answered with a body that is not JSON or not all of it ({kind})"


def _mention_attempts(error: RapsheetError, may_have_acted: bool) -> RapsheetError:
    """A refusal may be caused by the first attempt: a deleted report is not found."""
    if may_have_acted and not isinstance(error, (NoAnswerError, BadAnswerError)):
        error.message += " (An earlier attempt got no answer and may have been carried out.)"
        error.args = (error.message,)
    return error
