"""Runs one parser over files and prints a line of JSON for each, so that it is imported only once.

Standard input has the jobs: a list of {"file", "entry"}. The first line of the output is the
installed version of the package, or why it cannot be imported.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import logging
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Processor time, which does not depend on the load of the machine.
SECONDS_PER_FILE = 10

Read = Callable[[Path, str], Any]


def as_json(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def give_up(signum: int, frame: Any) -> None:
    raise TimeoutError(f"no result after {SECONDS_PER_FILE} s")


def read_one(read: Read, job: dict[str, str]) -> dict[str, Any]:
    signal.setitimer(signal.ITIMER_PROF, SECONDS_PER_FILE)
    try:
        return {"settings": read(Path(job["file"]), job["entry"])}
    except Exception as error:  # A parser may raise anything on a file that it does not read.
        return {"settings": None, "error": f"{type(error).__name__}: {error}"}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def run(package: str, load: Callable[[], Read]) -> None:
    answers = sys.stdout

    def answer(value: dict[str, Any]) -> None:
        print(json.dumps(value, default=as_json), file=answers, flush=True)

    logging.disable(logging.CRITICAL)
    signal.signal(signal.SIGPROF, give_up)
    # Parsers print.
    with contextlib.redirect_stdout(sys.stderr):
        try:
            version = importlib.metadata.version(package)
            read = load()
        except Exception as error:  # Also of a dependency.
            answer({"missing": f"{type(error).__name__}: {error}"})
            return
        answer({"version": version})
        for job in json.load(sys.stdin):
            answer({"file": job["file"], **read_one(read, job)})
