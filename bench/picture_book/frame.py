"""A frame for a diagram: a title, two axes, and the conversion from values to pixels."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bench.picture_book.svg import Drawing, Point

INK, QUIET, RULE, GROUND = "#1f2933", "#66788a", "#e4e9ee", "#ffffff"
BLUE, RED, AMBER, GREEN = "#2563a8", "#c4373b", "#b7791f", "#2f855a"
BAND = "#2563a8"
WIDTH = 760
LEFT, RIGHT, TOP, BOTTOM = 64, 28, 74, 46


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The range of values along one side of the frame."""

    low: float
    high: float

    def share(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The area for the data."""

    drawing: Drawing
    x: Span
    y: Span

    def at(self, x: float, y: float) -> Point:
        return self.across(x), self.up(y)

    def across(self, x: float) -> float:
        return LEFT + self.x.share(x) * (self.drawing.width - LEFT - RIGHT)

    def up(self, y: float) -> float:
        return self.drawing.height - BOTTOM - self.y.share(y) * (self.drawing.height - TOP - BOTTOM)

    def points(self, xs: Iterable[float], ys: Iterable[float]) -> list[Point]:
        return [self.at(float(x), float(y)) for x, y in zip(xs, ys, strict=True)]

    def area(self, x: tuple[float, float], y: tuple[float, float], colour: str, *, opacity: float) -> None:
        left, right, top, bottom = self.across(x[0]), self.across(x[1]), self.up(y[1]), self.up(y[0])
        self.drawing.rect((left, top), (right - left, bottom - top), colour, opacity=opacity)

    def level(self, y: float, colour: str, *, dash: str = "", width: float = 1.0) -> None:
        """Draw a horizontal line at a value."""
        self.drawing.line(self.at(self.x.low, y), self.at(self.x.high, y), colour, dash=dash, width=width)

    def moment(self, x: float, words: str, colour: str, *, row: int = 0) -> None:
        """Draw a vertical line at a night with a label above it. `row` separates the labels of close lines."""
        top = self.up(self.y.high) + 14 * row - 4
        self.drawing.line((self.across(x), top), self.at(x, self.y.low), colour, dash="3 3", width=1.2)
        self.drawing.text((self.across(x) + 5, top + 9), words, colour, weight=600)


def framed(
    title: str,
    subtitle: str,
    *,
    height: int,
    x: Span,
    y: Span,
    x_ticks: Mapping[float, str],
    y_ticks: Mapping[float, str],
) -> Frame:
    """Return a card with a title and axes."""
    drawing = Drawing(WIDTH, height, f"{title}. {subtitle}")
    drawing.rect((0.5, 0.5), (WIDTH - 1, height - 1), GROUND, radius=10, border=RULE)
    drawing.text((24, 30), title, INK, size=16, weight=600)
    drawing.text((24, 50), subtitle, QUIET, size=12)
    frame = Frame(drawing=drawing, x=x, y=y)
    for value, words in y_ticks.items():
        frame.level(value, RULE)
        drawing.text((LEFT - 8, frame.up(value) + 4), words, QUIET, anchor="end", size=11)
    for value, words in x_ticks.items():
        drawing.text((frame.across(value), height - BOTTOM + 18), words, QUIET, anchor="middle", size=11)
    return frame


def caption(frame: Frame, words: str) -> None:
    """Draw the label of the horizontal axis."""
    drawing = frame.drawing
    drawing.text(((LEFT + drawing.width - RIGHT) / 2, drawing.height - 10), words, QUIET, anchor="middle", size=11)
