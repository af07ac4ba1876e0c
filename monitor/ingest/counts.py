"""Counts what ingest did within the last minutes, for the alerting rules about ingest."""

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from opentelemetry.trace import Span, SpanContext

from monitor.alerting.checks.ingest import IngestTotals
from monitor.clock import Clock
from monitor.telemetry import GaugeValue, Instruments
from monitor.telemetry.recorder import NOTHING, Attributes

BUCKET_S = 60.0
LONGEST = 60  # minutes
RECENT = 2  # minutes of the longest wait
_COUNTED = {
    "driftd.ingest.batches": "requests",
    "driftd.ingest.refused": "refused",
    "driftd.ingest.accepted": "records",
    "driftd.ingest.duplicates": "records",
    "driftd.ingest.dead_letters": "dead_letters",
}


@dataclass(slots=True)
class _Minute:
    number: int
    counts: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)  # of refused requests
    waited_s: float = 0.0


class IngestCounts:
    """Telemetry that also keeps the counts of ingest of the last hour, by minute."""

    def __init__(self, telemetry: Instruments, clock: Clock) -> None:
        self._telemetry, self._clock = telemetry, clock
        self._lock = threading.Lock()  # protects _minutes: every listener and the writer count
        self._minutes: deque[_Minute] = deque(maxlen=LONGEST + 1)

    def totals(self, window_s: float) -> IngestTotals:
        """Return the totals of the last `window_s` seconds, rounded up to whole minutes."""
        now = self._number()
        with self._lock:
            kept = [one for one in self._minutes if one.number > now - max(1, round(window_s / BUCKET_S))]
            counts = sum((one.counts for one in kept), Counter[str]())
            codes = sum((one.codes for one in kept), Counter[str]())
            waited_s = max((one.waited_s for one in kept if one.number > now - RECENT), default=0.0)
        return IngestTotals(
            requests=counts["requests"] + counts["refused"],
            refused=counts["refused"],
            most_refused=codes.most_common(1)[0][0] if codes else None,
            records=counts["records"] + counts["dead_letters"],
            dead_letters=counts["dead_letters"],
            waited_s=waited_s,
        )

    def count(self, name: str, amount: float, labels: Mapping[str, str] = NOTHING) -> None:
        self._telemetry.count(name, amount, labels)
        kind = _COUNTED.get(name)
        if kind is None or not amount:
            return
        with self._lock:
            minute = self._minute()
            minute.counts[kind] += int(amount)
            if kind == "refused":
                minute.codes[labels.get("code", "unknown")] += int(amount)

    def record(self, name: str, value: float, labels: Mapping[str, str] = NOTHING) -> None:
        self._telemetry.record(name, value, labels)
        if name == "driftd.ingest.receipt.duration":
            with self._lock:
                minute = self._minute()
                minute.waited_s = max(minute.waited_s, value)

    def span(
        self,
        name: str,
        attributes: Attributes = NOTHING,
        *,
        links: Sequence[SpanContext] = (),
        starts_trace: str | None = None,
        in_trace: str | None = None,
    ) -> AbstractContextManager[Span]:
        return self._telemetry.span(name, attributes, links=links, starts_trace=starts_trace, in_trace=in_trace)

    def observe(self, name: str, read: Callable[[], Iterable[GaugeValue]]) -> None:
        self._telemetry.observe(name, read)

    def exposition(self) -> bytes:
        return self._telemetry.exposition()

    def close(self) -> None:
        self._telemetry.close()

    def _number(self) -> int:
        return int(self._clock.monotonic() // BUCKET_S)

    def _minute(self) -> _Minute:
        number = self._number()
        if not self._minutes or self._minutes[-1].number != number:
            self._minutes.append(_Minute(number))
        return self._minutes[-1]
