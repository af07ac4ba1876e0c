import asyncio

import httpx
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from monitor.guards.security_headers import API, DASHBOARD, SecurityHeaders


def headers_of(url: str, app: SecurityHeaders) -> httpx.Headers:
    async def response() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
            return await client.get(url)

    return asyncio.run(response()).headers


def answering(**headers: str) -> Starlette:
    return Starlette(routes=[Route("/", lambda _request: Response(headers=headers))])


def test_every_answer_has_the_headers_also_one_for_an_unknown_path() -> None:
    for path in ("/", "/absent"):
        found = headers_of(f"http://127.0.0.1{path}", SecurityHeaders(answering()))
        assert {name: found[name] for name in API} == API


def test_a_stricter_header_of_a_route_is_kept() -> None:
    app = SecurityHeaders(answering(**{"Content-Security-Policy": "sandbox"}))
    assert headers_of("http://127.0.0.1/", app).get_list("content-security-policy") == ["sandbox"]


def test_strict_transport_security_is_sent_over_tls_only() -> None:
    app = SecurityHeaders(answering(), hsts_s=86_400)
    assert headers_of("https://driftd.test/", app)["strict-transport-security"] == "max-age=86400"
    assert "strict-transport-security" not in headers_of("http://driftd.test/", app)
    assert "strict-transport-security" not in headers_of("https://driftd.test/", SecurityHeaders(answering()))


def test_the_dashboard_loads_nothing_from_another_host() -> None:
    policy = DASHBOARD["Content-Security-Policy"]
    assert "http" not in policy
    assert "*" not in policy
