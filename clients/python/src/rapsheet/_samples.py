"""Results of lookups, and files to upload."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from ._call import Part
from ._paths import join_path
from ._retry import RetryPolicy
from .errors import Quota
from .models import (
    AnalysisDetails,
    AnalysisReport,
    FoundSamplesResult,
    SimilarSamplesSimilar,
)

FILE_TYPE = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class LookedUp:
    """An analysis report, and what is left of the quota."""

    report: AnalysisReport
    quota: Quota | None
    """``None`` if a proxy removed the headers."""


@dataclass(frozen=True, slots=True)
class LookedUpMany:
    """The results in the order of the hashes, and what is left of the quota."""

    results: tuple[FoundSamplesResult, ...]
    quota: Quota | None


@dataclass(frozen=True, slots=True)
class LookedUpDetails:
    """The report, the evidence behind it, and what is left of the quota."""

    report: AnalysisReport
    details: AnalysisDetails | None
    """``None`` for an imported report."""
    quota: Quota | None


@dataclass(frozen=True, slots=True)
class FoundSimilar:
    """Similar files, the best first, and what is left of the quota."""

    similar: tuple[SimilarSamplesSimilar, ...]
    quota: Quota | None


def sample_path(file_hash: str, *rest: str) -> str:
    """The path of an operation on one file."""
    return join_path("private", "sample", file_hash, *rest)


def file_form(
    file: str | os.PathLike[str] | bytes | BinaryIO, name: str | None
) -> tuple[Callable[[], AbstractContextManager[Part]], RetryPolicy]:
    """A function that opens the file for each attempt, and whether there may be several."""
    if isinstance(file, bytes):
        return lambda: nullcontext((name or "file", file, FILE_TYPE)), "always"
    if isinstance(file, (str, os.PathLike)):
        return partial(_open_part, Path(file), name), "always"
    # The HTTP library rewinds a stream before it sends it.
    part = (name or "file", file, FILE_TYPE)
    return lambda: nullcontext(part), "always" if file.seekable() else "never"


@contextmanager
def _open_part(path: Path, name: str | None) -> Iterator[Part]:
    with path.open("rb") as content:
        yield (name or path.name, content, FILE_TYPE)
