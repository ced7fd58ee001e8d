"""A client of Rapsheet: abuse-report feeds, and static analysis reports by file hash."""

from . import models, webhooks
from ._async.client import AsyncRapsheet
from ._async.exports import AsyncExport
from ._bulk import BatchPace
from ._exports import ExportEnd, SavedExport
from ._follow import ALL, ChangeEvent, FeedEvent, ResetEvent
from ._samples import FoundSimilar, LookedUp, LookedUpDetails, LookedUpMany
from ._sync.client import Rapsheet
from ._sync.exports import Export
from ._version import __version__
from .errors import (
    BadAnswerError,
    BadOptionsError,
    ForbiddenError,
    GoneError,
    InvalidRequestError,
    NoAnswerError,
    NotFoundError,
    Quota,
    QuotaExhaustedError,
    RapsheetError,
    RefusedError,
    RejectedC2Warning,
    ServerError,
    TooManyRequestsError,
    UnauthenticatedError,
)
from .hashing import sha256_of
from .models import NewReport, ReportFilter
from .times import format_time, parse_time

__all__ = [
    "ALL",
    "AsyncExport",
    "AsyncRapsheet",
    "BadAnswerError",
    "BadOptionsError",
    "BatchPace",
    "ChangeEvent",
    "Export",
    "ExportEnd",
    "FeedEvent",
    "ForbiddenError",
    "FoundSimilar",
    "GoneError",
    "InvalidRequestError",
    "LookedUp",
    "LookedUpDetails",
    "LookedUpMany",
    "NewReport",
    "NoAnswerError",
    "NotFoundError",
    "Quota",
    "QuotaExhaustedError",
    "Rapsheet",
    "RapsheetError",
    "RefusedError",
    "RejectedC2Warning",
    "ReportFilter",
    "ResetEvent",
    "SavedExport",
    "ServerError",
    "TooManyRequestsError",
    "UnauthenticatedError",
    "__version__",
    "format_time",
    "models",
    "parse_time",
    "sha256_of",
    "webhooks",
]
