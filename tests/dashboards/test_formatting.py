from datetime import UTC, datetime, timedelta, timezone

import pytest

from dashboards.formatting import ago, count, cut, percent, plain, points
from dashboards.times import axis_labels, moment

AT = datetime(2026, 3, 6, 2, 14, tzinfo=UTC)


def test_an_absent_rate_is_no_data_and_a_zero_is_a_zero() -> None:
    assert percent(None) == "no data"
    assert percent(0.0) == "0.0 %"


@pytest.mark.parametrize(("difference", "shown"), [(-0.338, "−33.8"), (0.02, "+2.0"), (-0.0002, "0.0"), (0.0, "0.0")])
def test_points_carry_their_sign(difference: float, shown: str) -> None:
    assert points(difference) == shown


def test_times_of_any_zone_are_shown_in_utc() -> None:
    elsewhere = AT.astimezone(timezone(timedelta(hours=9)))
    assert (moment(elsewhere), axis_labels([elsewhere])) == ("2026-03-06 02:14", ["06 Mar 02:14"])
    assert moment(None) == "never"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(-5, "in the future"), (20, "just now"), (60, "1 minute ago"), (7200, "2 hours ago"), (3 * 86400, "3 days ago")],
)
def test_elapsed_time_uses_the_largest_unit(seconds: int, shown: str) -> None:
    assert ago(AT, AT + timedelta(seconds=seconds)) == shown


def test_counts_agree_with_their_noun() -> None:
    assert (count(1, "case"), count(0, "case"), count(12345, "case")) == ("1 case", "0 cases", "12,345 cases")


def test_long_labels_are_cut_with_a_mark() -> None:
    assert (cut("gpt-4-0613", 10), cut("gpt-4-0613 · x", 10)) == ("gpt-4-0613", "gpt-4-061…")


def test_text_from_outside_cannot_become_markup() -> None:
    assert plain("a_b *c* [d](e) :red[x] <b>") == r"a\_b \*c\* \[d\]\(e\) \:red\[x\] \<b\>"
