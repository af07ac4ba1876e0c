"""The interface between the runner and a target."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable
from urllib.parse import quote

from replay.types import Case, Reply, TargetConditions

STATE_LENGTH = 256  # longest value of an entry of tracestate


async def unlimited() -> None:
    """Allow every request, for a call without a budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """Identifies the caller, so that driftd recognizes its replays in the spans of an instrumented application.

    `trace_id` is 32 lower-case hex digits, `span_id` 16. A target awaits `reserve` before every request of the call
    after the first: it counts the request, and raises BudgetSpentError if none is left.
    """

    run_id: str
    trace_id: str
    span_id: str
    reserve: Callable[[], Awaitable[None]] = field(default=unlimited, compare=False, repr=False)

    def headers(self) -> dict[str, str]:
        """Return the headers of W3C trace context and baggage.

        An OpenTelemetry SDK of the application copies `tracestate` to every span of the trace, so that any tracing tool
        can distinguish the spans of a replay from production.

        >>> headers = CallContext(run_id="run-1", trace_id="ab" * 16, span_id="cd" * 8).headers()
        >>> headers["baggage"], headers["tracestate"]
        ('driftd.run=run-1', 'driftd=run-1')
        """
        run = quote(self.run_id, safe="")
        return {
            "traceparent": f"00-{self.trace_id}-{self.span_id}-01",
            "tracestate": f"driftd={run[:STATE_LENGTH] or 'run'}",
            "baggage": f"driftd.run={run}",
        }


@runtime_checkable
class Listing(Protocol):
    """A target that can list its models without cost."""

    async def check(self) -> frozenset[str] | None:
        """Return the listed models, None without a list. Raise CallError if the target cannot serve."""
        ...


@runtime_checkable
class Holding(Protocol):
    """A target whose server reports how much it still allows."""

    def take_hold(self) -> float:
        """Return the seconds until the server allows more, from reports since the last call of this function; 0 if it
        allows some.
        """
        ...


@runtime_checkable
class TakesTurns(Protocol):
    """A target that knows whether it can answer a case turn by turn."""

    def turns_obstacle(self) -> str | None:
        """Return why the target cannot answer a case turn by turn; None if it can."""
        ...


def turns_obstacle(target: "Target") -> str | None:
    """Return why the target cannot answer a case turn by turn; None if it can."""
    if isinstance(target, TakesTurns):
        return target.turns_obstacle()
    return f"a target of kind {target.conditions.kind} does not send a conversation turn by turn"


class Target(Protocol):
    """Answers cases. It belongs to one event loop, from its first call to `aclose`."""

    @property
    def conditions(self) -> TargetConditions: ...

    async def call(self, case: Case, sample: int, context: CallContext) -> Reply:
        """Send one call without retries. Raise CallError without a usable answer."""
        ...

    async def aclose(self) -> None: ...
