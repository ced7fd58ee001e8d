"""Sends calls and repeats them by the policy of ``_retry``."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from typing import Any, TypeVar

import httpx

from .._call import Call, TransportOptions, request_arguments
from .._retry import is_retryable, retry_delay
from .._server import Server, is_answer, mention_attempts, parse_object
from .._version import __version__
from ..errors import RapsheetError
from .waiting import sleep

Result = TypeVar("Result")


class Transport:
    """The connections to one server."""

    def __init__(
        self, url: str, options: TransportOptions, network: httpx.AsyncBaseTransport | None
    ) -> None:
        self._server = Server(url, options.token)
        self._options = options
        # Redirects are not followed: they would send the token to another server.
        self._client = httpx.AsyncClient(
            timeout=options.timeout,
            follow_redirects=False,
            transport=network,
            headers={"user-agent": f"rapsheet-python/{__version__}"},
        )

    @property
    def url(self) -> str:
        """The base URL of the server, without a slash at its end."""
        return self._server.url

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.aclose()

    async def sleep(self, seconds: float) -> None:
        """Waits, as between two attempts."""
        await sleep(seconds)

    async def send(self, call: Call) -> httpx.Response:
        """Returns the whole answer of a call that succeeded."""
        return await self.attempt(call, lambda: self.send_once(call))

    async def send_json(self, call: Call) -> tuple[dict[str, Any], httpx.Headers]:
        """Returns the JSON object of the answer, and its headers."""
        response = await self.send(call)
        body = parse_object(response.content)
        if body is None:
            raise self._server.refusal(response)
        return body, response.headers

    @asynccontextmanager
    async def stream(self, call: Call, *, attempts: bool = True) -> AsyncIterator[httpx.Response]:
        """Opens an answer whose body is read piece by piece. A broken one raises NoAnswerError.

        Without ``attempts`` it is opened once, for callers that read it within ``attempt``.
        """
        once = partial(self._open_once, call)
        response = await (self.attempt(call, once) if attempts else once())
        try:
            yield response
        except httpx.RequestError as cause:
            raise self._server.no_answer(cause) from cause
        finally:
            await response.aclose()

    async def attempt(self, call: Call, once: Callable[[], Awaitable[Result]]) -> Result:
        """Repeats ``once`` as long as the policy of the call, and the limits, allow."""
        options = self._options
        waited = 0.0
        may_have_acted = False
        attempts = 0
        while True:
            attempts += 1
            try:
                return await once()
            except RapsheetError as error:
                delay = retry_delay(attempts, error, random.random())
                may_retry = attempts <= options.retries and waited + delay <= options.max_wait
                if not may_retry or not is_retryable(error, call.retry):
                    raise mention_attempts(error, may_have_acted) from error.__cause__
                may_have_acted |= call.method != "GET" and error.status not in (429, 503)
            await self.sleep(delay)
            waited += delay

    async def send_once(self, call: Call) -> httpx.Response:
        """Makes a single attempt, for callers that check the answer within ``attempt``."""
        response = await self._open_once(call)
        try:
            await response.aread()
        except httpx.RequestError as cause:
            raise self._server.no_answer(cause) from cause
        finally:
            await response.aclose()
        return response

    async def _open_once(self, call: Call) -> httpx.Response:
        try:
            # A file is open until its bytes are sent.
            with ExitStack() as files:
                arguments = request_arguments(call, self._options, files)
                url = f"{self.url}{call.path}"
                request = self._client.build_request(call.method, url, **arguments)
                response = await self._client.send(request, stream=True)
            if is_answer(response):
                return response
            await response.aread()
        except httpx.RequestError as cause:
            raise self._server.no_answer(cause) from cause
        await response.aclose()
        raise self._server.refusal(response)
