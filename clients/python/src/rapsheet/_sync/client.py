"""The client of a Rapsheet server."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

import httpx

from .._call import TransportOptions
from ..errors import BadOptionsError
from .account import AccountCalls
from .exports import ExportCalls
from .feeds import FeedCalls
from .intake import IntakeCalls
from .mail import MailCalls
from .ownership import OwnershipCalls
from .proposals import ProposalCalls
from .samples import SampleCalls
from .transport import Transport
from .webhooks import WebhookCalls

DEFAULT_URL = "http://127.0.0.1:8080"


class Rapsheet(
    FeedCalls,
    IntakeCalls,
    ExportCalls,
    SampleCalls,
    ProposalCalls,
    AccountCalls,
    WebhookCalls,
    MailCalls,
    OwnershipCalls,
):
    """A client of the HTTP API with a method for each operation; a refusal is raised.

    Calls are repeated after 429 and 503, with the delay of ``Retry-After``, up to ``retries`` times
    and ``max_wait`` seconds in all. Idempotent calls, which include creating a report, are also
    repeated after 502, 504 and broken connections.

    A client may be shared by threads. Use it as a context manager, or call ``close``.
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        analysis_url: str | None = None,
        timeout: float = 30.0,
        retries: int = 4,
        max_wait: float = 30.0,
        http_transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Opens no connection yet.

        ``analysis_url`` is the server of the sample operations, if it is another one. ``timeout``
        are the seconds without progress after which an attempt fails. ``http_transport`` replaces
        the network, for proxies and tests.
        """
        if timeout <= 0 or retries < 0 or max_wait < 0:
            raise BadOptionsError("timeout must be positive; retries and max_wait not negative.")
        options = TransportOptions(
            token=token,
            timeout=timeout,
            retries=retries,
            max_wait=max_wait,
        )
        transport = Transport(base_url, options, http_transport)
        analysis = (
            transport if analysis_url is None else Transport(analysis_url, options, http_transport)
        )
        super().__init__(transport, analysis)

    @classmethod
    def from_environment(cls) -> Rapsheet:
        """Uses the settings of the command line.

        These are ``RAPSHEET_URL``, and ``RAPSHEET_TOKEN`` or ``RAPSHEET_TOKEN_FILE``.
        """
        token = os.environ.get("RAPSHEET_TOKEN")
        path = os.environ.get("RAPSHEET_TOKEN_FILE")
        if not token and path:
            token = Path(path).read_text(encoding="utf-8").strip()
        return cls(os.environ.get("RAPSHEET_URL") or DEFAULT_URL, token or None)

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()
        self._analysis.close()

    def __enter__(self) -> Rapsheet:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Rapsheet({self._transport.url!r})"
