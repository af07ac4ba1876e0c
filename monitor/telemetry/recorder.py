"""The interface of telemetry for the other packages, and an implementation that records nothing."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Protocol

from opentelemetry.trace import INVALID_SPAN, Span, SpanContext

Attributes = Mapping[str, str | int | float | bool]
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class GaugeValue:
    """The current value of a gauge."""

    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


class Recorder(Protocol):
    """Record metrics and spans. Recording never blocks. A name or label that is not declared is a bug and raises."""

    def count(self, name: str, amount: float, labels: Mapping[str, str] = NOTHING) -> None:
        """Add to a declared counter."""
        ...

    def record(self, name: str, value: float, labels: Mapping[str, str] = NOTHING) -> None:
        """Add one value to a declared histogram."""
        ...

    def span(
        self,
        name: str,
        attributes: Attributes = NOTHING,
        *,
        links: Sequence[SpanContext] = (),
        starts_trace: str | None = None,
        in_trace: str | None = None,
    ) -> AbstractContextManager[Span]:
        """Open a declared span for the duration of the block. Its parent is the current span unless an id is given.

        `starts_trace` makes it the root of the trace of that id. `in_trace` makes it a child of that root, in any
        process and at any later time. `links` are other related spans.
        """
        ...


class Instruments(Recorder, Protocol):
    """The recorder of a whole process."""

    def observe(self, name: str, read: Callable[[], Iterable[GaugeValue]]) -> None:
        """Register a declared gauge. Every scrape and export calls `read`, which never raises."""
        ...

    def exposition(self) -> bytes:
        """Return all metrics in the Prometheus text format."""
        ...

    def close(self) -> None:
        """Export what is left."""
        ...


class NoTelemetry:
    """A recorder that records nothing, for parts that run without a daemon."""

    def count(self, name: str, amount: float, labels: Mapping[str, str] = NOTHING) -> None:
        pass

    def record(self, name: str, value: float, labels: Mapping[str, str] = NOTHING) -> None:
        pass

    def span(
        self,
        name: str,  # noqa: ARG002  the signature is Recorder's
        attributes: Attributes = NOTHING,  # noqa: ARG002
        *,
        links: Sequence[SpanContext] = (),  # noqa: ARG002
        starts_trace: str | None = None,  # noqa: ARG002
        in_trace: str | None = None,  # noqa: ARG002
    ) -> AbstractContextManager[Span]:
        return nullcontext(INVALID_SPAN)

    def observe(self, name: str, read: Callable[[], Iterable[GaugeValue]]) -> None:
        pass

    def exposition(self) -> bytes:
        return b""

    def close(self) -> None:
        pass


NO_TELEMETRY: Final[Instruments] = NoTelemetry()
