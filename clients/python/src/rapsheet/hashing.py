"""Hashes of files, without reading them into memory."""

from __future__ import annotations

import hashlib
import os

CHUNK_BYTES = 1 << 20


def sha256_of(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of a file in lower-case hexadecimal, as reports and lookups use it."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
