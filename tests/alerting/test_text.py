import time
from dataclasses import replace
from typing import Any

import pytest

from monitor.alerting.decided_text import percent, points
from monitor.alerting.group import group_parts
from monitor.alerting.message import RecentRun
from monitor.alerting.render import text
from monitor.domain.alert import AlertState, NotifyReason
from monitor.domain.baseline import Acceptance
from monitor.domain.deciding_test import DecidingTest, MovedChannel
from monitor.domain.detectable import DetectableEffect
from monitor.domain.evidence import CaseOverlap, Evidence, NoiseEvidence, PinnedRunEvidence, PinStatus
from monitor.domain.finding import Verdict
from monitor.drift.judge.deciding_test import keep_deciding_numbers
from tests.alerting.build import COMPARISON, DECIDED, POLICY, T0, a_finding, a_payload, an_alert, at

PAGE = """\
FIRING · critical · prime −95.2 points, composite +27.6 points · support
support, set primes: gpt-4-0314 · prompt 3f2a9c → gpt-4-0613 · prompt 3f2a9c
Pass rate 84.0 % → 50.2 %: −33.8 points, 95 % interval −38.5 to −29.0, 800 cases.
  change    model change, observed 2026-11-21 01:40 UTC (change-1)
  evidence  two runs compared (exact McNemar, Holm over categories): p < 0.0001, threshold 0.05
  detects   a change of 3.7 points, with 80 % power
  moved     prime       97.6 % →   2.4 %   −95.2 points  460 cases
            composite   70.4 % →  98.0 %   +27.6 points  300 cases
  flips     382 passed before and fail now, 112 the other way
  worst     prime-0000  medium, prime, passed 5 nights before, now wrong_answer
            prime-0001  medium, prime, passed 5 nights before, now wrong_answer
            prime-0002  medium, prime, passed 4 nights before, now wrong_answer
            prime-0003  medium, prime, passed 1 night before, now wrong_answer
            prime-0004  medium, prime, now wrong_answer
  failures  wrong_answer: 128 → 398 cases
  nights    84.0 %, 83.8 %
  verdict   regression: regression says f1
  dashboard http://127.0.0.1:8501/?alert=a1
  alert     a1, firing 2026-11-21 02:00 UTC"""


def test_the_page_reads_from_what_happened_to_where_to_look() -> None:
    nights = [RecentRun(run_id="run", finished_at=T0, pass_rate=rate) for rate in (0.84, 0.838)]
    assert text(a_payload(recent=nights)) == PAGE


@pytest.mark.parametrize(
    ("reason", "headline"),
    [
        (NotifyReason.FIRST, "FIRING"),
        (NotifyReason.WORSE, "WORSE"),
        (NotifyReason.REPEAT, "STILL FIRING"),
        (NotifyReason.RESOLVED, "RESOLVED"),
    ],
)
def test_the_first_word_says_why_it_is_told(reason: NotifyReason, headline: str) -> None:
    title = text(a_payload(reason=reason)).splitlines()[0]
    assert title == f"{headline} · critical · prime −95.2 points, composite +27.6 points · support"


def test_the_end_says_when_it_ended() -> None:
    alert = an_alert(AlertState.RESOLVED, resolved_at=at(3600))
    page = text(a_payload(alert, finding=a_finding("f2", Verdict.OK), reason=NotifyReason.RESOLVED))
    assert page.splitlines()[-1] == "  alert     a1, resolved 2026-11-21 03:00 UTC"
    assert "  verdict   ok: ok says f2" in page


def test_what_is_not_known_takes_no_line() -> None:
    bare = a_payload(an_alert(from_version=None, to_version=None), finding=a_finding(comparison=None), change=None)
    assert text(bare).splitlines() == [
        "FIRING · critical · set primes · support",
        "support, set primes",
        "regression says f1",
        "  verdict   regression",
        "  dashboard http://127.0.0.1:8501/?alert=a1",
        "  alert     a1, firing 2026-11-21 02:00 UTC",
    ]


@pytest.mark.parametrize(
    ("rate", "shown"), [(0.84, "84.0 %"), (0.0, "0.0 %"), (1.0, "100.0 %"), (0.9996, "100.0 %"), (0.12345, "12.3 %")]
)
def test_rates_are_percent_with_one_decimal(rate: float, shown: str) -> None:
    assert percent(rate) == shown


@pytest.mark.parametrize(
    ("difference", "shown"), [(-0.338, "−33.8"), (0.02, "+2.0"), (0.0, "0.0"), (-0.0004, "0.0"), (0.0004, "0.0")]
)
def test_differences_are_points_with_their_sign(difference: float, shown: str) -> None:
    assert points(difference) == shown


@pytest.mark.parametrize(("p_value", "shown"), [(0.0123, "p = 0.0123"), (0.00009, "p < 0.0001"), (1.0, "p = 1.0000")])
def test_small_p_values_are_not_written_as_zero(p_value: float, shown: str) -> None:
    assert shown in text(a_payload(finding=a_finding(decided=replace(DECIDED, p=p_value))))


def test_one_p_value_and_one_smallest_effect_stand_in_an_alert() -> None:
    """The two runs' own numbers are not there when the nights decided."""
    comparison = keep_deciding_numbers(COMPARISON, KNOWN)
    page = text(a_payload(finding=a_finding(comparison=comparison, decided=KNOWN, evidence=NIGHTS)))
    assert [word for word in page.split() if word in {"p", "e"}] == ["p"]
    assert "p = 0.0003, threshold 0.0014" in page
    assert page.count("with 80 % power") == 1
    assert "a fall of 4.0 points in prime within 3 nights and of 2.9 within 7 nights, with 80 % power" in page
    assert "Pass rate of prime 90.0 % → 78.0 %: −12.0 points, 95 % interval −18.0 to −6.0, 460 cases." in page
    assert "  moved     prime   90.0 % →  78.0 %   −12.0 points  460 cases" in page


def test_the_smallest_visible_effect_is_the_deciding_tests_to_a_tenth_of_a_point() -> None:
    finding = a_finding(decided=replace(DECIDED, detectable=(replace(DECIDED.detectable[0], effect=0.5),)))
    assert "detects   a change of 50.0 points" in text(a_payload(finding=finding))


def test_a_comparison_in_which_no_category_moved_has_no_such_line() -> None:
    finding = a_finding(comparison=replace(COMPARISON, categories=()), decided=replace(DECIDED, moved=()))
    assert "  moved" not in text(a_payload(finding=finding))


KNOWN = DecidingTest(
    test="known_change",
    channel="prime",
    cases=460,
    before=0.9,
    after=0.78,
    effect=-0.12,
    interval=(-0.18, -0.06),
    p=0.0003,
    p_needed=0.0014,
    detectable=(
        DetectableEffect(scenario="announced", nights=3, effect=0.04),
        DetectableEffect(scenario="announced", nights=7, effect=0.029),
    ),
    moved=(
        MovedChannel(
            kind="score", channel="prime", cases=460, before=0.9, after=0.78, effect=-0.12, p=0.0003, p_needed=0.0014
        ),
    ),
)
NIGHTS = Evidence(
    phase="change",
    nights=9,
    baseline_nights=8,
    baseline_first_run="r1",
    baseline_last_run="r8",
    case_overlap=CaseOverlap(cases=800, carried_over=800, revisions=1),
    p=1e-9,
    p_needed=0.0131,
    onset_at=at(-86_400),
    noise=NoiseEvidence(
        nights=8,
        within_variance=0.08,
        night_variance=0.008**2,
        night_interval=None,
        detectable=(DetectableEffect(scenario="announced", nights=7, effect=0.0268),),
    ),
)


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({}, "9 nights, changed since 2026-11-20"),
        ({"onset_at": None, "phase": "episode"}, "9 nights"),
        ({"onset_at": None, "phase": "learning", "nights": 1}, "1 night is too few for a test over nights"),
        (
            {"onset_at": None, "case_overlap": CaseOverlap(cases=800, carried_over=75, revisions=2)},
            "9 nights; 75 of 800 cases carried over",
        ),
        (
            {"onset_at": None, "case_overlap": CaseOverlap(cases=800, carried_over=0, revisions=2)},
            "9 nights; new baseline, no case carried over",
        ),
    ],
)
def test_the_nights_say_what_they_rest_on(fields: dict[str, Any], shown: str) -> None:
    page = text(a_payload(finding=a_finding(decided=KNOWN, evidence=replace(NIGHTS, **fields))))
    assert f"nights before and after the change, prime: p = 0.0003, threshold 0.0014; {shown}" in page
    assert "  noise     nights without a change differ by 0.8 points" in page.splitlines()


@pytest.mark.parametrize(
    ("decided", "shown"),
    [
        (
            {"test": "silent_drift", "p": None, "e": 812.4, "e_needed": 700.0},
            "no change announced, prime: e = 812, threshold 700",
        ),
        ({"test": "open_alert", "p": None, "p_needed": None}, "do not rule out the change that opened the alert"),
        ({"test": "pinned_run", "p": 0.0001}, "the newest week against the pinned run, prime: p = 0.0001"),
    ],
)
def test_each_test_is_called_by_its_name(decided: dict[str, Any], shown: str) -> None:
    assert shown in text(a_payload(finding=a_finding(decided=replace(KNOWN, **decided))))


def test_an_accepted_level_is_not_said_to_be_back() -> None:
    accepted = Acceptance(by="ana", reason="cheaper model, agreed", at=at(60))
    alert = an_alert(AlertState.RESOLVED, resolved_at=at(60), acceptance=accepted)
    sent = a_payload(alert, finding=a_finding("f2", Verdict.OK), reason=NotifyReason.RESOLVED)
    assert sent["alert"]["acceptance"] == {"by": "ana", "reason": "cheaper model, agreed", "at": at(60).isoformat()}
    page = text(sent)
    assert page.startswith("ACCEPTED · critical · set primes · support\n")
    assert "  accepted  by ana, 2026-11-21 02:01 UTC: cheaper model, agreed; the rate has not recovered" in page


def test_noise_that_is_not_known_takes_no_line() -> None:
    page = text(a_payload(finding=a_finding(evidence=replace(NIGHTS, noise=None))))
    assert "  noise" not in page


def test_before_it_fires_it_is_told_since_when_it_is_pending() -> None:
    waiting = an_alert(AlertState.PENDING, fired_at=None, pending_since=at(60))
    assert text(a_payload(waiting)).splitlines()[-1] == "  alert     a1, pending 2026-11-21 02:01 UTC"


def test_times_are_utc_wherever_the_daemon_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert "2026-11-21 02:00 UTC" in text(a_payload())
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_share_asked_twice_says_how_often_two_answers_differ() -> None:
    assert NIGHTS.noise is not None
    noise = replace(NIGHTS.noise, repeats=640, flip_rate=0.081, flip_interval=(0.06, 0.102))
    page = text(a_payload(finding=a_finding(evidence=replace(NIGHTS, noise=noise))))
    told = "  noise     two samples of a case in one night have different scores in 8.1 % of cases"
    assert f"{told} (95 % interval 6.0 % to 10.2 %)\n            nights without a change differ by 0.8 points" in page


@pytest.mark.parametrize(
    ("status", "told"),
    [("below", "below it: −3.0"), ("accepted", "below it, accepted: −3.0"), ("level", "−3.0")],
)
def test_a_pinned_run_stands_beside_what_the_nights_say(status: PinStatus, told: str) -> None:
    pinned_run = PinnedRunEvidence(
        pin_id="pin-1",
        run_id="run-7",
        nights=14,
        recent_nights=7,
        status=status,
        looks=3,
        delta=-0.03,
        interval=(-0.04, -0.02),
    )
    page = text(a_payload(finding=a_finding(evidence=replace(NIGHTS, pinned_run=pinned_run))))
    assert f"  pinned    {told} points from the pinned run run-7, 95 % interval −4.0 to −2.0" in page
    unknown = replace(pinned_run, status="other_judge", delta=None, interval=None)
    assert "  pinned" not in text(a_payload(finding=a_finding(evidence=replace(NIGHTS, pinned_run=unknown))))


@pytest.mark.parametrize(
    ("changed", "headline"),
    [
        ({"moved": ()}, "pass rate −33.8 points"),
        ({"moved": (MovedChannel(kind="mix", channel="false_prime", effect=0.2),)}, "pass rate −33.8 points"),
        (
            {
                "kind": "mix",
                "channel": "false_prime",
                "moved": (MovedChannel(kind="mix", channel="false_prime", effect=0.2),),
            },
            "failures false_prime +20.0 points",
        ),
    ],
)
def test_without_a_category_the_headline_has_what_decided(changed: dict[str, Any], headline: str) -> None:
    page = text(a_payload(finding=a_finding(decided=replace(DECIDED, **changed))))
    assert page.splitlines()[0] == f"FIRING · critical · {headline} · support"


def test_the_other_alerts_of_the_group_are_counted_and_listed() -> None:
    lead, other = an_alert(), replace(an_alert(), id="a2", rule="ReplayPartial", severity="warning", summary="it ended")
    body = a_payload(lead) | group_parts([other, lead], POLICY, {"a2": "silence s1"})
    lines = text(body).splitlines()
    assert lines[0].endswith(" · support · 1 more alert")
    assert "  group     ReplayPartial firing, warning: it ended (silence s1)" in lines
    assert [line.split()[0] for line in lines[-5:]] == ["dashboard", "runbook", "silence", "ack", "alert"]


def test_an_acknowledged_alert_names_who_and_when() -> None:
    page = text(a_payload(an_alert(acknowledged_by="ana", acknowledged_at=at(60)), reason=NotifyReason.ACKNOWLEDGED))
    assert page.startswith("ACKNOWLEDGED · critical · ")
    assert "  acked     by ana, 2026-11-21 02:01 UTC" in page.splitlines()
