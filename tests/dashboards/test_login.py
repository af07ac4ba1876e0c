"""The login with an API token, called as a browser does, and the sessions and settings behind it."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from dashboards.client import DaemonError
from dashboards.connection import Connection, read_arguments
from dashboards.login.login_page import safe_next
from dashboards.login.provider import Provider
from dashboards.login.reader import Login
from dashboards.login.return_to_page import COOKIE as PAGE_COOKIE
from dashboards.login.return_to_page import ReturnToPage
from dashboards.login.secure_cookies import SecureCookies
from dashboards.login.sessions import COOKIE, IDLE_S, LONGEST_S, Sessions
from dashboards.login.token_login import TokenGate, TokenLogin
from monitor.api.auth import Role
from tests.api.house import House, open_house, token_of, tokens_for_roles
from tests.asgi_server import serving

PAGE = {"accept": "text/html"}
READER = token_of(Role.READ)


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path, tokens=tokens_for_roles()) as opened:
        yield opened


def pages() -> Starlette:
    routes = [Route(path, lambda _request: PlainTextResponse("page")) for path in ("/", "/compare", "/media/a.csv")]
    return Starlette(routes=routes)


def client_of(url: str, *, is_loopback: bool = True) -> tuple[httpx.Client, Sessions]:
    sessions = Sessions()
    app = TokenLogin(pages(), url, TokenGate(url, is_loopback=is_loopback), sessions=sessions)
    return httpx.Client(transport=Threaded(app), base_url="http://dash"), sessions


class Threaded(httpx.BaseTransport):
    """Call an ASGI application from a synchronous client."""

    def __init__(self, app: object) -> None:
        self._inner = httpx.ASGITransport(app)  # type: ignore[arg-type]

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        import anyio

        async def ask() -> httpx.Response:
            async with httpx.AsyncClient(transport=self._inner) as client:
                found = await client.send(request)
                await found.aread()
                return found

        found = anyio.run(ask)
        return httpx.Response(found.status_code, headers=found.headers, content=found.content)


def test_a_reader_without_a_session_is_sent_to_the_login_and_back(house: House) -> None:
    with serving(house.app) as url:
        client, sessions = client_of(url)
        asked = client.get("/compare?baseline=a&candidate=b", headers=PAGE)
        assert (asked.status_code, asked.headers["location"]) == (
            303,
            "/login?next=%2Fcompare%3Fbaseline%3Da%26candidate%3Db",
        )
        form = client.get(asked.headers["location"])
        assert 'value="/compare?baseline=a&amp;candidate=b"' in form.text
        assert form.headers["referrer-policy"] == "same-origin"
        entered = client.post("/login", data={"token": READER, "next": "/compare?baseline=a&candidate=b"})
        assert (entered.status_code, entered.headers["location"]) == (303, "/compare?baseline=a&candidate=b")
        cookie = entered.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert READER not in cookie
        assert client.get("/compare", headers=PAGE).text == "page"
        assert sessions.token_of(client.cookies[COOKIE]) == READER


def test_a_file_of_a_page_needs_a_session_too(house: House) -> None:
    with serving(house.app) as url:
        client, _ = client_of(url)
        assert client.get("/media/a.csv").status_code == 401


@pytest.mark.parametrize(
    ("token", "status", "problem"),
    [
        ("unknown", 401, "the token is unknown"),
        (token_of(Role.INGEST), 403, "the role &#x27;read&#x27; is required"),
        ("", 503, "must contain a token"),
    ],
)
def test_a_wrong_token_is_named_and_never_repeated(house: House, token: str, status: int, problem: str) -> None:
    with serving(house.app) as url:
        client, _ = client_of(url)
        refused = client.post("/login", data={"token": token, "next": "/compare"})
        assert refused.status_code == status
        assert problem in refused.text
        assert COOKIE not in client.cookies
        assert not token or f'value="{token}"' not in refused.text


def test_failed_logins_are_slowed_down_and_a_right_token_still_works(house: House) -> None:
    with serving(house.app) as url:
        client, _ = client_of(url)
        statuses = [client.post("/login", data={"token": f"guess-{n}"}).status_code for n in range(12)]
        assert statuses[0] == 401
        assert statuses[-1] == 429
        assert client.post("/login", data={"token": READER}).status_code == 303


def test_on_loopback_a_daemon_without_tokens_needs_no_login(tmp_path: Path) -> None:
    with open_house(tmp_path) as house, serving(house.app) as url:
        here, _ = client_of(url)
        assert here.get("/", headers=PAGE).text == "page"
        elsewhere, _ = client_of(url, is_loopback=False)
        assert elsewhere.get("/", headers=PAGE).status_code == 303


def test_a_large_form_and_other_methods_are_refused(house: House) -> None:
    with serving(house.app) as url:
        client, _ = client_of(url)
        assert client.post("/login", content=b"token=" + b"a" * 20_000).status_code == 413
        assert client.put("/login").status_code == 405


def test_a_session_ends_when_it_is_idle_and_after_a_week() -> None:
    clock = Clock()
    sessions = Sessions(clock)
    one = sessions.start("a")
    for _ in range(int(LONGEST_S // IDLE_S)):
        clock.now_s += IDLE_S
        assert sessions.token_of(one) == "a"
    clock.now_s += 1
    assert sessions.token_of(one) is None
    other = sessions.start("b")
    clock.now_s += IDLE_S + 1
    assert sessions.token_of(other) is None


def test_a_session_ends_on_request_and_the_oldest_ends_when_there_are_too_many() -> None:
    sessions = Sessions(most=2)
    first, second = sessions.start("1"), sessions.start("2")
    assert sessions.token_of(first) == "1"  # used last
    third = sessions.start("3")
    assert [sessions.token_of(each) for each in (first, second, third)] == ["1", None, "3"]
    sessions.end(third)
    assert sessions.token_of(third) is None
    assert sessions.token_of(None) is None


@pytest.mark.parametrize("given", ["https://evil.example", "//evil.example", "/\\evil", "/a\nb", "", "evil", "/é"])
def test_the_login_returns_only_to_a_page_of_this_dashboard(given: str) -> None:
    assert safe_next(given) == "/"


def test_a_login_with_a_provider_returns_to_the_page_of_the_link() -> None:
    from starlette.responses import RedirectResponse

    routes = [
        Route("/oauth2callback", lambda _request: RedirectResponse("/", 302)),
        Route("/alerts", lambda _request: PlainTextResponse("page")),
    ]
    client = httpx.Client(transport=Threaded(ReturnToPage(Starlette(routes=routes))), base_url="http://dash")
    client.get("/alerts?alert=a-1", headers=PAGE)
    assert client.get("/oauth2callback").headers["location"] == "/alerts?alert=a-1"
    with httpx.Client(transport=Threaded(ReturnToPage(Starlette(routes=routes))), base_url="http://dash") as fresh:
        forged = fresh.get("/oauth2callback", headers={"cookie": f"{PAGE_COOKIE}=%2F%2Fevil.example"})
        assert forged.headers["location"] == "/"


@pytest.mark.parametrize(
    ("referrer", "page"),
    [
        ("http://dash/schedules?days=7", "/schedules?days=7"),  # Streamlit changed the page without a request
        ("http://evil.example/schedules?days=7", "/alerts?alert=a-1"),
        ("http://dash//evil.example", "/"),
        ("http://[", "/alerts?alert=a-1"),
        ("", "/alerts?alert=a-1"),
    ],
)
def test_a_login_returns_to_the_page_where_it_started(referrer: str, page: str) -> None:
    from starlette.responses import RedirectResponse

    routes = [
        Route("/oauth2callback", lambda _request: RedirectResponse("/", 302)),
        Route("/auth/login", lambda _request: RedirectResponse("https://id.example/authorize", 302)),
        Route("/alerts", lambda _request: PlainTextResponse("page")),
    ]
    with httpx.Client(transport=Threaded(ReturnToPage(Starlette(routes=routes))), base_url="http://dash") as client:
        client.get("/alerts?alert=a-1", headers=PAGE)
        client.get("/auth/login", headers=PAGE | {"referer": referrer})
        assert client.get("/oauth2callback").headers["location"] == page


def test_over_tls_every_cookie_is_secure() -> None:
    def page(_request: Request) -> PlainTextResponse:
        response = PlainTextResponse("page")
        response.set_cookie("a", "1")
        response.set_cookie("b", "2", secure=True)
        return response

    client = httpx.Client(transport=Threaded(SecureCookies(Starlette(routes=[Route("/", page)]))), base_url="https://d")
    found = client.get("/").headers.get_list("set-cookie")
    assert [value.lower().count("; secure") for value in found] == [1, 1]


def test_the_settings_of_a_provider_survive_their_way_to_the_process() -> None:
    given = Provider(
        issuer="https://id.example/",
        client_id="d",
        client_secret="s3",
        scopes=("openid",),
        page_url="https://d.example",
    )
    assert Provider.read(given.document()) == given
    auth = given.for_streamlit()["auth"]
    assert auth["redirect_uri"] == "https://d.example/oauth2callback"
    assert auth["server_metadata_url"] == "https://id.example/.well-known/openid-configuration"
    assert auth["cookie_secret"] == given.for_streamlit()["auth"]["cookie_secret"]
    assert "s3" not in repr(given)
    assert "s3" not in auth["cookie_secret"]


def test_a_token_of_a_reader_is_part_of_every_cache_key_and_of_no_text() -> None:
    one, other = (Connection(url="http://d", token=token) for token in ("s3cret-1", "s3cret-2"))
    assert one != other
    assert "s3cret" not in repr(one)


def test_the_arguments_name_the_login() -> None:
    assert read_arguments(["--login", "oidc"]).login is Login.OIDC
    assert read_arguments([]).login is Login.NONE
    with pytest.raises(DaemonError, match="wrong arguments"):
        read_arguments(["--login", "maybe"])
