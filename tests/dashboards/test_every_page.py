"""Every page and state over the demo's data, in Chromium: axe-core finds nothing serious, and a phone needs no
sideways scrolling. `test_in_a_browser.py` has a smaller test for each change.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from bench.screenshots.camera import Look, Theme, looked_at, open_screen
from bench.screenshots.demo import RunningDemo, running_demo
from bench.screenshots.screens import screens_of_demo

from .axe_audit import axe_source, violations
from .browser import browser, sideways_on_a_phone

pytestmark = [pytest.mark.xdist_group("demo"), pytest.mark.timeout(3_000)]
DESK = 1440
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
