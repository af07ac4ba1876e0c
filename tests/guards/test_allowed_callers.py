import asyncio

import httpx
import pytest
from starlette.types import ASGIApp, Message

from monitor.guards.allowed_callers import AllowedCallers, LocalHostsOnly
from tests.guards.test_local_callers import accept

HOSTS, ORIGINS = ("Driftd.example",), ("https://tools.example",)


def code_of(app: ASGIApp, **headers: str) -> str | None:
    async def response() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
            return await client.post("http://driftd.example:8400/", headers=headers)

    answer = asyncio.run(response())
    return None if answer.is_success else str(answer.json()["code"])


@pytest.mark.parametrize(
    "host", ["driftd.example", "DRIFTD.example:8400", "10.0.0.7:8400", "[2001:db8::1]:8400", "localhost"]
)
def test_configured_names_addresses_and_local_names_are_accepted(host: str) -> None:
    assert code_of(AllowedCallers(accept, hosts=HOSTS), host=host) is None


@pytest.mark.parametrize("host", ["evil.example", "driftd.example.evil.example:8400", "10.0.0.7.evil.example"])
def test_other_names_are_refused(host: str) -> None:
    assert code_of(AllowedCallers(accept, hosts=HOSTS), host=host) == "host_not_allowed"


def test_without_configured_names_every_host_is_accepted() -> None:
    assert code_of(AllowedCallers(accept), host="anything.example") is None


@pytest.mark.parametrize("origin", ["https://driftd.example:8400", "https://tools.example", "HTTPS://TOOLS.example"])
def test_pages_of_the_same_host_and_configured_ones_are_accepted(origin: str) -> None:
    assert code_of(AllowedCallers(accept, origins=ORIGINS), host="driftd.example:8400", origin=origin) is None


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://tools.example", "https://driftd.example", "https://["]
)
def test_pages_of_other_sites_are_refused(origin: str) -> None:
    guarded = AllowedCallers(accept, origins=ORIGINS)
    assert code_of(guarded, host="driftd.example:8400", origin=origin) == "origin_not_allowed"


@pytest.mark.parametrize(
    ("host", "code"), [("127.0.0.1:8501", None), ("dash.example", None), ("evil.example", "host_not_local")]
)
def test_a_port_without_a_login_accepts_only_names_of_the_machine(host: str, code: str | None) -> None:
    assert code_of(LocalHostsOnly(accept, hosts=("dash.example",)), host=host) == code


@pytest.mark.parametrize("guarded", [AllowedCallers(accept), LocalHostsOnly(accept)])
def test_a_web_socket_of_another_site_is_closed_before_it_opens(guarded: ASGIApp) -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    headers = [(b"host", b"driftd.evil.example"), (b"origin", b"https://page.evil.example")]
    asyncio.run(guarded({"type": "websocket", "headers": headers}, receive, send))  # type: ignore[arg-type]
    assert sent == [{"type": "websocket.close", "code": 1008}]
