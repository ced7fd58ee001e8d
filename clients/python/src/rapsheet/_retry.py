"""Which failed calls are sent again, and when."""

from __future__ import annotations

from typing import Literal

from .errors import NoAnswerError, QuotaExhaustedError, RapsheetError

RetryPolicy = Literal["always", "unprocessed", "never"]
"""Whether a failed call may be sent again.

- ``always``: the call is idempotent. Sent again even if no answer came.
- ``unprocessed``: a second call would act or charge twice. Sent again only if the server states
  that nothing was done (429, 503), or if it was never reached.
- ``never``: the body can be read only once.
"""

FIRST_WAIT = 0.25
LONGEST_WAIT = 10.0


def is_retryable(error: RapsheetError, policy: RetryPolicy) -> bool:
    """Whether a second attempt may succeed and is safe."""
    if policy == "never":
        return False
    if error.status == 429:
        return _can_wait(error)
    if error.status == 503:
        return True
    if isinstance(error, NoAnswerError):
        return policy == "always" or not error.may_have_acted
    return policy == "always" and error.status in (502, 504)


def _can_wait(error: RapsheetError) -> bool:
    # Waiting does not make a bad token valid.
    if error.code == "too_many_bad_tokens":
        return False
    return not isinstance(error, QuotaExhaustedError) or error.retry_after is not None


def retry_delay(attempt: int, error: RapsheetError, random: float) -> float:
    """The seconds to wait after attempt number ``attempt``, counted from 1.

    ``Retry-After`` if the server sent it, else exponential. The random part spreads the attempts of
    clients that failed at the same time.
    """
    if error.retry_after is not None:
        return error.retry_after + random * FIRST_WAIT
    # The exponent is limited, because a float overflows before the attempts end.
    cap = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(attempt - 1, 16))
    return cap / 2 + random * cap / 2
