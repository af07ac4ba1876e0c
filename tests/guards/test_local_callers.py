import asyncio

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from monitor.guards.local_callers import LocalCallersOnly, is_local_name, is_local_origin


async def accept(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def post(url: str = "http://127.0.0.1:4318/", **headers: str) -> httpx.Response:
    async def response() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(LocalCallersOnly(accept))) as client:
            return await client.post(url, headers=headers)

    return asyncio.run(response())


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8400", "localhost:8400", "driftd", "[::1]", "[::1]:8400", "testserver", ""]
)
def test_names_of_this_machine_are_local(host: str) -> None:
    assert is_local_name(host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8400",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "[2001:db8::1]:8400",
        "a.b",
        "localhost.",
    ],
)
def test_other_names_are_not(host: str) -> None:
    assert not is_local_name(host)


def test_a_rebound_name_is_refused_and_loopback_passes() -> None:
    refused = post("http://evil.example/")
    assert (refused.status_code, refused.json()["code"]) == (403, "host_not_local")
    assert refused.headers["content-type"] == "application/problem+json"
    assert post().status_code == 204


@pytest.mark.parametrize("host", ["host.docker.internal:4318", "host.containers.internal"])
def test_a_container_may_name_the_machine_that_it_runs_on(host: str) -> None:
    assert is_local_name(host)


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "", "http://10.0.0.1:8400", "chrome-extension://abc", "http://", "http://[bad"],
)
def test_a_page_of_another_origin_is_refused(origin: str) -> None:
    assert not is_local_origin(origin)
    refused = post(origin=origin)
    assert (refused.status_code, refused.json()["code"]) == (403, "origin_not_local")


@pytest.mark.parametrize("origin", ["http://localhost:8501", "http://127.0.0.1:8400", "https://[::1]"])
def test_a_page_of_this_machine_passes(origin: str) -> None:
    assert post(origin=origin).status_code == 204


def test_a_cross_site_request_without_an_origin_is_refused() -> None:
    assert post(**{"sec-fetch-site": "cross-site"}).status_code == 403
    assert post(**{"sec-fetch-site": "none"}).status_code == 204
