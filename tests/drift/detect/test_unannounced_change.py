import numpy as np
import pytest

from monitor.drift.backtest_json import read_history
from monitor.drift.detect.history import History
from monitor.drift.detect.night_scores import OVERALL, channel_names, score_members
from monitor.drift.detect.unannounced_change import (
    Span,
    UnannouncedChangeEvidence,
    mix_scores,
    unannounced_change_evidence,
)
from tests.drift.histories import BASELINE, NAMES, cut, document, drawn, in_category, labelled, steady

CASES, NIGHTS = 60, 30


def history(seed: int = 0, *, drop_since: int | None = None) -> History:
    rates = steady(CASES, NIGHTS, seed)
    if drop_since is not None:
        rates[drop_since:, in_category("orders", CASES)] *= 0.2
    return read_history(labelled(document(drawn(rates, seed), seed=seed)))


def one_category() -> History:
    line = document(drawn(steady(6, 4)))
    line["cases"] = [{"id": str(i), "category": "orders"} for i in range(6)]
    return read_history(line)


def evidence_of(reported: History, start: int, end: int) -> UnannouncedChangeEvidence:
    return unannounced_change_evidence(reported, Span.first(start, end, BASELINE), 7.0)


def test_the_channels_are_overall_and_the_categories_by_name() -> None:
    assert channel_names(history()) == (OVERALL, *NAMES)
    assert score_members(history()).sum(axis=0).tolist() == [60.0, 20.0, 20.0, 20.0]


def test_a_category_that_is_everything_is_no_channel_of_its_own() -> None:
    assert channel_names(one_category()) == (OVERALL,)
    assert score_members(one_category()).shape == (6, 1)


def test_evidence_begins_with_the_first_onset() -> None:
    found = evidence_of(history(), 0, NIGHTS)
    for channels in (found.score, found.mix, found.behaviour):
        assert channels is not None
        assert np.isneginf(channels.log_e[:BASELINE]).all()
        assert np.isfinite(channels.log_e[BASELINE:]).all()


def test_the_strongest_channel_is_the_one_that_dropped_from_where_it_dropped() -> None:
    found = evidence_of(history(1, drop_since=22), 0, NIGHTS)
    name, onset = found.score.strongest(25)
    assert name == "orders"
    assert abs(onset - 22) <= 1


def test_nights_are_counted_from_the_first_of_the_reference() -> None:
    found = evidence_of(history(1, drop_since=22), 6, NIGHTS)
    assert found.start == 6
    assert found.score.log_e.size == NIGHTS - 6
    _, onset = found.score.strongest(25 - 6)
    assert abs(onset + 6 - 22) <= 1


def test_a_history_without_labels_has_no_mix() -> None:
    bare = read_history(document(drawn(steady(CASES, NIGHTS))))
    assert evidence_of(bare, 0, NIGHTS).mix is None


@pytest.mark.parametrize("nights", [BASELINE + 1, 20, 27])
def test_later_nights_change_no_evidence(nights: int) -> None:
    line = labelled(document(drawn(steady(CASES, NIGHTS, 2), 2)), {18: "format", 25: "made_up", 28: "empty"})
    whole = evidence_of(read_history(line), 0, NIGHTS)
    start = evidence_of(read_history(cut(line, nights)), 0, nights)
    np.testing.assert_allclose(start.score.log_e, whole.score.log_e[:nights], rtol=1e-9)
    np.testing.assert_allclose(start.behaviour.log_e, whole.behaviour.log_e[:nights], rtol=1e-9)
    assert whole.mix is not None
    assert start.mix is not None
    np.testing.assert_allclose(start.mix.log_e, whole.mix.log_e[:nights], rtol=1e-9)


def test_a_failure_category_has_no_evidence_before_its_first_night() -> None:
    line = labelled(document(drawn(0.6 * steady(CASES, NIGHTS, 3), 3)), {20: "made_up"})
    found = evidence_of(read_history(line), 0, NIGHTS)
    assert found.mix is not None
    column = found.mix.names.index("made_up")
    assert np.isneginf(found.mix.evidence.log_e[:20, column]).all()
    assert np.isfinite(found.mix.evidence.log_e[20:, column]).all()


def test_failure_categories_are_scored_on_labelled_samples_only() -> None:
    line = labelled(document(drawn(0.6 * steady(CASES, NIGHTS, 4), 4)))
    for night in line["nights"][20:24]:
        del night["labels"]
    scores = mix_scores(read_history(line), Span.first(0, NIGHTS, BASELINE)).scores
    assert np.isnan(scores.z[20:24]).all()
    assert np.abs(scores.z[24:]).max() < 4.0
