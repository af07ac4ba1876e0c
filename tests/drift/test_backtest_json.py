import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.drift.backtest_json import MAX_SAMPLES, read_history
from monitor.errors import MalformedRecord
from tests.drift.histories import Document, cut, document, labelled

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def small(**fields: object) -> Document:
    return document([[1, 0, None], [0, 1, 1]], **fields)


def test_a_document_becomes_sums_by_night_and_case() -> None:
    history = read_history(small(id="shop", alpha=0.1, horizon=90, baseline_nights=3))
    assert (history.id, history.alpha, history.horizon, history.baseline_nights) == ("shop", 0.1, 90, 3)
    assert history.categories == ("billing", "orders", "refunds")
    assert history.versions == ("v1", "v1")
    assert history.judges == ("j1", "j1")
    assert history.tally.first.tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
    assert history.tally.count.tolist() == [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]


def test_samples_are_k_unless_the_night_has_its_own() -> None:
    line = document([[2, 0, 1], [1, 0, None]], k=2)
    line["nights"][1]["samples"] = [1, 0, 3]
    assert read_history(line).tally.count.tolist() == [[2.0, 2.0, 2.0], [1.0, 0.0, 0.0]]


def test_answers_repeated_are_sums_of_their_own() -> None:
    line = document([[2, 0, 1], [1, 1, None]], k=2)
    line["nights"][1] |= {"repeats": [0, None, 2], "repeat_samples": [1, 0, 2]}
    repeats = read_history(line).repeats
    assert repeats is not None
    assert repeats.count.tolist() == [[0.0, 0.0, 0.0], [1.0, 0.0, 2.0]]
    assert repeats.first.tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]]
    assert read_history(document([[1, 0, 1]])).repeats is None


def test_a_repeat_is_one_answer_unless_the_night_has_its_own_count() -> None:
    line = small()
    line["nights"][0]["repeats"] = [1, None, 0]
    repeats = read_history(line).repeats
    assert repeats is not None
    assert repeats.count[0].tolist() == [1.0, 0.0, 1.0]


def test_reasons_for_a_missing_score_and_revisions_are_read() -> None:
    line = small()
    line["nights"][0] |= {"revision": "r1", "errors": [None, None, "timeout"]}
    assert read_history(line).tally.count.sum() == 5.0


def test_failures_are_counted_by_their_category() -> None:
    line = document([[1, 0, None], [0, 2, 2]], k=2)
    line["nights"][0]["labels"] = [["none", "format"], ["format", "wrong"], None]
    line["nights"][1]["labels"] = [["wrong", "wrong"], ["none", "none"], ["none", None]]
    history = read_history(line)
    assert history.failures["format"].tolist() == [[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    assert history.failures["wrong"].tolist() == [[0.0, 1.0, 0.0], [2.0, 0.0, 0.0]]
    assert history.labelled_count.tolist() == [[2.0, 2.0, 0.0], [2.0, 2.0, 1.0]]
    assert set(history.failures) == {"format", "wrong"}


def test_labels_of_a_case_without_a_score_count_for_nothing() -> None:
    line = labelled(small())
    line["nights"][0]["labels"][2] = ["format"]
    assert set(read_history(line).failures) == {"wrong_answer"}


def test_a_night_without_labels_adds_no_labelled_samples_to_a_history_with_them() -> None:
    line = labelled(document([[1, 0, 1]] * 3))
    del line["nights"][2]["labels"]
    history = read_history(line)
    assert history.labelled_before(3)
    assert history.labelled_count.sum(axis=1).tolist() == [3.0, 3.0, 0.0]
    assert history.failures["wrong_answer"].sum() == 2.0


def test_whether_failures_are_monitored_is_decided_by_the_first_night_with_a_score() -> None:
    line = labelled(document([[None] * 3, [1, 0, 1], [1, 0, 1]]))
    del line["nights"][0]["labels"]
    assert read_history(line).labelled_before(3)
    late = document([[1, 0, 1]] * 2)
    late["nights"][1]["labels"] = [["none"], ["format"], ["none"]]
    assert not read_history(late).labelled_before(2)
    assert read_history(late).failures == {}


def test_fractions_are_means_of_graded_scores() -> None:
    history = read_history(document([[1.5, 0.0, 3.0], [3, None, 0]], k=3))
    assert not history.tally.binary
    assert history.tally.first.tolist() == [[0.5, 0.0, 1.0], [1.0, 0.0, 0.0]]
    assert history.tally.count.tolist() == [[1.0, 1.0, 1.0], [1.0, 0.0, 1.0]]
    assert history.tally.second[0, 0] == 0.25


def test_whole_graded_scores_can_be_declared_as_graded() -> None:
    line = document([[1, 0, 1], [0.5, 1, 1]], graded=True)
    assert not read_history(line).tally.binary
    assert not read_history(cut(line, 1)).tally.binary


def test_failure_categories_of_graded_samples_are_counted_sample_by_sample() -> None:
    line = document([[1.5, 0.0, 2.0]], k=2)
    line["nights"][0]["labels"] = [["none", "style"], ["style", "style"], ["none", "none"]]
    history = read_history(line)
    assert history.failures["style"].tolist() == [[1.0, 2.0, 0.0]]
    assert history.labelled_count.tolist() == [[2.0, 2.0, 2.0]]
    assert (history.failures["style"] <= history.labelled_count).all()


def without(name: str) -> Callable[[Document], object]:
    return lambda line: line.pop(name)


def of_document(**fields: object) -> Callable[[Document], object]:
    return lambda line: line.update(fields)


def of_night(**fields: object) -> Callable[[Document], object]:
    return lambda line: line["nights"][1].update(fields)


def of_cases(fields: Document) -> Callable[[Document], object]:
    return lambda line: line["cases"][0].update(fields)


MALFORMED: list[tuple[Callable[[Document], object], str]] = [
    (without("id"), "id: must be a string, got None"),
    (without("cases"), "cases: must be a list, got NoneType"),
    (without("nights"), "nights: must be a list, got NoneType"),
    (without("k"), "k: must be an integer from 1 to 10000, got None"),
    (of_document(id=7), "id: must be a string, got 7"),
    (of_document(cases=[]), "cases: must not be empty"),
    (of_document(nights=[]), "nights: must not be empty"),
    (of_document(cases="abc"), "cases: must be a list, got str"),
    (of_document(cases=[{"category": "a"}, 5, {"category": "b"}]), "cases[1]: must be an object, got int"),
    (of_document(cases=[{"id": "x"}] * 3), "cases[0].category: must be a string, got None"),
    (of_document(nights=[{}, 1]), "nights[1]: must be an object, got int"),
    (of_document(k=0), "k: must be an integer from 1 to 10000, got 0"),
    (of_document(k=True), "k: must be an integer from 1 to 10000, got True"),
    (of_document(k=1.0), "k: must be an integer from 1 to 10000, got 1.0"),
    (of_document(baseline_nights=-1), "baseline_nights: must be an integer from 0, got -1"),
    (of_document(horizon=0), "horizon: must be an integer from 1 to 100000, got 0"),
    (of_document(horizon=10**9), "horizon: must be an integer from 1 to 100000, got 1000000000"),
    (of_document(seed="1"), "seed: must be an integer, got '1'"),
    (of_document(alpha=0.0), "alpha: must be a number between 0 and 0.5, got 0.0"),
    (of_document(alpha=0.5), "alpha: must be a number between 0 and 0.5, got 0.5"),
    (of_document(alpha=math.nan), "alpha: must be a number between 0 and 0.5, got nan"),
    (of_document(alpha="5%"), "alpha: must be a number between 0 and 0.5, got '5%'"),
    (of_document(alpha=True), "alpha: must be a number between 0 and 0.5, got True"),
    (of_document(graded="yes"), "graded: must be true or false, got 'yes'"),
    (of_night(version=None), "nights[1].version: must be a string, got None"),
    (of_night(judge=3), "nights[1].judge: must be a string, got 3"),
    (of_night(passes=None), "nights[1].passes: is not a list, expected one for each of the 3 cases"),
    (of_night(passes="110"), "nights[1].passes: is not a list, expected one for each of the 3 cases"),
    (of_night(passes=[1, 0]), "nights[1].passes: has 2 entries, expected one for each of the 3 cases"),
    (of_night(passes=[1, "1", 0]), "nights[1].passes[1]: must be a number of at least 0, or null; got '1'"),
    (of_night(passes=[1, 0, True]), "nights[1].passes[2]: must be a number of at least 0, or null; got True"),
    (of_night(passes=[1, -1, 0]), "nights[1].passes[1]: must be at least 0"),
    (of_night(passes=[1, 0, 10**400]), "nights[1].passes[2]: must be a number from 0 to 10000"),
    (of_night(passes=[1, math.nan, 0]), "nights[1].passes[1]: must be a number from 0 to 10000"),
    (of_night(passes=[2, 0, 0]), "nights[1].passes[0]: 2 passes of 1 samples are impossible"),
    (of_night(passes=[1, 0, 0.5]), "nights[1].passes[2]: must be an integer, got 0.5"),
    (of_night(samples=[1, 1]), "nights[1].samples: has 2 entries, expected one for each of the 3 cases"),
    (of_night(samples=[1, 1, 1.5]), "nights[1].samples: must be integers"),
    (of_night(samples=[1, 0, 1]), "nights[1].passes[1]: 1 passes of 0 samples are impossible"),
    (of_night(samples=[1, math.inf, 1]), "nights[1].samples[1]: must be a number from 0 to 10000"),
    (of_night(labels=[["none"]]), "nights[1].labels: must have one list for each of the 3 cases"),
    (of_night(labels="none"), "nights[1].labels: must have one list for each of the 3 cases"),
    (of_night(labels=[["a"], "b", ["c"]]), "nights[1].labels[1]: must be a list of failure categories, or null"),
    (of_night(labels=[["a"], ["b"], [3]]), "nights[1].labels[2]: must be a list of failure categories, or null"),
    (
        of_night(labels=[["a", "a"], ["b"], ["none"]]),
        "nights[1].labels[0]: 'a' occurs more often than the case was sampled",
    ),
    (of_night(repeats=[1, 2, None]), "nights[1].repeats[1]: 2 passes of 1 samples are impossible"),
    (of_night(repeats=[1, 0.5, None]), "nights[1].repeats[1]: must be an integer, got 0.5"),
    (of_night(repeats=[1]), "nights[1].repeats: has 1 entries, expected one for each of the 3 cases"),
    (of_night(repeat_samples=[1, 1, 1]), "nights[1].repeat_samples: no night has `repeats` for them to count"),
    (of_document(note="x"), "note: unknown field; known: id, k,"),
    (of_document(horizont=9), "horizont: unknown field; did you mean 'horizon'?"),
    (of_night(label=[]), "nights[1].label: unknown field; did you mean 'labels'?"),
    (of_night(revision=3), "nights[1].revision: must be a string, got 3"),
    (of_cases({"weight": 2}), "cases[0].weight: unknown field; known: id, category"),
    (of_cases({"id": 5}), "cases[0].id: must be a string, got 5"),
    (of_cases({"id": "case-2"}), "cases[2].id: 'case-2' is already the id of cases[0]; ids must differ"),
    (of_cases({"category": "overall"}), "cases[0].category: 'overall' is a reserved channel name"),
    (of_night(errors=["timeout"]), "nights[1].errors: has 1 entries, expected one for each of the 3 cases"),
    (
        of_night(errors=[None, "timeout", None]),
        "nights[1].errors[1]: has the error 'timeout', but the case has a score",
    ),
    (of_night(errors=[None, 4, None]), "nights[1].errors[1]: must be a string or null, got 4"),
    (of_night(labels=[["a"], ["none", "none"], ["none"]]), "nights[1].labels[1]: has 2 labels for 1 samples"),
    (of_night(labels=[["a"], [], ["none"]]), "nights[1].labels[1]: has 0 labels for 1 samples"),
    (
        of_night(labels=[["a"], ["a"], ["none"]]),
        "nights[1].labels[1]: 0 passed and 1 failed by their labels, but 1 of 1 samples passed",
    ),
    (
        of_night(labels=[["none"], ["none"], ["none"]]),
        "nights[1].labels[0]: 1 passed and 0 failed by their labels, but 0 of 1 samples passed",
    ),
    (of_document(id=""), "id: must be a string, got ''"),
    (of_night(version=""), "nights[1].version: must be a string, got ''"),
    (of_document(alpha_change=2), "alpha_change: must be a number between 0 and 0.5, got 2"),
]


@pytest.mark.parametrize(("spoil", "sentence"), MALFORMED, ids=[sentence[:60] for _, sentence in MALFORMED])
def test_a_malformed_document_is_refused_with_where_and_what(
    spoil: Callable[[Document], object], sentence: str
) -> None:
    line = labelled(small())
    read_history(line)  # as it stands, it can be read
    spoil(line)
    with pytest.raises(MalformedRecord) as refused:
        read_history(line)
    assert str(refused.value).startswith(sentence)


UNREAD_LABELS: list[tuple[object, str]] = [
    ([["none"]] * 5, "nights[1].labels: must have one list for each of the 3 cases"),
    ([["none"]], "nights[1].labels: must have one list for each of the 3 cases"),
    ("none", "nights[1].labels: must have one list for each of the 3 cases"),
    ([["none"], [3], ["none"]], "nights[1].labels[1]: must be a list of failure categories, or null"),
    ([["none"], ["none"], ["format"]], "nights[1].labels[0]: 1 passed and 0 failed by their labels, but 0 of 1"),
]


@pytest.mark.parametrize(("labels", "sentence"), UNREAD_LABELS)
def test_labels_are_checked_where_the_first_night_has_none_and_failures_are_not_monitored(
    labels: object, sentence: str
) -> None:
    line = small()
    of_night(labels=labels)(line)
    with pytest.raises(MalformedRecord) as refused:
        read_history(line)
    assert str(refused.value).startswith(sentence)


def test_the_largest_number_of_samples_is_accepted() -> None:
    line = document([[MAX_SAMPLES, 0, 1]], k=MAX_SAMPLES)
    assert read_history(line).tally.first[0, 0] == MAX_SAMPLES


def refusal(line: Document) -> str | None:
    """The sentence by which a document is refused, None when it is read."""
    try:
        history = read_history(line)
    except MalformedRecord as refused:
        return str(refused)
    assert np.isfinite(history.tally.first).all()
    return None


@given(st.sampled_from(sorted(small())), json_values)
def test_any_value_of_a_field_gives_a_history_or_an_error(name: str, value: Any) -> None:
    sentence = refusal({**small(), name: value})
    assert sentence is None or sentence.startswith((name, "nights"))  # k and cases may make the nights impossible


@given(st.sampled_from(["version", "judge", "passes", "samples", "labels"]), json_values)
def test_any_value_of_a_night_gives_a_history_or_an_error(name: str, value: Any) -> None:
    line = small()
    line["nights"][0] = {**line["nights"][0], name: value}
    sentence = refusal(line)
    assert sentence is None or sentence.startswith("nights[0]")
