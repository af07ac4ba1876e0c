"""When the newest run shows that a target cannot be reached or rejects the credentials."""

import pytest

from monitor.alerting.checks.condition import ConditionState
from monitor.alerting.checks.targets import TargetRun, target_conditions
from replay.errors import TargetError
from replay.run.outage import SMALLEST_STREAK, OutageWatch
from replay.targets.failure import ErrorClass
from tests.replay.replays import CONDITIONS, failed_row

FIRING, CLEAR, UNKNOWN = ConditionState.FIRING, ConditionState.CLEAR, ConditionState.UNKNOWN


def states(run: TargetRun | None) -> tuple[ConditionState, ConditionState]:
    unreachable, unauthorized = target_conditions("support", "model", run, 0.5)
    return unreachable.state, unauthorized.state


def run(*, outcomes: int = 80, running: bool = False, error: str | None = None, **errors: int) -> TargetRun:
    return TargetRun(id="run-1", running=running, error=error, outcomes=outcomes, errors=errors)


def outage(error_class: ErrorClass) -> str:
    """Return the error that the runner stores after an outage of this class."""
    watch = OutageWatch(CONDITIONS, concurrency=1, answered_before=False)
    row = failed_row(error_class=error_class.value)
    for _ in range(SMALLEST_STREAK - 1):
        watch.pass_on(row)
    with pytest.raises(TargetError) as found:
        watch.pass_on(row)
    return str(found.value)


@pytest.mark.parametrize(
    ("error_class", "expected"),
    [
        (ErrorClass.CONNECTION, (FIRING, CLEAR)),
        (ErrorClass.TIMEOUT, (FIRING, CLEAR)),
        (ErrorClass.NOT_FOUND, (FIRING, CLEAR)),
        (ErrorClass.AUTH, (CLEAR, FIRING)),
    ],
)
def test_the_error_of_an_outage_names_the_rule(
    error_class: ErrorClass, expected: tuple[ConditionState, ConditionState]
) -> None:
    assert states(run(outcomes=0, error=outage(error_class))) == expected


def test_half_of_the_calls_are_enough_and_less_is_not() -> None:
    assert states(run(auth=40)) == (CLEAR, FIRING)
    assert states(run(connection=20, timeout=20)) == (FIRING, CLEAR)
    assert states(run(connection=39)) == (CLEAR, CLEAR)


def test_errors_of_single_cases_do_not_concern_the_target() -> None:
    assert states(run(content_filter=80)) == (CLEAR, CLEAR)


def test_no_run_and_a_run_that_has_just_started_are_unknown() -> None:
    assert states(None) == (UNKNOWN, UNKNOWN)
    assert states(run(outcomes=3, running=True, auth=3)) == (UNKNOWN, UNKNOWN)
    assert states(run(outcomes=0, error="the set has no key")) == (UNKNOWN, UNKNOWN)


def test_a_run_in_progress_clears_nothing_before_it_has_a_result() -> None:
    assert states(run(outcomes=60, running=True)) == (UNKNOWN, UNKNOWN)
    assert states(run(outcomes=60, running=True, connection=40)) == (FIRING, CLEAR)
    assert states(run(outcomes=60)) == (CLEAR, CLEAR)


def test_the_sentence_has_the_figure_and_the_command() -> None:
    _, unauthorized = target_conditions("support", "model", run(auth=60), 0.5)
    for part in ("target model of support rejects the credentials", "60 of 80 calls", "driftd check --call-targets"):
        assert part in unauthorized.reason
