"""GPT-4's real answers of March and June on a set with few primes: the average stays equal while one category
collapses.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from bench.picture_book.frame import BLUE, INK, RED, Span, caption, framed
from bench.real_study.histories import JUNE, MARCH
from bench.real_study.nights import BASELINE, document, nights
from bench.real_study.versions import Versions, primes
from monitor.drift.backtest_json import read_history
from monitor.drift.detect.detector import DriftAlert, detect_alerts

Floats = NDArray[np.float64]
PRIMES, COMPOSITES = 60, 240
BEFORE, AFTER = BASELINE + 8, 8
RESAMPLE, SEED = 0.2, 3


def _set() -> Versions:
    every = primes()
    kinds = np.array(every.categories)
    rng = np.random.default_rng(SEED)
    wanted = {"prime": PRIMES, "composite": COMPOSITES}
    chosen = [rng.choice(np.flatnonzero(kinds == kind), size, replace=False) for kind, size in wanted.items()]
    return every.chosen(np.concatenate(chosen))


@cache
def collapse() -> tuple[Floats, DriftAlert]:
    """Return whether each case passed on each night, and the first alert."""
    cases = _set()
    passed = nights(cases, [MARCH] * BEFORE + [JUNE] * AFTER, resample=RESAMPLE, seed=SEED)
    line = document(cases, passed, known=None, horizon=180, seed=SEED)
    return passed, detect_alerts(read_history(line))[0]


def draw_collapse() -> str:
    passed, alert = collapse()
    assert alert.channel == "prime"  # the picture names it
    total = BEFORE + AFTER
    frame = framed(
        "The average hides it",
        f"GPT-4's real answers about {PRIMES} primes and {COMPOSITES} composites; June's version answers "
        f"from night {BEFORE} on.",
        height=340,
        x=Span(low=-0.5, high=total + 3.5),
        y=Span(low=0.0, high=1.08),
        x_ticks={night: str(night) for night in range(0, total, 5)},
        y_ticks={rate / 100: f"{rate} %" for rate in range(0, 101, 25)},
    )
    frame.moment(alert.night, f"alert on that night: {alert.channel} {_points(alert.delta)}", RED)
    for name, colour, rates in (
        ("composites", BLUE, passed[:, PRIMES:].mean(axis=1)),
        ("all cases", INK, passed.mean(axis=1)),
        ("primes", RED, passed[:, :PRIMES].mean(axis=1)),
    ):
        frame.drawing.path(frame.points(range(total), rates), colour, width=3.0 if name == "all cases" else 2.0)
        frame.drawing.dot(frame.at(total - 1, rates[-1]), 4.0, colour)
        frame.drawing.text(frame.at(total - 0.5, rates[-1] - 0.012), name, colour, weight=600)
    caption(frame, "night")
    return frame.drawing.render()


def _points(delta: float | None) -> str:
    assert delta is not None
    return f"{100 * delta:+.0f} points".replace("-", "−")
