from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from replay.run.totals import MAX_VALUES, OTHER, Tally
from replay.types import ScoredOutcome
from tests.replay.replays import answered_row, failed_row


def tally_of(*rows: ScoredOutcome) -> Tally:
    tally = Tally()
    for row in rows:
        tally.add(row)
    return tally


def test_nothing_is_none_and_not_zero() -> None:
    tally = Tally()
    assert (tally.cost_usd, tally.latency_ms(0.5), tally.outcomes) == (None, None, 0)


def test_failures_are_counted_by_class_and_are_not_scored() -> None:
    tally = tally_of(answered_row(0), failed_row(1, "timeout"), failed_row(2, "timeout"), failed_row(3, "auth"))
    assert (tally.outcomes, tally.answered, tally.scored) == (4, 1, 1)
    assert tally.errors == {"timeout": 2, "auth": 1}


def test_what_replies_report_is_counted_by_value() -> None:
    at = datetime(2023, 3, 15, 23, 59, tzinfo=UTC)
    one = answered_row(0, model="gpt-4-0314", reported_at=at, reported={"recorded-resample": "0.3"})
    two = answered_row(1, model="gpt-4-0613", system_fingerprint="fp")
    assert tally_of(one, one, two).reported == {
        "date": {"2023-03-15": 2},
        "model": {"gpt-4-0314": 2, "gpt-4-0613": 1},
        "recorded-resample": {"0.3": 2},
        "system_fingerprint": {"fp": 1},
    }


def test_a_field_that_is_different_every_time_does_not_flood_the_manifest() -> None:
    tally = tally_of(*(answered_row(n, reported={"recorded-key": str(n)}) for n in range(MAX_VALUES + 10)))
    assert len(tally.reported["recorded-key"]) == MAX_VALUES + 1
    assert tally.reported["recorded-key"][OTHER] == 10


def test_cost_is_the_sum_of_what_is_known_and_a_cost_of_zero_is_known() -> None:
    assert tally_of(answered_row(0), answered_row(1)).cost_usd is None
    assert tally_of(answered_row(0, cost_usd=0.0)).cost_usd == 0.0
    mixed = tally_of(answered_row(0, cost_usd=0.25), answered_row(1), answered_row(2, cost_usd=0.5))
    assert (mixed.cost_usd, mixed.unpriced) == (0.75, 1)


def test_a_sealed_store_feeds_outcomes_without_their_texts() -> None:
    tally = Tally()
    tally.add_outcome(answered_row(0, text="").outcome, scored=True)
    tally.add_outcome(answered_row(1, text="").outcome, scored=False)
    assert (tally.outcomes, tally.scored) == (2, 1)


@given(st.lists(st.floats(min_value=0, max_value=1e6), min_size=1), st.sampled_from([0.5, 0.95]))
def test_a_percentile_is_the_smallest_latency_that_the_share_of_calls_does_not_exceed(
    latencies: list[float], quantile: float
) -> None:
    value = tally_of(*(answered_row(n, latency_ms=latency) for n, latency in enumerate(latencies))).latency_ms(quantile)
    assert value in latencies
    share = sum(latency <= value for latency in latencies) / len(latencies)
    below = sum(latency < value for latency in latencies) / len(latencies)
    assert share >= quantile - 1e-12
    assert below < quantile


def test_the_median_of_an_even_number_is_the_lower_of_the_two_in_the_middle() -> None:
    tally = tally_of(*(answered_row(n, latency_ms=float(n)) for n in range(1, 101)))
    assert (tally.latency_ms(0.5), tally.latency_ms(0.95)) == (50.0, 95.0)
