"""Draw an SVG picture. Shapes are in order of creation, and coordinates are rounded, so that equal data gives equal
text.
"""

from collections.abc import Iterable
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


class Drawing:
    """A white card of a size in pixels, with a title for screen readers."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self._shapes: list[str] = []

    def line(self, start: Point, end: Point, colour: str, *, width: float = 1.0, dash: str = "") -> None:
        (x1, y1), (x2, y2) = start, end
        self._add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, stroke_width=width, **_dashed(dash))

    def path(self, points: Iterable[Point], colour: str, *, width: float = 2.0, dash: str = "") -> None:
        """Draw a line through the points."""
        joined = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._add(
            "polyline",
            points=joined,
            fill="none",
            stroke=colour,
            stroke_width=width,
            stroke_linejoin="round",
            stroke_linecap="round",
            **_dashed(dash),
        )

    def rect(
        self,
        corner: Point,
        size: Point,
        colour: str,
        *,
        opacity: float = 1.0,
        radius: float = 0.0,
        border: str = "none",
    ) -> None:
        (x, y), (width, height) = corner, size
        self._add(
            "rect", x=x, y=y, width=width, height=height, rx=radius, fill=colour, fill_opacity=opacity, stroke=border
        )

    def dot(self, centre: Point, radius: float, colour: str, *, border: str = "#ffffff") -> None:
        self._add("circle", cx=centre[0], cy=centre[1], r=radius, fill=colour, stroke=border, stroke_width=1.5)

    def text(
        self, at: Point, words: str, colour: str, *, size: int = 12, anchor: Anchor = "start", weight: int = 400
    ) -> None:
        attributes = _attributes(
            {"x": at[0], "y": at[1], "fill": colour, "font_size": size, "font_weight": weight, "text_anchor": anchor}
        )
        self._shapes.append(f"  <text{attributes}>{escape(words)}</text>")

    def render(self) -> str:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" role="img" font-family={quoteattr(FONT)}>'
        )
        return "\n".join([head, f"  <title>{escape(self.title)}</title>", *self._shapes, "</svg>", ""])

    def _add(self, shape: str, **attributes: float | str) -> None:
        self._shapes.append(f"  <{shape}{_attributes(attributes)}/>")


def _attributes(named: dict[str, float | str]) -> str:
    texts = {name: value if isinstance(value, str) else _number(value) for name, value in named.items()}
    return "".join(f" {name.replace('_', '-')}={quoteattr(text)}" for name, text in texts.items())


def _dashed(dash: str) -> dict[str, str]:
    return {"stroke_dasharray": dash} if dash else {}


def _number(value: float) -> str:
    """Return the number with one decimal; two decimals below one.

    >>> _number(12.0), _number(0.25), _number(3.14159), _number(-0.01)
    ('12', '0.25', '3.1', '-0.01')
    """
    text = f"{value:.2f}" if abs(value) < 1.0 else f"{value:.1f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
