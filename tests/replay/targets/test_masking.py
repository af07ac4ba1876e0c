import asyncio
from typing import Any

import pytest
from aiohttp import web

from replay.errors import CallError, TargetError
from replay.targets.base import CallContext
from replay.targets.http_request import RequestSettings
from replay.targets.masking import mask_command, mask_text, mask_url, secrets_of
from replay.targets.openai import OpenAISettings, OpenAITarget
from replay.targets.table import build_target
from replay.types import Case, Message
from tests.replay.targets.faulty import FaultyServer
from tests.replay.targets.shapes import CHAT

SECRET = "sk-0123456789abcdef"
CONTEXT = CallContext(run_id="run-1", trace_id="ab" * 16, span_id="cd" * 8)
QUESTION = Case(id="c1", input=(Message(role="user", content="Is 7 prime?"),))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://host/v1", "https://host/v1"),
        ("https://host/v1?key=abc", "https://host/v1?key=***"),
        ("https://host/v1?api-version=2026-01&subscription-key=abc", "https://host/v1?api-version=2026-01&subscription-key=***"),
        ("https://me:pw@host:8000/v1", "https://***@host:8000/v1"),
        ("https://token@host/v1?a=b#frag", "https://***@host/v1?a=***#***"),
        ("https://host/ask?abc", "https://host/ask?***"),
        ("https://host/ask?q={{ question | urlencode }}&t=abc", "https://host/ask?q=***&t=***"),
        ("https://host/a?b=https://c?d=e", "https://host/a?b=***"),
        ("not a url", "not a url"),
    ],
)  # fmt: skip
def test_an_address_shows_neither_user_nor_values(url: str, shown: str) -> None:
    assert mask_url(url) == shown


def test_addresses_in_a_text_are_masked() -> None:
    text = f"cannot reach https://host/v1?key={SECRET}: refused; see http://me:{SECRET}@other/x"
    assert SECRET not in mask_text(text)
    assert mask_text(text).startswith("cannot reach https://host/v1?key=***")


def test_a_command_hides_the_values_of_secret_options() -> None:
    shown = mask_command(["ask", "--token", SECRET, f"--api-key={SECRET}", f"http://h/?k={SECRET}", "--model", "m"])
    assert SECRET not in " ".join(shown)
    assert shown[-2:] == ("--model", "m")


def test_a_word_of_an_address_is_no_secret_of_answers() -> None:
    found = secrets_of([f"https://h/v1?tenant=acme&key={SECRET}&q={{{{ question }}}}"], {"x-auth": "Bearer abcdef"}, [])
    assert set(found) == {SECRET, "Bearer abcdef", "abcdef"}


def test_a_secret_is_found_as_it_is_written_and_as_it_is_meant() -> None:
    assert set(secrets_of(["https://h/?key=a%2Bb%2Bcdef"], {}, [])) == {"a%2Bb%2Bcdef", "a+b+cdef"}


@pytest.mark.parametrize(
    "given", [f"ftp://host/v1?key={SECRET}", f"https://me:{SECRET}@host", f"https://[::1?k={SECRET}"]
)
def test_an_address_that_is_refused_is_not_quoted_with_its_secret(given: str) -> None:
    with pytest.raises(TargetError) as raised:
        OpenAITarget(OpenAISettings(base_url=given, model="m"))
    assert SECRET not in str(raised.value)


def quoting(status: int) -> Any:
    """Tells the caller which address and which headers it was asked with."""

    async def behave(request: web.Request) -> web.StreamResponse:
        told = f"{request.url} {dict(request.headers)}"
        document = CHAT.answer(told) if status == 200 else {"error": {"message": told}}
        return web.json_response(document, status=status)

    return behave


@pytest.mark.parametrize("status", [200, 404])
@pytest.mark.parametrize("kind", ["openai", "http"])
def test_a_server_that_quotes_the_request_does_not_bring_the_secret_back(kind: str, status: int) -> None:
    async def asked() -> str:
        async with FaultyServer(quoting(status)) as server:
            address = f"{server.address}/v1?key={SECRET}"
            options: dict[str, Any] = {"base_url": address, "model": "m"}
            if kind == "http":
                headers = {"X-Api-Key": f"{SECRET}-2"}
                request = RequestSettings(url=address, headers=headers)
                options = {"request": request, "answer": "$.choices[0].message.content"}
            target = build_target(kind, options)
            try:
                reply = await target.call(QUESTION, 0, CONTEXT)
                return f"{reply} {target.conditions}"
            except CallError as error:
                return f"{error} {target.conditions}"
            finally:
                await target.aclose()

    told = asyncio.run(asked())
    assert "key=***" in told
    assert SECRET not in told


def test_a_long_header_is_a_secret_whatever_its_name() -> None:
    headers = {"X-Tenant": "tenant-0f1e2d3c4b5a6978", "X-Team": "search", "Accept": "application/json, text/plain"}
    assert secrets_of([], headers, []) == ("tenant-0f1e2d3c4b5a6978",)
