"""The pace of a run: requests and tokens in a minute, and slower after rate-limit responses."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

BURST_S = 2.0  # seconds of the allowance that may be used at once
RECOVER_S = 30.0  # after this time without a rate-limit response the pace doubles again, up to the limit
SLOWEST_PER_MINUTE = 1.0
LONG_AGO = -1e18
WINDOW_S = 10.0  # over which the pace of a run without a limit is measured ...
FEWEST_MEASURED = 10  # ... from this number of requests on; before, only Retry-After counts


@dataclass(frozen=True, slots=True, kw_only=True)
class PaceLimits:
    """The limits in a minute; None means no limit."""

    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None


class Pacer(Protocol):
    """Gives each request the time at which it may be sent. `Pace` is that of one process."""

    async def turn(self) -> float:
        """Reserve a request, and return the seconds until it may be sent."""
        ...

    def hold(self, seconds: float) -> None:
        """Delay requests that are not due yet: the server reported that its allowance is used up for this time."""

    def used(self, tokens: int) -> None:
        """Correct the expected tokens of a request by the tokens of its reply."""

    def refused(self) -> None:
        """Slow down after a rate-limit response."""


class Pace:
    """Gives each request the time at which it may be sent. The wait is not part of the latency of the call.

    Formula:   the generic cell rate algorithm, once for requests and once for tokens: a request is due when the earlier
               requests have drained at the allowed rate, less `BURST_S` of it.
    Adapts:    a rate-limit response (429) halves the pace, or the measured pace of a run without a limit; every
               `RECOVER_S` without one doubles it again. A reply that reports no remaining allowance delays all requests
               until the reset of the server.
    Source:    ITU-T I.371 (the algorithm); Chiu and Jain, Computer Networks 17 (1989) 1-14 (decrease by a factor).
    """

    def __init__(self, limits: PaceLimits, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._requests = _Rate(limits.requests_per_minute)
        self._tokens = _Rate(limits.tokens_per_minute)
        self._allowed = limits.requests_per_minute
        self._complained_at = self._held_until = LONG_AGO
        self._sent: deque[float] = deque()  # times of the requests of the last WINDOW_S
        self._tokens_of_call = 0.0

    def due_in(self, tokens: float = 0.0) -> float:
        """Reserve a request and return the seconds until it may be sent. `tokens` is its expected use, if known."""
        now = self._monotonic()
        self._recover(now)
        wait = max(
            self._requests.take(1.0, now),
            self._tokens.take(tokens or self._tokens_of_call, now),
            self._held_until - now,
            0.0,
        )
        self._remember(now + wait)
        return wait

    async def turn(self) -> float:
        return self.due_in()

    def hold(self, seconds: float) -> None:
        """Delay requests that are not due yet: the server reported that its allowance is used up for this time."""
        now = self._monotonic()
        self._held_until = max(self._held_until, now + seconds)

    def used(self, tokens: int, *, guessed: float = 0.0) -> None:
        """Correct the expected tokens of a request by the tokens of its reply."""
        guess = guessed or self._tokens_of_call
        self._tokens.take(tokens - guess, self._monotonic())
        self._tokens_of_call = tokens if not self._tokens_of_call else 0.9 * self._tokens_of_call + 0.1 * tokens

    def refused(self) -> None:
        """Halve the pace after a rate-limit response. Responses to calls that were sent together count once."""
        now = self._monotonic()
        known = self._requests.per_minute is not None or len(self._sent) >= FEWEST_MEASURED
        if now - self._complained_at < 1.0 or not known:
            return
        self._requests.set(max((self._requests.per_minute or self._measured(now)) / 2.0, SLOWEST_PER_MINUTE), now)
        self._complained_at = now

    def _measured(self, now: float) -> float:
        """Return the requests in a minute, measured over the last requests."""
        return len(self._sent) * 60.0 / max(now - self._sent[0], 1.0)

    def _remember(self, at: float) -> None:
        self._sent.append(at)
        while self._sent[0] < at - WINDOW_S:
            self._sent.popleft()

    def _recover(self, now: float) -> None:
        pace = self._requests.per_minute
        if pace is None or pace == self._allowed or now - self._complained_at < RECOVER_S:
            return
        self._complained_at = now
        doubled = 2.0 * pace
        self._requests.set(doubled if self._allowed is None else min(doubled, self._allowed), now)


class _Rate:
    """A leaky bucket, in units per minute."""

    def __init__(self, per_minute: float | None) -> None:
        self.per_minute = per_minute
        self._drained_at = LONG_AGO  # when the bucket is empty

    def set(self, per_minute: float, now: float) -> None:
        """Set the rate. The content of the bucket drains at the new rate."""
        if self.per_minute:
            left = max(0.0, self._drained_at - now)
            self._drained_at = now + left * self.per_minute / per_minute
        self.per_minute = per_minute

    def take(self, units: float, now: float) -> float:
        """Return the seconds until this amount may be used. A negative amount is returned to the bucket."""
        if not self.per_minute:
            return 0.0
        start = max(self._drained_at, now)
        self._drained_at = max(start + units * 60.0 / self.per_minute, now - BURST_S)
        return max(0.0, start - BURST_S - now)
