"""The newest nights of a set as a small picture: the pass rates, their 95 % intervals and the changes of version."""

import base64
from collections.abc import Sequence
from html import escape
from itertools import pairwise

from dashboards.formatting import count, percent
from monitor.api.schema.overview import NightItem

WIDTH, HEIGHT, PAD = 132, 30, 3
LEAST_SPAN = 0.1  # of the axis, so that noise does not look like a change


def sparkline(nights: Sequence[NightItem], name: str, colour: str, ink: str) -> str:
    """Return an `img` element, or a dash without a scored night. Nights have equal distances."""
    drawn = [night for night in nights if night.rate is not None]
    if not drawn:
        return '<span class="dd-soft">no scored night</span>'
    picture = base64.b64encode(_svg(drawn, colour, ink).encode()).decode()
    text = escape(_text(drawn, name), quote=True)
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    return f'<img class="dd-spark" {size} alt="{text}" title="{text}" src="data:image/svg+xml;base64,{picture}">'


def _text(nights: Sequence[NightItem], name: str) -> str:
    newest = nights[-1]
    low, high = percent(newest.low), percent(newest.high)
    rates = [night.rate for night in nights if night.rate is not None]
    return (
        f"Pass rate of {name} in {count(len(nights), 'night')}: from {percent(min(rates))} to {percent(max(rates))}; "
        f"last {percent(newest.rate)}, 95 % interval {low} to {high}"
    )


def _svg(nights: Sequence[NightItem], colour: str, ink: str) -> str:
    lows, highs = [night.low or 0.0 for night in nights], [night.high or 0.0 for night in nights]
    bottom, top = _frame(min(lows), max(highs))
    xs = [_x(place, len(nights)) for place in range(len(nights))]

    def y(rate: float) -> float:
        return PAD + (HEIGHT - 2 * PAD) * (top - rate) / (top - bottom)

    band = [(x, y(high)) for x, high in zip(xs, highs, strict=True)]
    band += [(x, y(low)) for x, low in reversed(list(zip(xs, lows, strict=True)))]
    line = [(x, y(night.rate or 0.0)) for x, night in zip(xs, nights, strict=True)]
    (last_x, last_y), marks = line[-1], _changes(nights, xs)
    area = f'<polygon points="{_points(band)}" fill="{colour}" fill-opacity="0.28"/>'
    if len(nights) == 1:
        area = _rule(last_x, y(lows[0]), y(highs[0]), f'stroke="{colour}"')
    dashes = f'stroke="{ink}" stroke-opacity="0.6" stroke-dasharray="2 2"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">{area}'
        f"{''.join(_rule(x, 0, HEIGHT, dashes) for x in marks)}"
        f'<polyline points="{_points(line)}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
        f'<circle cx="{last_x:.1f}" cy="{last_y:.1f}" r="2.6" fill="{colour}"/></svg>'
    )


def _rule(x: float, top: float, bottom: float, look: str) -> str:
    return f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" {look}/>'


def _frame(low: float, high: float) -> tuple[float, float]:
    """Return the ends of the axis: the range of all intervals, at least LEAST_SPAN."""
    missing = max(0.0, LEAST_SPAN - (high - low)) / 2
    return low - missing, high + missing


def _x(place: int, nights: int) -> float:
    return WIDTH - PAD - (WIDTH - 2 * PAD) * (nights - 1 - place) / max(nights - 1, 1)


def _changes(nights: Sequence[NightItem], xs: Sequence[float]) -> list[float]:
    """Return the place between two nights with different versions."""
    steps = zip(pairwise(nights), pairwise(xs), strict=True)
    return [(x + next_x) / 2 for (night, later), (x, next_x) in steps if night.version_label != later.version_label]


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
