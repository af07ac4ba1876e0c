"""Stored nights written as a document, and read back: the same alerts."""

import json

import numpy as np
import pytest

from monitor.drift.backtest_document import history_document
from monitor.drift.backtest_json import read_history
from monitor.drift.detect.detector import detect_alerts
from monitor.drift.detect.nightly_history import build_nights
from tests.drift.builders import POLICY
from tests.drift.nights import quiet, rows

CATEGORIES = ("orders", "refunds") * 60


@pytest.mark.parametrize("labels", ["wrong_answer", None])
def test_what_is_written_raises_the_same_alerts(labels: str | None) -> None:
    passes = quiet(24, cases=120)
    passes[18:, ::2] = 0.0
    passes[5, 3] = np.nan
    versions: list[str | None] = [*["A"] * 18, *["B"] * 6]
    nights = build_nights(rows(passes, versions, categories=CATEGORIES, labels=labels), POLICY)
    repeats = read_history(json.loads(json.dumps(history_document(nights))))
    reported = detect_alerts(nights.history)
    assert reported
    assert detect_alerts(repeats) == reported
    assert repeats.alpha_of_change == nights.history.alpha_of_change


def test_answers_repeated_are_written_and_read() -> None:
    passes = quiet(24, cases=120)
    repeats = np.where(np.random.default_rng(2).random(passes.shape) < 0.1, 1.0 - passes, np.nan)
    versions: list[str | None] = [*["A"] * 18, *["B"] * 6]
    passes[18:, ::3] = 0.0
    nights = build_nights(rows(passes, versions, categories=CATEGORIES, repeats=repeats), POLICY)
    read = read_history(json.loads(json.dumps(history_document(nights))))
    assert read.repeats is not None
    assert nights.history.repeats is not None
    assert (read.repeats.count == nights.history.repeats.count).all()
    assert (read.repeats.first == nights.history.repeats.first).all()
    reported = detect_alerts(nights.history)
    assert reported
    assert detect_alerts(read) == reported


def test_graded_scores_are_written_as_sums() -> None:
    passes = quiet(16, cases=120) * 0.75
    nights = build_nights(rows(passes, categories=CATEGORIES, labels=None), POLICY)
    document = history_document(nights)
    assert document["graded"] is True
    assert read_history(document).tally.first.sum() == pytest.approx(passes.sum())
