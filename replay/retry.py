"""How long to wait before a call is tried again."""

from random import Random

from replay.run.limits import Limits


def retry_delay_s(attempt: int, retry_after_s: float | None, limits: Limits, rng: Random) -> float:
    """Seconds between the failed `attempt` (counted from 1) and the next: exponential backoff with full jitter.

    A Retry-After is honoured in full up to `max_pause_s`, and the jitter goes on top of it: never earlier than the
    server asked, and not all at the same moment. Full jitter spreads retries better than a fixed or half-jittered
    delay (M. Brooker, "Exponential Backoff And Jitter", 2015).
    """
    doublings = min(attempt - 1, 60)  # 2.0 ** 1024 overflows
    ceiling = min(limits.backoff_cap_s, limits.backoff_base_s * 2.0**doublings)
    return pause_s(retry_after_s, limits) + rng.uniform(0.0, ceiling)


def pause_s(retry_after_s: float | None, limits: Limits) -> float:
    """What of a Retry-After is honoured; 0 without one."""
    return 0.0 if retry_after_s is None else min(max(0.0, retry_after_s), limits.max_pause_s)
