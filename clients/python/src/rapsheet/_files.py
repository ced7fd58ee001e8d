"""Files that appear whole."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """A file that takes the name of the target when the block ends without an error.

    It also takes the permissions of the target: other programs read it. A new file is readable by
    its owner alone.
    """
    folder = target.parent
    with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{target.name}.", delete=False) as file:
        temporary = Path(file.name)
        try:
            yield cast(BinaryIO, file)
            file.flush()
            os.fsync(file.fileno())
            if target.exists():
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
