"""One simulated history with a small drop, night by night, and its growing evidence: two pictures."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bench.picture_book.frame import AMBER, BAND, BLUE, INK, QUIET, RED, Frame, Span, caption, framed
from monitor.drift.detect.budget import unannounced_thresholds
from monitor.drift.detect.detector import DriftAlert, detect_alerts
from monitor.drift.detect.history import History
from monitor.drift.detect.unannounced_change import Span as Nights
from monitor.drift.detect.unannounced_change import unannounced_change_evidence
from monitor.stats.night_tally import NightTally

Floats = NDArray[np.float64]
SEED, CASES, NIGHTS, BASELINE, CHANGE = 20, 300, 70, 14, 45
DROP, FIXED = 0.03, 0.05  # the true change, and the fall that a fixed threshold needs
ALPHA, HORIZON = 0.05, 180


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Story:
    """The rate of each night, the noise between nights, and the nights with an alert."""

    history: History
    rates: Floats
    usual: float
    spread: float  # two standard deviations of a night's rate, from the cases of the baseline
    alert: DriftAlert
    by_threshold: tuple[int, ...]  # nights on which the fixed threshold raises an alert


@cache
def story() -> Story:
    history = _history()
    passed = history.tally.first
    baseline, rates = passed[:BASELINE].mean(axis=0), passed.mean(axis=1)
    within = (baseline * (1.0 - baseline)).mean() * BASELINE / (BASELINE - 1.0)
    usual = float(baseline.mean())
    return Story(
        history=history,
        rates=rates,
        usual=usual,
        spread=2.0 * float(np.sqrt(within / CASES)),
        alert=detect_alerts(history)[0],
        by_threshold=tuple(int(night) for night in np.flatnonzero(rates <= usual - FIXED)),
    )


def _history() -> History:
    """Simulate cases with different pass rates, each a little lower from the change on."""
    rng = np.random.default_rng(SEED)
    before = rng.beta(2.4, 0.6, size=CASES)
    after = np.clip(before - DROP * rng.exponential(1.0, CASES), 0.0, 1.0)
    after *= (before.mean() - DROP) / after.mean()
    rates = np.where(np.arange(NIGHTS)[:, None] < CHANGE, before, after)
    passes = (rng.random((NIGHTS, CASES)) < rates).astype(np.float64)
    return History(
        id="small-drop",
        categories=("all",) * CASES,
        versions=("v1",) * NIGHTS,
        judges=("exact",) * NIGHTS,
        tally=NightTally.of_passes(passes, np.ones_like(passes)),
        failures={},
        baseline_nights=BASELINE,
        alpha=ALPHA,
        horizon=HORIZON,
    )


def draw_nights() -> str:
    result = story()
    frame = framed(
        "A small drop among ordinary nights",
        f"{CASES} cases, once a night. From night {CHANGE} on their true pass rate is {100 * DROP:.0f} points lower.",
        height=340,
        x=Span(low=-0.5, high=NIGHTS - 0.5),
        y=Span(low=0.70, high=0.88),
        x_ticks={night: str(night) for night in range(0, NIGHTS, 10)},
        y_ticks={rate / 100: f"{rate} %" for rate in range(70, 89, 5)},
    )
    low, high = result.usual - result.spread, result.usual + result.spread
    frame.area((-0.5, NIGHTS - 0.5), (low, high), BAND, opacity=0.10)
    frame.drawing.text(frame.at(0.2, high + 0.004), "range of nights without a change (19 of 20)", BLUE)
    frame.level(result.usual - FIXED, AMBER, dash="6 4", width=1.4)
    frame.drawing.text(
        frame.at(0.2, result.usual - FIXED - 0.011), "a fixed threshold: 5 points below the baseline", AMBER
    )
    _dots(frame, result)
    caption(frame, "night")
    return frame.drawing.render()


def _dots(frame: Frame, result: Story) -> None:
    nights = range(NIGHTS)
    frame.drawing.path(frame.points(nights, result.rates), "#b8c4d0", width=1.2)
    frame.moment(CHANGE - 0.5, "the drop begins", QUIET)
    frame.moment(result.alert.night, f"driftd alert: night {result.alert.night}", RED, row=1)
    for night in nights:
        frame.drawing.dot(frame.at(night, result.rates[night]), 3.4, INK if night < CHANGE else RED)
    for night in result.by_threshold:
        frame.drawing.dot(frame.at(night, result.rates[night]), 5.0, AMBER)


def draw_evidence() -> str:
    result = story()
    needed = unannounced_thresholds(ALPHA, HORIZON, labelled=False).score
    evidence = unannounced_change_evidence(
        result.history, Nights.first(0, NIGHTS, BASELINE), needed
    ).score.log_e / np.log(10.0)
    threshold = needed / np.log(10.0)
    nights = np.arange(BASELINE, NIGHTS)
    frame = framed(
        "The same nights as evidence",
        "Each night raises or lowers it. Without a change it stays low; a lasting drop makes it grow.",
        height=300,
        x=Span(low=-0.5, high=NIGHTS - 0.5),
        y=Span(low=-1.0, high=6.0),
        x_ticks={night: str(night) for night in range(0, NIGHTS, 10)},
        y_ticks={0.0: "1", 1.0: "10", 2.0: "100", 3.0: "1,000", 4.0: "10,000", 5.0: "100,000"},
    )
    frame.area((-0.5, BASELINE - 0.5), (-1.0, 6.0), "#66788a", opacity=0.07)
    frame.drawing.text(frame.at(0.0, 5.5), "baseline: not tested", QUIET)
    frame.level(threshold, RED, dash="6 4", width=1.4)
    frame.drawing.text(frame.at(BASELINE + 0.3, threshold + 0.15), "threshold of an alert", RED)
    frame.moment(CHANGE - 0.5, "the drop begins", QUIET)
    frame.moment(result.alert.night, f"alert on night {result.alert.night}", RED, row=1)
    frame.drawing.path(frame.points(nights, np.clip(evidence[BASELINE:], -1.0, 6.0)), BLUE, width=2.2)
    frame.drawing.dot(frame.at(result.alert.night, float(min(evidence[result.alert.night], 5.0))), 5.0, RED)
    caption(frame, "night")
    return frame.drawing.render()
