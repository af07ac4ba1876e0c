from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.targets.rate_hints import LONGEST_S, read_hold

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [
        ("1s", 1.0),
        ("20ms", 0.02),
        ("6m0s", 360.0),
        ("1h2m3s", 3600.0),
        ("12", 12.0),
        ("0.5", 0.5),
        ("2026-01-01T00:00:07Z", 7.0),
        ("2025-12-31T23:59:00Z", 0.0),
        ("2026-01-01T00:00:07", 0.0),
        ("soon", 0.0),
        ("1s and more", 0.0),
        ("-3", 0.0),
        ("inf", LONGEST_S),
        ("", 0.0),
    ],
)
def test_nothing_left_waits_until_the_reset(reset: str, seconds: float) -> None:
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": reset}
    assert read_hold(headers, NOW) == pytest.approx(seconds)


def test_the_longest_of_several_counts_and_what_is_left_does_not() -> None:
    headers = {
        "x-ratelimit-remaining-requests": "3",
        "x-ratelimit-reset-requests": "50s",
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-input-tokens-reset": "2026-01-01T00:00:09Z",
        "ratelimit-remaining": "0",
        "ratelimit-reset": "4",
    }
    assert read_hold(headers, NOW) == pytest.approx(9.0)
    assert read_hold({}, NOW) == 0.0


@given(st.text(max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    headers = {"ratelimit-remaining": "0", "ratelimit-reset": text}
    assert 0.0 <= read_hold(headers, NOW) <= LONGEST_S
