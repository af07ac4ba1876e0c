"""When an open replay is late."""

from datetime import UTC, datetime, timedelta

import pytest

from monitor.alerting.checks.condition import ConditionState
from monitor.alerting.checks.late import OpenReplay, late_condition
from monitor.domain.check_policy import CheckPolicy

DUE = datetime(2026, 3, 1, 2, tzinfo=UTC)
HOUR = 3600.0
USUAL = (HOUR, HOUR, 1.2 * HOUR)


def state_after(
    hours: float, *, started: bool, waits: bool = False, busy: bool = False, durations: tuple[float, ...] = USUAL
) -> ConditionState:
    run = OpenReplay(
        id="run-1", due_since=DUE, started_at=DUE if started else None, waits=waits, busy=busy, durations_s=durations
    )
    now = DUE + timedelta(hours=hours)
    return late_condition("support", "primes", run, CheckPolicy(), now).state


@pytest.mark.parametrize(
    ("hours", "expected"), [(2.9, ConditionState.CLEAR), (3.0, ConditionState.CLEAR), (3.1, ConditionState.FIRING)]
)
def test_a_run_is_late_beyond_three_times_its_usual_duration(hours: float, expected: ConditionState) -> None:
    assert state_after(hours, started=True) is expected


def test_a_short_run_is_not_late_before_half_an_hour() -> None:
    assert state_after(0.4, started=True, durations=(60.0, 60.0, 60.0)) is ConditionState.CLEAR
    assert state_after(0.6, started=True, durations=(60.0, 60.0, 60.0)) is ConditionState.FIRING


def test_without_a_usual_duration_the_state_is_unknown() -> None:
    assert state_after(50, started=True, durations=(HOUR, HOUR)) is ConditionState.UNKNOWN


def test_a_run_that_does_not_start_is_late_after_two_hours_unless_another_run_is_in_progress() -> None:
    assert state_after(2, started=False) is ConditionState.CLEAR
    assert state_after(2.1, started=False) is ConditionState.FIRING
    assert state_after(9, started=False, busy=True) is ConditionState.CLEAR


def test_a_run_that_waits_for_its_target_is_unknown() -> None:
    assert state_after(9, started=True, waits=True) is ConditionState.UNKNOWN


def test_no_open_run_clears() -> None:
    found = late_condition("support", "primes", None, CheckPolicy(), DUE)
    assert (found.state, found.subject) == (ConditionState.CLEAR, "replays of primes on support")


def test_the_sentence_has_the_figure_the_threshold_and_the_command() -> None:
    run = OpenReplay(id="run-1", due_since=DUE, started_at=DUE, waits=False, busy=False, durations_s=USUAL)
    found = late_condition("support", "primes", run, CheckPolicy(), DUE + timedelta(hours=4))
    for part in ("running for 4 h", "usually 60 min", "limit 3 h", "driftd replay show run-1"):
        assert part in found.reason
