"""The pause before the next attempt of a call."""

from random import Random

from replay.run.limits import Limits


def retry_delay_s(attempt: int, retry_after_s: float | None, limits: Limits, rng: Random) -> float:
    """Return the seconds between the failed `attempt` (from 1) and the next: exponential backoff with full jitter.

    A Retry-After applies in full up to `max_pause_s`, and the jitter is added to it: no attempt is earlier than the
    server requested, and the attempts are spread. Full jitter spreads retries better than a fixed or half-jittered
    delay (M. Brooker, "Exponential Backoff And Jitter", 2015).
    """
    doublings = min(attempt - 1, 60)  # 2.0 ** 1024 overflows
    ceiling = min(limits.backoff_cap_s, limits.backoff_base_s * 2.0**doublings)
    return pause_s(retry_after_s, limits) + rng.uniform(0.0, ceiling)


def pause_s(retry_after_s: float | None, limits: Limits) -> float:
    """Return the part of a Retry-After that applies; 0 without one."""
    return 0.0 if retry_after_s is None else min(max(0.0, retry_after_s), limits.max_pause_s)
