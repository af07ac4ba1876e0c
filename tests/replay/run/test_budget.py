import pytest

from replay.run.budget import Budget, BudgetTracker, Spent
from replay.types import Reply


def reply(tokens: int, usd: float | None = None) -> Reply:
    return Reply(text="yes", latency_ms=1.0, input_tokens=tokens, output_tokens=0, cost_usd=usd)


def spend(tracker: BudgetTracker, price: Reply) -> int:
    """How many calls one after the other are let through."""
    calls = 0
    while tracker.take():
        calls += 1
        tracker.settle(price)
    return calls


@pytest.mark.parametrize(
    ("budget", "calls", "limit"),
    [
        (Budget(requests=7), 7, "requests"),
        (Budget(tokens=1000), 10, "tokens"),
        (Budget(usd=0.055), 5, "usd"),
        (Budget(requests=3, usd=0.055), 3, "requests"),
    ],
)
def test_calls_stop_before_the_limit_is_passed(budget: Budget, calls: int, limit: str) -> None:
    tracker = BudgetTracker(budget, lambda: 0.0)
    assert spend(tracker, reply(100, 0.01)) == calls
    assert tracker.empty == limit
    assert not tracker.take()


def test_no_budget_stops_nothing() -> None:
    tracker = BudgetTracker(Budget(), lambda: 0.0)
    assert all(tracker.take() for _ in range(1000))
    assert tracker.empty is None


def test_calls_in_flight_count_as_the_dearest_so_far() -> None:
    tracker = BudgetTracker(Budget(tokens=1000), lambda: 0.0, expected=Spent(tokens=300))
    assert [tracker.take() for _ in range(4)] == [True, True, True, False]


def test_a_cheap_answer_makes_no_room_once_the_limit_was_met() -> None:
    tracker = BudgetTracker(Budget(tokens=1000), lambda: 0.0, expected=Spent(tokens=600))
    assert tracker.take()
    assert not tracker.take()
    tracker.settle(reply(1))
    assert not tracker.take()  # a run that was cut stays cut: it would else go on with whoever happens to be cheap


def test_earlier_starts_of_the_run_have_spent_too() -> None:
    tracker = BudgetTracker(Budget(requests=10), lambda: 0.0, spent=Spent(requests=8))
    assert spend(tracker, reply(1)) == 2


def test_a_failed_call_is_a_request_and_tells_no_tokens() -> None:
    tracker = BudgetTracker(Budget(requests=2, tokens=10), lambda: 0.0)
    assert tracker.take()
    tracker.settle(None)
    assert (tracker.spent.requests, tracker.spent.tokens) == (1, 0)
    assert tracker.take()
    tracker.settle(None)
    assert not tracker.take()


def test_time_is_over_when_it_is_over() -> None:
    now = [100.0]
    tracker = BudgetTracker(Budget(seconds=60.0), lambda: now[0])
    assert tracker.take()
    now[0] = 160.0
    assert not tracker.take()
    assert tracker.empty == "seconds"


@pytest.mark.parametrize("field", ["requests", "tokens", "usd", "seconds"])
def test_a_budget_that_buys_nothing_is_refused(field: str) -> None:
    with pytest.raises(ValueError, match=field):
        Budget(**{field: 0})
