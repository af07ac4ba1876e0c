from datetime import timedelta

from dashboards.slots import arrange

from .items import FIRST_NIGHT, NEW, OLD, run

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
