"""Files that appear whole."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path


class Replacement:
    """A file that takes the name of the target when it is whole.

    It also takes the permissions of the target: other programs read it. A new file is readable by
    its owner alone.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        # Closed by commit or discard.
        self._file = tempfile.NamedTemporaryFile(  # noqa: SIM115
            dir=target.parent, prefix=f".{target.name}.", delete=False
        )

    def write(self, chunk: bytes) -> None:
        """Adds bytes at the end."""
        self._file.write(chunk)

    def commit(self) -> None:
        """Replaces the target."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        temporary = Path(self._file.name)
        if self._target.exists():
            temporary.chmod(stat.S_IMODE(self._target.stat().st_mode))
        os.replace(temporary, self._target)

    def discard(self) -> None:
        """Removes what was written, unless it has replaced the target."""
        self._file.close()
        Path(self._file.name).unlink(missing_ok=True)
