"""dissect.cobaltstrike. It reads one family, so the entry of a job is not used."""

from pathlib import Path
from typing import Any

import driver


def load() -> driver.Read:
    from dissect.cobaltstrike.beacon import BeaconConfig

    def read(path: Path, entry: str) -> Any:
        beacon = BeaconConfig.from_path(str(path), all_xor_keys=True)
        return {**beacon.settings, "public_key": beacon.public_key}

    return read


driver.run("dissect.cobaltstrike", load)
