"""The package and its documents."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

import make_sync
import rapsheet
from conftest import Feed, OpenClient
from rapsheet import AsyncRapsheet, NewReport, Rapsheet
from server import ROOT, RunningServer

HERE = Path(__file__).resolve().parents[1]


@pytest.fixture
def open_client() -> OpenClient:
    """The examples open the other client themselves."""
    return Rapsheet


def test_both_clients_are_made_from_one_source() -> None:
    assert make_sync.differences() == []


def test_both_clients_have_the_same_methods() -> None:
    def methods(client: type) -> dict[str, list[str]]:
        found = inspect.getmembers(client, inspect.isfunction)
        return {
            name: list(inspect.signature(function).parameters)
            for name, function in found
            if not name.startswith("_")
        }

    of_async = methods(AsyncRapsheet)
    of_async["close"] = of_async.pop("aclose")
    assert of_async == methods(Rapsheet)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("return (await self._get(a(b))).c", "return self._get(a(b)).c"),
        ("x = (await one())[0]", "x = one()[0]"),
        ("await (one() if a else b())", "(one() if a else b())"),
        ("once: Callable[[], Awaitable[Result]]", "once: Callable[[], Result]"),
        ("-> AsyncGenerator[Event, None]:", "-> Generator[Event, None, None]:"),
        ("async with aclosing(a) as b:", "with closing(a) as b:"),
    ],
)
def test_makes_the_words_of_the_other_client(text: str, expected: str) -> None:
    assert make_sync.to_sync(text) == expected


def test_has_the_version_and_the_licence_of_the_product() -> None:
    package = json.loads((ROOT / "package.json").read_text())
    assert rapsheet.__version__ == package["version"]
    assert (HERE / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert f'license = "{package["license"]}"' in (HERE / "pyproject.toml").read_text()


def test_names_everything_it_offers() -> None:
    assert sorted(rapsheet.__all__) == list(rapsheet.__all__)
    assert all(hasattr(rapsheet, name) for name in rapsheet.__all__)


def examples(path: Path) -> str:
    """All Python blocks of a page, in their order; each may use what those before it defined."""
    blocks = re.findall(r"^```python\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    return "\n".join(blocks)


class EndOfExampleError(Exception):
    """Ends an example that follows a feed for ever."""


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("page", [HERE / "README.md", ROOT / "docs" / "guides" / "python.md"])
def test_the_examples_run(
    page: Path,
    feed: Feed,
    server: RunningServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAPSHEET_URL", server.url)
    monkeypatch.setenv("RAPSHEET_TOKEN", feed.token)
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "paperkite.txt").write_bytes(
        (ROOT / "demo" / "files" / "paperkite.txt").read_bytes()
    )
    (tmp_path / "invoice.exe").write_bytes(b"MZ, but no program")
    for number in range(1, 4):
        feed.researcher.create_report(feed.slug, feed.report(number))
    follow = Rapsheet.follow

    def briefly(client: Rapsheet, service: str, **options: Any) -> Any:
        for number in range(4, 8):
            feed.researcher.create_report(feed.slug, feed.report(number))
        for index, event in enumerate(follow(client, service, **options), start=1):
            yield event
            if index == 3:
                raise EndOfExampleError

    monkeypatch.setattr(Rapsheet, "follow", briefly)
    code = examples(page).replace('"ply"', repr(feed.slug)).replace("ply.example", "p.example")
    names: dict[str, Any] = {"__name__": "__main__"}
    with pytest.raises(EndOfExampleError):
        exec(compile(code, str(page), "exec"), names)
    assert names["NewReport"] is NewReport
    assert "again" not in names or not names["again"].changed
