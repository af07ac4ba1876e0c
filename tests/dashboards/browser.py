"""The dashboard in its own process, opened in the system's Chromium."""

import contextlib
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

from bench.screenshots.camera import HEIGHTS, SETTLED_MS, sideways_px
from monitor.cli.dashboard.process import DashboardProcess, DashboardSettings
from tests.ports import free_port

PHONE = 390
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str:
    """Return the path of the system's Chromium. Without one, skip the test locally and fail it in CI."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is not None:
        return found
    if os.environ.get("CI"):
        pytest.fail("no chromium on this machine; CI needs one for the screen tests")
    pytest.skip("no chromium on this machine; the screens are not looked at")


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            yield opened
        finally:
            opened.close()


@contextlib.contextmanager
def profile(folder: Path, viewport: ViewportSize) -> Iterator[BrowserContext]:
    """Yield a browser that keeps its caches in `folder`, as that of a reader does."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch_persistent_context(
            folder, executable_path=chromium(), args=FLAGS, viewport=viewport
        )
        try:
            yield opened
        finally:
            opened.close()


@contextlib.contextmanager
def dashboard(daemon_url: str, token_file: Path | None = None) -> Iterator[str]:
    """Yield the address of a running dashboard for `daemon_url`, started as `driftd dashboard` starts it."""
    lines: list[str] = []
    pages = DashboardSettings(api_url=daemon_url, port=free_port(), token_file=token_file)
    process = DashboardProcess(pages, on_line=lines.append)
    try:
        if not process.wait_until_ready(threading.Event()):
            pytest.fail(f"the dashboard did not start: {lines}")
        yield pages.url
    finally:
        process.stop()


def sideways_on_a_phone(page: Page) -> int:
    """Return how many pixels the open page is wider than a phone, after its charts were drawn again."""
    before = page.viewport_size
    assert before is not None
    page.set_viewport_size({"width": PHONE, "height": HEIGHTS[PHONE]})
    try:
        for _ in range(10):
            page.wait_for_timeout(SETTLED_MS)
            if (extra := sideways_px(page)) <= 1:
                break
        return extra
    finally:
        page.set_viewport_size(before)
