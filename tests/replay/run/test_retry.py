from random import Random

from hypothesis import given
from hypothesis import strategies as st

from replay.retry import pause_s, retry_delay_s
from replay.run.limits import Limits

LIMITS = Limits(backoff_base_s=0.5, backoff_cap_s=8.0, max_pause_s=60.0)
attempts = st.integers(min_value=1, max_value=5000)
seeds = st.integers(min_value=0, max_value=2**32)


@given(attempts, seeds)
def test_without_a_retry_after_the_delay_lies_between_zero_and_the_doubled_base(attempt: int, seed: int) -> None:
    ceiling = 0.5 * 2 ** (attempt - 1) if attempt < 6 else 8.0
    assert 0.0 <= retry_delay_s(attempt, None, LIMITS, Random(seed)) <= min(8.0, ceiling)


@given(attempts, seeds, st.floats(min_value=0.0, max_value=60.0))
def test_a_retry_after_is_never_undercut(attempt: int, seed: int, asked_s: float) -> None:
    delay_s = retry_delay_s(attempt, asked_s, LIMITS, Random(seed))
    assert asked_s <= delay_s <= asked_s + 8.0


@given(st.floats(min_value=60.0))
def test_a_retry_after_beyond_the_bound_is_cut_to_it(asked_s: float) -> None:
    assert pause_s(asked_s, LIMITS) == 60.0


@given(attempts, seeds)
def test_the_same_seed_gives_the_same_delay(attempt: int, seed: int) -> None:
    assert retry_delay_s(attempt, None, LIMITS, Random(seed)) == retry_delay_s(attempt, None, LIMITS, Random(seed))


def test_the_jitter_is_full_it_uses_the_whole_range() -> None:
    rng = Random(1)
    delays = [retry_delay_s(3, None, LIMITS, rng) for _ in range(2000)]
    assert min(delays) < 0.05
    assert max(delays) > 1.95
    assert 0.93 < sum(delays) / len(delays) < 1.07
