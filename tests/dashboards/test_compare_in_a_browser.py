"""The Compare page in real Chromium: hostile answers are plain text, and only the button opens sealed cases."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.api.house import House, open_house, tokens_for_roles
from tests.api.routes.test_sealed import reveal_log
from tests.asgi_server import serving

from .answered import HOSTILE, REVEAL, SECRET, furnish
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
            context = chromium.new_context(viewport={"width": 1360, "height": 2000}, base_url=address)
            context.set_default_timeout(WAIT_MS)
            yield house, context.new_page()


def link(set_name: str, case: str) -> str:
    return "/compare?" + urlencode({"baseline": f"{set_name}-1", "candidate": f"{set_name}-2", "case": case})


def test_a_hostile_answer_is_text_and_the_page_sends_no_request(opened: tuple[House, Page], tmp_path: Path) -> None:
    page = opened[1]
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(link("corrections", "<b>case</b>"))

    boxes = page.locator(".driftd-text")
    expect(boxes).to_have_count(7, timeout=WAIT_MS)
    assert [box.inner_text() for box in boxes.all()].count(HOSTILE) == 4
    assert boxes.last.inner_text() == f"looked for it in: {HOSTILE}"
    assert boxes.locator("script, img, h1, a, strong").count() == 0
    assert page.locator("[data-testid=stMain] h1").all_inner_texts() == ["Compare"]
    assert page.evaluate("() => window.hacked") is None
    assert page.locator("[data-testid=stSidebar]").count() == 0  # also on the first page that a server draws
    expect(page.locator("[data-testid=stException]")).to_have_count(0)
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("element => element.scrollWidth - element.clientWidth") <= 1

    picture = tmp_path / "compare.png"
    page.screenshot(path=picture)
    assert picture.stat().st_size > 40_000  # an empty page is much smaller
    hosts = {urlsplit(url).hostname for url in requests if urlsplit(url).scheme not in {"data", "blob"}}
    assert hosts == {"127.0.0.1"}
    assert complaints == []


def test_different_words_are_marked_on_each_side(opened: tuple[House, Page], tmp_path: Path) -> None:
    page = opened[1]
    page.goto(link("corrections", "case-07"))
    expect(page.locator(".driftd-text del")).to_have_text(["No", "not"], timeout=WAIT_MS)
    expect(page.locator(".driftd-text ins")).to_have_text(["Yes", "surely"])
    colour = page.locator(".driftd-text ins").first.evaluate("element => getComputedStyle(element).backgroundColor")
    assert colour == "rgba(0, 114, 178, 0.2)"
    page.screenshot(path=tmp_path / "diff.png")


def test_only_the_button_opens_a_sealed_case(opened: tuple[House, Page], tmp_path: Path) -> None:
    house, page = opened
    page.goto(link("private", "case-07"))
    button = page.get_by_role("button", name="Reveal (logged)")
    expect(button).to_be_visible(timeout=WAIT_MS)
    assert page.locator(".driftd-text").count() == 0
    assert reveal_log(house.store) == []

    button.click()
    expect(page.locator(".driftd-text").get_by_text(SECRET).first).to_be_visible(timeout=WAIT_MS)
    assert reveal_log(house.store) == [(f"name of {REVEAL}", "case in private-1 and private-2 (private)", ["case-07"])]
    page.screenshot(path=tmp_path / "revealed.png")
    page.reload()
    expect(page.get_by_role("button", name="Reveal (logged)")).to_be_visible(timeout=WAIT_MS)
    assert page.locator(".driftd-text").count() == 0
    assert len(reveal_log(house.store)) == 1


def test_a_deployment_links_to_the_compared_runs_and_cases_have_pages(opened: tuple[House, Page]) -> None:
    page = opened[1]
    page.goto("/deployment?deployment=bot")
    page.get_by_text("Compare the answers, case by case").last.click()
    expect(page.get_by_text("Cases 1 to 10 of 27.")).to_be_visible(timeout=WAIT_MS)
    query = parse_qs(urlsplit(page.url).query)
    assert (query["baseline"], query["candidate"]) == (["corrections-1"], ["corrections-2"])
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Cases 11 to 20 of 27.")).to_be_visible(timeout=WAIT_MS)
    page.get_by_role("link", name="Overview").click()  # Back would also undo the selection of a case
    expect(page.get_by_text("newest 30 nights")).to_be_visible(timeout=WAIT_MS)
