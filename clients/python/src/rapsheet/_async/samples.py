"""Looking up, uploading and downloading files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Literal, TypeVar

from .._call import Call
from .._headers import parse_quota
from .._paths import join_path
from .._samples import (
    FoundSimilar,
    LookedUp,
    LookedUpDetails,
    LookedUpMany,
    file_form,
    sample_path,
)
from .._wire import decode
from ..errors import Quota
from ..models import (
    AnalysisReport,
    FoundReportAndDetails,
    FoundSamples,
    SampleState,
    SimilarSamples,
    SubmittedSample,
)
from .calls import Calls
from .files import save

Model = TypeVar("Model")


class SampleCalls(Calls):
    """The operations on files.

    Those that return a quota cost a unit of it, also without a result. They are not repeated after
    a broken connection, because the first attempt may have been charged: the caller decides.
    """

    async def look_up(self, file_hash: str) -> LookedUp:
        """The analysis report of a file by its SHA-256, SHA-512 or BLAKE3."""
        report, quota = await self._charged(AnalysisReport, Call("GET", sample_path(file_hash)))
        return LookedUp(report, quota)

    async def look_up_many(self, hashes: Sequence[str]) -> LookedUpMany:
        """At most 100 hashes: a unit for each, or none if the quota is too small for all."""
        call = Call("POST", "/private/samples", body={"hashes": list(hashes)})
        found, quota = await self._charged(FoundSamples, call)
        return LookedUpMany(found.results, quota)

    async def details(self, file_hash: str) -> LookedUpDetails:
        """The report and the evidence behind it, for one unit."""
        call = Call("GET", sample_path(file_hash, "details"), query={"report": True})
        found, quota = await self._charged(FoundReportAndDetails, call)
        return LookedUpDetails(found.report, found.details, quota)

    async def similar(
        self, file_hash: str, *, by: Literal["ssdeep", "tlsh"] | None = None
    ) -> FoundSimilar:
        """Files with a similar digest: by ssdeep, unless ``by`` is ``tlsh``."""
        path = join_path("private", "similar", file_hash)
        return await self._similar(Call("GET", path, query={"by": by}))

    async def similar_to_ssdeep(self, ssdeep: str) -> FoundSimilar:
        """Files with a fuzzy hash that is similar to this one."""
        return await self._similar(Call("GET", "/private/similar", query={"ssdeep": ssdeep}))

    async def similar_to_tlsh(self, tlsh: str) -> FoundSimilar:
        """Files with a TLSH digest that is close to this one."""
        return await self._similar(Call("GET", "/private/similar", query={"tlsh": tlsh}))

    async def _similar(self, call: Call) -> FoundSimilar:
        found, quota = await self._charged(SimilarSamples, call)
        return FoundSimilar(found.similar, quota)

    async def sample_status(self, file_hash: str) -> SampleState:
        """How far the analysis of a file is. Does not use the quota."""
        call = Call("GET", sample_path(file_hash, "status"))
        return decode(SampleState, (await self._analysis.send_json(call))[0])

    async def upload(
        self,
        file: str | os.PathLike[str] | bytes | BinaryIO,
        *,
        file_name: str | None = None,
        wait: int | None = None,
    ) -> SubmittedSample:
        """Sends a file to be analysed; the same bytes twice are stored once.

        Every account can read the name of the first upload; ``file_name`` replaces it.
        ``wait`` are the seconds that the server may wait for the analysis, at most 30. A stream is
        sent from its beginning; one that cannot be rewound is sent only once.
        """
        form, retry = file_form(file, file_name)
        call = Call(
            "POST",
            "/private/upload",
            retry,
            form=form,
            headers={} if wait is None else {"prefer": f"wait={wait}"},
            extra_wait=float(wait or 0),
        )
        return decode(SubmittedSample, (await self._analysis.send_json(call))[0])

    async def download_sample(self, file_hash: str, target: str | os.PathLike[str]) -> Path:
        """Saves a file as a zip with the password ``infected``. A partial file never appears."""
        call = Call("GET", sample_path(file_hash, "file"), headers={"accept": "*/*"})
        return await self._analysis.attempt(call, lambda: self._download(call, Path(target)))

    async def _download(self, call: Call, target: Path) -> Path:
        async with self._analysis.stream(call, attempts=False) as response:
            await save(response.aiter_bytes(), target)
        return target

    async def _charged(self, model: type[Model], call: Call) -> tuple[Model, Quota | None]:
        body, headers = await self._analysis.send_json(replace(call, retry="unprocessed"))
        return decode(model, body), parse_quota(headers)
