import pytest

from monitor.guards.failed_logins import (
    BURST,
    MAX_ADDRESSES,
    REFILL_S,
    Caller,
    FailedLogins,
    TooManyFailures,
)


class FakeClock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def caller(address: str = "203.0.113.7", listener: str = "api") -> Caller:
    return Caller(address=address, listener=listener)


def fail(failures: FailedLogins, times: int, sender: Caller | None = None) -> int:
    """Return how many of the failures were beyond the budget."""
    throttled = 0
    for _ in range(times):
        try:
            failures.record(sender or caller())
        except TooManyFailures:
            throttled += 1
    return throttled


def test_a_few_failures_are_rejected_and_the_rest_is_throttled() -> None:
    assert fail(FailedLogins(now_s=FakeClock()), 842) == 842 - BURST


def test_the_refusal_names_the_time_of_the_next_allowed_failure() -> None:
    clock = FakeClock()
    failures = FailedLogins(now_s=clock)
    fail(failures, BURST)
    with pytest.raises(TooManyFailures) as refused:
        failures.record(caller())
    assert refused.value.retry_after_s == REFILL_S
    clock.now_s += refused.value.retry_after_s
    failures.record(caller())
    assert fail(failures, 1) == 1


def test_an_exporter_that_sends_every_five_seconds_always_gets_401() -> None:
    clock = FakeClock()
    failures = FailedLogins(now_s=clock)
    for _ in range(200):
        clock.now_s += 5.0
        failures.record(caller())


def test_listeners_share_the_budget_of_an_address_and_other_addresses_have_their_own() -> None:
    failures = FailedLogins(now_s=FakeClock())
    fail(failures, BURST)
    assert fail(failures, 1, caller(listener="ingest.otlp_grpc")) == 1
    assert fail(failures, 1, caller("::ffff:203.0.113.7")) == 1
    assert fail(failures, BURST, caller("203.0.113.8")) == 0


def test_all_ipv6_addresses_of_a_host_share_one_budget() -> None:
    failures = FailedLogins(now_s=FakeClock())
    assert sum(fail(failures, 1, caller(f"2001:db8::{n:x}")) for n in range(100)) == 100 - BURST


def test_the_number_of_budgets_in_memory_is_bounded() -> None:
    failures = FailedLogins(now_s=FakeClock())
    for n in range(MAX_ADDRESSES + 500):
        failures.record(caller(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}"))
    assert len(failures._budgets) == MAX_ADDRESSES


def test_an_address_is_logged_once_however_often_it_fails(caplog: pytest.LogCaptureFixture) -> None:
    fail(FailedLogins(now_s=FakeClock()), 1_000)
    [line] = caplog.messages
    assert "many requests with an unknown token from 203.0.113.7" in line
