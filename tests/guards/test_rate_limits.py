"""The token bucket of each sender."""

import pytest

from monitor.guards.rate_limits import RateLimited, RateLimits


class Counted:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_passes_and_the_next_request_waits() -> None:
    clock = Counted()
    limits = RateLimits(per_s=2, burst=3, now_s=clock)
    for _ in range(3):
        limits.spend("ci")
    with pytest.raises(RateLimited) as refused:
        limits.spend("ci")
    assert (refused.value.status, refused.value.retry_after_s) == (429, 0.5)
    clock.now = 0.5
    limits.spend("ci")
    with pytest.raises(RateLimited):
        limits.spend("ci")


def test_one_sender_does_not_spend_the_bucket_of_another() -> None:
    limits = RateLimits(per_s=1, burst=1, now_s=Counted())
    limits.spend("ci")
    limits.spend("dashboard")
    with pytest.raises(RateLimited):
        limits.spend("ci")


def test_a_pause_refills_no_more_than_the_burst() -> None:
    clock = Counted()
    limits = RateLimits(per_s=100, burst=2, now_s=clock)
    clock.now = 3600.0
    limits.spend("ci")
    limits.spend("ci")
    with pytest.raises(RateLimited):
        limits.spend("ci")


def test_the_default_passes_fifty_readers_who_open_a_page_at_once() -> None:
    limits = RateLimits(now_s=Counted())
    for _ in range(50 * 20):
        limits.spend("dashboard")
