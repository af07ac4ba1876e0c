"""One simulated change in sets of different sizes: the two intervals, and the changes that each set
could have missed.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bench.picture_book.frame import BLUE, INK, LEFT, QUIET, RED, Frame, Span, caption, framed
from monitor.domain.finding import Interval
from monitor.stats.power import Noise, detectable_effect
from monitor.stats.two_versions.comparison import compare

Floats = NDArray[np.float64]
SIZES = (50, 100, 300, 1000)
# Cases of this kind; their mean change; the weight of the old rate of a case in its new one.
POOL, CHANGE, KEPT = 100_000, -0.04, 0.4
BASELINE, SINCE, SEED = 14, 7, 7
GREY = "#66788a"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The result for a set of `cases` cases. `detectable` is the smallest change that it detects with 80 % power."""

    cases: int
    delta: float
    these: Interval
    new: Interval
    detectable: float


@cache
def _pool() -> tuple[Floats, Floats]:
    """Return the pass rates of each case before and after: the new version is better on some and worse on more."""
    rng = np.random.default_rng(SEED)
    before, other = rng.beta(2.4, 0.6, size=POOL), rng.beta(2.4, 0.6, size=POOL)
    after = KEPT * before + (1.0 - KEPT) * other
    return before, after * (before.mean() + CHANGE) / after.mean()


@cache
def seen(cases: int) -> Seen:
    """Return the result for the first `cases` cases, so that larger sets include the smaller ones."""
    rates, rng = _pool(), np.random.default_rng([SEED, 1])
    drawn = [
        (rng.random((SIZES[-1], nights)) < rate[: SIZES[-1], None]).astype(np.float64)
        for rate, nights in zip(rates, (BASELINE, SINCE), strict=True)
    ]
    before, after = (passed[:cases].T for passed in drawn)
    overall = compare(before[:, :, None], after[:, :, None], ["all"] * cases).overall
    assert overall.delta is not None
    assert overall.ci is not None
    assert overall.ci_new_cases is not None
    own = before.mean(axis=0)
    within = float((own * (1.0 - own)).mean() * BASELINE / (BASELINE - 1.0))
    noise = Noise(within_variance=within, night_variance=0.0)
    return Seen(
        cases=cases,
        delta=overall.delta,
        these=overall.ci,
        new=overall.ci_new_cases,
        detectable=detectable_effect(noise, n=cases, k=1, nights=SINCE, baseline_nights=BASELINE),
    )


def draw_intervals() -> str:
    frame = framed(
        "How large is the change, and for whom?",
        f"The true change is −{-100 * CHANGE:.0f} points over all cases of a kind. 50 to 1,000 of them, "
        f"{BASELINE} nights before, {SINCE} after.",
        height=350,
        x=Span(low=-0.17, high=0.10),
        y=Span(low=0.0, high=4.0),
        x_ticks={points / 100: f"{points:+d}".replace("-", "−") if points else "0" for points in range(-10, 11, 5)},
        y_ticks={},
    )
    frame.drawing.line(frame.at(0.0, 0.0), frame.at(0.0, 3.92), QUIET)
    frame.drawing.line(frame.at(CHANGE, 0.0), frame.at(CHANGE, 3.92), RED, dash="4 4", width=1.4)
    frame.drawing.text((frame.across(CHANGE) - 6, frame.up(0.05)), "true change of all cases", RED, anchor="end")
    for row, cases in enumerate(SIZES):
        _row(frame, seen(cases), 3.5 - row)
    _legend(frame)
    caption(frame, "change of the pass rate, in points")
    return frame.drawing.render()


def _row(frame: Frame, found: Seen, y: float) -> None:
    drawing = frame.drawing
    drawing.text((LEFT + 18, frame.up(y) + 4), f"{found.cases:,} cases", INK, anchor="middle", weight=600)
    frame.area((-found.detectable, found.detectable), (y - 0.34, y + 0.34), GREY, opacity=0.16)
    drawing.line(frame.at(found.new.low, y), frame.at(found.new.high, y), BLUE, width=2.0)
    low, high = frame.at(found.these.low, y), frame.at(found.these.high, y)
    drawing.line(low, high, BLUE, width=8.0)
    drawing.dot(frame.at(found.delta, y), 5.0, INK)


def _legend(frame: Frame) -> None:
    drawing, y = frame.drawing, 66
    drawing.line((24, y), (50, y), BLUE, width=8.0)
    drawing.text((58, y + 4), "for these cases", QUIET)
    drawing.line((168, y), (194, y), BLUE, width=2.0)
    drawing.text((202, y + 4), "for new cases", QUIET)
    drawing.rect((304, y - 7), (26, 14), GREY, opacity=0.2)
    drawing.text((338, y + 4), "too small to detect in 4 of 5 histories", QUIET)
