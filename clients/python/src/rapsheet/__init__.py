"""A client of Rapsheet: abuse-report feeds, and static analysis reports by file hash."""

from . import models, webhooks
from ._bulk import BatchPace
from ._exports import Export, ExportEnd, SavedExport
from ._follow import ALL, ChangeEvent, FeedEvent, ResetEvent
from ._samples import FoundSimilar, LookedUp, LookedUpDetails, LookedUpMany
from ._version import __version__
from .client import Rapsheet
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
