"""Takes the picture of a screen: as tall as the page, without animations, in a palette of 256 colours."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from PIL import Image

from bench.screenshots.screens import Screen

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Theme = Literal["light", "dark"]
WIDTHS: Final = (1440, 390)
THEMES: Final[tuple[Theme, ...]] = ("light", "dark")
HEIGHTS: Final = {1440: 900, 390: 844}
TALLEST_PX: Final = 12_000
PATIENCE_MS: Final = 90_000
WHOLE: Final = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  const main = document.querySelector('[data-testid="stMainBlockContainer"]');
  return main !== null && main.innerText.trim() !== '' && app.dataset.testScriptState === 'notRunning'
    && document.querySelector('[data-testid="stSkeleton"]') === null
    && document.querySelector('[data-stale="true"]') === null
    && document.querySelector('[data-testid="stSpinner"]') === null
    && document.querySelectorAll('[data-testid="stVegaLiteChart"]').length
       === document.querySelectorAll('[data-testid="stVegaLiteChart"] .marks').length;
}"""
CONTENT_HEIGHT: Final = """() => {
  const main = document.querySelector('[data-testid="stMain"]');
  return Math.ceil(Math.max(main.scrollHeight, document.documentElement.scrollHeight));
}"""
SIDEWAYS: Final = """() => {
  const main = document.querySelector('[data-testid="stMain"]');
  return Math.max(main.scrollWidth - main.clientWidth, document.documentElement.scrollWidth - window.innerWidth);
}"""
SETTLED_MS: Final = 800  # charts and tables draw themselves again after a change of size


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One of the four ways in which a page is looked at."""

    width: int
    theme: Theme

    @property
    def name(self) -> str:
        return f"{self.width}-{self.theme}"


LOOKS: Final = tuple(Look(width=width, theme=theme) for width in WIDTHS for theme in THEMES)


@contextmanager
def looked_at(browser: "Browser", url: str, look: Look) -> Iterator["Page"]:
    """Yield one tab with the width and the theme."""
    context = browser.new_context(
        viewport={"width": look.width, "height": HEIGHTS[look.width]},
        color_scheme=look.theme,
        reduced_motion="reduce",
        base_url=url,
    )
    context.set_default_timeout(PATIENCE_MS)
    try:
        yield context.new_page()
    finally:
        context.close()


def open_screen(page: "Page", screen: Screen) -> None:
    """Open the address, wait until the page is complete, and press the buttons of the screen."""
    page.goto(screen.path, wait_until="commit")
    wait_until_whole(page)
    for name in screen.press:
        page.get_by_role("button", name=name).first.click()
        page.wait_for_timeout(SETTLED_MS)
        wait_until_whole(page)


def wait_until_whole(page: "Page") -> None:
    page.wait_for_function(WHOLE, timeout=PATIENCE_MS)
    page.wait_for_timeout(SETTLED_MS)
    page.wait_for_function(WHOLE, timeout=PATIENCE_MS)


def sideways_px(page: "Page") -> int:
    """Return how many pixels of the page are outside of the window to the right."""
    return int(page.evaluate(SIDEWAYS))


def take(page: "Page", *, height: int | None = None) -> bytes:
    """Return the PNG of the open page: of its first `height` pixels, or of all of it."""
    size = page.viewport_size
    assert size is not None
    tall = height or min(int(page.evaluate(CONTENT_HEIGHT)), TALLEST_PX)
    page.set_viewport_size({"width": size["width"], "height": max(tall, 200)})
    wait_until_whole(page)
    try:
        return small(page.screenshot(animations="disabled"))
    finally:
        page.set_viewport_size(size)


def small(png: bytes) -> bytes:
    """Return the picture with a palette of 256 colours: fewer bytes. Colours of few pixels, such as those of marks,
    keep their hue.
    """
    whole = Image.open(io.BytesIO(png)).convert("RGB")
    picture = whole.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()


def write(folder: Path, screen: Screen, look: Look, png: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{screen.name}-{look.name}.png"
    path.write_bytes(png)
    return path
