"""What the rooms ask of telemetry, and the one that records nothing."""

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
    """What a gauge shows now."""

    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


class Recorder(Protocol):
    """Recording never blocks. A name or label that is not declared is a bug and raises."""

    def count(self, name: str, amount: float, labels: Mapping[str, str] = NOTHING) -> None:
        """Add to a declared counter."""
        ...

    def record(self, name: str, value: float, labels: Mapping[str, str] = NOTHING) -> None:
        """One value of a declared histogram."""
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
        """A declared step as long as the block runs, inside the step at work unless it says otherwise.

        `begins` makes it the root of the trace of that id, `follows` a child of that root, in whatever process and
        however much later. `links` are other steps it belongs to.
        """
        ...


class Instruments(Recorder, Protocol):
    """A recorder of a whole process."""

    def observe(self, name: str, read: Callable[[], Iterable[GaugeValue]]) -> None:
        """Show a declared gauge; `read` is asked at every scrape and export, and never raises."""
        ...

    def exposition(self) -> bytes:
        """Everything counted so far, in Prometheus' text format."""
        ...

    def close(self) -> None:
        """Send what is left."""
        ...


class NoTelemetry:
    """For parts at work without a daemon around them: nobody looks at what they count."""

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
