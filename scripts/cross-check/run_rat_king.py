"""rat_king_parser. It finds out the family by itself, so the entry of a job is not used."""

from pathlib import Path
from typing import Any

import driver


def load() -> driver.Read:
    from rat_king_parser.config_parser.rat_config_parser import RATConfigParser

    def read(path: Path, entry: str) -> Any:
        return RATConfigParser(file_path=str(path), remap_config=True).report

    return read


driver.run("rat-king-parser", load)
