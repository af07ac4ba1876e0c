"""The throttle of requests with an unknown token, for each source address and over all listeners together.

Each address has a budget of failures that fills up again with time. A failure within the budget is answered 401, one
beyond it 429 with Retry-After. A known token is accepted whatever the budget: behind NAT or a proxy many senders share
an address, and one of them that guesses or is misconfigured must not lock the others out. So the throttle does not make
short tokens safe. It bounds what a flood of guesses costs and makes it visible; a random token of 32 characters is safe
at any rate of guesses. A request without a token guesses nothing and is always answered 401.
"""

import ipaddress
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from time import monotonic
from typing import Final

from monitor.errors import Retryable
from monitor.telemetry import NO_TELEMETRY, Recorder

log = logging.getLogger(__name__)
BURST: Final = 10  # failures of an address at once, ...
REFILL_S: Final = 4.0  # ... and one more for each of these: an exporter that sends every 5 s is always told 401
QUIET_S: Final = 600.0  # between two log lines about one address
LISTENERS: Final = ("api", "ingest.otlp", "ingest.otlp_grpc")
ADDRESSES: Final = 10_000  # remembered at a time: the ones that failed last


class TooManyFailures(Retryable):
    """The address has sent more unknown tokens than its budget allows."""

    status = 429
    code = "too_many_failures"

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(
            "too many requests with an unknown token came from this address; check the token that is sent. "
            "A configured token is accepted at once"
        )
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who sent a request: its address, and the listener that it came to."""

    address: str
    listener: str


@dataclass(slots=True)
class _Budget:
    left: float
    at_s: float
    logged_s: float | None = None


class FailedLogins:
    """One for all listeners. Safe to call from several threads."""

    def __init__(self, telemetry: Recorder = NO_TELEMETRY, now_s: Callable[[], float] = monotonic) -> None:
        self._telemetry, self._now_s = telemetry, now_s
        self._lock = threading.Lock()  # protects the budgets
        self._budgets: OrderedDict[str, _Budget] = OrderedDict()
        for listener, result in product(LISTENERS, ("rejected", "throttled")):
            telemetry.count(
                "driftd.auth.failures", 0, {"listener": listener, "result": result}
            )  # a rate needs the zero

    def note(self, caller: Caller) -> None:
        """Count a request with an unknown token; raise TooManyFailures when its address has no budget left."""
        wait_s = self._spend(source_of(caller.address), caller.listener)
        result = "rejected" if wait_s is None else "throttled"
        self._telemetry.count("driftd.auth.failures", 1, {"listener": caller.listener, "result": result})
        if wait_s is not None:
            raise TooManyFailures(wait_s)

    def _spend(self, source: str, listener: str) -> float | None:
        """Return None, or the seconds until the next failure is within the budget."""
        now_s = self._now_s()
        with self._lock:
            budget = self._budgets.pop(source, None) or _Budget(left=BURST, at_s=now_s)
            self._budgets[source] = budget
            if len(self._budgets) > ADDRESSES:
                self._budgets.popitem(last=False)
            budget.left = min(float(BURST), budget.left + (now_s - budget.at_s) / REFILL_S)
            budget.at_s = now_s
            if budget.left >= 1:
                budget.left -= 1
                return None
            if news := budget.logged_s is None or now_s - budget.logged_s >= QUIET_S:
                budget.logged_s = now_s
        if news:
            log.warning("%s: many requests with an unknown token from %s; more are answered 429", listener, source)
        return (1 - budget.left) * REFILL_S


def source_of(address: str) -> str:
    """Return what shares a budget: an IPv4 address, or the /64 network that one IPv6 host may choose from.

    >>> source_of("::ffff:10.0.0.7"), source_of("2001:db8::17"), source_of("unix:")
    ('10.0.0.7', '2001:db8::/64', 'unknown')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(found, ipaddress.IPv6Address):
        return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def address_of_peer(peer: str) -> str:
    """Return the address in what gRPC says of a peer.

    >>> address_of_peer("ipv4:127.0.0.1:52614"), address_of_peer("ipv6:%5B::1%5D:52614")
    ('127.0.0.1', '::1')
    """
    host = peer.partition(":")[2].rpartition(":")[0]
    return host.removeprefix("%5B").removesuffix("%5D").strip("[]")
