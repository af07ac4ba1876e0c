"""The state of a deployment: green means measured, recently, with nothing found."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.alert import Alert, AlertState
from monitor.domain.deployment_state import DeploymentState, SetVerdict, state_of
from monitor.domain.finding import Verdict

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
LAST_NIGHT = NOW - timedelta(hours=7)


def a_set(verdict: Verdict | None = Verdict.OK, **fields: Any) -> SetVerdict:
    return SetVerdict(
        **{
            "set_name": "primes",
            "cases": 800,
            "verdict": verdict,
            "at": LAST_NIGHT if verdict else None,
            "reason": "nothing moved",
            "stale_at": NOW + timedelta(days=1) if verdict else None,
            **fields,
        }
    )


def an_alert(**fields: Any) -> Alert:
    return Alert(
        **{
            "id": "alert-1",
            "dedup_key": "k",
            "deployment": "bot",
            "set_name": "primes",
            "state": AlertState.FIRING,
            "severity": "critical",
            "summary": "bot got worse",
            "finding_id": "f",
            "last_finding_id": "f",
            "pending_since": LAST_NIGHT,
            "updated_at": LAST_NIGHT,
            **fields,
        }
    )


def test_a_measured_set_without_a_finding_is_ok() -> None:
    found = state_of([a_set()], [], NOW)
    assert (found.state, found.reason) == (DeploymentState.OK, "no regression found in primes")


@pytest.mark.parametrize(
    ("sets", "reason"),
    [
        ([], "no eval set is configured"),
        ([a_set(None, cases=0)], "no eval set has cases yet"),
        ([a_set(), a_set(None, set_name="faq")], "faq has no verdict yet"),
    ],
)
def test_without_data_the_state_is_not_ok(sets: list[SetVerdict], reason: str) -> None:
    found = state_of(sets, [], NOW)
    assert (found.state, found.reason) == (DeploymentState.NO_DATA, reason)


def test_a_set_without_cases_does_not_hide_the_verdict_of_the_others() -> None:
    found = state_of([a_set(), a_set(None, set_name="faq", cases=0)], [], NOW)
    assert found.state is DeploymentState.OK
    assert found.reason == "no regression found in primes; no cases yet: faq"


def test_a_verdict_that_is_too_old_is_stale_from_that_time_on() -> None:
    old = a_set(stale_at=NOW)
    found = state_of([old, a_set(set_name="faq")], [], NOW)
    assert (found.state, found.since) == (DeploymentState.STALE, NOW)
    assert found.reason == "primes has had no verdict since 2026-11-23 02:00 UTC"
    assert state_of([old], [], NOW - timedelta(seconds=1)).state is DeploymentState.OK


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({}, DeploymentState.REGRESSION),
        ({"state": AlertState.PENDING}, DeploymentState.PENDING),
        ({"set_name": None, "series": "latency"}, DeploymentState.REGRESSION),
        ({"metric": "length", "severity": "warning"}, DeploymentState.ATTENTION),
        ({"set_name": None, "source": "traffic", "severity": "warning"}, DeploymentState.ATTENTION),
        ({"set_name": None, "series": "traffic", "severity": "info"}, DeploymentState.OK),
    ],
)
def test_an_open_alert_decides_the_state(fields: dict[str, Any], state: DeploymentState) -> None:
    found = state_of([a_set()], [an_alert(**fields)], NOW)
    assert found.state is state
    assert (found.alert is None) == (state is DeploymentState.OK)


def test_of_two_alerts_that_fire_that_of_the_first_set_is_the_reason() -> None:
    sets = [a_set(set_name="private"), a_set(set_name="dynamic")]
    opened = [an_alert(id=name, set_name=name) for name in ("dynamic", "private", "removed")]
    found = state_of(sets, opened, NOW)
    assert found.alert is not None
    assert found.alert.id == "private"


def test_a_regression_without_an_alert_is_still_a_regression() -> None:
    found = state_of([a_set(Verdict.REGRESSION, reason="it fell")], [], NOW)
    assert (found.state, found.reason, found.since) == (DeploymentState.REGRESSION, "primes: it fell", LAST_NIGHT)


def test_a_failed_replay_is_named_before_the_alert_about_a_source() -> None:
    sets = [a_set(Verdict.FAILED, reason="the target did not answer")]
    found = state_of(sets, [an_alert(set_name=None, source="replays of primes on bot", severity="warning")], NOW)
    assert (found.state, found.reason) == (DeploymentState.FAILED, "primes: the target did not answer")


verdicts = st.sampled_from([None, Verdict.OK, Verdict.REGRESSION, Verdict.IMPROVEMENT, Verdict.FAILED])
sets = st.builds(
    lambda verdict, cases, stale: a_set(verdict, cases=cases, stale_at=stale),
    verdicts,
    st.integers(0, 2),
    st.sampled_from([NOW, NOW + timedelta(days=1)]),
)
alerts = st.builds(
    lambda state, severity, metric: an_alert(state=state, severity=severity, metric=metric),
    st.sampled_from([AlertState.FIRING, AlertState.PENDING]),
    st.sampled_from(["critical", "warning", "info"]),
    st.sampled_from([None, "length"]),
)


@given(st.lists(sets, max_size=3), st.lists(alerts, max_size=2))
def test_ok_needs_a_recent_verdict_of_every_set_with_cases_and_no_alert(
    chosen: list[SetVerdict], opened: list[Alert]
) -> None:
    found = state_of(chosen, opened, NOW)
    measured = [one for one in chosen if one.cases or one.verdict]
    good = bool(measured) and all(
        one.verdict is Verdict.OK and one.stale_at is not None and one.stale_at > NOW for one in measured
    )
    quiet = all(one.severity == "info" for one in opened)
    assert (found.state is DeploymentState.OK) == (good and quiet)
