"""Logins of the dashboard in real Chromium: with a real OpenID Connect provider, and with API tokens."""

import json
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from playwright.sync_api import Browser, Page, expect
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import TOKENS_COOKIE_NAME

from dashboards.login.provider import Provider
from monitor.app import build
from monitor.cli.dashboard.process import DashboardProcess, DashboardSettings
from monitor.clock import SystemClock
from monitor.config.load import load
from replay.evalsets.sealing import key_text, new_key
from tests.ports import free_port

from .browser import browser
from .oidc_provider import CLIENT_ID, CLIENT_SECRET, provider

WAIT_MS = 60_000
ADMIN = "the-administrators-token-of-this-test"
READER = "the-readers-token-of-this-test"


def settings(folder: Path, oidc: dict[str, Any] | None) -> Path:
    (folder / "set.key").write_text(key_text(new_key()))
    (folder / "set.key").chmod(0o600)
    for name, token in (("admin", ADMIN), ("reader", READER)):
        (folder / name).write_text(token)
        (folder / name).chmod(0o600)
    tokens = [
        {"name": "admin", "token_file": "admin", "roles": ["admin"]},
        {"name": "reader", "token_file": "reader", "roles": ["read"]},
    ]
    document = {
        "api": {"port": 0, "tokens": tokens} | ({} if oidc is None else {"oidc": oidc}),
        "ingest": {"otlp": {"port": 0}, "otlp_grpc": {"port": 0}},
        "deployments": {"bot": {"target": "prod", "sets": ["private"]}},
        "targets": {"prod": {"base_url": "http://127.0.0.1:9/v1", "model": "m"}},
        "sets": {"private": {"kind": "frozen", "key_file": "set.key", "scorers": [{"kind": "exact"}]}},
        "schedules": {"nightly": {"cron": "0 2 * * *"}},
    }
    (folder / "driftd.yaml").write_text(yaml.safe_dump(document))
    return folder / "driftd.yaml"


@contextmanager
def daemon(config: Path) -> Iterator[str]:
    app = build(load(config, {}), clock=SystemClock())
    with ThreadPoolExecutor(1) as other:  # Playwright has an event loop in this thread
        other.submit(app.start).result()
        try:
            yield app.addresses["api"]
        finally:
            other.submit(app.stop).result()


@contextmanager
def dashboard(pages: DashboardSettings) -> Iterator[None]:
    lines: list[str] = []
    process = DashboardProcess(pages, on_line=lines.append)
    try:
        assert process.wait_until_ready(threading.Event()), lines
        yield
    finally:
        process.stop()
        assert not [line for line in lines if ADMIN in line or READER in line or CLIENT_SECRET in line]


def opened(chromium: Browser, base_url: str) -> Page:
    page = chromium.new_context(base_url=base_url).new_page()
    page.set_default_timeout(WAIT_MS)
    return page


def log_in_at_provider(page: Page, name: str) -> None:
    page.get_by_role("button", name="Log in").click()
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill("any")
    page.locator("button[type=submit]").click()
    if page.get_by_text("Continue").count() or "interaction" in page.url:
        page.locator("button[type=submit]").click()  # the consent, at the first login


def _id_token_of(page: Page, login: Provider) -> str:
    """Return the ID token in the signed cookie of Streamlit, as a user who reads the own browser could."""
    secret = login.for_streamlit()["auth"]["cookie_secret"]
    [cookie] = [one for one in page.context.cookies() if one["name"] == TOKENS_COOKIE_NAME]
    text = decode_signed_value(secret, TOKENS_COOKIE_NAME, cookie["value"])
    assert text is not None
    return str(json.loads(text)["id_token"])


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened_one:
        yield opened_one


def test_users_act_with_their_own_roles(tmp_path: Path, chromium: Browser) -> None:
    page_url, port = f"http://127.0.0.1:{free_port()}", free_port()
    oidc = {
        "issuer": f"http://127.0.0.1:{port}",
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "roles": {"driftd-operators": ["read", "operate"], "driftd-readers": ["read"]},
    }
    with provider(port, page_url) as issuer, daemon(settings(tmp_path, oidc)) as api:
        login = Provider(
            issuer=issuer,
            client_id=CLIENT_ID,
            client_secret=CLIENT_SECRET,
            scopes=("openid", "email", "profile"),
            page_url=page_url,
        )
        pages = DashboardSettings(api_url=api, port=int(page_url.rpartition(":")[2]), provider=login)
        with dashboard(pages):
            ada = opened(chromium, page_url)
            ada.goto("/schedules?days=7")
            log_in_at_provider(ada, "ada")
            ada.wait_for_url(re.compile(r"/schedules\?days=7"))  # the page of the link, not the first page
            ada.get_by_role("button", name=re.compile("^Pause")).first.click()
            expect(ada.get_by_role("button", name=re.compile("^Resume")).first).to_be_visible(timeout=WAIT_MS)

            ben = opened(chromium, page_url)
            ben.goto("/schedules")
            log_in_at_provider(ben, "ben")
            expect(ben.get_by_text("lacks the role operate")).to_be_visible(timeout=WAIT_MS)
            expect(ben.get_by_role("button", name=re.compile("^Resume"))).to_have_count(0)

            forged = _id_token_of(ben, login)
            headers = {"Authorization": f"Bearer {forged}"}
            assert httpx.get(f"{api}/api/v1/whoami", headers=headers).json()["user"] == "ben@example.com"
            refused = httpx.post(f"{api}/api/v1/schedules/nightly/resume", json={}, headers=headers)
            assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")

            eve = opened(chromium, page_url)
            eve.goto("/")
            log_in_at_provider(eve, "eve")
            expect(eve.get_by_text("eve@example.com").first).to_be_visible(timeout=WAIT_MS)
            expect(eve.get_by_text("the role 'read' is required").first).to_be_visible(timeout=WAIT_MS)

            ben.goto("/account")
            ben.get_by_role("button", name="Log out").click()
            ben.wait_for_url(re.compile(f"{re.escape(issuer)}/session/end"))
            ben.goto("/schedules")
            expect(ben.get_by_role("button", name="Log in")).to_be_visible(timeout=WAIT_MS)
        entries = httpx.get(f"{api}/api/v1/audit", headers={"Authorization": f"Bearer {ADMIN}"}).json()["items"]
        pauses = [entry for entry in entries if "pause" in entry["operation"]]
        assert [entry["principal"].split()[0] for entry in pauses] == ["ada@example.com"]


LIFETIME_S = 75  # of an ID token: longer than the first pages take on a busy machine


def test_a_reader_whose_login_has_ended_logs_in_again_and_returns_to_the_same_page(
    tmp_path: Path, chromium: Browser
) -> None:
    page_url, port = f"http://127.0.0.1:{free_port()}", free_port()
    oidc = {
        "issuer": f"http://127.0.0.1:{port}",
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "roles": {"driftd-operators": ["read", "operate"]},
    }
    with (
        provider(port, page_url, lifetime_s=LIFETIME_S) as issuer,
        daemon(settings(tmp_path, oidc)) as api,
    ):
        login = Provider(
            issuer=issuer,
            client_id=CLIENT_ID,
            client_secret=CLIENT_SECRET,
            scopes=("openid", "email", "profile"),
            page_url=page_url,
        )
        with dashboard(DashboardSettings(api_url=api, port=int(page_url.rpartition(":")[2]), provider=login)):
            ada = opened(chromium, page_url)
            ada.goto("/account")
            log_in_at_provider(ada, "ada")
            expect(ada.get_by_text("ada@example.com").first).to_be_visible(timeout=WAIT_MS)
            ended = _id_token_of(ada, login)
            headers = {"Authorization": f"Bearer {ended}"}
            while httpx.get(f"{api}/api/v1/whoami", headers=headers).status_code == 200:
                ada.wait_for_timeout(1_000)
            ada.get_by_role("link", name="Alerts").click()  # without a request for a page
            expect(ada.get_by_text("Your login has ended.")).to_be_visible(timeout=WAIT_MS)
            page = ada.url
            assert page.startswith(f"{page_url}/alerts")
            ada.get_by_role("button", name="Log in again").click()
            expect(ada.get_by_role("heading", name="Alerts").first).to_be_visible(timeout=WAIT_MS)
            assert ada.url == page
            assert _id_token_of(ada, login) != ended


def test_without_a_provider_readers_log_in_with_their_tokens(tmp_path: Path, chromium: Browser) -> None:
    page_url = f"http://127.0.0.1:{free_port()}"
    with ExitStack() as stack:
        api = stack.enter_context(daemon(settings(tmp_path, None)))
        stack.enter_context(dashboard(DashboardSettings(api_url=api, port=int(page_url.rpartition(":")[2]))))
        page = opened(chromium, page_url)
        page.goto("/schedules?days=7")
        expect(page).to_have_title("Log in · driftd")
        page.get_by_label("API token").fill("a-wrong-token")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_contain_text("the token is unknown")
        page.get_by_label("API token").fill(READER)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_text("lacks the role operate")).to_be_visible(timeout=WAIT_MS)
        assert page.url == f"{page_url}/schedules?days=7"
        [cookie] = [one for one in page.context.cookies() if one["name"] == "driftd_session"]
        assert cookie["httpOnly"]
        assert cookie["sameSite"] == "Lax"
        assert READER not in cookie["value"]

        admin = opened(chromium, page_url)
        admin.goto("/login?next=/schedules")
        admin.get_by_label("API token").fill(ADMIN)
        admin.get_by_role("button", name="Log in").click()
        expect(admin.get_by_role("button", name=re.compile("^Pause")).first).to_be_visible(timeout=WAIT_MS)
        page.reload()
        expect(page.get_by_text("lacks the role operate")).to_be_visible(timeout=WAIT_MS)

        page.goto("/account")
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_text("Your session has ended")).to_be_visible(timeout=WAIT_MS)
        page.goto("/schedules")
        expect(page).to_have_title("Log in · driftd")
