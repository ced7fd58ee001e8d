"""Makes the client that blocks from the one for event loops: ``_async`` becomes ``_sync``.

The modules differ only in words, so each operation is written once. ``--check`` writes nothing, and
fails if a file would change.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "rapsheet"
SOURCE = PACKAGE / "_async"
TARGET = PACKAGE / "_sync"

#: Its functions wait in another way, not in other words.
OWN = "waiting.py"

HEADER = (
    '"""Made by scripts/make_sync.py from the modules beside it. Changes made here are lost."""\n'
)

#: In this order.
RULES = (
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bAsyncGenerator\[([^\[\]]+), None\]", r"Generator[\1, None, None]"),
    (r"\bAwaitable\[([^\[\]]+)\]", r"\1"),
    (r"\bAwaitable, ", ""),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\ba(?=close\b|closing\b|read\b|iter_bytes\b)", ""),
    (r"\basync(?=contextmanager\b)", ""),
    (r"__a(?=enter__|exit__)", "__"),
    (r"shared by tasks\b", "shared by threads"),
    (r"for event loops\b", "that blocks"),
)


def remove_await(text: str) -> str:
    """Removes ``await``, and the parentheses around it that a member needs: ``(await x()).y``."""
    while (start := text.find("(await ")) != -1:
        end = _closing_parenthesis(text, start)
        inner = text[start + len("(await ") : end]
        is_needed = text[end + 1 : end + 2] not in (".", "[")
        text = text[:start] + (f"({inner})" if is_needed else inner) + text[end + 1 :]
    return re.sub(r"\bawait (?=[\w(])", "", text)


def _closing_parenthesis(text: str, start: int) -> int:
    """No parenthesis is in a text of these modules without its partner."""
    depth = 0
    for index in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return index
    raise ValueError(f"nothing closes the parenthesis in {text[start : start + 60]!r}")


def to_sync(text: str) -> str:
    """The text of a module, before it is formatted."""
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    return remove_await(text)


def make(folder: Path) -> None:
    """Writes the modules into a folder, and formats them."""
    folder.mkdir(exist_ok=True)
    (folder / "__init__.py").write_text(HEADER)
    for path in modules(SOURCE):
        (folder / path.name).write_text(to_sync(path.read_text()))
    settings = ["--quiet", "--config", str(PACKAGE.parents[1] / "pyproject.toml"), "--no-cache"]
    made = [str(folder / path.name) for path in modules(SOURCE)]
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "--select", "I", "--fix", *settings, *made], check=True)
    subprocess.run([*ruff, "format", *settings, *made], check=True)


def modules(folder: Path) -> list[Path]:
    """The modules that are made, or made from."""
    return sorted(path for path in folder.glob("*.py") if path.name not in (OWN, "__init__.py"))


def differences() -> list[str]:
    """The names of the modules that are not what would be made."""
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder))
        expected = {path.name: path.read_text() for path in modules(Path(folder))}
    found = {path.name: path.read_text() for path in modules(TARGET)}
    names = sorted(expected.keys() | found.keys())
    return [name for name in names if expected.get(name) != found.get(name)]


if __name__ == "__main__":
    if "--check" not in sys.argv[1:]:
        make(TARGET)
    elif changed := differences():
        sys.exit(f"run scripts/make_sync.py: {', '.join(changed)} would change")
