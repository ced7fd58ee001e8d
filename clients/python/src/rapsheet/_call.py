"""A request, before it is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from json import dumps
from typing import Any

import httpx

from ._retry import RetryPolicy

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


def request_arguments(call: Call, options: TransportOptions, files: ExitStack) -> dict[str, Any]:
    """The arguments of ``build_request``, except the method and the URL."""
    headers = {"accept": "application/json", **call.headers}
    if options.token is not None:
        headers["authorization"] = f"Bearer {options.token}"
    content = call.content
    if call.body is not None:
        headers["content-type"] = "application/json"
        content = dumps(call.body, ensure_ascii=False, allow_nan=False).encode()
    return {
        "params": list(_parameters(call.query)) or None,
        "headers": headers,
        "content": content,
        "files": None if call.form is None else {"file": files.enter_context(call.form())},
        "timeout": _timeout(call, options.timeout),
    }


def _timeout(call: Call, seconds: float) -> httpx.Timeout:
    read = seconds + call.extra_wait if call.silent_after is None else call.silent_after
    return httpx.Timeout(seconds, read=read)


def _parameters(query: Query) -> Iterable[tuple[str, str]]:
    """A list becomes a repeated parameter; ``None`` is left out."""
    for name, value in query.items():
        values = value if isinstance(value, (list, tuple)) else [value]
        for one in values:
            if one is not None:
                yield name, str(one).lower() if isinstance(one, bool) else str(one)
