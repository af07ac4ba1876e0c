"""What a run may spend at most, asked before every call."""

from collections.abc import Callable
from dataclasses import dataclass, fields

from replay.types import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of one run over all its starts, but `seconds`, which each start has anew. None is no limit.

    `requests` counts attempts, not answers: what the server is asked, and may bill.
    """

    requests: int | None = None
    tokens: int | None = None  # input and output
    usd: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            limit = getattr(self, field.name)
            if limit is not None and not limit > 0:
                raise ValueError(f"a budget of {limit!r} {field.name} buys nothing; leave it out for no limit")


@dataclass(slots=True, kw_only=True)
class Spent:
    """`requests` are attempts; tokens and money are those that replies told."""

    requests: int = 0
    tokens: int = 0
    usd: float = 0.0


class Purse:
    """What is left of a budget while calls are in flight.

    A call in flight has not told its price: until it has, it counts as the dearest so far, and before the first
    answer as `expected`. So the limits on requests and time are exact, and money and tokens are overspent by no more
    than calls that turn out dearer than all before them.
    """

    def __init__(
        self,
        budget: Budget,
        monotonic: Callable[[], float],
        *,
        spent: Spent | None = None,
        expected: Spent | None = None,
    ) -> None:
        self._budget = budget
        self._monotonic = monotonic
        self._until = None if budget.seconds is None else monotonic() + budget.seconds
        self._dearest = expected or Spent()
        self._in_flight = 0
        self.spent = spent or Spent()
        self.empty: str | None = None  # the limit that was met first: requests, tokens, usd or seconds

    def take(self) -> bool:
        """Whether one more request may be sent; then it counts as in flight until `settle`."""
        self.empty = self.empty or self._exceeded()
        if self.empty is not None:
            return False
        self.spent.requests += 1
        self._in_flight += 1
        return True

    def settle(self, reply: Reply | None) -> None:
        """A request is over: what its reply told is spent; one without a reply has told of nothing."""
        self._in_flight -= 1
        if reply is None:
            return
        tokens, usd = (reply.input_tokens or 0) + (reply.output_tokens or 0), reply.cost_usd or 0.0
        self.spent.tokens += tokens
        self.spent.usd += usd
        self._dearest.tokens = max(self._dearest.tokens, tokens)
        self._dearest.usd = max(self._dearest.usd, usd)

    def _exceeded(self) -> str | None:
        budget, calls = self._budget, self._in_flight + 1
        if budget.requests is not None and self.spent.requests >= budget.requests:
            return "requests"
        if budget.tokens is not None and self.spent.tokens + calls * self._dearest.tokens > budget.tokens:
            return "tokens"
        if budget.usd is not None and self.spent.usd + calls * self._dearest.usd > budget.usd:
            return "usd"
        if self._until is not None and self._monotonic() >= self._until:
            return "seconds"
        return None
