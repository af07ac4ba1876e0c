import pytest

from monitor.guards.failed_logins import ADDRESSES, BURST, REFILL_S, Caller, FailedLogins, TooManyFailures


class Watch:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def caller(address: str = "203.0.113.7", listener: str = "api") -> Caller:
    return Caller(address=address, listener=listener)


def fail(failures: FailedLogins, times: int, who: Caller | None = None) -> int:
    """How many of the failures were beyond the budget."""
    throttled = 0
    for _ in range(times):
        try:
            failures.note(who or caller())
        except TooManyFailures:
            throttled += 1
    return throttled


def test_a_few_failures_are_rejected_and_the_rest_is_throttled() -> None:
    assert fail(FailedLogins(now_s=Watch()), 842) == 842 - BURST


def test_the_refusal_says_when_the_budget_allows_another_failure() -> None:
    watch = Watch()
    failures = FailedLogins(now_s=watch)
    fail(failures, BURST)
    with pytest.raises(TooManyFailures) as refused:
        failures.note(caller())
    assert refused.value.retry_after_s == REFILL_S
    watch.now_s += refused.value.retry_after_s
    failures.note(caller())
    assert fail(failures, 1) == 1


def test_an_exporter_that_sends_every_five_seconds_is_always_told_that_its_token_is_wrong() -> None:
    watch = Watch()
    failures = FailedLogins(now_s=watch)
    for _ in range(200):
        watch.now_s += 5.0
        failures.note(caller())


def test_listeners_share_the_budget_of_an_address_and_other_addresses_have_their_own() -> None:
    failures = FailedLogins(now_s=Watch())
    fail(failures, BURST)
    assert fail(failures, 1, caller(listener="ingest.otlp_grpc")) == 1
    assert fail(failures, 1, caller("::ffff:203.0.113.7")) == 1
    assert fail(failures, BURST, caller("203.0.113.8")) == 0


def test_a_host_gains_nothing_by_its_many_addresses_of_version_6() -> None:
    failures = FailedLogins(now_s=Watch())
    assert sum(fail(failures, 1, caller(f"2001:db8::{n:x}")) for n in range(100)) == 100 - BURST


def test_its_memory_is_bounded() -> None:
    failures = FailedLogins(now_s=Watch())
    for n in range(ADDRESSES + 500):
        failures.note(caller(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}"))
    assert len(failures._budgets) == ADDRESSES


def test_an_address_is_logged_once_however_often_it_fails(caplog: pytest.LogCaptureFixture) -> None:
    fail(FailedLogins(now_s=Watch()), 1_000)
    [line] = caplog.messages
    assert "many requests with an unknown token from 203.0.113.7" in line
