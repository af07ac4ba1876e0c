"""Which nights the last night of a history is measured against: the same that the watch takes."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.drift.detect.detector import MIN_BEFORE, DriftAlert, initial_span, restart_span, span_after_new_version
from monitor.drift.detect.history import History, Segment, version_segments
from monitor.drift.detect.unannounced_change import Span
from monitor.drift.detect.window import Window
from monitor.stats.two_versions.group_sequential import LOOKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """`segment` is the one of the last night. `before` holds the nights of what a known change left behind, None
    before the first; `span` the nights of the stretch since its reference began.
    """

    segment: Segment
    before: Window | None
    span: Span

    @property
    def own_nights(self) -> Window:
        return Window(start=self.span.start, end=self.span.end)

    @property
    def after_change(self) -> bool:
        """Whether the looks after a known change go on: until their plan ends, or a fall that came later."""
        looks_remain = self.segment.end - self.segment.start <= LOOKS[-1]
        return self.before is not None and looks_remain and self.span.start == self.segment.start


def reference_of(history: History, alerts: Sequence[DriftAlert]) -> Reference:
    """Of the last night; `alerts` are those of the watch before it."""
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
