"""Throttle requests with an unknown token, for each source address over all listeners together.

Each address has a budget of failures, which refills with time. A failure within the budget gets 401, a further one 429
with Retry-After. A known token is always accepted: many senders share an address behind NAT or a proxy, and one of them
that is misconfigured must not lock out the others. So the throttle does not make short tokens safe. It limits the cost
of a flood of guesses and makes it visible. A random token of 32 characters is safe at any rate of guesses. A request
without a token is no guess and always gets 401.
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
from monitor.guards.audit_counts import AuditCounts
from monitor.telemetry import NO_TELEMETRY, Recorder

log = logging.getLogger(__name__)
BURST: Final = 10  # failures of an address at once, ...
REFILL_S: Final = 4.0  # ... and one more after each of these: an exporter that sends every 5 s always gets 401
LOG_INTERVAL_S: Final = 600.0  # between two log lines about one address
LISTENERS: Final = ("api", "ingest.otlp", "ingest.otlp_grpc")
MAX_ADDRESSES: Final = 10_000  # addresses with a budget in memory: those with the latest failures


class TooManyFailures(Retryable):
    """The address sent more unknown tokens than its budget allows."""

    status = 429
    code = "too_many_failures"

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(
            "this address sent too many requests with an unknown token; check the token. "
            "A request with a configured token is always accepted"
        )
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The sender of a request: its address and the listener that received the request."""

    address: str
    listener: str


@dataclass(slots=True)
class _Budget:
    left: float
    at_s: float
    logged_s: float | None = None


class FailedLogins:
    """The failure budgets of all listeners. Several threads may use it at the same time."""

    def __init__(
        self,
        telemetry: Recorder = NO_TELEMETRY,
        now_s: Callable[[], float] = monotonic,
        audit: AuditCounts | None = None,
    ) -> None:
        self._telemetry, self._now_s, self._audit = telemetry, now_s, audit
        self._lock = threading.Lock()  # protects the budgets
        self._budgets: OrderedDict[str, _Budget] = OrderedDict()
        for listener, result in product(LISTENERS, ("rejected", "throttled")):
            # A rate needs the zero before the first count.
            telemetry.count("driftd.auth.failures", 0, {"listener": listener, "result": result})

    def record(self, caller: Caller) -> None:
        """Count a request with an unknown token. Raise TooManyFailures when the budget of its address is empty."""
        wait_s = self._spend(source_of(caller.address), caller.listener)
        result = "rejected" if wait_s is None else "throttled"
        if self._audit is not None:
            self._audit.failed(caller.listener, source_of(caller.address))
        self._telemetry.count("driftd.auth.failures", 1, {"listener": caller.listener, "result": result})
        if wait_s is not None:
            raise TooManyFailures(wait_s)

    def _spend(self, source: str, listener: str) -> float | None:
        """Return None, or the seconds until the next failure is within the budget."""
        now_s = self._now_s()
        with self._lock:
            budget = self._budgets.pop(source, None) or _Budget(left=BURST, at_s=now_s)
            self._budgets[source] = budget
            if len(self._budgets) > MAX_ADDRESSES:
                self._budgets.popitem(last=False)
            budget.left = min(float(BURST), budget.left + (now_s - budget.at_s) / REFILL_S)
            budget.at_s = now_s
            if budget.left >= 1:
                budget.left -= 1
                return None
            if is_due := budget.logged_s is None or now_s - budget.logged_s >= LOG_INTERVAL_S:
                budget.logged_s = now_s
        if is_due:
            log.warning("%s: many requests with an unknown token from %s; further ones get 429", listener, source)
        return (1 - budget.left) * REFILL_S


def source_of(address: str) -> str:
    """Return the unit that has a budget: an IPv4 address, or the /64 network from which an IPv6 host chooses its
    addresses.

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
    """Return the address from gRPC's description of a peer.

    >>> address_of_peer("ipv4:127.0.0.1:52614"), address_of_peer("ipv6:%5B::1%5D:52614")
    ('127.0.0.1', '::1')
    """
    host = peer.partition(":")[2].rpartition(":")[0]
    return host.removeprefix("%5B").removesuffix("%5D").strip("[]")
