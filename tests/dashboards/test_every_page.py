"""Every page and state over the demo's data, in Chromium: axe-core finds nothing serious, and a phone needs no
sideways scrolling.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from bench.screenshots.camera import HEIGHTS, Look, Theme, looked_at, open_screen, sideways_px
from bench.screenshots.demo import RunningDemo, running_demo
from bench.screenshots.screens import screens_of_demo

from .axe_audit import axe_source, violations
from .browser import browser

pytestmark = [pytest.mark.xdist_group("demo"), pytest.mark.timeout(3_000)]
PHONE, DESK = 390, 1440
SETTLED_MS = 800
KNOWN: dict[tuple[str, str], str] = {}
"""Violations of Streamlit's own widgets: the rule and the part of the page, with the reason."""


@pytest.fixture(scope="module")
def demo() -> Iterator[RunningDemo]:
    with running_demo(any_ports=True) as running:
        yield running


@pytest.fixture(scope="module")
def chromium(demo: RunningDemo) -> Iterator[Browser]:
    """Open the browser after the demo: Playwright occupies the event loop of the thread in which the daemon starts."""
    with browser() as opened:
        yield opened


def sideways_on_a_phone(page: Page) -> int:
    page.set_viewport_size({"width": PHONE, "height": HEIGHTS[PHONE]})
    page.wait_for_timeout(SETTLED_MS)
    try:
        return sideways_px(page)
    finally:
        page.set_viewport_size({"width": DESK, "height": HEIGHTS[DESK]})


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_is_wider_than_a_phone_or_has_serious_violations(
    demo: RunningDemo, chromium: Browser, theme: Theme
) -> None:
    axe = axe_source()
    found: dict[tuple[str, str], list[str]] = {}
    wide: dict[str, int] = {}
    with looked_at(chromium, demo.url, Look(width=DESK, theme=theme)) as page:
        for screen in screens_of_demo(demo.facts):
            open_screen(page, screen)
            assert page.locator("[data-testid=stException]").count() == 0, screen.name
            for one in violations(page, axe):
                found.setdefault((one.rule, one.part), []).append(f"{screen.name}: {one.detail}")
            extra = sideways_on_a_phone(page)
            if extra > 1:
                wide[screen.name] = extra
    assert wide == {}
    new = {key: details[:3] for key, details in found.items() if key not in KNOWN}
    assert new == {}, "mend these, or list those of Streamlit's own widgets in KNOWN"
    assert set(KNOWN) <= set(found), "Streamlit no longer has these: remove them from KNOWN"
