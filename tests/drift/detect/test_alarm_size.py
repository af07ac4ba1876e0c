"""The interval of an alarm knows that the alarm chose channel, night and onset."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.finding import Interval
from monitor.drift.backtest_json import read_history
from monitor.drift.detect.alarm_size import unannounced_change_size, widen_for_new_cases
from monitor.drift.detect.announced_change import channel_change
from monitor.drift.detect.detector import DriftAlert, detect_alerts
from monitor.drift.detect.window import Window
from tests.drift.histories import Document, cut, document, drawn, in_category, labelled, served, steady

CASES, NIGHTS, CHANGE = 150, 60, 25


def dropped(by: float, seed: int, *, nights: int = NIGHTS) -> Document:
    rates = steady(CASES, nights, seed)
    rates[CHANGE:] = np.clip(rates[CHANGE:] - by, 0.0, 1.0)
    return document(drawn(rates, seed), seed=seed)


def first(line: Document, kind: str = "score") -> DriftAlert:
    return next(alert for alert in detect_alerts(read_history(line)) if alert.kind == kind)


def uncorrected(line: Document, alert: DriftAlert) -> tuple[float, Interval]:
    """As if the windows had been chosen beforehand."""
    found = channel_change(
        read_history(line),
        alert.kind,
        alert.channel,
        Window(start=0, end=alert.onset),
        Window(start=alert.onset, end=alert.night + 1),
    )
    assert found is not None
    return found


def ends(alert: DriftAlert) -> Interval:
    assert alert.ci is not None
    return alert.ci


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_a_small_drop_that_just_reached_its_evidence_may_be_smaller_than_measured(seed: int) -> None:
    line = dropped(0.05, seed)
    alert = first(line)
    delta, plain = uncorrected(line, alert)
    assert alert.delta == delta
    assert ends(alert).high > plain.high + 0.3 * (plain.high - plain.low)
    assert ends(alert).low <= delta


def test_a_collapse_keeps_its_interval_nearly() -> None:
    line = dropped(0.5, 1)
    alert = first(line)
    _, plain = uncorrected(line, alert)
    width = plain.high - plain.low
    assert (ends(alert).low, ends(alert).high) == pytest.approx((plain.low, plain.high), abs=0.1 * width)


@pytest.mark.parametrize("seed", range(3))
def test_a_small_drop_after_a_known_change_may_be_smaller_than_measured(seed: int) -> None:
    line = served(dropped(0.06, seed), "version", "v2", CHANGE)
    alert = first(line)
    assert alert.trigger == "version"
    _, plain = uncorrected(line, alert)
    assert ends(alert).high > plain.high + 0.02 * (plain.high - plain.low)
    assert ends(alert).low == pytest.approx(plain.low, abs=1e-6)


def test_a_failure_category_that_grew_may_have_grown_less() -> None:
    rates = np.full((NIGHTS, CASES), 0.7)
    line = labelled(document(drawn(rates, 6)), {1: "format", 3: "wrong_answer", CHANGE: "format"})
    alert = first(line, "mix")
    _, plain = uncorrected(line, alert)
    assert alert.delta is not None
    assert alert.delta > 0.0
    assert ends(alert).low < plain.low


def test_another_version_that_answers_alike_keeps_its_interval() -> None:
    line = dropped(0.1, 2)
    history, before, after = read_history(line), Window(start=0, end=CHANGE), Window(start=CHANGE, end=CHANGE + 3)
    plain = channel_change(history, "behaviour", "overall", before, after)
    assert unannounced_change_size(history, "behaviour", "overall", before, after) == plain


def test_a_rise_is_no_drop_to_correct() -> None:
    rates = 0.5 * steady(CASES, NIGHTS, 4)
    rates[CHANGE:] = steady(CASES, NIGHTS, 4)[CHANGE:]
    history = read_history(document(drawn(rates)))
    before, after = Window(start=0, end=CHANGE), Window(start=CHANGE, end=CHANGE + 3)
    plain = channel_change(history, "score", "overall", before, after)
    assert unannounced_change_size(history, "score", "overall", before, after) == plain


def test_nights_after_the_alarm_do_not_change_the_interval() -> None:
    line = dropped(0.06, 3)
    alert = first(line)
    assert first(cut(line, alert.night + 1)) == alert


def test_an_unknown_failure_category_does_not_change_the_interval() -> None:
    rates = np.full((NIGHTS, CASES), 0.7)
    line = labelled(document(drawn(rates, 6)), {1: "format", 3: "wrong_answer", CHANGE: "format", NIGHTS - 2: "empty"})
    alert = first(line, "mix")
    assert first(cut(line, alert.night + 1), "mix") == alert


fractions = st.floats(0.001, 0.4)


@given(st.floats(-0.4, 0.4), fractions, fractions, fractions, fractions)
def test_new_cases_add_their_own_error_to_what_the_alarm_leaves_open(
    delta: float, half: float, more: float, below: float, above: float
) -> None:
    these = Interval(low=delta - half, high=delta + half)
    others = Interval(low=delta - half - more, high=delta + half + more)
    same = widen_for_new_cases(delta, these, these, others)
    assert (same.low, same.high) == pytest.approx((max(others.low, -1.0), min(others.high, 1.0)))
    reported = Interval(low=delta - below, high=delta + above)
    wider = widen_for_new_cases(delta, reported, these, others)
    assert wider.low <= reported.low
    assert wider.high >= reported.high


def test_all_cases_of_one_category_are_no_other_channel() -> None:
    rates = steady(CASES, NIGHTS, 5)
    rates[CHANGE:, in_category("refunds", CASES)] *= 0.3
    alert = first(document(drawn(rates, 5)))
    assert alert.channel == "refunds"
    assert ends(alert).high < 0.0
