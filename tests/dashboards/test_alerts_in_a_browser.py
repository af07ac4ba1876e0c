"""The Alerts page in real Chromium at phone width: links, filters in the address and the button Back."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.api.house import open_house
from tests.api.rows import add_alert
from tests.asgi_server import serving

from .browser import browser, dashboard

WAIT_MS = 60_000


def test_an_alert_is_one_link_and_the_filters_survive_in_the_address(tmp_path: Path) -> None:
    with open_house(tmp_path) as house, serving(house.app) as url, dashboard(url) as address, browser() as chromium:
        add_alert(house, "alert-1", rule="CategoryRegression")
        add_alert(house, "alert-2", rule="SetStale", severity="warning")
        page = chromium.new_context(viewport={"width": 390, "height": 844}, base_url=address).new_page()
        page.set_default_timeout(WAIT_MS)
        page.goto("/alerts?severity=warning")
        expect(page.get_by_role("link", name="SetStale")).to_be_visible(timeout=WAIT_MS)
        expect(page.get_by_role("link", name="CategoryRegression")).to_have_count(0)
        page.get_by_role("link", name="SetStale").click()
        expect(page.get_by_role("heading", name="Alert", exact=True)).to_be_visible(timeout=WAIT_MS)
        expect(page).to_have_url(re.compile("alert=alert-2"), timeout=WAIT_MS)
        main = page.locator("[data-testid=stMain]")
        assert main.evaluate("element => element.scrollWidth - element.clientWidth") <= 1

        page.get_by_role("link", name="All alerts").click()
        expect(page.get_by_role("link", name="CategoryRegression")).to_be_visible(timeout=WAIT_MS)
        page.get_by_label("Text").fill("category")
        page.get_by_label("Text").press("Enter")
        expect(page.get_by_role("link", name="SetStale")).to_have_count(0, timeout=WAIT_MS)
        expect(page).to_have_url(re.compile("text=category"), timeout=WAIT_MS)
        expect(page.get_by_role("link", name="CategoryRegression")).to_have_count(1, timeout=WAIT_MS)
        page.get_by_role("link", name="CategoryRegression").click()
        expect(page.get_by_role("heading", name="Alert", exact=True)).to_be_visible(timeout=WAIT_MS)
        page.get_by_role("link", name="Runbook").first.click()
        expect(page.get_by_role("heading", name="CategoryRegression").first).to_be_visible(timeout=WAIT_MS)
        expect(page.locator("[data-testid=stException]")).to_have_count(0)
