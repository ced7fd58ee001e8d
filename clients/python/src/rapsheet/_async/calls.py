"""The usual calls of a JSON API, each with the retry policy that suits its method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from .._call import Call, Query
from .._retry import RetryPolicy
from .._wire import decode
from .transport import Transport

Model = TypeVar("Model")


class Calls:
    """The base of the classes that hold the operations of a resource."""

    def __init__(self, transport: Transport, analysis: Transport) -> None:
        self._transport = transport
        #: The server of the sample operations.
        self._analysis = analysis

    async def _get(self, model: type[Model], path: str, query: Query | None = None) -> Model:
        return await self._send(model, Call("GET", path, query=query or {}))

    async def _delete(self, model: type[Model], path: str, query: Query | None = None) -> Model:
        return await self._send(model, Call("DELETE", path, query=query or {}))

    async def _patch(self, model: type[Model], path: str, body: Any) -> Model:
        return await self._send(model, Call("PATCH", path, body=body))

    async def _post(
        self,
        model: type[Model],
        path: str,
        *,
        body: Any = None,
        retry: RetryPolicy = "unprocessed",
        headers: Mapping[str, str] | None = None,
    ) -> Model:
        """By default for calls that are not idempotent, such as issuing a token."""
        return await self._send(model, Call("POST", path, retry, body=body, headers=headers or {}))

    async def _send(self, model: type[Model], call: Call) -> Model:
        return decode(model, (await self._transport.send_json(call))[0])
