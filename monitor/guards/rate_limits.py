"""Limit the requests of each token with a token bucket. Telemetry is not counted: a full intake limits it.

A bucket has `burst` requests and gains `per_s` with each second. A request that finds it empty gets 429 with the time
until the next one is free.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final

from monitor.errors import Retryable
from monitor.telemetry import NO_TELEMETRY, Recorder

MAX_SENDERS: Final = 10_000  # with a bucket in memory: those with the latest requests
PER_S: Final = 100.0
BURST: Final = 1_000


class RateLimited(Retryable):
    """The sender sent more requests than its token may."""

    status = 429
    code = "rate_limited"

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(
            "this token sends more requests than api.rate_limit allows; send fewer at once, or wait as Retry-After says"
        )
        self.retry_after_s = retry_after_s


@dataclass(slots=True)
class _Bucket:
    left: float
    at_s: float


class RateLimits:
    """The buckets of all senders. Several threads may use it at the same time."""

    def __init__(
        self,
        *,
        per_s: float = PER_S,
        burst: int = BURST,
        telemetry: Recorder = NO_TELEMETRY,
        now_s: Callable[[], float] = monotonic,
    ) -> None:
        self._per_s, self._burst, self._telemetry, self._now_s = per_s, float(burst), telemetry, now_s
        self._lock = threading.Lock()  # protects the buckets
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        telemetry.count("driftd.api.rate_limited", 0)  # a rate needs the zero before the first count

    def spend(self, sender: str) -> None:
        """Take one request from the bucket of a sender. Raise RateLimited when it is empty."""
        wait_s = self._spend(sender)
        if wait_s is not None:
            self._telemetry.count("driftd.api.rate_limited", 1)
            raise RateLimited(wait_s)

    def _spend(self, sender: str) -> float | None:
        """Return None, or the seconds until the next request is free."""
        now_s = self._now_s()
        with self._lock:
            bucket = self._buckets.pop(sender, None) or _Bucket(left=self._burst, at_s=now_s)
            self._buckets[sender] = bucket
            if len(self._buckets) > MAX_SENDERS:
                self._buckets.popitem(last=False)
            bucket.left = min(self._burst, bucket.left + (now_s - bucket.at_s) * self._per_s)
            bucket.at_s = now_s
            if bucket.left >= 1:
                bucket.left -= 1
                return None
            return (1 - bucket.left) / self._per_s
