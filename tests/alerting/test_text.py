import time
from dataclasses import replace

import pytest

from monitor.alerting.message import RecentRun
from monitor.alerting.text import percent, points, text
from monitor.domain.alert import AlertState, NotifyReason
from monitor.domain.finding import Verdict
from tests.alerting.build import COMPARISON, T0, a_finding, a_payload, an_alert, at

PAGE = """\
FIRING · critical · support · primes
Pass rate 84.0 % → 50.2 %: −33.8 points, 95 % interval −38.5 to −29.0, 800 cases.
  before    gpt-4-0314 · prompt 3f2a9c
  now       gpt-4-0613 · prompt 3f2a9c
  blamed    model change, observed 2026-11-21 01:40 UTC (change-1)
  flips     382 passed before and fail now, 112 the other way; p < 0.0001
  could see 3.1 points or more (alpha 0.05, power 0.8)
  moved     prime       97.6 % →   2.4 %   −95.2 points  460 cases
            composite   70.4 % →  98.0 %   +27.6 points  300 cases
  worst     prime-0000  medium, prime, passed 5 nights before, now wrong_answer
            prime-0001  medium, prime, passed 5 nights before, now wrong_answer
            prime-0002  medium, prime, passed 4 nights before, now wrong_answer
            prime-0003  medium, prime, passed 1 night before, now wrong_answer
            prime-0004  medium, prime, now wrong_answer
  nights    84.0 %, 83.8 %
  verdict   regression: regression says f1
  look      http://127.0.0.1:8501/?alert=a1
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
    assert text(a_payload(reason=reason)).startswith(f"{headline} · critical · support · primes\n")


def test_the_end_says_when_it_ended() -> None:
    alert = an_alert(AlertState.RESOLVED, resolved_at=at(3600))
    page = text(a_payload(alert, finding=a_finding("f2", Verdict.OK), reason=NotifyReason.RESOLVED))
    assert page.splitlines()[-1] == "  alert     a1, resolved 2026-11-21 03:00 UTC"
    assert "  verdict   ok: ok says f2" in page


def test_what_is_not_known_takes_no_line() -> None:
    bare = a_payload(an_alert(from_version=None, to_version=None), finding=a_finding(comparison=None), change=None)
    assert [line.split()[0] for line in text(bare).splitlines()] == ["FIRING", "verdict", "look", "alert"]


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
    body = a_payload()
    assert shown in text(body | {"comparison": body["comparison"] | {"p_value": p_value}})


def test_the_smallest_visible_effect_is_the_comparisons_to_a_tenth_of_a_point() -> None:
    finding = a_finding(comparison=replace(COMPARISON, mde=0.5))
    assert "could see 50.0 points or more" in text(a_payload(finding=finding))


def test_a_comparison_in_which_no_category_moved_has_no_such_line() -> None:
    finding = a_finding(comparison=replace(COMPARISON, categories=()))
    assert "  moved" not in text(a_payload(finding=finding))


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
