"""The Python samples of the OpenAPI document send the examples of their operations."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

import rapsheet
from server import ROOT

VARIABLE = "value"

document = json.loads((ROOT / "docs" / "openapi.json").read_text())
operations = {
    operation["operationId"]: (path, method, operation)
    for path, methods in document["paths"].items()
    for method, operation in methods.items()
}


def run(source: str, names: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> httpx.Request:
    """The one request that a sample sends."""
    requests: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        request.read()
        requests.append(request)
        return httpx.Response(200, text='data: {}\n\n{"line":1}\n')

    network = httpx.MockTransport(handle)
    client = rapsheet.Rapsheet("http://x", "rap_token", http_transport=network, retries=0)
    monkeypatch.setattr(rapsheet.Rapsheet, "from_environment", lambda: client)
    for method in ("get", "post", "put", "patch", "delete"):
        monkeypatch.setattr(httpx, method, getattr(httpx.Client(transport=network), method))
    # The answer is none of the operation.
    with suppress(rapsheet.RapsheetError), redirect_stdout(io.StringIO()):
        exec(compile(source, "sample", "exec"), dict(names))
    assert len(requests) == 1
    return requests[0]


def expected_target(path: str, parameters: list[dict[str, Any]]) -> str:
    for one in (one for one in parameters if one["in"] == "path"):
        value = quote(str(one.get("example", VARIABLE)), safe="")
        path = path.replace(f"{{{one['name']}}}", value)
    return path


@pytest.mark.parametrize("name", sorted(operations))
def test_a_sample_sends_the_example(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, method, operation = operations[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAPSHEET_URL", "http://x")
    monkeypatch.setenv("RAPSHEET_TOKEN", "rap_token")
    Path("sample.bin").write_bytes(b"MZ")
    (source,) = (one["source"] for one in operation["x-codeSamples"] if one["lang"] == "Python")
    parameters = operation.get("parameters", [])
    names = {one["name"]: VARIABLE for one in parameters if one["in"] == "path"}
    request = run(source, names, monkeypatch)

    assert request.method == method.upper()
    assert request.url.raw_path.decode().partition("?")[0] == expected_target(path, parameters)
    if not name.endswith("Stream"):
        sent = dict(request.url.params)
        for one in (one for one in parameters if one["in"] == "query" and "example" in one):
            assert sent[one["name"]] == str(one["example"])
    content = operation.get("requestBody", {}).get("content", {})
    for kind, media in content.items():
        assert request.headers["content-type"].split(";")[0] == kind.split(";")[0]
        if isinstance(media.get("example"), str):
            lines = [line for line in request.content.decode().split("\n") if line]
            expected = [line for line in media["example"].split("\n") if line]
            assert [json.loads(one) for one in lines] == [json.loads(one) for one in expected]
        elif "example" in media:
            assert json.loads(request.content) == media["example"]


def test_names_a_method_of_the_client_where_there_is_one() -> None:
    sources = (
        one["source"]
        for _, _, operation in operations.values()
        for one in operation["x-codeSamples"]
        if one["lang"] == "Python"
    )
    named = {match[1] for source in sources for match in re.finditer(r"client\.(\w+)\(", source)}
    assert len(named) > 50
    assert all(hasattr(rapsheet.AsyncRapsheet, name) for name in named)
