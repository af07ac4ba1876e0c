"""Limits of a run: attempts, pauses, and the time until a commit."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The pause before attempt k + 1 is drawn from [0, min(backoff_cap_s, backoff_base_s * 2 ** (k - 1))]."""

    max_attempts: int = 4  # in each round
    rounds: int = 2  # a call with a temporary failure is repeated after all others
    call_timeout_s: float = 120.0  # of one turn, in addition to the limit of the target
    backoff_base_s: float = 0.5
    backoff_cap_s: float = 30.0
    max_pause_s: float = 120.0  # a longer Retry-After is cut to this
    commit_delay_s: float = 0.1  # longest wait of a reply before its commit starts
    commit_rows: int = 500
    uncommitted: int | None = None  # most calls in flight or answered without a commit; default: 2 * concurrency

    def __post_init__(self) -> None:
        if min(self.max_attempts, self.rounds, self.commit_rows) < 1:
            raise ValueError(f"max_attempts, rounds and commit_rows must be at least 1: {self}")
