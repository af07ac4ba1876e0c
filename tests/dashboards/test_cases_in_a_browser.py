"""The page Cases in real Chromium: a deep link opens a sealed case, and only the button reveals and logs it."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.api.house import House, open_house, tokens_for_roles
from tests.api.routes.test_sealed import reveal_log
from tests.asgi_server import serving

from .answered import REVEAL, SECRET, furnish
from .browser import browser, dashboard

WAIT_MS = 60_000


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, Page]]:
    """A dashboard whose token has the role `reveal`."""
    folder = tmp_path_factory.mktemp("house")
    (folder / "token").write_text(REVEAL)
    with open_house(folder, tokens=tokens_for_roles()) as house:
        furnish(house)
        with browser() as chromium, serving(house.app) as url, dashboard(url, folder / "token") as address:
            context = chromium.new_context(viewport={"width": 390, "height": 2000}, base_url=address)
            context.set_default_timeout(WAIT_MS)
            yield house, context.new_page()


def test_a_link_opens_a_sealed_case_and_each_look_is_logged(opened: tuple[House, Page]) -> None:
    house, page = opened
    linked = {"deployment": "bot", "set": "private", "case": "case-07", "reply": "private-1"}
    page.goto("/cases?" + urlencode(linked))
    button = page.get_by_role("button", name="Reveal (logged)")
    expect(button).to_be_visible(timeout=WAIT_MS)
    expect(page.locator("[data-testid=stVegaLiteChart]")).to_have_count(1, timeout=WAIT_MS)
    assert page.locator(".driftd-text").count() == 0
    assert reveal_log(house.store) == []

    button.click()
    expect(page.locator(".driftd-text").get_by_text(SECRET).first).to_be_visible(timeout=WAIT_MS)
    assert reveal_log(house.store) == [(f"name of {REVEAL}", "case in private-1 (private)", ["case-07"])]
    assert {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()} == linked
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("element => element.scrollWidth - element.clientWidth") <= 1


def test_the_filters_of_a_link_survive_a_reload(opened: tuple[House, Page]) -> None:
    page = opened[1]
    page.goto("/cases?" + urlencode({"deployment": "bot", "set": "corrections", "state": "too_easy"}))
    expect(page.get_by_text("1 case of 28.")).to_be_visible(timeout=WAIT_MS)
    page.reload()
    expect(page.get_by_text("1 case of 28.")).to_be_visible(timeout=WAIT_MS)
    assert parse_qs(urlsplit(page.url).query)["state"] == ["too_easy"]
