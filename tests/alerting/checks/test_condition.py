"""When a condition needs a finding."""

from datetime import UTC, datetime

import pytest

from monitor.alerting.checks.condition import Condition, ConditionState, verdict_of
from monitor.domain.finding import Finding, ReadSource, Verdict

AT = datetime(2026, 3, 1, tzinfo=UTC)
FIRING, CLEAR, UNKNOWN = ConditionState.FIRING, ConditionState.CLEAR, ConditionState.UNKNOWN


def condition(state: ConditionState, *, reason: str = "a", restated: bool = False) -> Condition:
    return Condition(
        rule="DeadLetters", deployment="driftd", subject="otlp", state=state, reason=reason, restated=restated
    )


def last(verdict: Verdict) -> Finding:
    return Finding(
        id="f",
        deployment="driftd",
        at=AT,
        signal="source",
        segment="overall",
        subject=ReadSource(source="otlp"),
        verdict=verdict,
        severity="warning",
        reason="a",
        alpha=0.0,
        rule="DeadLetters",
    )


@pytest.mark.parametrize(
    ("state", "before", "expected"),
    [
        (FIRING, None, Verdict.REGRESSION),
        (FIRING, Verdict.OK, Verdict.REGRESSION),
        (FIRING, Verdict.REGRESSION, None),
        (CLEAR, None, None),
        (CLEAR, Verdict.OK, None),
        (CLEAR, Verdict.REGRESSION, Verdict.OK),
        (UNKNOWN, None, None),
        (UNKNOWN, Verdict.OK, None),
        (UNKNOWN, Verdict.REGRESSION, None),
    ],
)
def test_only_a_change_needs_a_finding_and_unknown_changes_nothing(
    state: ConditionState, before: Verdict | None, expected: Verdict | None
) -> None:
    newest = None if before is None else last(before)
    assert verdict_of(condition(state), newest, enabled=True) is expected


def test_a_rule_that_is_off_clears_and_never_fires() -> None:
    assert verdict_of(condition(FIRING), None, enabled=False) is None
    assert verdict_of(condition(FIRING), last(Verdict.REGRESSION), enabled=False) is Verdict.OK


def test_only_a_restated_condition_reports_another_sentence() -> None:
    before = last(Verdict.REGRESSION)
    assert verdict_of(condition(FIRING, reason="b"), before, enabled=True) is None
    assert verdict_of(condition(FIRING, reason="b", restated=True), before, enabled=True) is Verdict.REGRESSION
    assert verdict_of(condition(FIRING, reason="a", restated=True), before, enabled=True) is None
