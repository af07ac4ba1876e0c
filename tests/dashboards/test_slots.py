from datetime import timedelta

from dashboards.markers import markers_between
from dashboards.slots import arrange

from .fake_daemon import many, nights, regression
from .items import BOT, FIRST_NIGHT, NEW, OLD, change, run
from .test_set_status import snapshot

RATES = {"prime": (3, 4)}


def shape(runs: list[tuple[str, float, str]]) -> list[list[str]]:
    built = [run(name, FIRST_NIGHT + timedelta(hours=hours), RATES, version) for name, hours, version in runs]
    return [[row.set_name for row in slot.runs] for slot in arrange(built)]


def test_sets_replayed_in_one_night_share_a_slot() -> None:
    assert shape([("b", 0.2, OLD), ("a", 0, OLD), ("a", 24, OLD), ("b", 24.1, OLD)]) == [["a", "b"], ["a", "b"]]


def test_a_second_run_of_a_set_begins_a_slot() -> None:
    assert shape([("a", 0, OLD), ("a", 0.5, OLD)]) == [["a"], ["a"]]


def test_another_version_begins_a_slot() -> None:
    assert shape([("a", 0, OLD), ("b", 0.1, NEW)]) == [["a"], ["b"]]


def test_a_set_that_missed_its_night_does_not_slip_into_the_one_before() -> None:
    assert shape([("a", 0, OLD), ("b", 24, OLD), ("a", 24.1, OLD)]) == [["a"], ["b", "a"]]


def test_a_change_stands_between_the_last_run_before_and_the_first_after_it() -> None:
    daemon = regression()
    slots = arrange(daemon.runs)
    (marker,) = markers_between(snapshot(daemon), BOT, slots)
    assert (len(slots), marker.order) == (6, 4.5)
    assert marker.label == "→ gpt-4-0613 · prompt 3f2a9c"
    assert marker.detail.endswith("(model, observed, 2026-03-06 14:03 UTC)")


def test_a_change_after_all_runs_stands_at_the_end_and_one_before_them_nowhere() -> None:
    daemon = nights(3)
    daemon.changes = [
        change("late", daemon.now, OLD, NEW),
        change("early", FIRST_NIGHT - timedelta(days=1), OLD, NEW),
        change("first sight", FIRST_NIGHT + timedelta(hours=30), None, OLD),
    ]
    assert [marker.order for marker in markers_between(snapshot(daemon), BOT, arrange(daemon.runs))] == [2.5]


def test_changes_between_the_same_two_runs_share_a_rule_that_counts_them() -> None:
    daemon = nights(2)
    noon = FIRST_NIGHT + timedelta(hours=10)
    daemon.changes = [change("2", noon + timedelta(hours=1), NEW, OLD), change("1", noon, OLD, NEW)]
    (marker,) = markers_between(snapshot(daemon), BOT, arrange(daemon.runs))
    assert marker.label == "→ gpt-4-0314 · prompt 3f2a9c (+1)"
    assert marker.detail.count("→") == 2


def test_a_shift_of_fingerprints_names_the_version_it_hides_in() -> None:
    daemon = nights(2)
    daemon.changes = [change("1", FIRST_NIGHT + timedelta(hours=10), OLD, OLD)]
    (marker,) = markers_between(snapshot(daemon), BOT, arrange(daemon.runs))
    assert marker.label == "gpt-4-0314 · prompt 3f2a9c shifted"


def test_every_change_of_a_long_history_has_its_place() -> None:
    daemon = many()
    markers = markers_between(snapshot(daemon), BOT, arrange(daemon.runs))
    assert [marker.order for marker in markers] == [29.5, 59.5, 89.5]
