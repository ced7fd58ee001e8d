"""What a call raises: one class for each way to react."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quota:
    """The state of the lookup quota; ``None`` for no limit, or no reset."""

    limit: int | None
    remaining: int | None
    resets_at: str | None
    """YYYY-MM-DDTHH:MM:SSZ"""


class RapsheetError(Exception):
    """A call that was refused or failed. The message never contains the token."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        quota: Quota | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: The code of the server (``X-Error-Code``), or the one of the client class.
        self.code = code
        #: ``None`` if no answer came.
        self.status = status
        #: Identifies the call in the log of the server.
        self.request_id = request_id
        #: The seconds to wait, if the server said so.
        self.retry_after = retry_after
        #: Set for a refused lookup: most refusals cost a unit too.
        self.quota = quota


class BadOptionsError(RapsheetError):
    """The client cannot send such a call; nothing was sent."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="bad_options")


class NoAnswerError(RapsheetError):
    """No answer came, or an incomplete one."""

    def __init__(self, message: str, *, may_have_acted: bool = True) -> None:
        super().__init__(message, code="no_answer")
        #: False if no connection was made, so that the server cannot have seen the call.
        self.may_have_acted = may_have_acted


class BadAnswerError(RapsheetError):
    """The answer is not one of a Rapsheet server, or of a newer one with other types."""


class RefusedError(RapsheetError):
    """The server refused the call with a 4xx status."""


class InvalidRequestError(RefusedError):
    """400, 413, 415, 416, 422: the message says what is wrong and what is right."""


class UnauthenticatedError(RefusedError):
    """401: the token is missing, unknown, revoked or expired."""


class ForbiddenError(RefusedError):
    """403: the account may not do this."""


class NotFoundError(RefusedError):
    """404: no such report, service or analysis. ``analysis_pending``: ask again later."""


class GoneError(RefusedError):
    """410: the server no longer has the changes after this position."""


class TooManyRequestsError(RefusedError):
    """429: the account exceeds a limit."""


class QuotaExhaustedError(TooManyRequestsError):
    """429: too few lookups are left."""


class ServerError(RapsheetError):
    """The server failed with a 5xx status. 503: nothing was changed or charged."""


_BY_STATUS: dict[int, type[RefusedError]] = {
    400: InvalidRequestError,
    401: UnauthenticatedError,
    403: ForbiddenError,
    404: NotFoundError,
    410: GoneError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    416: InvalidRequestError,
    422: InvalidRequestError,
    429: TooManyRequestsError,
}


def error_class(status: int, code: str) -> type[RapsheetError]:
    """The class for an answer that is no success."""
    if status >= 500:
        return ServerError
    if status < 400:
        return BadAnswerError
    if status == 429 and code.startswith("quota_"):
        return QuotaExhaustedError
    return _BY_STATUS.get(status, RefusedError)


class RejectedC2Warning(UserWarning):
    """The desk has rejected the C2 of a new report as a false positive.

    The report is stored, but gives no indicator of the C2 until the desk takes that back.
    """
