"""Budgets of replays, checked before every request."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final

from replay.types import Reply

ROUNDING: Final = 1e-9  # of a limit: sums of costs differ in their last digits by the order of their terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of one run over all its starts; each start has its own `seconds`. None means no limit.

    `requests` counts the requests that the server may bill: every attempt, and every further request of an attempt.
    """

    requests: int | None = None
    tokens: int | None = None  # input and output
    usd: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            limit = getattr(self, field.name)
            if limit is not None and not limit > 0:
                raise ValueError(f"a budget of {limit!r} {field.name} allows nothing; leave it out for no limit")


@dataclass(slots=True, kw_only=True)
class Spent:
    """Requests, and the tokens and cost of their replies. A request that may be billed and has no known cost counts as
    the most expensive reply so far.
    """

    requests: int = 0
    tokens: int = 0
    usd: float = 0.0

    def add(self, other: "Spent") -> None:
        self.requests += other.requests
        self.tokens += other.tokens
        self.usd += other.usd


class Account:
    """What is left of one budget while requests are in flight. It is thread-safe: several runs may share it.

    The cost of a request in flight is unknown. Until it ends it counts as the most expensive reply so far, and before
    the first reply as `expected`. So the limit on requests is exact, and tokens and cost exceed their limits only by
    replies that are more expensive than all before.
    """

    def __init__(
        self, budget: Budget, *, spent: Spent | None = None, expected: Spent | None = None, period: str = ""
    ) -> None:
        """Create the account. `period` is the suffix of the name of a reached limit, for example " of the day"."""
        self._budget, self._period = budget, period
        self._lock = threading.Lock()  # protects all fields below: a check and its request are one step
        self._dearest = Spent() if expected is None else replace(expected)  # an account changes only its own copy
        self._in_flight = 0
        self.spent = spent or Spent()

    def take(self) -> str | None:
        """Count one more request as in flight until `settle`, or return the limit that forbids it."""
        with self._lock:
            self._begin_period()
            limit = self._exceeded()
            if limit is not None:
                return f"{limit}{self._period}"
            self.spent.requests += 1
            self._in_flight += 1
            return None

    def limit(self) -> str | None:
        """Return the limit that forbids one more request."""
        with self._lock:
            self._begin_period()
            met = self._exceeded()
            return None if met is None else f"{met}{self._period}"

    def give_back(self) -> None:
        """Remove a request that was not sent."""
        with self._lock:
            self.spent.requests -= 1
            self._in_flight -= 1

    def settle(self, charge: Spent) -> None:
        """End the requests of `charge`, and add its tokens and cost."""
        with self._lock:
            self._begin_period()
            self._in_flight -= charge.requests
            self.spent.tokens += charge.tokens
            self.spent.usd += charge.usd
            self._dearest.tokens = max(self._dearest.tokens, charge.tokens)
            self._dearest.usd = max(self._dearest.usd, charge.usd)

    def charge(self, more: Spent) -> None:
        """Add what was spent without a request of this account."""
        with self._lock:
            self._begin_period()
            self.spent.add(more)

    @property
    def dearest(self) -> Spent:
        return self._dearest

    @property
    def requests_left(self) -> int | None:
        """The number of requests that the limit on requests allows; None without such a limit."""
        with self._lock:
            limit = self._budget.requests
            return None if limit is None else max(0, limit - self.spent.requests)

    def _begin_period(self) -> None:
        """Start a new period of a budget that renews."""

    def _exceeded(self) -> str | None:
        budget, calls = self._budget, self._in_flight + 1
        if budget.requests is not None and self.spent.requests >= budget.requests:
            return "requests"
        if budget.tokens is not None and self._would_pass(
            budget.tokens, self.spent.tokens, calls, self._dearest.tokens
        ):
            return "tokens"
        if budget.usd is not None and self._would_pass(budget.usd, self.spent.usd, calls, self._dearest.usd):
            return "usd"
        return None

    @staticmethod
    def _would_pass(limit: float, spent: float, calls: int, dearest: float) -> bool:
        margin = ROUNDING * limit
        return spent >= limit - margin or spent + calls * dearest > limit + margin


class BudgetTracker:
    """What is left to one run: of its own budget, of the budgets that it shares with other runs, and of its time."""

    def __init__(
        self,
        budget: Budget,
        monotonic: Callable[[], float],
        *,
        spent: Spent | None = None,
        expected: Spent | None = None,
        shared: Sequence[Account] = (),
    ) -> None:
        self._own = Account(budget, spent=spent, expected=expected)
        self._accounts = (self._own, *shared)
        self._monotonic = monotonic
        self._until = None if budget.seconds is None else monotonic() + budget.seconds
        self.empty: str | None = None  # the limit that was reached first: requests, usd of the day, seconds, ...

    @property
    def spent(self) -> Spent:
        """What the run has spent over all its starts."""
        return self._own.spent

    @property
    def requests_left(self) -> int | None:
        """The number of requests that all limits on requests allow; None without such a limit."""
        return min((left for one in self._accounts if (left := one.requests_left) is not None), default=None)

    def take(self) -> bool:
        """Return whether one more request may be sent; then it counts as in flight until `settle`."""
        if self.empty is None:
            self.empty = self._taken()
        return self.empty is None

    def give_back(self) -> None:
        """Remove a request that was not sent."""
        for account in self._accounts:
            account.give_back()

    def settle(
        self, reply: Reply | None, *, requests: int = 1, billed: bool = False, answered: Reply | None = None
    ) -> Spent:
        """End requests that made one attempt, and return what they are charged with. Without a reply they cost what was
        `answered` before the failure, and as much as the dearest reply so far if they may be `billed`.
        """
        charge = _charge_of(reply or answered, requests)
        if reply is None and billed:
            charge.tokens += self._own.dearest.tokens
            charge.usd += self._own.dearest.usd
        for account in self._accounts:
            account.settle(charge)
        return charge

    def _taken(self) -> str | None:
        if self._until is not None and self._monotonic() >= self._until:
            return "seconds"
        for place, account in enumerate(self._accounts):
            limit = account.take()
            if limit is not None:
                for earlier in self._accounts[:place]:
                    earlier.give_back()
                return limit
        return None


def _charge_of(reply: Reply | None, requests: int) -> Spent:
    if reply is None:
        return Spent(requests=requests)
    tokens = (reply.input_tokens or 0) + (reply.output_tokens or 0)
    return Spent(requests=requests, tokens=tokens, usd=reply.cost_usd or 0.0)
