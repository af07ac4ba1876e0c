"""The time of the pages in Chromium."""

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx

from bench.dashboard_study.relay import Exchange, Record
from bench.ingest_study.server import free_port

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

ROOT: Final = Path(__file__).resolve().parents[2]
EXPIRY_S: Final = 5.5  # longer than the pages keep the state of the daemon
PATIENCE_MS: Final = 60_000
START_S: Final = 30.0
WARM: Final = 2  # a browser stores the compiled scripts of a page at its second load
BARE: Final = "a bare page of Streamlit"
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


BACK: Final = "() => { const began = performance.now(); history.back(); return began; }"
TITLE: Final = "() => document.querySelector('h1')?.innerText"
WHOLE_AGAIN: Final = f"title => ({TITLE})() === title && ({WHOLE})()"
OTHER, FURTHER = "Overview", "Alerts"  # pages with a link in the navigation of every page


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """One load of a page: the milliseconds from the navigation to the first text and to the end of the page, and from
    the return to it in the same tab, after a visit of another page, to its end; None for the bare page.
    """

    page: str
    first_ms: float
    whole_ms: float
    again_ms: float | None
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


@contextmanager
def bare_page() -> Iterator[str]:
    """Yield the address of a page of Streamlit with one line."""
    port = free_port()
    options = ["--server.port", str(port), "--server.headless", "true", "--browser.gatherUsageStats", "false"]
    file = Path(__file__).with_name("bare.py")
    command = [sys.executable, "-m", "streamlit", "run", str(file), *options, "--server.address", "127.0.0.1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_it_answers(url)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def _wait_until_it_answers(url: str) -> None:
    until = time.monotonic() + START_S
    while True:
        try:
            httpx.get(f"{url}/_stcore/health", timeout=1.0).raise_for_status()
        except httpx.HTTPError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return


def targets_of(url: str, bare_url: str) -> dict[str, str]:
    """Return the address of each page by its name, that of the bare page first."""
    return {BARE: f"{bare_url}/"} | {name or "overview": f"{url}/{name}" for name in page_names()}


def load_pages(context: "BrowserContext", targets: Mapping[str, str], record: Record, rounds: int) -> list[Loaded]:
    """Load each page WARM times to fill the caches of the browser, then `rounds` times. What the pages keep of the
    daemon's state expires before each load.
    """
    loaded: list[Loaded] = []
    for number in range(rounds + WARM):
        for name, target in targets.items():
            if number >= WARM:
                time.sleep(EXPIRY_S)
            record.take()
            found = _load(context, name, target, record)
            if number >= WARM:
                loaded.append(found)
    return loaded


def _load(context: "BrowserContext", name: str, target: str, record: Record) -> Loaded:
    tab = context.new_page()
    tab.goto(target, wait_until="commit")
    first_ms = tab.wait_for_function(CONTENT, timeout=PATIENCE_MS).json_value()
    whole_ms = tab.wait_for_function(WHOLE, timeout=PATIENCE_MS).json_value()
    error = tab.locator('[data-testid="stException"]').count() > 0
    exchanges = tuple(record.take())
    again_ms = None if name == BARE else _return_to(tab)
    tab.close()
    return Loaded(page=name, first_ms=first_ms, whole_ms=whole_ms, again_ms=again_ms, exchanges=exchanges, error=error)


def _return_to(tab: "Page") -> float:
    """Visit another page in the same tab, and return the milliseconds from the way back to the end of the page."""
    title = tab.evaluate(TITLE)
    other = FURTHER if title == OTHER else OTHER
    tab.get_by_test_id("stTopNavLink").filter(has_text=other).click()
    tab.wait_for_function(WHOLE_AGAIN, arg=other, timeout=PATIENCE_MS)
    began = tab.evaluate(BACK)
    whole: float = tab.wait_for_function(WHOLE_AGAIN, arg=title, timeout=PATIENCE_MS).json_value()
    return whole - float(began)
