"""The pages in real Chromium: complete, without console messages, and without requests to other hosts."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

import dashboards
from bench.screenshots.camera import open_screen
from bench.screenshots.screens import Screen
from tests.asgi_server import serving

from .axe_audit import axe_source, violations
from .browser import browser, dashboard, sideways_on_a_phone
from .fake_daemon import regression
from .overview_items import hundred, regressed
from .server import build

WAIT_MS = 60_000
PAGES = sorted(page.stem for page in (Path(dashboards.__file__).parent / "screens").glob("*.py"))


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    pages = regression()
    pages.overview = [regressed(), *hundred()]
    with browser() as opened, serving(build(pages)) as daemon, dashboard(daemon) as address:
        context = opened.new_context(viewport={"width": 1360, "height": 2100}, base_url=address)
        context.set_default_timeout(WAIT_MS)
        yield context.new_page()


@pytest.mark.parametrize(
    ("path", "charts", "sentence"),
    [
        ("/deployment", 1, "is regressing since 2026-03-06 14:14 (19 hours ago)"),
        ("/failure_modes", 2, "Shares of failures over time"),
        ("/failure_modes?view=sources", 3, "Frozen, dynamic and production"),
        ("/failure_modes?view=rates", 2, "Pass rate by category and version"),
    ],
)
def test_a_page_is_complete_and_sends_no_other_request(
    page: Page, tmp_path: Path, path: str, charts: int, sentence: str
) -> None:
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path)

    expect(page.get_by_text(sentence).first).to_be_visible(timeout=WAIT_MS)
    expect(page.locator("[data-testid=stVegaLiteChart] .marks")).to_have_count(charts, timeout=WAIT_MS)
    expect(page.locator("[data-testid=stException]")).to_have_count(0)
    for mark in page.locator("[data-testid=stVegaLiteChart] .marks").all():
        box = mark.bounding_box()
        assert box is not None
        assert box["width"] > 300
        assert box["height"] > 120

    picture = tmp_path / "page.png"
    page.screenshot(path=picture)
    assert picture.stat().st_size > 40_000  # an empty page is much smaller
    hosts = {urlsplit(url).hostname for url in requests if urlsplit(url).scheme not in {"data", "blob"}}
    assert hosts == {"127.0.0.1"}
    assert complaints == []


def test_nothing_is_wider_than_the_window(page: Page) -> None:
    for path in ("/deployment", "/failure_modes"):
        page.goto(path)
        expect(page.locator("[data-testid=stVegaLiteChart] .marks").first).to_be_visible(timeout=WAIT_MS)
        main = page.locator("[data-testid=stMain]")
        assert main.evaluate("element => element.scrollWidth - element.clientWidth") <= 1


def test_the_rows_of_the_overview_fit_a_phone_and_open_the_deployment(page: Page) -> None:
    wide = page.viewport_size
    assert wide is not None
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto("/")
    expect(page.locator(".dd-row")).to_have_count(25, timeout=WAIT_MS)
    expect(page.get_by_text("Deploy", exact=True)).to_have_count(0)  # the options of .streamlit/config.toml are read
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("element => element.scrollWidth - element.clientWidth") <= 1
    page.goto("/?state=no+data&search=empty")
    expect(page.locator(".dd-row")).to_have_count(1, timeout=WAIT_MS)
    page.goto("/?search=support-bot")
    page.get_by_role("link", name="support-bot").click()
    expect(page.get_by_text("is regressing since").first).to_be_visible(timeout=WAIT_MS)
    assert "deployment=support-bot" in page.url
    page.set_viewport_size(wide)


def test_a_chart_is_downloaded_as_png_with_the_policy_of_the_listener(page: Page) -> None:
    page.goto("/deployment?deployment=support-bot")
    chart = page.locator("[data-testid=stVegaLiteChart]").first
    expect(chart.locator(".marks")).to_be_visible(timeout=WAIT_MS)
    chart.scroll_into_view_if_needed()
    chart.hover()
    button = page.get_by_role("button", name="Download as PNG").first
    expect(button).to_be_attached(timeout=WAIT_MS)
    with page.expect_download(timeout=WAIT_MS) as download:
        button.dispatch_event("click")
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def test_a_click_on_a_step_of_the_failure_modes_shows_its_run(page: Page) -> None:
    page.goto("/failure_modes")
    steps = page.locator("[data-testid=stVegaLiteChart]").first.locator(".mark-rect path")
    expect(steps.first).to_be_visible(timeout=WAIT_MS)
    steps.first.click()
    expect(page.get_by_text("in the run of").first).to_be_visible(timeout=WAIT_MS)


@pytest.mark.parametrize("name", [name for name in PAGES if name != "account"])  # which needs a login
def test_no_page_is_wider_than_a_phone_or_has_serious_violations(page: Page, name: str) -> None:
    open_screen(page, Screen(name=name, path="/" if name == "overview" else f"/{name}"))
    assert page.locator("[data-testid=stException]").count() == 0
    assert violations(page, axe_source()) == []
    assert sideways_on_a_phone(page) <= 1
