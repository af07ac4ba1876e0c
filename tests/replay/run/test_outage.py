from dataclasses import replace

import pytest

from replay.errors import TargetError
from replay.run.outage import OutageWatch
from replay.targets.failure import ErrorClass
from tests.replay.replays import CONDITIONS, answered_row, failed_row


def watch(concurrency: int = 4, *, answered_before: bool = False) -> OutageWatch:
    return OutageWatch(CONDITIONS, concurrency, answered_before=answered_before)


@pytest.mark.parametrize(("concurrency", "streak"), [(1, 8), (4, 8), (5, 10), (16, 32)])
def test_a_streak_of_one_target_wide_class_is_an_outage(concurrency: int, streak: int) -> None:
    watching = watch(concurrency)
    for number in range(streak - 1):
        assert watching.pass_on(failed_row(number, "auth")) == []
    with pytest.raises(
        TargetError, match=r"http://model\.test/v1: \d+ calls in a row failed with auth, the key is refused"
    ):
        watching.pass_on(failed_row(streak, "auth"))


def test_a_target_without_a_model_is_named_by_its_address() -> None:
    watching = OutageWatch(replace(CONDITIONS, model=""), 4, answered_before=False)
    watching.pass_on(failed_row(1, "not_found"))
    with pytest.raises(TargetError, match=r"^http://model\.test/v1: 1 calls in a row failed with not_found"):
        watching.close()


def test_an_answer_breaks_the_streak_and_the_failures_before_it_count_after_all() -> None:
    watching = watch()
    failures = [failed_row(number) for number in range(7)]
    for failure in failures:
        assert watching.pass_on(failure) == []
    assert watching.pass_on(answered_row(8)) == [*failures, answered_row(8)]
    assert watching.close() == []


def test_another_class_of_failure_begins_a_new_streak() -> None:
    watching = watch()
    timeouts = [failed_row(number, "timeout") for number in range(7)]
    for timeout in timeouts:
        watching.pass_on(timeout)
    assert watching.pass_on(failed_row(7, "connection")) == timeouts


@pytest.mark.parametrize(
    "error_class", ["bad_request", "unknown_case", "content_filter", "empty_reply", "malformed_reply", "anything"]
)
def test_failures_that_may_be_the_cases_own_are_never_an_outage(error_class: str) -> None:
    watching = watch()
    for number in range(100):
        assert watching.pass_on(failed_row(number, error_class)) == [failed_row(number, error_class)]


def test_an_outage_in_the_middle_of_a_run_is_one_too() -> None:
    watching = watch()
    watching.pass_on(answered_row(0))
    for number in range(7):
        watching.pass_on(failed_row(number))
    with pytest.raises(TargetError, match="start the replay again"):
        watching.pass_on(failed_row(8))


def test_a_short_run_that_only_fails_is_an_outage() -> None:
    watching = watch()
    watching.pass_on(failed_row(0))
    with pytest.raises(TargetError, match="1 calls in a row"):
        watching.close()


def test_the_last_failures_of_a_run_that_was_answered_are_ordinary_ones() -> None:
    watching = watch(answered_before=True)
    watching.pass_on(failed_row(0))
    assert watching.close() == [failed_row(0)]


def test_every_class_that_blames_the_target_has_its_hint() -> None:
    for error_class in ErrorClass:
        if error_class.blames_target:
            watching = watch()
            watching.pass_on(failed_row(0, error_class))
            with pytest.raises(TargetError, match=f"failed with {error_class}, "):
                watching.close()
