"""Files that appear whole."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """A file that takes the name of the target when the block ends without an error."""
    folder = target.parent
    with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{target.name}.", delete=False) as file:
        temporary = Path(file.name)
        try:
            yield cast(BinaryIO, file)
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
