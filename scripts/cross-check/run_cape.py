"""CAPE-parsers. The entry of a job is the module of its family."""

import importlib
from pathlib import Path
from typing import Any

import driver


def load() -> driver.Read:
    importlib.import_module("cape_parsers")

    def read(path: Path, entry: str) -> Any:
        module = importlib.import_module(f"cape_parsers.CAPE.{entry}")
        return module.extract_config(path.read_bytes())

    return read


driver.run("CAPE-parsers", load)
