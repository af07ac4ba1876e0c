"""Every picture of README and docs is made by a command, exists, and is small."""

import re

import pytest

from bench.make_pictures import PICTURES as DRAWINGS
from bench.screenshots.documents import PICTURES as SCREENSHOTS
from tests.docs.markdown import PAGES, ROOT, read

IMAGES = ROOT / "docs" / "images"
SHOWN = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
MOST_BYTES = 150_000


def shown() -> dict[str, str]:
    """Return the alternative text of each picture by the name of its file."""
    return {
        (path.path.parent / target).resolve().name: text
        for path in map(read, PAGES)
        for text, target in SHOWN.findall(path.prose)
        if (path.path.parent / target).resolve().parent == IMAGES
    }


def test_every_picture_is_made_by_a_command_and_every_made_picture_is_shown() -> None:
    assert set(shown()) == {*DRAWINGS, *SCREENSHOTS}
    assert {path.name for path in IMAGES.iterdir()} == {*DRAWINGS, *SCREENSHOTS}


@pytest.mark.parametrize("name", SCREENSHOTS)
def test_a_screenshot_is_small_and_has_an_alternative_text(name: str) -> None:
    assert (IMAGES / name).stat().st_size < MOST_BYTES
    assert len(shown()[name]) > 30
