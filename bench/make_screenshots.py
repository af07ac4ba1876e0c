"""Take the pictures of the dashboard: `make screenshots`.

Plays the demo and opens each page and its important states in Chromium, at 1440 and at 390 pixels, light and dark, then
the pages of a daemon with a hundred deployments. Writes the pictures of README and docs to docs/images, and all others
to the folder `--all`, for a review. The exit code is 1 when a page shows an error or is wider than the window.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.screenshots.camera import LOOKS, Look, looked_at, open_screen, sideways_px, take, write
from bench.screenshots.demo import running_demo
from bench.screenshots.documents import pictures_of
from bench.screenshots.many import many_deployments
from bench.screenshots.screens import SCREENS_OF_MANY, Screen, screens_of_demo

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

IMAGES: Final = Path(__file__).parents[1] / "docs" / "images"
FAILED: Final = "cannot be shown"  # part of what a page shows when a request failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", type=Path, default=Path(tempfile.gettempdir()) / "driftd-screenshots")
    parser.add_argument("--images", type=Path, default=IMAGES, help="the folder of the pictures of README and docs")
    parser.add_argument("--documents", action="store_true", help="take only the pictures of README and docs")
    given = parser.parse_args()
    given.images.mkdir(parents=True, exist_ok=True)
    from tests.dashboards.browser import browser

    faults: list[str] = []
    # The browser comes last: Playwright occupies the event loop of the thread in which the daemon starts.
    with running_demo(any_ports=False) as demo, browser() as chromium:
        screens = screens_of_demo(demo.facts)
        if given.documents:
            _shoot_documents(chromium, demo.url, screens, given.images)
            return 0
        faults += _shoot(chromium, demo.url, screens, given.all, given.images)
    with many_deployments() as url, browser() as chromium:
        faults += _shoot(chromium, url, SCREENS_OF_MANY, given.all, given.images)
    print(*faults, f"all pictures: {given.all}", sep="\n")
    return 1 if faults else 0


def _shoot(chromium: "Browser", url: str, screens: Sequence[Screen], folder: Path, images: Path) -> list[str]:
    """Take all pictures of the screens, and return what is wrong with the pages."""
    faults: list[str] = []
    for look in LOOKS:
        with looked_at(chromium, url, look) as page:
            for screen in screens:
                open_screen(page, screen)
                faults += [f"{screen.name}, {look.name}: {fault}" for fault in _faults(page)]
                print(write(folder, screen, look, take(page)))
                _write_pictures(page, screen, look, images)
    return faults


def _shoot_documents(chromium: "Browser", url: str, screens: Sequence[Screen], images: Path) -> None:
    for look in LOOKS:
        wanted = [screen for screen in screens if pictures_of(screen.name, look)]
        with looked_at(chromium, url, look) as page:
            for screen in wanted:
                open_screen(page, screen)
                _write_pictures(page, screen, look, images)


def _write_pictures(page: "Page", screen: Screen, look: Look, images: Path) -> None:
    for name, picture in pictures_of(screen.name, look).items():
        (images / name).write_bytes(take(page, height=picture.height))
        print(images / name)


def _faults(page: "Page") -> list[str]:
    wide = sideways_px(page)
    found = [f"{wide} pixels are outside of the window"] if wide > 1 else []
    errors = page.locator("[data-testid=stException]").or_(page.get_by_text(FAILED))
    return found + ["the page has an error"] * (errors.count() > 0)


if __name__ == "__main__":
    sys.exit(main())
