"""The page Production in real Chromium: the search, one interaction by its link, and the frame of Evidently."""

from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from monitor.api.auth import Role
from tests.api.house import NOW, House, open_house, token_of, tokens_for_roles
from tests.api.rows import add_traffic_report
from tests.asgi_server import serving

from .browser import browser, dashboard
from .production_traffic import PARCEL, add_traffic

WAIT_MS = 60_000
READER = token_of(Role.READ)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, Page]]:
    folder = tmp_path_factory.mktemp("house")
    (folder / "token").write_text(READER)
    with open_house(folder, tokens=tokens_for_roles()) as house:
        add_traffic(house)
        add_traffic_report(house, "report-1")
        with browser() as chromium, serving(house.app) as url, dashboard(url, folder / "token") as address:
            context = chromium.new_context(viewport={"width": 390, "height": 1600}, base_url=address)
            context.set_default_timeout(WAIT_MS)
            yield house, context.new_page()


def test_a_search_finds_a_call_and_its_link_opens_it(opened: tuple[House, Page]) -> None:
    page = opened[1]
    page.goto("/production?deployment=bot&view=interactions")
    field = page.get_by_label("Text of input or output")
    field.fill("parcel 7014")
    field.press("Enter")
    expect(page.get_by_text("1 call on this page. The search of the period is complete.")).to_be_visible(
        timeout=WAIT_MS
    )
    assert parse_qs(urlsplit(page.url).query)["text"] == ["parcel 7014"]

    at = (NOW - timedelta(minutes=70)).isoformat()
    page.goto("/production?" + urlencode({"view": "interactions", "interaction": PARCEL, "at": at}))
    answer = page.locator(".driftd-text").get_by_text("<b>It</b> arrives on **Monday**.")
    expect(answer).to_be_visible(timeout=WAIT_MS)
    expect(page.get_by_text("find_order")).to_be_visible()
    expect(page.get_by_text("Candidate for an eval set: proposed")).to_be_visible()
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("element => element.scrollWidth - element.clientWidth") <= 1
    page.get_by_role("button", name="All interactions").click()
    expect(page.get_by_label("Text of input or output")).to_be_visible(timeout=WAIT_MS)


def test_the_page_of_evidently_is_in_a_frame_with_an_origin_of_its_own(opened: tuple[House, Page]) -> None:
    page = opened[1]
    foreign: list[str] = []
    page.on("request", lambda request: foreign.append(request.url))
    page.goto("/production?deployment=bot&view=drift")
    page.get_by_text("Show the page of Evidently").click()
    outer = page.frame_locator("[data-testid=stIFrame]")
    inner = outer.locator("iframe")
    expect(inner).to_have_attribute("sandbox", "allow-scripts", timeout=WAIT_MS)
    frame = next(
        one for one in page.frames if one.parent_frame is not None and one.parent_frame.parent_frame is not None
    )
    assert frame.evaluate("() => { try { return parent.document.title } catch (error) { return error.name } }") == (
        "SecurityError"
    )
    hosts = {urlsplit(url).hostname for url in foreign if urlsplit(url).scheme in {"http", "https"}}
    assert hosts <= {"127.0.0.1"}
