from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.targets.retry_after import read_retry_after

NOW = datetime(2026, 11, 21, 2, tzinfo=UTC)


def http_date(at: datetime) -> str:
    return format_datetime(at, usegmt=True)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "2"}, 2.0),
        ({"retry-after": http_date(NOW + timedelta(seconds=90))}, 90.0),
        ({"retry-after": http_date(NOW - timedelta(seconds=90))}, 0.0),
        ({"retry-after": "Sat, 21 Nov 2026 02:00:10 -0000"}, 10.0),
    ],
)
def test_every_form_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert read_retry_after(headers, NOW) == seconds


def test_a_date_counts_from_the_servers_own_clock() -> None:
    wrong_by_a_day = NOW + timedelta(days=1)
    headers = {"date": http_date(wrong_by_a_day), "retry-after": http_date(wrong_by_a_day + timedelta(seconds=5))}
    assert read_retry_after(headers, NOW) == 5.0


@given(st.text(), st.text(), st.text())
def test_nothing_a_server_says_breaks_it(seconds: str, milliseconds: str, date: str) -> None:
    read = read_retry_after({"retry-after": seconds, "retry-after-ms": milliseconds, "date": date}, NOW)
    assert read is None or read >= 0.0
