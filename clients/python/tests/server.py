"""Starts the server of this checkout on a free port and a temporary data folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parents[3]
WAIT_SECONDS = 120.0


@dataclass(frozen=True)
class RunningServer:
    url: str
    admin_token: str

    def admin(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"authorization": self.admin_token}
        answer = httpx.post(f"{self.url}{path}", json=body, headers=headers, timeout=30)
        assert answer.status_code == 201, answer.text
        created: dict[str, Any] = answer.json()
        return created

    def account(self, name: str, **members: Any) -> str:
        token: str = self.admin("/admin/accounts", {"name": name, **members})["token"]
        return token


@contextmanager
def start_server() -> Iterator[RunningServer]:
    with tempfile.TemporaryDirectory(prefix="rapsheet-python-") as folder:
        data = Path(folder, "data")
        process = subprocess.Popen(
            [_node(), ROOT / "bin" / "program.js", "serve"],
            cwd=folder,
            env=_settings(data),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        # A server that does not start in time is ended, so that the reader below does not wait.
        timer = threading.Timer(WAIT_SECONDS, process.kill)
        timer.start()
        try:
            url = _read_url(process)
            timer.cancel()
            yield RunningServer(url, (data / "admin-token").read_text().strip())
        finally:
            timer.cancel()
            process.terminate()
            process.wait(timeout=WAIT_SECONDS)


def _node() -> str:
    """The pinned runtime of the project, else the one of the system."""
    pinned = ROOT / "node_modules" / ".bin" / "node"
    found = str(pinned) if pinned.exists() else shutil.which("node")
    assert found, "Node is needed to start the server: run npm ci"
    return found


def _settings(data: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "RAPSHEET_DATA_DIR": str(data),
        "RAPSHEET_PORT": "0",
        "RAPSHEET_METRICS_PORT": "0",
        "RAPSHEET_ANALYSIS_WORKERS": "1",
        "RAPSHEET_WEBHOOK_ALLOW_HTTP": "1",
        "RAPSHEET_WEBHOOK_ALLOW_NETWORKS": "127.0.0.0/8",
    }


def _read_url(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    printed = ""
    for line in process.stderr:
        printed += line
        match = re.search(r"listens on (http:\S+)", line)
        if match:
            # A full pipe would block the server.
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return match[1]
    raise AssertionError(f"the server ended, having printed: {printed}")
