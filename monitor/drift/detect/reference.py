"""Which nights the last night of a history is measured against: the same that the watch takes."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.drift.detect.detector import FEWEST_BEFORE, DriftAlert, opened, opening, restarted
from monitor.drift.detect.history import History, Stretch, stretches
from monitor.drift.detect.unannounced_change import Span
from monitor.drift.detect.window import Window
from monitor.stats.two_versions.group_sequential import LOOKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """`stretch` is the one of the last night. `before` holds the nights of what a known change left behind, None
    before the first; `span` the nights of the stretch since its reference began.
    """

    stretch: Stretch
    before: Window | None
    span: Span

    @property
    def own(self) -> Window:
        return Window(start=self.span.start, end=self.span.end)

    @property
    def after_change(self) -> bool:
        """Whether the looks after a known change go on: until their plan ends, or a fall that came later."""
        looking = self.stretch.end - self.stretch.start <= LOOKS[-1]
        return self.before is not None and looking and self.span.start == self.stretch.start


def reference_of(history: History, alerts: Sequence[DriftAlert]) -> Reference:
    """Of the last night; `alerts` are those of the watch before it."""
    before: Window | None = None
    cut = stretches(history.versions, history.judges)
    for stretch in cut[:-1]:
        span = _span(history, stretch, before, alerts)
        if before is None or span.end - span.start >= FEWEST_BEFORE:
            before = Window(start=span.start, end=span.end)
    return Reference(stretch=cut[-1], before=before, span=_span(history, cut[-1], before, alerts))


def _span(history: History, stretch: Stretch, before: Window | None, alerts: Sequence[DriftAlert]) -> Span:
    told = next((a for a in alerts if a.trigger == "version" and a.onset == stretch.start), None)
    span = opening(history, stretch, before, told)
    for alert in sorted(alerts, key=lambda alert: alert.night):
        if alert.trigger == "silent" and stretch.start <= alert.onset and alert.night < stretch.end:
            span = opened(span, alert) if alert.kind == "behaviour" else restarted(span, alert)
    return span
