"""The time of the pages in Chromium."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.dashboard_study.relay import Exchange, Record

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT: Final = Path(__file__).resolve().parents[2]
EXPIRY_S: Final = 5.5  # longer than the pages keep the state of the daemon
PATIENCE_MS: Final = 60_000
DETAILS: Final = (  # of the store of bench/large_store.py
    "deployment?deployment=shop",
    "sets?set=private",
    "cases?deployment=bot&set=private&case=case-7",
    "compare?baseline=run-3&candidate=run-0",
)
CONTENT: Final = """() => {
  const main = document.querySelector('[data-testid="stMainBlockContainer"]');
  return main !== null && main.innerText.trim() !== '' && performance.now();
}"""
WHOLE: Final = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  const main = document.querySelector('[data-testid="stMainBlockContainer"]');
  return main !== null && main.innerText.trim() !== '' && app.dataset.testScriptState === 'notRunning'
    && document.querySelector('[data-testid="stSkeleton"]') === null && performance.now();
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """One load of a page: the milliseconds from the navigation to the first text and to the end of the page."""

    page: str
    first_ms: float
    whole_ms: float
    exchanges: tuple[Exchange, ...]
    error: bool


def page_names() -> list[str]:
    """Return the addresses of all pages; that of the first is empty. The pages that show one thing after a click follow
    with the address of the click.
    """
    names = sorted(path.stem for path in (ROOT / "dashboards" / "screens").glob("*.py") if path.stem != "__init__")
    return ["", *(name for name in names if name != "overview"), *DETAILS]


@contextmanager
def dashboard(daemon_url: str) -> Iterator[str]:
    from tests.dashboards.browser import dashboard as started

    with started(daemon_url) as url:
        yield url


def load_pages(browser: "Browser", url: str, record: Record, rounds: int, expiry_s: float = EXPIRY_S) -> list[Loaded]:
    """Load each page once to fill the cache of the browser, then `rounds` times. What the pages keep of the daemon's
    state expires before each load.
    """
    context = browser.new_context(viewport={"width": 1440, "height": 1100})
    loaded: list[Loaded] = []
    for number in range(rounds + 1):
        for name in page_names():
            time.sleep(expiry_s if number else 0.0)
            record.take()
            tab = context.new_page()
            tab.goto(f"{url}/{name}", wait_until="commit")
            first_ms = tab.wait_for_function(CONTENT, timeout=PATIENCE_MS).json_value()
            whole_ms = tab.wait_for_function(WHOLE, timeout=PATIENCE_MS).json_value()
            error = tab.locator('[data-testid="stException"]').count() > 0
            tab.close()
            if number:
                exchanges = tuple(record.take())
                loaded.append(
                    Loaded(
                        page=name or "overview",
                        first_ms=first_ms,
                        whole_ms=whole_ms,
                        exchanges=exchanges,
                        error=error,
                    )
                )
    context.close()
    return loaded
