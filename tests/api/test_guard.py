import logging
from collections.abc import Coroutine
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from monitor.api.error_boundary import ErrorBoundary

SEALED = "the sealed question"


async def broken(scope: Scope, receive: Receive, send: Send) -> None:
    raise ValueError(f"cannot convert {SEALED!r}")


async def broken_midway(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    raise ValueError("too late")


async def ask(app: ASGIApp, url: str = "http://localhost/") -> httpx.Response:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
        return await client.get(url)


def run(coroutine: Coroutine[Any, Any, httpx.Response]) -> httpx.Response:
    import asyncio

    return asyncio.run(coroutine)


def test_a_bug_is_a_problem_that_reports_nothing_of_the_inside(caplog: pytest.LogCaptureFixture) -> None:
    response = run(ask(ErrorBoundary(broken)))
    assert response.status_code == 500
    assert response.headers["content-type"] == "application/problem+json"
    assert SEALED not in response.text
    assert response.json()["code"] == "internal"


def test_a_bug_is_logged_once_with_its_place_and_without_its_message(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        run(ask(ErrorBoundary(broken)))
    [record] = [record for record in caplog.records if record.name == "monitor.api.error_boundary"]
    assert "ValueError" in record.getMessage()
    assert "in broken" in record.getMessage()
    assert SEALED not in record.getMessage()
    assert record.exc_info is None


def test_an_answer_that_has_begun_is_broken_off() -> None:
    with pytest.raises(ValueError, match="too late"):
        run(ask(ErrorBoundary(broken_midway)))
