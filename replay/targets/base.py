"""What the runner asks of anything that answers a case."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable
from urllib.parse import quote

from replay.types import Case, Reply, TargetConditions


async def unlimited() -> None:
    """For a call that no budget limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """Who is calling: what makes the spans of an instrumented application recognizable as a replay's.

    `trace_id` is 32 lower-case hex digits, `span_id` 16. A target awaits `reserve` before every request of the call
    after the first: it counts the request, and raises BudgetSpentError when none is left.
    """

    run_id: str
    trace_id: str
    span_id: str
    reserve: Callable[[], Awaitable[None]] = field(default=unlimited, compare=False, repr=False)

    def headers(self) -> dict[str, str]:
        """W3C trace context and baggage.

        >>> CallContext(run_id="run-1", trace_id="ab" * 16, span_id="cd" * 8).headers()["baggage"]
        'driftd.run=run-1'
        """
        return {
            "traceparent": f"00-{self.trace_id}-{self.span_id}-01",
            "baggage": f"driftd.run={quote(self.run_id, safe='')}",
        }


@runtime_checkable
class Listing(Protocol):
    """A target that can say which models it has, for nothing."""

    async def check(self) -> frozenset[str] | None:
        """The models it lists, None when it has no list; CallError when it cannot serve."""
        ...


@runtime_checkable
class Holding(Protocol):
    """A target whose server says how much it still allows."""

    def take_hold(self) -> float:
        """Seconds until it allows more, as it said since this was last asked; 0 while it allows some."""
        ...


class Target(Protocol):
    """Something that answers a case. It lives in one event loop, from its first call to `aclose`."""

    @property
    def conditions(self) -> TargetConditions: ...

    async def call(self, case: Case, sample: int, context: CallContext) -> Reply:
        """Ask once, without retrying; raise CallError when there is no usable answer."""
        ...

    async def aclose(self) -> None: ...
