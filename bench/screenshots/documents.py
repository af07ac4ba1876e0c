"""The pictures of README and docs: which screen each one shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bench.screenshots.camera import Look


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The first `height` pixels of a screen."""

    screen: str
    look: Look
    height: int


PICTURES: Final[Mapping[str, Picture]] = {
    "overview.png": Picture(screen="overview", look=Look(width=1440, theme="light"), height=640),
    "deployment.png": Picture(screen="deployment", look=Look(width=1440, theme="light"), height=1125),
    "alert.png": Picture(screen="alert", look=Look(width=1440, theme="light"), height=1000),
    "overview-phone-dark.png": Picture(screen="overview", look=Look(width=390, theme="dark"), height=1120),
}
"""By the name of the file in docs/images."""


def pictures_of(screen: str, look: Look) -> dict[str, Picture]:
    return {name: one for name, one in PICTURES.items() if (one.screen, one.look) == (screen, look)}
