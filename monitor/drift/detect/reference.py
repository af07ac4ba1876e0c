"""The nights that the last night of a history is compared with: the same that the detector uses."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.drift.detect.detector import MIN_BEFORE, DriftAlert, initial_span, restart_span, span_after_new_version
from monitor.drift.detect.history import History, Segment, version_segments
from monitor.drift.detect.unannounced_change import Span
from monitor.drift.detect.window import Window
from monitor.stats.two_versions.group_sequential import LOOKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The reference nights of the last night.

    `segment` is the segment of the last night. `before` are the nights before its announced change; None for the first
    segment. `span` are the nights of the segment since its baseline began.
    """

    segment: Segment
    before: Window | None
    span: Span

    @property
    def own_nights(self) -> Window:
        return Window(start=self.span.start, end=self.span.end)

    @property
    def after_change(self) -> bool:
        """Whether looks after an announced change are active: until the plan ends or a later fall restarts the span."""
        looks_remain = self.segment.end - self.segment.start <= LOOKS[-1]
        return self.before is not None and looks_remain and self.span.start == self.segment.start


def reference_of(history: History, alerts: Sequence[DriftAlert]) -> Reference:
    """Return the reference of the last night; `alerts` are those of the detector before it."""
    before: Window | None = None
    segments = version_segments(history.versions, history.judges)
    for segment in segments[:-1]:
        span = _span(history, segment, before, alerts)
        if before is None or span.end - span.start >= MIN_BEFORE:
            before = Window(start=span.start, end=span.end)
    return Reference(segment=segments[-1], before=before, span=_span(history, segments[-1], before, alerts))


def _span(history: History, segment: Segment, before: Window | None, alerts: Sequence[DriftAlert]) -> Span:
    announced_alert = next((a for a in alerts if a.trigger == "version" and a.onset == segment.start), None)
    span = initial_span(history, segment, before, announced_alert)
    for alert in sorted(alerts, key=lambda alert: alert.night):
        if alert.trigger == "silent" and segment.start <= alert.onset and alert.night < segment.end:
            span = span_after_new_version(span, alert) if alert.kind == "behaviour" else restart_span(span, alert)
    return span
