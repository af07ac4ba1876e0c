from dataclasses import replace

import numpy as np
import pytest

from monitor.drift.detect.nightly_history import build_nights, served_versions
from tests.drift.builders import POLICY
from tests.drift.nights import night, quiet, rows


def test_a_night_becomes_a_row_of_counts() -> None:
    history = build_nights(rows(np.array([[1.0, 0.0], [1.0, 1.0]])), POLICY).history
    assert history.tally.count.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert history.tally.first.tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert history.tally.binary
    assert history.failures["wrong_answer"].tolist() == [[0.0, 1.0], [0.0, 0.0]]


def test_the_policy_sets_the_false_alarm_rates() -> None:
    history = build_nights(
        rows(quiet(3)), replace(POLICY, alpha_silent=0.01, alpha_change=0.2, horizon_nights=90)
    ).history
    assert (history.alpha, history.alpha_of_change, history.horizon) == (0.01, 0.2, 90)


def test_graded_scores_keep_their_three_sums() -> None:
    tally = build_nights(rows(np.array([[0.5, 1.0]])), POLICY).history.tally
    assert not tally.binary
    assert (tally.first[0, 0], tally.second[0, 0], tally.third[0, 0]) == (0.5, 0.25, 0.125)


def test_an_outage_is_no_night() -> None:
    passes = quiet(4, cases=10)
    passes[2, 3:] = np.nan
    found = build_nights(rows(passes), POLICY)
    assert [each.run_id for each in found.nights] == ["run-0", "run-1", "run-3"]
    assert found.index("run-2") is None
    assert found.history.nights == 3


def test_a_case_that_was_never_scored_is_left_out() -> None:
    passes = quiet(3, cases=20)
    passes[:, 0] = np.nan
    assert len(build_nights(rows(passes), POLICY).history.categories) == 19


def test_no_night_is_an_empty_history() -> None:
    assert build_nights(rows(np.zeros((0, 0)), []), POLICY).history.nights == 0


def test_failures_without_labels_are_not_monitored() -> None:
    assert not build_nights(rows(quiet(3), labels="uncategorised"), POLICY).history.labelled_before(3)
    assert build_nights(rows(quiet(3), labels="refused"), POLICY).history.labelled_before(3)


def test_a_version_that_has_no_name_is_the_one_before() -> None:
    a, _, b, repeats = served_versions([night(0, "A"), night(1, None), night(2, "B"), night(3, "A")])
    assert served_versions([night(0, "A"), night(1, None)]) == (a, a)
    assert len({a, b, repeats}) == 3


def test_a_night_that_replayed_a_change_begins_a_version_even_if_it_is_called_as_before() -> None:
    first, changed, after = served_versions([night(0), night(1, change_id="change-1"), night(2)])
    assert first != changed == after


@pytest.mark.parametrize(("change_at", "baseline"), [(None, 14), (6, 6), (1, 2), (18, 14)])
def test_nights_are_part_of_the_baseline_until_the_first_known_change(change_at: int | None, baseline: int) -> None:
    served: list[str | None] = ["A" if change_at is None or t < change_at else "B" for t in range(20)]
    assert build_nights(rows(quiet(20), served), POLICY).history.baseline_nights == baseline
